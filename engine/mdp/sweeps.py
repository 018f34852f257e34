"""Values of a swept constant: ``k=1..20``, ``p=0:1/10:1``."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 10_000
_HINT = "write k=1..20 for integers or p=0:1/10:1 for first:step:last"


def parse_grid(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return the values of several sweeps by constant; raises UsageError, also for too many combinations."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, values = parse_sweep(text)
        if name in found:
            raise UsageError(f"{name} is swept twice", where="--sweep", hint="give each constant one --sweep")
        found[name] = values
    count = math.prod(map(len, found.values()))
    if count > LONGEST:
        raise UsageError(f"{count:,} combinations are too many", where="--sweep", hint=f"at most {LONGEST:,}")
    return found


def parse_sweep(text: str) -> tuple[str, list[str]]:
    """Return the constant's name and its values as exact text; raises UsageError."""
    name, equals, values = (part.strip() for part in text.partition("="))
    whole = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", values)
    try:
        if whole is not None:
            first, step, last = Fraction(whole[1]), Fraction(1), Fraction(whole[2])
        else:
            first, step, last = (Fraction(part) for part in values.split(":"))
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"{text!r} is no sweep", where="--sweep", hint=_HINT) from None
    if not (name and equals) or step <= 0 or last < first:
        raise UsageError(f"{text!r} is no sweep", where="--sweep", hint=_HINT)
    count = int((last - first) / step) + 1
    if count > LONGEST:
        raise UsageError(f"{count:,} values are too many", where="--sweep", hint=f"at most {LONGEST:,}")
    return name, [str(first + index * step) for index in range(count)]
