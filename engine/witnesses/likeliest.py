"""The likeliest path to some states: what a value, a dead end or a bottleneck can be shown by."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

if TYPE_CHECKING:
    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray, IntArray

_STEP = 1e-9
"""Added to every step's weight: of paths that are as likely, the shorter one is found."""


@dataclass(frozen=True, slots=True)
class Path:
    """States in turn, with the choices between them.

    Attributes
    ----------
    states
        ``(n + 1,)`` from the first to the last.
    choices
        ``(n,)`` the choice that is taken in each but the last.
    probability
        Of these steps if these choices are taken: a fraction where the model is exact, else a double.
    """

    states: tuple[int, ...]
    choices: tuple[int, ...]
    probability: Fraction | float


def likeliest_path(
    mdp: Mdp,
    start: IntArray,
    goal: BoolArray,
    *,
    allowed: BoolArray | None = None,
    avoided: BoolArray | None = None,
) -> Path | None:
    """Return a path to a goal state that no other is likelier than (up to rounding in doubles), None if there is none.

    Parameters
    ----------
    start
        ``(k,)`` states where the path may begin.
    goal
        ``(states,)`` where it ends.
    allowed
        ``(choices,)`` what may be taken; everything if None.
    avoided
        ``(states,)`` what it must not visit; nothing if None.
    """
    barred = np.zeros(mdp.states, dtype=bool) if avoided is None else avoided
    starts = np.asarray(start)[~barred[start]]
    if goal[starts].any():
        return Path((int(starts[goal[starts]][0]),), (), Fraction(1) if mdp.probability_table is not None else 1.0)
    if not len(starts):
        return None
    graph = _weighted(mdp, ~(goal | barred), ~barred, allowed)
    distance, before, _ = csgraph.dijkstra(graph, indices=starts, return_predecessors=True, min_only=True)
    ends = np.flatnonzero(goal & np.isfinite(distance))
    if not len(ends):
        return None
    states = [int(ends[np.argmin(distance[ends])])]
    while before[states[-1]] >= 0:
        states.append(int(before[states[-1]]))
    return _described(mdp, states[::-1], allowed)


def likeliest_after(
    mdp: Mdp, choice: int, goal: BoolArray, *, allowed: BoolArray | None = None, avoided: BoolArray | None = None
) -> Path | None:
    """Return a likeliest path to a goal state that begins with a choice; arguments as for `likeliest_path`.

    Only the first step is given: where the path comes back to where it began, any allowed choice may be taken.
    """
    barred = np.zeros(mdp.states, dtype=bool) if avoided is None else avoided
    ends = np.flatnonzero(goal & ~barred)
    if not len(ends):
        return None
    graph = _weighted(mdp, ~(goal | barred), ~barred, allowed)
    # Against the arrows: one search tells from everywhere how likely the rest of the way is.
    distance, following, _ = csgraph.dijkstra(graph.T, indices=ends, return_predecessors=True, min_only=True)
    first, reached = min(
        ((_STEP - np.log(min(float(chance), 1.0)) + distance[state], state) for state, chance in mdp.successors(choice))
    )
    if not np.isfinite(first):
        return None
    states = [int(reached)]
    while following[states[-1]] >= 0:
        states.append(int(following[states[-1]]))
    rest = _described(mdp, states, allowed)
    start = int(np.searchsorted(mdp.choice_start, choice, side="right") - 1)
    chance = next(chance for state, chance in mdp.successors(choice) if state == reached)
    return Path((start, *rest.states), (choice, *rest.choices), chance * rest.probability)


def _weighted(mdp: Mdp, leaving: BoolArray, entering: BoolArray, allowed: BoolArray | None) -> sparse.csr_array:
    """Weigh transitions by -log of their probability; several between the same states stay side by side."""
    inside = leaving[mdp.source] & entering[mdp.target]
    if allowed is not None:
        inside &= np.repeat(allowed, np.diff(mdp.transition_start))
    counts = np.bincount(mdp.source[inside], minlength=mdp.states)
    starts = np.concatenate(([0], np.cumsum(counts)))
    weights = _STEP - np.log(np.minimum(mdp.probability[inside], 1.0))
    return sparse.csr_array((weights, mdp.target[inside], starts), shape=(mdp.states, mdp.states))


def _described(mdp: Mdp, states: list[int], allowed: BoolArray | None) -> Path:
    """Find the likeliest choice of each step, and multiply exactly where probabilities are exact."""
    choices, probability = [], Fraction(1) if mdp.probability_table is not None else 1.0
    for state, successor in pairwise(states):
        options = [
            (chance, -choice)
            for choice in mdp.choices_of(state)
            if allowed is None or allowed[choice]
            for reached, chance in mdp.successors(choice)
            if reached == successor
        ]
        chance, choice = max(options)
        choices.append(-choice)
        probability *= chance
    return Path(tuple(states), tuple(choices), probability)
