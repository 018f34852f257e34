"""Category ``subset-has-dead-end``: whether a subset contains a dead end."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.facts import Kind
from engine.oracle.numbers import number_json
from engine.oracle.tri import Tri
from engine.queries import subsets
from engine.queries.category import Difficulty, Mode, Object, Scope, Truth
from engine.queries.names import state_names
from engine.queries.values import Scale
from engine.queries.yes_no import YesNo, yes_or_no

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray
    from engine.queries.case import Case
    from engine.queries.category import Search, Wording
    from engine.queries.draws import Draws


class SubsetHasDeadEnd(YesNo):
    """At least one member from which the objective is lost whatever is done (for Pmin: certain, but not there yet).

    Where there are too many subsets to list them, those without a dead end are a uniform draw and, for the hardest, one
    subset around each of the states that are closest to being dead ends.
    """

    name: ClassVar = "subset-has-dead-end"
    scope: ClassVar = Scope.SUBSET
    object: ClassVar = Object.RESULT
    mode: ClassVar = Mode.INDIVIDUAL
    summary: ClassVar = "does the subset contain a dead end?"

    def defined(self, oracle: Oracle) -> str | None:
        fact = oracle.facts.dead_end
        if bool((fact == Tri.UNDEFINED).all()):
            return f"dead ends are not defined for {oracle.facts.objective.kind} objectives"
        if not bool((fact == Tri.YES).any()):
            return "the model has no dead end"
        if not bool((fact == Tri.NO).any()):
            return "every state is a dead end"
        return None

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        fact = oracle.facts.dead_end
        dead, live = np.flatnonzero(fact == Tri.YES), np.flatnonzero(fact == Tri.NO)
        yes = subsets.with_marked(dead, live, search.size, search.budget, draws)
        no = subsets.without_marked(live, search.size, search.budget, draws)
        if search.hardest and comb(len(live), search.size) > subsets.ENUMERATED:
            order = np.lexsort((draws.keys(len(live)), -_closeness(oracle)[live]))
            no = subsets.merged(no, subsets.around(live[order[: search.budget]], live, search.size, draws))
        return np.concatenate((yes, no))

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        fact = oracle.facts.dead_end[list(states)]
        if bool((fact == Tri.UNDEFINED).any()):
            return f"dead ends are not defined for {oracle.facts.objective.kind} objectives"
        if bool((fact == Tri.UNDECIDED).any()) and not bool((fact == Tri.YES).any()):
            return "it is undecided whether one of these states is a dead end"
        return None

    def classes(self, oracle: Oracle, states: IntArray) -> BoolArray:
        yes: BoolArray = (oracle.facts.dead_end[states] == Tri.YES).any(axis=1)
        return yes

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        hits = (oracle.facts.dead_end[states] == Tri.YES).sum(axis=1)
        closest: FloatArray = _closeness(oracle)[states].max(axis=1)
        delta: FloatArray = np.where(hits > 0, 1.0, closest)
        return Difficulty(delta, {"dead ends": hits.astype(np.float64), "closeness": closest})

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        facts = oracle.facts
        names = dict(zip(states, state_names(oracle.mdp, states), strict=True))
        dead = [name for state, name in names.items() if facts.dead_end[state] == Tri.YES]
        values = {name: number_json(facts.value.at(state)) for state, name in names.items()}
        return Truth(yes_or_no(bool(dead)), {"dead ends": dead, "V": values})

    def question(self, case: Case, wording: Wording) -> str:
        lost = (
            f"a state before {wording.goal} from which that can no longer be avoided, whatever actions are taken"
            if wording.kind is Kind.PMIN
            else f"a state from which {wording.goal} has become impossible, whatever actions are taken"
        )
        return f"Is at least one of these {len(case.states)} states a dead end, that is, {lost}?"

    def reason(self, case: Case, answer: str) -> str:
        dead = case.numbers["dead ends"]
        if isinstance(dead, list) and dead:
            which = f"state {dead[0]} is a dead end" if len(dead) == 1 else f"states {'; '.join(dead)} are dead ends"
            return f"answered {answer}: {which}"
        return f"answered {answer}: none of the states is a dead end"


def _closeness(oracle: Oracle) -> FloatArray:
    """Return ``(states,)`` how near each value is to that of a dead end: 1 - V if large values are good, else V.

    Under Rmin a dead end has V = ∞. A state that has V = ∞ and is none (the goal can be reached, but not for certain)
    has no gap to it, ∞ against ∞ (methods.md 1.3), so that it is as near as can be: 1. Finite values are placed within
    their range, the largest at 1 as well.
    """
    facts = oracle.facts
    positions = Scale.of(facts).positions(facts.value.floats)
    return positions if facts.objective.kind in {Kind.PMIN, Kind.RMIN} else 1 - positions


CATEGORY = SubsetHasDeadEnd()
