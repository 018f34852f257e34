"""Category ``is-bottleneck``: whether every successful run must pass through a state."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.numbers import number_json
from engine.oracle.tri import Tri
from engine.queries.category import Difficulty, Mode, Object, Scope, Truth
from engine.queries.centrality import centrality
from engine.queries.names import state_name
from engine.queries.yes_no import YesNo, yes_or_no

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, IntArray
    from engine.queries.case import Case
    from engine.queries.category import Search, Wording
    from engine.queries.draws import Draws


class IsBottleneck(YesNo):
    """Strict bottlenecks (loss 1).

    Initial states and targets are no candidates: the definition excludes them (methods.md 1.1), while in plain words
    every successful run does pass through the start, so that "no" would be no true answer.
    """

    name: ClassVar = "is-bottleneck"
    scope: ClassVar = Scope.STATE
    object: ClassVar = Object.RESULT
    mode: ClassVar = Mode.INDIVIDUAL
    summary: ClassVar = "must every successful run pass through this state?"

    def defined(self, oracle: Oracle) -> str | None:
        fact = oracle.facts.bottleneck
        if bool((fact == Tri.UNDEFINED).all()):
            return f"bottlenecks are not defined for {oracle.facts.objective.kind} objectives"
        answers = fact[_candidates(oracle)]
        if not bool((answers == Tri.YES).any()):
            return "the model has no bottleneck"
        if not bool((answers == Tri.NO).any()):
            return "every state that can be asked about is a bottleneck"
        return None

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        del search, draws
        return np.flatnonzero(_candidates(oracle))[:, None]

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        (state,) = states
        if oracle.facts.bottleneck[state] == Tri.UNDEFINED:
            return f"bottlenecks are not defined for {oracle.facts.objective.kind} objectives"
        name = state_name(oracle.mdp, state)
        if oracle.facts.target[state]:
            return f"state {name} is a target, and a target is no bottleneck by definition"
        if state in oracle.mdp.initial:
            return f"state {name} is an initial state, and that is no bottleneck by definition"
        if oracle.facts.bottleneck[state] == Tri.UNDECIDED:
            return f"it is undecided whether state {name} is a bottleneck"
        return None

    def classes(self, oracle: Oracle, states: IntArray) -> BoolArray:
        yes: BoolArray = oracle.facts.bottleneck[states[:, 0]] == Tri.YES
        return yes

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        between = centrality(oracle)[states[:, 0]]
        return Difficulty(np.clip(between, 0.0, 1.0), {"C_B": between})

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        (state,) = states
        holds = bool(oracle.facts.bottleneck[state] == Tri.YES)
        value = number_json(oracle.facts.value.at(state))
        # Named for the reason: grading knows the case alone, and not the model.
        return Truth(yes_or_no(holds), {"states": [state_name(oracle.mdp, state)], "bottleneck": holds, "V": value})

    def question(self, case: Case, wording: Wording) -> str:
        del case
        return (
            f"Must every run from the start that succeeds in {wording.goal} pass through this state, "
            f"whatever actions are taken? Answer yes if it must, no if some successful run avoids this state."
        )

    def reason(self, case: Case, answer: str) -> str:
        named = case.numbers.get("states")
        name = named[0] if isinstance(named, list) else str(case.states[0])
        if case.numbers["bottleneck"]:
            return f"answered {answer}: state {name} is a bottleneck, without it no run from the start succeeds"
        return f"answered {answer}: state {name} is no bottleneck, a run from the start can succeed without it"


def _candidates(oracle: Oracle) -> BoolArray:
    fact = oracle.facts.bottleneck
    mask: BoolArray = ((fact == Tri.YES) | (fact == Tri.NO)) & ~oracle.facts.target
    mask[oracle.mdp.initial] = False
    return mask


CATEGORY = IsBottleneck()
