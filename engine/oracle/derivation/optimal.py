"""One memoryless policy that attains V, for all states at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from engine.errors import UsageError
from engine.oracle.derivation.bounded import never_within
from engine.oracle.derivation.graphs import all_successors, levels
from engine.oracle.facts import Kind
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import BoolArray, IntArray


def optimal_choices(mdp: Mdp, facts: Facts) -> IntArray:
    """Return ``(states,)`` a choice in each state, -1 where none is needed (targets, outside φ) or none is known.

    For Pmax and Rmin an optimal choice may loop for ever; here each has a successor nearer to T along optimal choices,
    so that following them reaches T and attains V. For Rmax with V = ∞ they miss T with a positive probability. Where
    any optimal choice does, the first one stands. Undecided choices count as optimal where no other is: then the policy
    attains what the bounds allow.

    Raises UsageError for step-bounded objectives, for which no memoryless policy attains V in general.
    """
    if facts.objective.bound is not None:
        raise UsageError("no memoryless policy attains a step bound", where=facts.objective.text)
    best = _likely_best(mdp, facts)
    choice = np.full(mdp.states, -1, dtype=np.int64)
    _take_first(choice, mdp, np.flatnonzero(best))
    if facts.objective.kind in {Kind.PMAX, Kind.RMIN}:
        _take_first(choice, mdp, np.flatnonzero(best & _nearer(mdp, np.asarray(facts.target), best)))
    elif facts.objective.kind is Kind.RMAX:
        _avoid_target(choice, mdp, np.asarray(facts.target))
    return choice


def _likely_best(mdp: Mdp, facts: Facts) -> BoolArray:
    """``(choices,)`` certainly optimal ones; the undecided ones of states without any."""
    sure: BoolArray = facts.best == Tri.YES
    settled = np.zeros(mdp.states, dtype=bool)
    settled[mdp.state_of_choice[sure]] = True
    likely: BoolArray = sure | ((facts.best == Tri.UNDECIDED) & ~settled[mdp.state_of_choice])
    return likely


def _avoid_target(choice: IntArray, mdp: Mdp, target: BoolArray) -> None:
    """Where T can be missed, so that the largest reward is infinite, choose so that it is missed.

    All choices of such a state may have an infinite Q and together still reach T almost surely.
    """
    everywhere = np.ones(mdp.states, dtype=bool)
    safe = never_within(mdp, everywhere, target, mdp.states, maximise=False)
    staying = all_successors(mdp, safe) & safe[mdp.state_of_choice]
    leaving = ~(target | safe)[mdp.state_of_choice]
    _take_first(choice, mdp, np.flatnonzero(_nearer(mdp, safe, leaving)))
    _take_first(choice, mdp, np.flatnonzero(staying))


def _nearer(mdp: Mdp, goal: BoolArray, allowed: BoolArray) -> BoolArray:
    """``(choices,)`` whether a successor is nearer to the goal, distances counted along allowed choices only."""
    inside = np.repeat(allowed, np.diff(mdp.transition_start))
    ones = np.ones(int(inside.sum()), dtype=np.int8)
    backward = sparse.csr_array((ones, (mdp.target[inside], mdp.source[inside])), shape=(mdp.states, mdp.states))
    distance = levels(backward, np.flatnonzero(goal))
    nearer = inside & (distance[mdp.target] >= 0) & (distance[mdp.target] < distance[mdp.source])
    found = np.zeros(mdp.choices, dtype=bool)
    found[mdp.choice_of(np.flatnonzero(nearer))] = True
    return found


def _take_first(choice: IntArray, mdp: Mdp, candidates: IntArray) -> None:
    states, first = np.unique(mdp.state_of_choice[candidates], return_index=True)
    choice[states] = candidates[first]
