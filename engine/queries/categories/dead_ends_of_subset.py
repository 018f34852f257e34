"""Category ``dead-ends-of-subset``: all dead ends of a subset, an extension of the taxonomy."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.queries.category import Difficulty
from engine.queries.marked_subsets import MarkedOf
from engine.queries.marking import DeadEnds

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import FloatArray, IntArray
    from engine.queries.marking import Marking


class DeadEndsOfSubset(MarkedOf):
    """The members from which the objective is lost; the hardest subsets hold a member that is nearly one.

    δ is the closeness of the nearest miss (`paper`), half of it replaced by how evenly the subset is divided
    (`refined`): 1 if half of the members are dead ends, 0 if none or all are.
    """

    name: ClassVar = "dead-ends-of-subset"
    summary: ClassVar = "which states of the subset are dead ends?"
    marking: ClassVar[Marking] = DeadEnds()
    counts_everywhere: ClassVar = True

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        hits, closest = self._parts(oracle, states)
        return Difficulty(closest, {"dead ends": hits, "closeness of a miss": closest})

    def refined(self, oracle: Oracle, states: IntArray) -> Difficulty:
        hits, closest = self._parts(oracle, states)
        even = 1 - np.abs(1 - 2 * hits / states.shape[1])
        return Difficulty((closest + even) / 2, {"dead ends": hits, "closeness of a miss": closest})

    def _parts(self, oracle: Oracle, states: IntArray) -> tuple[FloatArray, FloatArray]:
        dead = self.marking.marked(oracle, states)
        closest: FloatArray = np.where(dead, 0.0, self.marking.nearness(oracle)[states]).max(axis=1)
        return dead.sum(axis=1).astype(np.float64), closest


CATEGORY = DeadEndsOfSubset()
