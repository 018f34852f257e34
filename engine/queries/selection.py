"""Which candidates of a pool become cases: balancing first, then ranking (methods.md 1.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray
    from engine.queries.draws import Keys


def select(delta: FloatArray | None, keys: Keys, budget: int, classes: BoolArray | None = None) -> IntArray:
    """Return the positions of the chosen candidates, the first ones first.

    Parameters
    ----------
    delta
        ``(n,)`` rounded δ, to take the hardest; None to take whatever the keys put first.
    keys
        ``(n,)`` seeded integers that break ties.
    budget
        How many to take at most.
    classes
        ``(n,)`` for balanced categories, whether the answer is yes: half of the budget goes to each class, and what one
        class cannot fill goes to the other. The two then alternate, so that a part of the cases is balanced too.
    """
    if classes is None:
        return _first(np.arange(len(keys), dtype=np.int64), delta, keys, budget)
    yes, no = np.flatnonzero(classes), np.flatnonzero(~classes)
    half = (budget + 1) // 2
    rarer, other = (yes, no) if len(yes) <= len(no) else (no, yes)
    rarer = _first(rarer, delta, keys, half)
    other = _first(other, delta, keys, budget - len(rarer))
    places = np.concatenate((np.arange(len(rarer)), np.arange(len(other))))
    chosen = np.concatenate((rarer, other))
    return chosen[np.argsort(places, kind="stable")]


def _first(members: IntArray, delta: FloatArray | None, keys: Keys, count: int) -> IntArray:
    """Return the first `count` members, the hardest ones or those with the smallest keys, in order.

    Only those that are certainly among the first are sorted: members can be millions.
    """
    ranks = keys[members] if delta is None else -delta[members]
    if 0 < count < len(members):
        members = members[ranks <= np.partition(ranks, count - 1)[count - 1]]
    order = np.argsort(keys[members], kind="stable") if delta is None else np.lexsort((keys[members], -delta[members]))
    return members[order[:count]]
