"""Category ``more-promising``: which of two states has the better property result."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.numbers import EQUAL, LARGER, SMALLER, UNDECIDED_SIGN, number_json
from engine.queries.category import Category, Difficulty, Mode, Object, Scope, Truth
from engine.queries.names import state_names
from engine.queries.pairs import DistinctPairs
from engine.queries.spaces import A_B
from engine.queries.values import Scale, numbers_by_name, stated

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray
    from engine.queries.case import Case
    from engine.queries.category import Search, Wording
    from engine.queries.draws import Draws
    from engine.queries.spaces import AnswerSpace


class MorePromising(Category):
    """A or B: the state with the better V. Tied pairs are no candidates."""

    name: ClassVar = "more-promising"
    scope: ClassVar = Scope.PAIR
    object: ClassVar = Object.RESULT
    mode: ClassVar = Mode.RELATIONAL
    summary: ClassVar = "which of two states has the better property result?"

    def defined(self, oracle: Oracle) -> str | None:
        value = oracle.facts.value
        lower, upper = (value.rank, value.rank) if value.rank is not None else (value.lower, value.upper)
        defined = value.defined
        if not bool(defined.any()) or lower[defined].max() <= upper[defined].min():
            return "no two states have values that certainly differ"
        return None

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        pairs = DistinctPairs(oracle.facts.value, Scale.of(oracle.facts), draws)
        found = pairs.closest(search.budget) if search.hardest else pairs.uniform(search.budget)
        swapped = draws.below(2, len(found)) == 1
        found[swapped] = found[swapped][:, ::-1]
        return found

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        sign = _sign(oracle, states)
        if sign in {SMALLER, LARGER}:
            return None
        left, right = state_names(oracle.mdp, states)
        if sign == EQUAL:
            return f"states {left} and {right} are tied, so no answer would be wrong"
        if sign == UNDECIDED_SIGN:
            return f"it is undecided which of the states {left} and {right} has the larger value"
        return f"the objective has no value at state {left} or {right}"

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        floats = oracle.facts.value.floats
        gap = Scale.of(oracle.facts).gaps(floats[states[:, 0]], floats[states[:, 1]])
        return Difficulty(1 - gap, {"gap": gap})

    def space(self, oracle: Oracle, states: tuple[int, ...]) -> AnswerSpace:
        del oracle, states
        return A_B

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        better = LARGER if oracle.facts.objective.kind.maximises else SMALLER
        accepted = "A" if _sign(oracle, states) == better else "B"
        values = {letter: number_json(oracle.facts.value.at(state)) for letter, state in zip("AB", states, strict=True)}
        return Truth((accepted,), {"V": values})

    def question(self, case: Case, wording: Wording) -> str:
        del case
        return (
            f"Which of the two states is more promising, that is, from which of them is {wording.measure} "
            f"{'higher' if wording.kind.maximises else 'lower'} if every action is chosen optimally, A or B?"
        )

    def reason(self, case: Case, answer: str) -> str:
        value = numbers_by_name(case.numbers["V"])
        verb = "is" if answer in case.accepted else "is not"
        return f"{answer} {verb} the better one: {stated('V(A)', value['A'])}, {stated('V(B)', value['B'])}"


def _sign(oracle: Oracle, states: tuple[int, ...]) -> int:
    left, right = states
    return int(oracle.facts.value.sign(np.array([left]), np.array([right]))[0])


CATEGORY = MorePromising()
