"""Category ``satisfy``: how likely the property is achieved from a state, acting optimally."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.numbers import Interval, exact_text, number_float, number_json, parse_exact
from engine.queries.category import Category, Chance, Difficulty, Grade, Mode, Object, Scope, Truth
from engine.queries.names import state_name
from engine.queries.spaces import Probability
from engine.queries.values import bounds, parse_number, stated, told

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, IntArray
    from engine.queries.case import Case
    from engine.queries.category import Search, Wording
    from engine.queries.draws import Draws

TOLERANCE = Fraction(1, 100)
WIDEST = 1e-5
"""The widest enclosure of V that makes a question: a thousandth of the tolerance."""
GRAIN = 1000
"""Every multiple of 1/1000 must be decided as an answer: the `random` explainer draws from these, and models do too."""
LONGEST = 1000
"""Bits of an exact denominator that the accepted answer states in full: some 300 digits."""
SLACK = 1e-6
"""Added around an enclosure, in thousandths, against rounding in this filter; verdicts do not depend on it."""


class Satisfy(Category):
    """A probability that equals V(s) within a tolerance, compared exactly.

    In sound mode an answer passes if it is within the tolerance of the whole enclosure of V, and fails if it is within
    the tolerance of no number in it. Between the two lie slivers as wide as the enclosure, one at either end of the
    tolerance. A state is only a candidate if no multiple of 1/1000 lies in them; another answer that does is graded
    as undecided, which is never counted.
    """

    name: ClassVar = "satisfy"
    scope: ClassVar = Scope.STATE
    object: ClassVar = Object.RESULT
    mode: ClassVar = Mode.INDIVIDUAL
    summary: ClassVar = "how likely is the property achieved from here, acting optimally?"

    def defined(self, oracle: Oracle) -> str | None:
        if oracle.facts.objective.kind.is_reward:
            return "it asks for a probability, and the objective is an expected reward"
        if not bool(_decidable(oracle).any()):
            return "no state's probability is enclosed narrowly enough; --mode exact may decide them"
        return None

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        del search, draws
        return np.flatnonzero(_decidable(oracle))[:, None]

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        (state,) = states
        if bool(_decidable(oracle)[state]):
            return None
        value = oracle.facts.value.at(state)
        name = state_name(oracle.mdp, state)
        if value is None:
            return f"the objective has no value at state {name}"
        low, high = bounds(value)
        return f"the enclosure [{float(low)!r}, {float(high)!r}] of V at state {name} leaves usual answers undecided"

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        value = oracle.facts.value.floats[states[:, 0]]
        return Difficulty(np.clip(1 - 2 * np.abs(value - 0.5), 0.0, 1.0), {"V": value})

    def space(self, oracle: Oracle, states: tuple[int, ...]) -> Probability:
        del oracle, states
        return Probability()

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        value = oracle.facts.value.at(states[0])
        if value is None:
            raise ValueError(f"state {states[0]} is no candidate: it has no value")
        numbers = {"V": number_json(value), "tolerance": exact_text(TOLERANCE)}
        return Truth((_inside(value),), numbers)

    def question(self, case: Case, wording: Wording) -> str:
        tolerance = parse_exact(str(case.numbers["tolerance"]))
        return (
            f"Starting in this state and choosing every action optimally, what is {wording.measure}? "
            f"An answer counts as right if it is within {float(tolerance):g} of the true probability."
        )

    def grade(self, case: Case, answer: str) -> Grade:
        given = Fraction(parse_exact(answer))
        tolerance = parse_exact(str(case.numbers["tolerance"]))
        low, high = (Fraction(bound) for bound in bounds(parse_number(case.numbers["V"])))
        nearest = max(low - given, given - high, Fraction(0))
        farthest = max(abs(given - low), abs(given - high))
        score = min(1.0, max(0.0, float(1 - (nearest + farthest) / 2)))
        reason = self.reason(case, answer)
        allowed = f"within {float(tolerance):g}"
        if nearest <= tolerance < farthest:
            return Grade(None, None, f"{reason}: the enclosure of V does not decide whether this is {allowed}")
        passed = farthest <= tolerance
        return Grade(passed, score, f"{reason}: {allowed}" if passed else f"{reason}: not {allowed}")

    def reason(self, case: Case, answer: str) -> str:
        value = parse_number(case.numbers["V"])
        text = stated("V", value)
        decimal = f" ≈ {number_float(value):.4g}" if "/" in text else ""
        return f"answered {told(parse_exact(answer))}, {text}{decimal}"

    def chance(self, case: Case) -> Chance:
        count = GRAIN + 1
        passes = sum(self.grade(case, f"{thousandth}/{GRAIN}").passed is True for thousandth in range(count))
        value = Fraction(parse_exact(case.accepted[0]))
        below = value.numerator * GRAIN // value.denominator
        distance = (
            value * (below + 1)
            - Fraction(below * (below + 1), 2 * GRAIN)
            + Fraction(GRAIN * count - below * (below + 1), 2 * GRAIN)
            - value * (GRAIN - below)
        )
        return Chance(Fraction(passes, count), 1 - distance / count)


def _decidable(oracle: Oracle) -> BoolArray:
    """Return ``(states,)`` whether V is known well enough to grade every usual answer."""
    value = oracle.facts.value
    points = value.lower == value.upper
    with np.errstate(invalid="ignore"):
        multiple_inside = np.floor(value.upper * GRAIN + SLACK) >= np.ceil(value.lower * GRAIN - SLACK)
        narrow = value.upper - value.lower <= WIDEST
    decidable: BoolArray = value.defined & (points | (narrow & ~multiple_inside))
    return decidable


def _inside(value: Fraction | float | Interval) -> str:
    """Return an answer that passes: V itself, or a short decimal near it if V is enclosed or too long to be read."""
    if isinstance(value, Fraction) and value.denominator.bit_length() <= LONGEST:
        return exact_text(value)
    decimal = f"{number_float(value):.9f}"
    return decimal.rstrip("0").rstrip(".")


CATEGORY = Satisfy()
