"""Whether constants are in the ranges that their environment declares: said before a model is built."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import ExpressionError, UsageError
from engine.mdp.expressions import Scope, evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.mdp.environment import Environment


def require_ranges(environment: Environment, constants: Mapping[str, str]) -> None:
    """Raise UsageError if a constant is outside its range.

    Parameters
    ----------
    environment
        What declares the ranges; an end may be an expression over the constants.
    constants
        The value of every constant, as exact text. One that is no number is left to the model, which knows its type.
    """
    values = {name: value for name, value in constants.items() if fraction_of(value) is not None}
    for name, declared in environment.constant_ranges.items():
        value = fraction_of(constants.get(name, ""))
        if value is None:
            continue
        least, most = (_end(environment, name, text, values) for text in (declared.least, declared.most))
        if (least is None or least <= value) and (most is None or value <= most):
            continue
        ends = [
            f"{word} {text}" + (f" (here {end})" if str(end) != text else "")
            for word, text, end in (("at least", declared.least, least), ("at most", declared.most, most))
            if end is not None
        ]
        meaning = environment.constant_help.get(name)
        raise UsageError(
            f"{name} = {constants[name]} is out of range: it is {' and '.join(ends)}",
            where="--const",
            hint=f"{name}: {meaning}" if meaning else f"choose another {name}",
        )


def fraction_of(text: str | None) -> Fraction | None:
    """Return the number that a text is, None if it is none."""
    try:
        return Fraction((text or "").replace(" ", ""))
    except (ValueError, ZeroDivisionError):
        return None


def _end(environment: Environment, name: str, text: str | None, values: Mapping[str, str]) -> Fraction | None:
    """Return one end of a range; None if there is none, or if it depends on a constant that has no number."""
    if text is None:
        return None
    number = fraction_of(text)
    if number is not None:
        return number
    try:
        found = evaluate(Scope(1, {}, values), text)[0]
    except ExpressionError as error:
        if any(known not in values for known in environment.constants):
            return None
        place = f"{environment.folder}: constant_ranges.{name}"
        raise UsageError(f"{error.what} in {text!r}", where=place, hint="mend environment.toml") from None
    return found if isinstance(found, Fraction) else Fraction(int(found))
