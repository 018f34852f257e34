"""Category ``subset-has-bottleneck``: whether a subset contains a bottleneck."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.queries.bottlenecks import hiding
from engine.queries.category import Difficulty
from engine.queries.losses import affordable
from engine.queries.marked_subsets import HasMarked
from engine.queries.marking import Bottlenecks

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray

BOTTLENECKS = Bottlenecks()


class SubsetHasBottleneck(HasMarked):
    """At least one member that every successful run must pass through."""

    name: ClassVar = "subset-has-bottleneck"
    summary: ClassVar = "does the subset contain a bottleneck?"
    marking: ClassVar = BOTTLENECKS
    counts_everywhere: ClassVar = True

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        between = self.marking.nearness(oracle)[states].max(axis=1)
        return Difficulty(between, {"C_B": between})

    def refined(self, oracle: Oracle, states: IntArray) -> Difficulty:
        """Return δ as for `is-bottleneck` of the most salient member among those that decide the answer."""
        yes = self.classes(oracle, states)
        hidden = np.where(self.marking.marked(oracle, states), hiding(oracle)[states], 0.0).max(axis=1)
        loss = BOTTLENECKS.largest_loss(oracle, states, ~yes)
        return Difficulty(np.where(yes, hidden, loss), {"1 - 1/m": np.where(yes, hidden, np.nan), "loss": loss})

    def refinable(self, oracle: Oracle, states: IntArray, budget: int) -> IntArray:
        del budget
        order = np.argsort(hiding(oracle)[states].min(axis=1), kind="stable")
        needed = BOTTLENECKS.decoys(oracle, states, ~self.classes(oracle, states))
        return np.sort(order[affordable(oracle, needed[order])])


CATEGORY = SubsetHasBottleneck()
