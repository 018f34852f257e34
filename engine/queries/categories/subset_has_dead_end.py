"""Category ``subset-has-dead-end``: whether a subset contains a dead end."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.queries.category import Difficulty
from engine.queries.marked_subsets import HasMarked
from engine.queries.marking import DeadEnds

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import FloatArray, IntArray
    from engine.queries.marking import Marking


class SubsetHasDeadEnd(HasMarked):
    """At least one member from which the objective is lost whatever is done (for Pmin: certain, but not there yet)."""

    name: ClassVar = "subset-has-dead-end"
    summary: ClassVar = "does the subset contain a dead end?"
    marking: ClassVar[Marking] = DeadEnds()
    counts_everywhere: ClassVar = False

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        hits, closest = self._parts(oracle, states)
        return Difficulty(np.where(hits > 0, 1.0, closest), {"dead ends": hits, "closeness": closest})

    def refined(self, oracle: Oracle, states: IntArray) -> Difficulty:
        hits, closest = self._parts(oracle, states)
        delta = np.where(hits > 0, 1 - hits / states.shape[1], closest)
        return Difficulty(delta, {"dead ends": hits, "closeness": closest})

    def _parts(self, oracle: Oracle, states: IntArray) -> tuple[FloatArray, FloatArray]:
        hits = self.marking.marked(oracle, states).sum(axis=1).astype(np.float64)
        closest: FloatArray = self.marking.nearness(oracle)[states].max(axis=1)
        return hits, closest


CATEGORY = SubsetHasDeadEnd()
