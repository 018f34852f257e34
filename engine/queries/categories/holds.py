"""Category ``holds``: whether the best achievable value is at least (at most) λ, an extension of the taxonomy."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from engine.oracle.numbers import exact_text, number_float, number_json
from engine.queries import thresholds
from engine.queries.category import Difficulty, Mode, Object, Scope, Truth
from engine.queries.names import state_name
from engine.queries.values import Scale, decimal_text, parse_number, stated
from engine.queries.yes_no import YesNo, yes_or_no

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.oracle.facts import Facts, Oracle
    from engine.oracle.numbers import BoolArray, IntArray
    from engine.queries.case import Case
    from engine.queries.category import Search, Wording
    from engine.queries.draws import Draws
    from engine.queries.setting import Setting
    from engine.queries.thresholds import Thresholds


class Holds(YesNo):
    """V(s) ≥ λ for a maximised objective, V(s) ≤ λ for a minimised one.

    λ is drawn with the seed for each state, so that both answers occur equally often, or given by the user.
    """

    name: ClassVar = "holds"
    scope: ClassVar = Scope.STATE
    object: ClassVar = Object.RESULT
    mode: ClassVar = Mode.INDIVIDUAL
    summary: ClassVar = "is the best achievable value at least (at most) a threshold?"

    def __init__(self, seed: int = 0, threshold: Fraction | None = None) -> None:
        self._seed = seed
        self._threshold = threshold
        self._last: tuple[Facts, Thresholds] | None = None

    def configured(self, setting: Setting) -> Holds:
        return Holds(setting.seed, setting.threshold)

    def _thresholds(self, oracle: Oracle) -> Thresholds:
        """Return λ of every state; drawn once for a model, since every case asks for it."""
        if self._last is None or self._last[0] is not oracle.facts:
            given = self._threshold
            found = (
                thresholds.drawn(oracle.facts, self._seed) if given is None else thresholds.fixed(oracle.facts, given)
            )
            self._last = (oracle.facts, found)
        return self._last[1]

    def parameters(self, oracle: Oracle, states: tuple[int, ...]) -> Mapping[str, str]:
        return {"threshold": exact_text(self._thresholds(oracle).at(states[0]))}

    def defined(self, oracle: Oracle) -> str | None:
        if not bool(self._thresholds(oracle).usable.any()):
            return "no state's value is certainly at one side of a threshold; --mode exact may decide them"
        return None

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        del search, draws
        return self._thresholds(oracle).candidates()[:, None]

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        found = self._thresholds(oracle)
        if bool(found.usable[states[0]]):
            return None
        name = state_name(oracle.mdp, states[0])
        if oracle.facts.value.at(states[0]) is None:
            return f"the objective has no value at state {name}"
        return f"it is undecided on which side of {decimal_text(found.at(states[0]))} V lies at state {name}"

    def classes(self, oracle: Oracle, states: IntArray) -> BoolArray:
        return self._thresholds(oracle).holds[states[:, 0]]

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        value = oracle.facts.value.floats[states[:, 0]]
        threshold = self._thresholds(oracle).floats(states[:, 0])
        gap = Scale.of(oracle.facts).gaps(value, threshold)
        return Difficulty(1 - gap, {"V": value, "threshold": threshold})

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        found, (state,) = self._thresholds(oracle), states
        holds = bool(found.holds[state])
        numbers = {"V": number_json(oracle.facts.value.at(state)), "threshold": exact_text(found.at(state))}
        return Truth(yes_or_no(holds), numbers)

    def question(self, case: Case, wording: Wording) -> str:
        play = "choosing every action optimally" if wording.policy is None else "following the given policy"
        side = "at least" if wording.kind.maximises else "at most"
        threshold = decimal_text(Fraction(case.parameters["threshold"]))
        return f"Starting in this state and {play}, is {wording.measure} {side} {threshold}?"

    def reason(self, case: Case, answer: str) -> str:
        value = parse_number(case.numbers["V"])
        text = stated("V", value)
        decimal = f" ≈ {number_float(value):.4g}" if "/" in text else ""
        threshold = decimal_text(Fraction(str(case.numbers["threshold"])))
        return f"answered {answer}: {text}{decimal}, the threshold is {threshold}"


CATEGORY = Holds()
