"""Category ``is-bottleneck``: whether every successful run must pass through a state."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.numbers import number_json
from engine.oracle.tri import Tri
from engine.queries import bottlenecks
from engine.queries.category import Difficulty, Mode, Object, Scope, Truth
from engine.queries.centrality import centrality
from engine.queries.losses import affordable, loss_of
from engine.queries.names import state_name
from engine.queries.yes_no import YesNo, yes_or_no

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, IntArray
    from engine.queries.case import Case
    from engine.queries.category import Search, Wording
    from engine.queries.draws import Draws


class IsBottleneck(YesNo):
    """Strict bottlenecks (loss 1); who can be asked about is told by `engine.queries.bottlenecks.askable`."""

    name: ClassVar = "is-bottleneck"
    scope: ClassVar = Scope.STATE
    object: ClassVar = Object.RESULT
    mode: ClassVar = Mode.INDIVIDUAL
    summary: ClassVar = "must every successful run pass through this state?"

    def defined(self, oracle: Oracle) -> str | None:
        return bottlenecks.why_none(oracle)

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        del search, draws
        return np.flatnonzero(bottlenecks.askable(oracle))[:, None]

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        return bottlenecks.why_not(oracle, states)

    def classes(self, oracle: Oracle, states: IntArray) -> BoolArray:
        yes: BoolArray = oracle.facts.bottleneck[states[:, 0]] == Tri.YES
        return yes

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        between = centrality(oracle)[states[:, 0]]
        return Difficulty(between, {"C_B": between})

    def refined(self, oracle: Oracle, states: IntArray) -> Difficulty:
        hidden, loss = bottlenecks.hiding(oracle)[states[:, 0]], loss_of(oracle, states)[states[:, 0]]
        return Difficulty(np.where(self.classes(oracle, states), hidden, loss), {"1 - 1/m": hidden, "loss": loss})

    def refinable(self, oracle: Oracle, states: IntArray, budget: int) -> IntArray:
        del budget
        # Where few states are as far from the start, the loss of one of them tends to be large.
        order = np.argsort(bottlenecks.hiding(oracle)[states[:, 0]], kind="stable")
        return np.sort(order[affordable(oracle, states[order])])

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
            f"{wording.whatever}? Answer yes if it must, no if some successful run avoids this state."
        )

    def reason(self, case: Case, answer: str) -> str:
        named = case.numbers.get("states")
        name = named[0] if isinstance(named, list) else str(case.states[0])
        if case.numbers["bottleneck"]:
            return f"answered {answer}: state {name} is a bottleneck, without it no run from the start succeeds"
        return f"answered {answer}: state {name} is no bottleneck, a run from the start can succeed without it"


CATEGORY = IsBottleneck()
