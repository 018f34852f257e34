"""What questions about bottlenecks have in common: who can be asked about, and how hard that is (methods.md 1.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.derivation.graphs import levels
from engine.oracle.tri import Tri
from engine.queries.names import state_name
from engine.queries.values import of_objective

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray


def askable(oracle: Oracle) -> BoolArray:
    """Return ``(states,)`` the states about which it can be asked whether they are strict bottlenecks (loss 1).

    Initial states and targets are left out: the definition excludes them (methods.md 1.1), while in plain words every
    successful run does pass through the start, so that "no" would be no true answer.
    """
    fact = oracle.facts.bottleneck
    mask: BoolArray = ((fact == Tri.YES) | (fact == Tri.NO)) & ~oracle.facts.target
    mask[oracle.mdp.initial] = False
    return mask


def marked(oracle: Oracle) -> tuple[IntArray, IntArray]:
    """Return the bottlenecks and the other states that can be asked about, ascending."""
    mask, yes = askable(oracle), oracle.facts.bottleneck == Tri.YES
    return np.flatnonzero(mask & yes), np.flatnonzero(mask & ~yes)


def why_none(oracle: Oracle) -> str | None:
    """Return why nothing can be asked about the model's bottlenecks, or None."""
    if bool((oracle.facts.bottleneck == Tri.UNDEFINED).all()):
        return f"bottlenecks are not defined for {of_objective(oracle.facts)}"
    yes, no = marked(oracle)
    if not len(yes):
        return "the model has no bottleneck"
    if not len(no):
        return "every state that can be asked about is a bottleneck"
    return None


def why_not(oracle: Oracle, states: tuple[int, ...]) -> str | None:
    """Return why one of the states cannot be asked about, or None."""
    mask = askable(oracle)
    state = next((state for state in states if not mask[state]), None)
    if state is None:
        return None
    name = state_name(oracle.mdp, state)
    if oracle.facts.bottleneck[state] == Tri.UNDEFINED:
        return f"bottlenecks are not defined for {of_objective(oracle.facts)}"
    if oracle.facts.target[state]:
        return f"state {name} is a target, and a target is no bottleneck by definition"
    if state in oracle.mdp.initial:
        return f"state {name} is an initial state, and that is no bottleneck by definition"
    return f"it is undecided whether state {name} is a bottleneck"


def hiding(oracle: Oracle) -> FloatArray:
    """Return ``(states,)`` 1 - 1/m, m being the states at the same distance from the start (0 where unreachable)."""
    distance = levels(oracle.mdp.graph, np.asarray(oracle.mdp.initial))
    width = np.bincount(distance[distance >= 0], minlength=1)
    found: FloatArray = np.where(distance >= 0, 1 - 1 / np.maximum(width[np.maximum(distance, 0)], 1), 0.0)
    return found
