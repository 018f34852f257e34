"""Category ``which-is-bottleneck``: which of two states every successful run must pass through."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.numbers import number_json
from engine.oracle.tri import Tri
from engine.queries import bottlenecks
from engine.queries.category import Category, Difficulty, Mode, Object, Scope, Truth
from engine.queries.centrality import centrality
from engine.queries.losses import affordable, loss_of
from engine.queries.names import state_names
from engine.queries.spaces import A_B

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray
    from engine.queries.case import Case
    from engine.queries.category import Search, Wording
    from engine.queries.draws import Draws
    from engine.queries.spaces import AnswerSpace

LISTED = 20_000
"""Up to so many pairs are simply listed."""


class WhichIsBottleneck(Category):
    """A or B: exactly one of the two is a strict bottleneck, the other is a decoy.

    Where there are too many pairs to list them, the hardest are those of the most central decoys, since the difficulty
    depends on the decoy alone.
    """

    name: ClassVar = "which-is-bottleneck"
    scope: ClassVar = Scope.PAIR
    object: ClassVar = Object.RESULT
    mode: ClassVar = Mode.RELATIONAL
    summary: ClassVar = "which of the two must every successful run pass through?"

    def defined(self, oracle: Oracle) -> str | None:
        return bottlenecks.why_none(oracle)

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        yes, no = bottlenecks.marked(oracle)
        if len(yes) * len(no) > LISTED:
            if search.hardest:
                order = np.lexsort((draws.keys(len(no)), -centrality(oracle)[no]))
                no = no[order[: -(-max(LISTED, 4 * search.budget) // len(yes))]]
            elif len(yes) * len(no) > 4 * search.budget:
                return _shuffled(_drawn(yes, no, search.budget, draws), draws)
        return _shuffled(np.stack((np.repeat(yes, len(no)), np.tile(no, len(yes))), axis=1), draws)

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        reason = bottlenecks.why_not(oracle, states)
        if reason is not None:
            return reason
        hits = int((oracle.facts.bottleneck[list(states)] == Tri.YES).sum())
        if hits == 1:
            return None
        left, right = state_names(oracle.mdp, states)
        return (
            f"states {left} and {right} are both bottlenecks"
            if hits
            else f"neither state {left} nor {right} is a bottleneck"
        )

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        between = centrality(oracle)[_decoys(oracle, states)]
        return Difficulty(between, {"C_B of the decoy": between})

    def refined(self, oracle: Oracle, states: IntArray) -> Difficulty:
        decoys = _decoys(oracle, states)
        loss = loss_of(oracle, decoys)[decoys]
        return Difficulty(loss, {"loss of the decoy": loss})

    def refinable(self, oracle: Oracle, states: IntArray, budget: int) -> IntArray:
        del budget
        decoys = _decoys(oracle, states)
        order = np.argsort(bottlenecks.hiding(oracle)[decoys], kind="stable")
        return np.sort(order[affordable(oracle, decoys[order][:, None])])

    def space(self, oracle: Oracle, states: tuple[int, ...]) -> AnswerSpace:
        del oracle, states
        return A_B

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        facts = oracle.facts
        accepted = "A" if facts.bottleneck[states[0]] == Tri.YES else "B"
        values = {letter: number_json(facts.value.at(state)) for letter, state in zip("AB", states, strict=True)}
        return Truth((accepted,), {"states": list(state_names(oracle.mdp, states)), "V": values})

    def question(self, case: Case, wording: Wording) -> str:
        del case
        return (
            f"One of the two states must be passed by every run from the start that succeeds in {wording.goal}, "
            f"{wording.whatever}; the other can be avoided. Which of them must be passed, A or B?"
        )

    def reason(self, case: Case, answer: str) -> str:
        names = case.numbers["states"]
        right = case.accepted[0]
        told = names["AB".index(right)] if isinstance(names, list) else right
        return (
            f"{answer} {'is' if answer == right else 'is not'} the bottleneck: "
            f"without state {told} ({right}) no run from the start succeeds"
        )


def _decoys(oracle: Oracle, states: IntArray) -> IntArray:
    """Return ``(n,)`` the state of each pair that is no bottleneck."""
    found: IntArray = np.where(oracle.facts.bottleneck[states[:, 0]] == Tri.YES, states[:, 1], states[:, 0])
    return found


def _drawn(yes: IntArray, no: IntArray, budget: int, draws: Draws) -> IntArray:
    """Return distinct pairs of a bottleneck and a decoy drawn uniformly."""
    found = np.empty(0, dtype=np.int64)
    while len(found) < budget:
        found = np.concatenate((found, draws.below(len(yes) * len(no), 2 * budget)))
        _, kept = np.unique(found, return_index=True)
        found = found[np.sort(kept)]
    found = found[:budget]
    return np.stack((yes[found // len(no)], no[found % len(no)]), axis=1)


def _shuffled(pairs: IntArray, draws: Draws) -> IntArray:
    """Return the pairs with A and B in drawn order."""
    swapped = draws.below(2, len(pairs)) == 1
    return np.where(swapped[:, None], pairs[:, ::-1], pairs)


CATEGORY = WhichIsBottleneck()
