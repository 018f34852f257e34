"""Filters of properties: which states' values are combined, and how. Storm's check itself leaves them aside."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.errors import UsageError
from engine.oracle.numbers import Exact, Interval, to_float

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Approximate:
    """A number that Storm gives without bounds: shown, never combined."""

    value: float


StateValue: TypeAlias = "bool | Exact | Interval | Approximate"

_WORDS = {
    "the minumum": "min",
    "the minimum": "min",
    "the maximum": "max",
    "the sum": "sum",
    "the average": "avg",
    "the number": "count",
    "whether for all states in": "forall",
    "whether there exists a state in": "exists",
    "the values": "values",
    "the argmin": "argmin",
    "the argmax": "argmax",
}
"""How a property describes its filter: the binding shows it in no other way."""

_DESCRIPTION = re.compile(r"Obtain (?P<what>.+?)(?: of)? of the '(?P<states>.*)'-states with values described by '")


@dataclass(frozen=True)
class Filter:
    """A filter, as in ``filter(min, Pmax=? [F "goal"], x=1)``.

    Attributes
    ----------
    kind
        PRISM's word for what is done with the values.
    states
        The state formula of the states concerned.
    """

    kind: str
    states: str


def filter_of(prop: Any) -> Filter | None:
    """Return a property's filter; None if it is about the values at the initial states."""
    found = _DESCRIPTION.search(str(prop))
    if found is None or (found["what"], found["states"]) == ("the values", '"init"'):
        return None
    return Filter(_WORDS.get(found["what"], found["what"]), found["states"])


def combine(kind: str, values: Sequence[StateValue], text: str) -> StateValue | None:
    """Return what a filter makes of the values; None for ``values`` that are not all the same.

    The values are all of one type. Enclosures are combined bound by bound, sums rounded outward.

    Raises
    ------
    UsageError
        If there are no states, or the filter does not go with such values.
    """
    if not values:
        raise UsageError("no state satisfies the filter", where=text)
    truth = [value for value in values if isinstance(value, bool)]
    if len(truth) == len(values) and kind in {"forall", "exists", "count"}:
        return Fraction(sum(truth)) if kind == "count" else all(truth) if kind == "forall" else any(truth)
    if kind == "values":
        return values[0] if all(value == values[0] for value in values) else None
    numbers = [value for value in values if not isinstance(value, bool)]
    plain = [value for value in numbers if not isinstance(value, Approximate)]
    if truth or len(plain) < len(numbers) or kind not in {"min", "max", "sum", "avg"}:
        raise UsageError(
            f"the filter {kind} does not go with these values",
            where=text,
            hint="use min, max, sum or avg with checked numbers, forall, exists or count with truth values",
        )
    exact = [value for value in plain if not isinstance(value, Interval)]
    if len(exact) == len(plain):
        return _exact(kind, exact)
    bounds = [value for value in plain if isinstance(value, Interval)]
    lower, upper = (_exact(kind, [_number(bound) for bound in side]) for side in _sides(bounds))
    return Interval(_outward(lower, -math.inf), _outward(upper, math.inf))


def _exact(kind: str, values: list[Exact]) -> Exact:
    match kind:
        case "min":
            return min(values)
        case "max":
            return max(values)
    if math.inf in values:
        return math.inf
    total = sum((Fraction(value) for value in values), Fraction(0))
    return total if kind == "sum" else total / len(values)


def _sides(bounds: list[Interval]) -> tuple[list[float], list[float]]:
    return [bound.lower for bound in bounds], [bound.upper for bound in bounds]


def _number(bound: float) -> Exact:
    return math.inf if bound == math.inf else Fraction(bound)


def _outward(value: Exact, direction: float) -> float:
    nearest = to_float(value)
    exact = value == math.inf or Fraction(nearest) == value
    return nearest if exact else math.nextafter(nearest, direction)
