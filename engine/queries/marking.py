"""Facts that mark some states of a model: dead ends and bottlenecks, as questions about subsets use them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.facts import Kind
from engine.oracle.tri import Tri
from engine.queries import bottlenecks
from engine.queries.centrality import centrality
from engine.queries.losses import loss_of
from engine.queries.values import Scale, of_objective

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray
    from engine.queries.category import Wording


class Marking(ABC):
    """One fact about states, with how near the others come to it.

    Arrays of subsets are ``(n, k)`` states.
    """

    noun: ClassVar[str]
    """What a marked state is: ``dead end``."""
    nearness_name: ClassVar[str]
    """What `nearness` is called among the parts of δ."""

    @abstractmethod
    def why_none(self, oracle: Oracle) -> str | None:
        """Return why nothing can be asked on this model, or None."""

    @abstractmethod
    def why_not(self, oracle: Oracle, states: tuple[int, ...], *, one_is_enough: bool) -> str | None:
        """Return why the states cannot be asked about, or None.

        Parameters
        ----------
        one_is_enough
            Whether a member that is certainly marked settles the question, whatever is undecided beside it.
        """

    @abstractmethod
    def marked(self, oracle: Oracle, states: IntArray) -> BoolArray:
        """Return, in the shape of the given states, whether the fact certainly holds."""

    @abstractmethod
    def split(self, oracle: Oracle) -> tuple[IntArray, IntArray]:
        """Return the marked states and the others that can be asked about, ascending."""

    @abstractmethod
    def nearness(self, oracle: Oracle) -> FloatArray:
        """Return ``(states,)`` how much a state looks marked, by the `paper` formulas."""

    @abstractmethod
    def definition(self, wording: Wording) -> str:
        """Return what a marked state is, in words that follow "that is,"."""


class DeadEnds(Marking):
    """States from which the objective is lost whatever is done (for Pmin: certain, but not there yet)."""

    noun: ClassVar = "dead end"
    nearness_name: ClassVar = "closeness"

    def why_none(self, oracle: Oracle) -> str | None:
        """Return that dead ends are not defined, or that no or every state is one."""
        fact = oracle.facts.dead_end
        if bool((fact == Tri.UNDEFINED).all()):
            return f"dead ends are not defined for {of_objective(oracle.facts)}"
        if not bool((fact == Tri.YES).any()):
            return "the model has no dead end"
        if not bool((fact == Tri.NO).any()):
            return "every state is a dead end"
        return None

    def why_not(self, oracle: Oracle, states: tuple[int, ...], *, one_is_enough: bool) -> str | None:
        """Return that the fact is not defined or not decided for one of the states."""
        fact = oracle.facts.dead_end[list(states)]
        if bool((fact == Tri.UNDEFINED).any()):
            return f"dead ends are not defined for {of_objective(oracle.facts)}"
        if bool((fact == Tri.UNDECIDED).any()) and not (one_is_enough and bool((fact == Tri.YES).any())):
            return "it is undecided whether one of these states is a dead end"
        return None

    def marked(self, oracle: Oracle, states: IntArray) -> BoolArray:
        """Return whether states are dead ends."""
        mask: BoolArray = oracle.facts.dead_end[states] == Tri.YES
        return mask

    def split(self, oracle: Oracle) -> tuple[IntArray, IntArray]:
        """Return the dead ends and the states that are none."""
        fact = oracle.facts.dead_end
        return np.flatnonzero(fact == Tri.YES), np.flatnonzero(fact == Tri.NO)

    def nearness(self, oracle: Oracle) -> FloatArray:
        """Return how near each value is to that of a dead end: 1 - V if large values are good, else V.

        Under Rmin a dead end has V = ∞. A state that has V = ∞ and is none (the goal can be reached, but not for
        certain) has no gap to it, ∞ against ∞ (methods.md 1.3), so that it is as near as can be: 1. Finite values are
        placed within their range, the largest at 1 as well.
        """
        facts = oracle.facts
        positions = Scale.of(facts).positions(facts.value.floats)
        return positions if facts.objective.kind in {Kind.PMIN, Kind.RMIN} else 1 - positions

    def definition(self, wording: Wording) -> str:
        """Return what a dead end is."""
        if wording.kind is Kind.PMIN:
            return f"a state before {wording.goal} from which that can no longer be avoided, {wording.whatever}"
        return f"a state from which {wording.goal} has become impossible, {wording.whatever}"


class Bottlenecks(Marking):
    """Strict bottlenecks; who can be asked about is told by `engine.queries.bottlenecks.askable`."""

    noun: ClassVar = "bottleneck"
    nearness_name: ClassVar = "C_B"

    def why_none(self, oracle: Oracle) -> str | None:
        """Return that bottlenecks are not defined, or that no or every state is one."""
        return bottlenecks.why_none(oracle)

    def why_not(self, oracle: Oracle, states: tuple[int, ...], *, one_is_enough: bool) -> str | None:
        """Return that one of the states is a target, an initial state, or undecided."""
        del one_is_enough
        return bottlenecks.why_not(oracle, states)

    def marked(self, oracle: Oracle, states: IntArray) -> BoolArray:
        """Return whether states are strict bottlenecks."""
        mask: BoolArray = oracle.facts.bottleneck[states] == Tri.YES
        return mask

    def split(self, oracle: Oracle) -> tuple[IntArray, IntArray]:
        """Return the bottlenecks and the states that are none and can be asked about."""
        return bottlenecks.marked(oracle)

    def nearness(self, oracle: Oracle) -> FloatArray:
        """Return C_B."""
        return centrality(oracle)

    def definition(self, wording: Wording) -> str:
        """Return what a bottleneck is."""
        return (
            f"a state that every run from the start that succeeds in {wording.goal} must pass through, "
            f"{wording.whatever}"
        )

    def largest_loss(self, oracle: Oracle, subsets: IntArray, wanted: BoolArray) -> FloatArray:
        """Return ``(n,)`` the largest loss among the members that are no bottlenecks; NaN in rows not wanted."""
        members = self.decoys(oracle, subsets, wanted)
        loss = np.append(loss_of(oracle, members), np.nan)[members]
        with np.errstate(invalid="ignore"):
            found: FloatArray = np.fmax.reduce(loss, axis=1)
        return np.where(wanted & np.isnan(found), 0.0, found)

    def decoys(self, oracle: Oracle, subsets: IntArray, wanted: BoolArray) -> IntArray:
        """Return the members that are no bottlenecks, -1 for the others and in rows that are not wanted."""
        found: IntArray = np.where(self.marked(oracle, subsets) | ~wanted[:, None], -1, subsets)
        return found
