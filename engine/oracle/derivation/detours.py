"""States that an optimal policy does without: blocking them costs nothing (methods.md 1.1, "Partial loss")."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from engine.oracle.derivation.graphs import levels, neighbours
from engine.oracle.facts import Kind
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import BoolArray


def loss_candidates(mdp: Mdp, facts: Facts) -> BoolArray:
    """Return ``(states,)`` the states whose loss can be positive.

    For unbounded Pmax these are the states that one policy visits before T. The policy takes certainly optimal choices
    only, each with a successor nearer to T, so it attains V; where none is certain, and for other objectives, every
    state counts that lies between an initial state and T. Initial states and T have no loss.
    """
    running = facts.phi & ~facts.target
    visited = _visited(mdp, facts) if facts.objective.kind is Kind.PMAX and facts.objective.bound is None else None
    if visited is None:
        visited = levels(mdp.graph, mdp.initial, running) >= 0
    found: BoolArray = visited & running & (facts.dead_end != Tri.YES)
    found[mdp.initial] = False
    return found


def _visited(mdp: Mdp, facts: Facts) -> BoolArray | None:
    """States that the policy reaches before T, None if it meets a state without a certainly optimal nearer choice."""
    sure = np.repeat(facts.best == Tri.YES, np.diff(mdp.transition_start))
    ones = np.ones(int(sure.sum()), dtype=np.int8)
    backward = sparse.csr_array((ones, (mdp.target[sure], mdp.source[sure])), shape=(mdp.states, mdp.states))
    distance = levels(backward, np.flatnonzero(facts.target))
    nearer = sure & (distance[mdp.target] >= 0) & (distance[mdp.target] < distance[mdp.source])
    choices = mdp.choice_of(np.flatnonzero(nearer))
    owners = mdp.state_of_choice[choices]
    # Both are in order; np.unique would sort them again and hold every other thread up meanwhile.
    first = np.flatnonzero(np.diff(owners, prepend=-1))
    choice = np.full(mdp.states, -1, dtype=np.int64)
    choice[owners[first]] = choices[first]
    visited = np.zeros(mdp.states, dtype=bool)
    frontier = np.asarray(mdp.initial)
    while len(frontier):
        visited[frontier] = True
        moving = frontier[~facts.target[frontier] & (facts.dead_end[frontier] != Tri.YES)]
        if (choice[moving] < 0).any():
            return None

        reached = np.unique(neighbours(mdp.matrix, choice[moving]))
        frontier = reached[~visited[reached]]
    return visited
