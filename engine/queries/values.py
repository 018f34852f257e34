"""Differences of checked numbers: exact for verdicts, as doubles for difficulty (methods.md 1.2, 1.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from engine.oracle.numbers import Interval, exact_text, number_json, number_text, parse_exact, to_float

if TYPE_CHECKING:
    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import BoolArray, Exact, FloatArray, IntArray, JsonNumber, Number, Numbers
    from engine.queries.case import FactValue


SHORT = 40
"""Bits of the numerators and denominators that people are shown: a checked fraction can have thousands of digits."""
DIGITS = 6


def parse_number(value: FactValue) -> Number:
    """Read a number back from a case: the inverse of `number_json`; raises TypeError where there is none."""
    match value:
        case str():
            return parse_exact(value)
        case {"lower": lower, "upper": upper}:
            return Interval(float(str(lower)), float(str(upper)))
        case _:
            raise TypeError(f"not a number of a case: {value!r}")


def numbers_by_name(value: FactValue) -> dict[str, Number]:
    """Read the numbers of a case's table, e.g. Q by action; raises TypeError where it is none."""
    if not isinstance(value, dict):
        raise TypeError(f"not a table of numbers: {value!r}")
    return {name: parse_number(cast("JsonNumber", number)) for name, number in value.items()}


def told(value: Number) -> str:
    """Return a number as a verdict's reason says it: exact if that is short, else as a decimal behind a ``≈``."""
    if isinstance(value, Fraction) and max(value.numerator.bit_length(), value.denominator.bit_length()) > SHORT:
        return f"≈{to_float(value):.{DIGITS}g}"
    return number_text(value, digits=DIGITS)


def stated(name: str, value: Number) -> str:
    """Return ``name = 14/17``, or ``name ≈ 0.823529`` where the number is not told in full."""
    text = told(value)
    return f"{name} ≈ {text[1:]}" if text.startswith("≈") else f"{name} = {text}"


def decimal_text(value: Fraction) -> str:
    """Return a fraction as people write it: ``0.37`` where its decimals end soon, else ``1/3``."""
    scaled = value * 10**DIGITS
    if scaled.denominator != 1:
        return str(value)
    whole, rest = divmod(abs(scaled.numerator), 10**DIGITS)
    decimals = f"{rest:0{DIGITS}d}".rstrip("0")
    return f"{'-' if value < 0 else ''}{whole}{'.' if decimals else ''}{decimals}"


def bounds(value: Number) -> tuple[Exact, Exact]:
    """Return the exact lower and upper bound of a number; the two are equal where it is known exactly."""
    if not isinstance(value, Interval):
        return value, value
    return _exact(value.lower), _exact(value.upper)


def _exact(value: float) -> Exact:
    return value if math.isinf(value) else Fraction(value)


def largest_difference(left: Number, right: Number) -> Exact:
    """Return abs(left - right), or its upper bound for enclosures; two infinities do not differ."""
    (a, b), (c, d) = bounds(left), bounds(right)
    return max(_distance(a, d), _distance(b, c))


def _distance(left: Exact, right: Exact) -> Exact:
    if left == right:
        return Fraction(0)
    return abs(Fraction(left) - Fraction(right)) if math.isfinite(left) and math.isfinite(right) else math.inf


def share_of_range(difference: Exact, spread: Number | None) -> Exact:
    """Return a difference of expected rewards as a share of the range of finite values, at most 1 (methods.md 1.2).

    Parameters
    ----------
    difference
        An exact difference or an upper bound of one.
    spread
        The range as `value_range` gives it, or None for probabilities, whose differences are shares already.
    """
    if spread is None or difference == 0:
        return difference
    width = bounds(spread)[0]
    return Fraction(1) if difference == math.inf or difference >= width else Fraction(difference) / Fraction(width)


def of_objective(facts: Facts) -> str:
    """Return what facts are not defined for, to follow "not defined for": ``Pmin objectives``."""
    silent = "" if facts.objective.policy is None else ", nor where the policy says nothing"
    return f"{facts.objective.kind} objectives{silent}"


