"""Category ``bottlenecks-of-subset``: all bottlenecks of a subset, an extension of the taxonomy."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.queries.bottlenecks import hiding
from engine.queries.category import Difficulty
from engine.queries.losses import affordable
from engine.queries.marked_subsets import MarkedOf
from engine.queries.marking import Bottlenecks

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray

BOTTLENECKS = Bottlenecks()


class BottlenecksOfSubset(MarkedOf):
    """The members that every successful run must pass through; the hardest subsets hold a member that looks like one.

    δ is the largest C_B among the members that are no bottlenecks (`paper`), or the largest loss among them
    (`refined`).
    """

    name: ClassVar = "bottlenecks-of-subset"
    summary: ClassVar = "which states of the subset are bottlenecks?"
    marking: ClassVar = BOTTLENECKS
    counts_everywhere: ClassVar = True

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        decoys = ~self.marking.marked(oracle, states)
        between = np.where(decoys, self.marking.nearness(oracle)[states], 0.0).max(axis=1)
        return Difficulty(between, {"bottlenecks": (~decoys).sum(axis=1).astype(np.float64), "C_B of a decoy": between})

    def refined(self, oracle: Oracle, states: IntArray) -> Difficulty:
        every = np.ones(len(states), dtype=bool)
        loss = BOTTLENECKS.largest_loss(oracle, states, every)
        hits = self.marking.marked(oracle, states).sum(axis=1).astype(np.float64)
        return Difficulty(loss, {"bottlenecks": hits, "loss of a decoy": loss})

    def refinable(self, oracle: Oracle, states: IntArray, budget: int) -> IntArray:
        del budget
        order = np.argsort(hiding(oracle)[states].min(axis=1), kind="stable")
        needed = BOTTLENECKS.decoys(oracle, states, np.ones(len(states), dtype=bool))
        return np.sort(order[affordable(oracle, needed[order])])


CATEGORY = BottlenecksOfSubset()
