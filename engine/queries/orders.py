"""How the actions of each state are ordered by Q: decided or not, gaps, ties (methods.md 1.2, 1.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.queries.values import Scale

if TYPE_CHECKING:
    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray, Numbers


@dataclass(frozen=True, slots=True)
class Orders:
    """The order of each state's actions; all arrays are ``(states,)``.

    Attributes
    ----------
    decided
        Whether all actions have a Q and every two of them are certainly tied or certainly different.
    distinct
        How many different Q there are.
    gap
        The smallest gap between neighbours in the sorted Q, 0 for a tie; 1 where there is one action.
    step
        The smallest gap between neighbours that differ; 1 where none do.
    """

    decided: BoolArray
    distinct: IntArray
    gap: FloatArray
    step: FloatArray


_last: tuple[Numbers, Orders] | None = None
"""The last model's orders: a category asks for them several times, and finding them looks at every choice."""


def orders_of(mdp: Mdp, facts: Facts) -> Orders:
    """Return how the actions of each state are ordered; gaps are measured on the objective's scale."""
    global _last  # noqa: PLW0603 - one slot, replaced as a whole, so that threads cannot see half of it
    known = _last
    if known is None or known[0] is not facts.q:
        known = _last = (facts.q, _find(mdp, facts))
    return known[1]


def _find(mdp: Mdp, facts: Facts) -> Orders:
    """Sort the rows of all states with equally many actions at once."""
    q, scale = facts.q, Scale.of(facts)
    lower, upper = (q.rank, q.rank) if q.rank is not None else (q.lower, q.upper)
    floats, defined = q.floats, q.defined
    counts = np.diff(mdp.choice_start)
    found = Orders(
        np.zeros(mdp.states, dtype=bool), np.ones(mdp.states, dtype=np.int64), np.ones(mdp.states), np.ones(mdp.states)
    )
    for count in np.unique(counts).tolist():
        states = np.flatnonzero(counts == count)
        choices = mdp.choice_start[states][:, None] + np.arange(count)
        order = np.argsort(lower[choices], axis=1, kind="stable")
        choices = np.take_along_axis(choices, order, axis=1)
        left, right = choices[:, :-1], choices[:, 1:]
        tied = (lower[left] == upper[left]) & (lower[right] == upper[right]) & (lower[left] == lower[right])
        apart = upper[left] < lower[right]
        gaps = np.where(tied, 0.0, scale.gaps(floats[left], floats[right]))
        found.decided[states] = defined[choices].all(axis=1) & (tied | apart).all(axis=1)
        found.distinct[states] = count - tied.sum(axis=1)
        found.gap[states] = gaps.min(axis=1, initial=1.0)
        found.step[states] = np.where(tied, 1.0, gaps).min(axis=1, initial=1.0)
    return found