def value_range(facts: Facts) -> Number | None:
    """Return the range of a reward objective's finite values; None for probabilities, which need none."""
    if not facts.objective.kind.is_reward:
        return None
    least, most = finite_ends(facts)
    if isinstance(least, Interval) or isinstance(most, Interval):
        (a, b), (c, d) = bounds(least), bounds(most)
        return Interval(max(0.0, to_float(Fraction(c) - Fraction(b))), to_float(Fraction(d) - Fraction(a)))
    return Fraction(most) - Fraction(least)


_ends: tuple[Numbers, tuple[Number, Number]] | None = None
"""The last model's ends: every case of a model needs them, and finding them looks at every state."""


def finite_ends(facts: Facts) -> tuple[Number, Number]:
    """Return the smallest and the largest finite value of an objective, 0 and 0 if there is none."""
    global _ends  # noqa: PLW0603 - one slot, replaced as a whole, so that threads cannot see half of it
    known = _ends
    if known is None or known[0] is not facts.value:
        known = _ends = (facts.value, _find_ends(facts.value))
    return known[1]


def _find_ends(value: Numbers) -> tuple[Number, Number]:
    finite = np.flatnonzero(np.isfinite(value.upper))
    if len(finite) == 0:
        return Fraction(0), Fraction(0)
    if value.rank is not None and value.table is not None:
        ranks = value.rank[finite]
        return value.table[int(ranks.min())], value.table[int(ranks.max())]
    lower, upper = value.lower[finite], value.upper[finite]
    return Interval(float(lower.min()), float(upper.min())), Interval(float(lower.max()), float(upper.max()))


def range_json(facts: Facts) -> dict[str, JsonNumber]:
    """Return the range as an entry of a case's numbers: empty for probabilities."""
    spread = value_range(facts)
    return {} if spread is None else {"range": number_json(spread)}


def regret_text(value: Number, q: Number, spread: Number | None) -> str:
    """Return abs(V - Q) as a verdict states it: exact text, or a double that is an upper bound of it."""
    regret = share_of_range(largest_difference(value, q), spread)
    if not any(isinstance(number, Interval) for number in (value, q, spread)):
        return exact_text(regret)
    rounded = to_float(regret)
    return "0" if regret == 0 else repr(rounded if rounded >= regret else math.nextafter(rounded, math.inf))


@dataclass(frozen=True, slots=True)
class Scale:
    """Values as doubles in [0, 1]: probabilities as they are, expected rewards within the range of finite values."""

    lowest: float
    width: float

    @classmethod
    def of(cls, facts: Facts) -> Scale:
        """Return the scale of an objective's values."""
        if not facts.objective.kind.is_reward:
            return cls(0.0, 1.0)
        floats = facts.value.floats
        finite = floats[np.isfinite(floats)]
        return cls(float(finite.min()), float(finite.max() - finite.min())) if len(finite) else cls(0.0, 0.0)

    def positions(self, floats: FloatArray) -> FloatArray:
        """Return where values lie, clipped to [0, 1]; infinity is 1."""
        if self.width == 0:
            return np.where(np.isposinf(floats), 1.0, 0.0)
        return np.clip((floats - self.lowest) / self.width, 0.0, 1.0)

    def gaps(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return how far values are apart in [0, 1]: infinite against finite is 1, two infinities are 0."""
        infinite = np.isinf(left).astype(np.int8) + np.isinf(right)
        with np.errstate(invalid="ignore"):
            apart = np.abs(left - right) / (self.width or 1.0)
        return np.select([infinite == 1, infinite == 2], [1.0, 0.0], np.clip(apart, 0.0, 1.0))  # noqa: PLR2004 - both of the two


def count_by_state(mdp: Mdp, choices: BoolArray) -> IntArray:
    """Return ``(states,)`` how many of each state's choices are in a ``(choices,)`` mask."""
    total = np.concatenate(([0], np.cumsum(choices, dtype=np.int64)))
    counts: IntArray = total[mdp.choice_start[1:]] - total[mdp.choice_start[:-1]]
    return counts
