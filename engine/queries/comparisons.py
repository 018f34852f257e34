"""What the questions have in common that compare a number of two states (methods.md 1.2)."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.numbers import EQUAL, LARGER, SMALLER, UNDECIDED_SIGN, number_json
from engine.queries.category import Category, Difficulty, Mode, Object, Scope, Truth
from engine.queries.names import state_names
from engine.queries.pairs import DistinctPairs
from engine.queries.spaces import A_B
from engine.queries.values import numbers_by_name, stated

if TYPE_CHECKING:
    from engine.oracle.facts import Facts, Oracle
    from engine.oracle.numbers import IntArray, Numbers
    from engine.queries.case import Case
    from engine.queries.category import Search
    from engine.queries.draws import Draws
    from engine.queries.spaces import AnswerSpace
    from engine.queries.values import Scale


class ComparedStates(Category):
    """A or B: the state with the better number. Tied pairs are no candidates."""

    scope: ClassVar = Scope.PAIR
    object: ClassVar = Object.RESULT
    mode: ClassVar = Mode.RELATIONAL
    symbol: ClassVar[str]
    """``V`` or ``D``."""
    noun: ClassVar[str]
    """What the number is called in messages, e.g. ``value``."""
    adjective: ClassVar[str]
    """What the right state is, e.g. ``better``."""

    @abstractmethod
    def numbers(self, facts: Facts) -> Numbers:
        """Return ``(states,)`` what is compared."""

    @abstractmethod
    def scale(self, facts: Facts) -> Scale:
        """Return how gaps are measured."""

    @abstractmethod
    def larger_is_right(self, facts: Facts) -> bool:
        """Return whether the state with the larger number is the answer."""

    def defined(self, oracle: Oracle) -> str | None:
        numbers = self.numbers(oracle.facts)
        lower, upper = (numbers.rank, numbers.rank) if numbers.rank is not None else (numbers.lower, numbers.upper)
        defined = numbers.defined
        if not bool(defined.any()) or lower[defined].max() <= upper[defined].min():
            return f"no two states have {self.noun}s that certainly differ"
        return None

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        pairs = DistinctPairs(self.numbers(oracle.facts), self.scale(oracle.facts), draws)
        found = pairs.closest(search.budget) if search.hardest else pairs.uniform(search.budget)
        swapped = draws.below(2, len(found)) == 1
        found[swapped] = found[swapped][:, ::-1]
        return found

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        sign = self._sign(oracle, states)
        if sign in {SMALLER, LARGER}:
            return None
        left, right = state_names(oracle.mdp, states)
        if sign == EQUAL:
            return f"states {left} and {right} are tied, so no answer would be wrong"
        if sign == UNDECIDED_SIGN:
            return f"it is undecided which of the states {left} and {right} has the larger {self.noun}"
        return f"there is no {self.noun} at state {left} or {right}"

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        floats = self.numbers(oracle.facts).floats
        gap = self.scale(oracle.facts).gaps(floats[states[:, 0]], floats[states[:, 1]])
        return Difficulty(1 - gap, {"gap": gap})

    def space(self, oracle: Oracle, states: tuple[int, ...]) -> AnswerSpace:
        del oracle, states
        return A_B

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        right = LARGER if self.larger_is_right(oracle.facts) else SMALLER
        accepted = "A" if self._sign(oracle, states) == right else "B"
        numbers = self.numbers(oracle.facts)
        values = {letter: number_json(numbers.at(state)) for letter, state in zip("AB", states, strict=True)}
        return Truth((accepted,), {self.symbol: values})

    def reason(self, case: Case, answer: str) -> str:
        value = numbers_by_name(case.numbers[self.symbol])
        verb = "is" if answer in case.accepted else "is not"
        told = ", ".join(stated(f"{self.symbol}({letter})", value[letter]) for letter in "AB")
        return f"{answer} {verb} the {self.adjective} one: {told}"

    def _sign(self, oracle: Oracle, states: tuple[int, ...]) -> int:
        left, right = states
        return int(self.numbers(oracle.facts).sign(np.array([left]), np.array([right]))[0])
