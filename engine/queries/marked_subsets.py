"""What the questions about the marked members of a subset have in common (methods.md 1.2, 1.3)."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.numbers import exact_text, number_json
from engine.queries import subsets
from engine.queries.category import Category, Chance, Grade, Mode, Object, Scope, Truth
from engine.queries.names import state_names
from engine.queries.spaces import YES_NO, SetOf
from engine.queries.yes_no import YesNo, yes_or_no

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, IntArray
    from engine.queries.case import Case, FactValue
    from engine.queries.category import Search, Wording
    from engine.queries.draws import Draws
    from engine.queries.marking import Marking
    from engine.queries.spaces import AnswerSpace


class MarkedSubset(Category):
    """A question about which members of a subset are marked.

    Where there are too many subsets to list them, the candidates are uniform draws and, for the hardest, subsets around
    the states that come nearest to being marked.
    """

    scope: ClassVar = Scope.SUBSET
    object: ClassVar = Object.RESULT
    mode: ClassVar = Mode.INDIVIDUAL
    balanced: ClassVar = True
    marking: ClassVar[Marking]
    counts_everywhere: ClassVar[bool]
    """Whether a near miss makes a subset harder that holds a marked state too."""

    def defined(self, oracle: Oracle) -> str | None:
        return self.marking.why_none(oracle)

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        return self.marking.why_not(oracle, states, one_is_enough=isinstance(self, YesNo))

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        marked, plain = self.marking.split(oracle)
        size, budget = search.size, search.budget
        count = subsets.pool_size(budget, hardest=search.hardest)
        yes = subsets.with_marked(marked, plain, size, count, draws)
        no = subsets.without_marked(plain, size, count, draws)
        if search.hardest and comb(len(plain), size) > subsets.ENUMERATED:
            order = np.lexsort((draws.keys(len(plain)), -self.marking.nearness(oracle)[plain]))
            near = plain[order[:budget]]
            no = subsets.merged(no, subsets.around(near, plain, size, draws))
            if self.counts_everywhere:
                yes = subsets.merged(yes, subsets.around_marked(near, marked, plain, size, draws))
                order = np.lexsort((draws.keys(len(marked)), -self.marking.nearness(oracle)[marked]))
                yes = subsets.merged(yes, subsets.one_marked(marked[order[:budget]], plain, size, draws))
            elif search.refined:
                anchors = marked[draws.below(len(marked), budget)]
                yes = subsets.merged(yes, subsets.one_marked(anchors, plain, size, draws))
        return np.concatenate((yes, no))

    def classes(self, oracle: Oracle, states: IntArray) -> BoolArray:
        yes: BoolArray = np.asarray(self.marking.marked(oracle, states).any(axis=1))
        return yes

    def numbers(self, oracle: Oracle, states: tuple[int, ...]) -> tuple[list[str], dict[str, FactValue]]:
        """Return the names of the marked members, and the numbers behind the truth."""
        names = state_names(oracle.mdp, states)
        mask = self.marking.marked(oracle, np.array(states)).tolist()
        hits = [name for hit, name in zip(mask, names, strict=True) if hit]
        values = {name: number_json(oracle.facts.value.at(state)) for state, name in zip(states, names, strict=True)}
        return hits, {f"{self.marking.noun}s": hits, "V": values}


class HasMarked(MarkedSubset, YesNo):
    """Whether at least one member is marked."""

    def space(self, oracle: Oracle, states: tuple[int, ...]) -> AnswerSpace:
        del oracle, states
        return YES_NO

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        hits, numbers = self.numbers(oracle, states)
        return Truth(yes_or_no(bool(hits)), numbers)

    def question(self, case: Case, wording: Wording) -> str:
        noun, definition = self.marking.noun, self.marking.definition(wording)
        return f"Is at least one of these {len(case.states)} states a {noun}, that is, {definition}?"

    def reason(self, case: Case, answer: str) -> str:
        noun = self.marking.noun
        hits = case.numbers[f"{noun}s"]
        if isinstance(hits, list) and hits:
            which = f"state {hits[0]} is a {noun}" if len(hits) == 1 else f"states {'; '.join(hits)} are {noun}s"
            return f"answered {answer}: {which}"
        return f"answered {answer}: none of the states is a {noun}"


class MarkedOf(MarkedSubset):
    """Which members are marked: a set of the titles that the prompt gives to them, perhaps the empty one.

    Subsets with and without a marked member are balanced, since in most models nearly all have none, or all have some.
    """

    def space(self, oracle: Oracle, states: tuple[int, ...]) -> SetOf:
        del oracle
        return SetOf(tuple(f"State {number}" for number in range(1, len(states) + 1)))

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        _, numbers = self.numbers(oracle, states)
        space, mask = self.space(oracle, states), self.marking.marked(oracle, np.array(states)).tolist()
        right = space.of(title for title, hit in zip(space.options, mask, strict=True) if hit)
        return Truth((right,), {"states": list(state_names(oracle.mdp, states)), **numbers})

    def question(self, case: Case, wording: Wording) -> str:
        noun, definition = self.marking.noun, self.marking.definition(wording)
        return (
            f"Which of these {len(case.states)} states are {noun}s? A {noun} is {definition}. "
            f"Name all of them; there may be none."
        )

    def grade(self, case: Case, answer: str) -> Grade:
        given, right = _members(answer), _members(case.accepted[0])
        hits = len(given & right)
        # Where nothing is named, or nothing is to be named, there is nothing to be wrong about on that side.
        precision = Fraction(hits, len(given)) if given else Fraction(1)
        recall = Fraction(hits, len(right)) if right else Fraction(1)
        figures: dict[str, FactValue] = {"precision": exact_text(precision), "recall": exact_text(recall)}
        reason = f"{self.reason(case, answer)}: precision {precision}, recall {recall}"
        return Grade(given == right, _f1(hits, len(given), len(right)), reason, figures=figures)

    def score(self, case: Case, answer: str) -> Fraction:
        given, right = _members(answer), _members(case.accepted[0])
        return _f1(len(given & right), len(given), len(right))

    def reason(self, case: Case, answer: str) -> str:
        names = case.numbers["states"]
        titles = dict(zip(_options(case), names, strict=True)) if isinstance(names, list) else {}

        def told(members: set[str]) -> str:
            return ", ".join(f"{title} ({name})" for title, name in titles.items() if title in members) or "none"

        return f"named {told(_members(answer))}, {self.marking.noun}s are {told(_members(case.accepted[0]))}"

    def chance(self, case: Case) -> Chance:
        size, right = len(_options(case)), len(_members(case.accepted[0]))
        score = sum(
            (
                comb(right, hits) * comb(size - right, misses) * _f1(hits, hits + misses, right)
                for hits in range(right + 1)
                for misses in range(size - right + 1)
            ),
            start=Fraction(0),
        )
        return Chance(Fraction(1, 2**size), score / 2**size)


def _f1(hits: int, given: int, right: int) -> Fraction:
    """Return the harmonic mean of precision and recall; 1 if nothing was to be named and nothing was."""
    return Fraction(2 * hits, given + right) if given + right else Fraction(1)


def _members(answer: str) -> set[str]:
    return set(json.loads(answer))


def _options(case: Case) -> tuple[str, ...]:
    if not isinstance(case.space, SetOf):
        raise TypeError(f"{case.category} is answered with a set")
    return case.space.options
