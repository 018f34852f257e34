"""Category ``satisfy``: how likely the property is achieved from a state, acting optimally; or the expected reward."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.numbers import Interval, exact_text, number_float, number_json, parse_exact
from engine.queries.category import Category, Chance, Difficulty, Grade, Mode, Object, Scope, Truth
from engine.queries.names import state_name
from engine.queries.nearness import Target, mean_score, passing_share
from engine.queries.setting import TOLERANCE
from engine.queries.spaces import Number, Probability
from engine.queries.values import Scale, bounds, finite_ends, parse_number, range_json, stated, told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, IntArray
    from engine.queries.case import Case
    from engine.queries.category import Search, Wording
    from engine.queries.draws import Draws
    from engine.queries.setting import Setting

NARROW = 1e-3
"""The widest enclosure of V that makes a question, as a share of the tolerance."""
GRAIN = 1000
"""Every multiple of 1/1000 must be decided as a probability: the `random` explainer draws from these, models do too."""
LONGEST = 1000
"""Bits of an exact denominator that the accepted answer states in full: some 300 digits."""
SLACK = 1e-6
"""Added around an enclosure, in thousandths, against rounding in this filter; verdicts do not depend on it."""


class Satisfy(Category):
    """A number that equals V(s) within a tolerance, compared exactly; for rewards within tolerance × max(1, abs(V)).

    In sound mode an answer passes if it is within the tolerance of the whole enclosure of V, and fails if it is within
    the tolerance of no number in it. Between the two lie slivers as wide as the enclosure, one at either end of the
    tolerance. A state is only a candidate if no multiple of 1/1000 lies in them (of a probability); another answer that
    does is graded as undecided, which is never counted.
    """

    name: ClassVar = "satisfy"
    scope: ClassVar = Scope.STATE
    object: ClassVar = Object.RESULT
    mode: ClassVar = Mode.INDIVIDUAL
    summary: ClassVar = "how likely is the property achieved from here, acting optimally?"

    def __init__(self, tolerance: Fraction = TOLERANCE) -> None:
        self._tolerance = tolerance

    def configured(self, setting: Setting) -> Satisfy:
        return Satisfy(setting.tolerance)

    def summary_for(self, oracle: Oracle) -> str:
        kind = oracle.facts.objective.kind
        return "what is the expected reward from here, acting optimally?" if kind.is_reward else self.summary

    def parameters(self, oracle: Oracle, states: tuple[int, ...]) -> Mapping[str, str]:
        del oracle, states
        return {} if self._tolerance == TOLERANCE else {"tolerance": exact_text(self._tolerance)}

    def defined(self, oracle: Oracle) -> str | None:
        if not bool(self._decidable(oracle).any()):
            noun = "value" if oracle.facts.objective.kind.is_reward else "probability"
            return f"no state's {noun} is enclosed narrowly enough; --mode exact may decide them"
        return None

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        del search, draws
        return np.flatnonzero(self._decidable(oracle))[:, None]

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        (state,) = states
        if bool(self._decidable(oracle)[state]):
            return None
        value = oracle.facts.value.at(state)
        name = state_name(oracle.mdp, state)
        if value is None:
            return f"the objective has no value at state {name}"
        low, high = bounds(value)
        return f"the enclosure [{float(low)!r}, {float(high)!r}] of V at state {name} leaves usual answers undecided"

    def _decidable(self, oracle: Oracle) -> BoolArray:
        """Return ``(states,)`` whether V is known well enough to grade every usual answer."""
        value = oracle.facts.value
        points = value.lower == value.upper
        tolerance = float(self._tolerance)
        with np.errstate(invalid="ignore"):
            width = value.upper - value.lower
            if oracle.facts.objective.kind.is_reward:
                fine = width <= NARROW * tolerance * np.maximum(1.0, np.abs(value.lower))
            else:
                fine = width <= NARROW * tolerance
                for edge in (-tolerance, tolerance):
                    fine &= np.floor((value.upper + edge) * GRAIN + SLACK) < np.ceil(
                        (value.lower + edge) * GRAIN - SLACK
                    )
        decidable: BoolArray = value.defined & (points | fine)
        return decidable

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        value = oracle.facts.value.floats[states[:, 0]]
        placed = Scale.of(oracle.facts).positions(value)
        return Difficulty(1 - 2 * np.abs(placed - 0.5), {"V": value})

    def space(self, oracle: Oracle, states: tuple[int, ...]) -> Probability | Number:
        del states
        if not oracle.facts.objective.kind.is_reward:
            return Probability()
        least, most = finite_ends(oracle.facts)
        return Number(_inside(bounds(least)[0]), _inside(bounds(most)[1]))

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        value = oracle.facts.value.at(states[0])
        if value is None:
            raise ValueError(f"state {states[0]} is no candidate: it has no value")
        numbers = {"V": number_json(value), "tolerance": exact_text(self._tolerance), **range_json(oracle.facts)}
        return Truth((_inside(value),), numbers)

    def question(self, case: Case, wording: Wording) -> str:
        tolerance = float(parse_exact(str(case.numbers["tolerance"])))
        play = "choosing every action optimally" if wording.policy is None else "following the given policy"
        asked = f"Starting in this state and {play}, what is {wording.measure}?"
        noun = "number" if wording.kind.is_reward else "probability"
        if wording.kind.is_reward:
            asked += " Answer inf if it is infinite."
        if tolerance == 0:
            return f"{asked} An answer counts as right only if it is exactly the true {noun}."
        relative = ", or by that share of it where it is above 1" if wording.kind.is_reward else ""
        within = f"off by at most {tolerance:g}{relative}" if relative else f"within {tolerance:g} of the true {noun}"
        return f"{asked} An answer counts as right if it is {within}."

    def grade(self, case: Case, answer: str) -> Grade:
        target, given = _target(case), parse_exact(answer)
        reason = self.reason(case, answer)
        if target.low == math.inf:
            return Grade(given == math.inf, target.score(given), f"{reason}: infinite, so only inf is right")
        factor = "" if target.spread is None else " × max(1, |V|)"
        allowed = f"within {float(target.tolerance):g}{factor}" if target.tolerance else "exactly right"
        passed = target.accepts(given)
        if passed is None:
            return Grade(None, None, f"{reason}: the enclosure of V does not decide whether this is {allowed}")
        return Grade(passed, target.score(given), f"{reason}: {allowed}" if passed else f"{reason}: not {allowed}")

    def score(self, case: Case, answer: str) -> Fraction:
        return _target(case).score(parse_exact(answer))

    def reason(self, case: Case, answer: str) -> str:
        value = parse_number(case.numbers["V"])
        text = stated("V", value)
        decimal = f" ≈ {number_float(value):.4g}" if "/" in text else ""
        return f"answered {told(parse_exact(answer))}, {text}{decimal}"

    def chance(self, case: Case) -> Chance:
        target = _target(case)
        if isinstance(case.space, Number):
            least, most = Fraction(case.space.least), Fraction(case.space.most)
        else:
            least, most = Fraction(0), Fraction(1)
        return Chance(passing_share(target, least, most, GRAIN), mean_score(target, least, most, GRAIN))


def _target(case: Case) -> Target:
    spread = case.numbers.get("range")
    return Target(
        *bounds(parse_number(case.numbers["V"])),
        Fraction(parse_exact(str(case.numbers["tolerance"]))),
        None if spread is None else sum((Fraction(end) for end in bounds(parse_number(spread))), Fraction(0)) / 2,
    )


def _inside(value: Fraction | float | Interval) -> str:
    """Return a number's text: itself, or a short decimal near it if it is enclosed or too long to be read."""
    if value == math.inf:
        return "inf"
    if isinstance(value, Fraction) and value.denominator.bit_length() <= LONGEST:
        return exact_text(value)
    decimal = f"{number_float(value):.9f}"
    return decimal.rstrip("0").rstrip(".")


CATEGORY = Satisfy()
