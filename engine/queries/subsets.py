"""Subsets of states with and without a marked member, e.g. a dead end (methods.md 1.3)."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from engine.oracle.numbers import BoolArray, IntArray
    from engine.queries.draws import Draws

ENUMERATED = 20_000
"""Up to so many subsets are simply listed."""
POOL = 50
"""Subsets drawn for each case that is wanted, where they cannot be listed …"""
LARGEST_POOL = 50_000
"""… up to so many, unless more than a quarter of them are wanted."""


def pool_size(budget: int, *, hardest: bool) -> int:
    """Return how many subsets to draw for a budget: many to find the hardest among, else enough to lose some twins."""
    return max(4 * budget, min(POOL * budget, LARGEST_POOL)) if hardest else 4 * budget


def without_marked(plain: IntArray, size: int, count: int, draws: Draws) -> IntArray:
    """Return ``(n, size)`` distinct ascending subsets of the unmarked states: all, or up to `count` uniform draws."""
    if comb(len(plain), size) <= ENUMERATED:
        return _listed(plain, size)
    return _distinct_rows(plain[draws.distinct(len(plain), size, count)])


def with_marked(marked: IntArray, plain: IntArray, size: int, count: int, draws: Draws) -> IntArray:
    """Return ``(n, size)`` distinct ascending subsets with at least one marked state: all, or `count` uniform draws."""
    if comb(len(marked) + len(plain), size) <= ENUMERATED:
        subsets = _listed(np.sort(np.concatenate((marked, plain))), size)
        return subsets[np.isin(subsets, marked).any(axis=1)]
    hits = range(1, size + 1)
    weights = [comb(len(marked), hit) * comb(len(plain), size - hit) for hit in hits]
    ends = [(sum(weights[: hit + 1]) << 64) // sum(weights) for hit in range(size - 1)]
    places = np.array([min(end, 2**64 - 1) for end in ends], dtype=np.uint64)
    counts = np.bincount(np.searchsorted(places, draws.keys(count), side="right"), minlength=size)
    parts = [
        np.concatenate(
            (
                marked[draws.distinct(len(marked), hit, number)],
                plain[draws.distinct(len(plain), size - hit, number)],
            ),
            axis=1,
        )
        for hit, number in zip(hits, counts.tolist(), strict=True)
        if number
    ]
    return _distinct_rows(np.concatenate(parts))


def around(anchors: IntArray, plain: IntArray, size: int, draws: Draws) -> IntArray:
    """Return ``(anchors, size)`` subsets of unmarked states, each with one of the anchors and uniform others."""
    others = draws.distinct(len(plain) - 1, size - 1, len(anchors))
    skipped = np.searchsorted(plain, anchors)[:, None]
    rest = plain[others + (others >= skipped)]
    return np.sort(np.concatenate((anchors[:, None], rest), axis=1), axis=1)


def around_marked(anchors: IntArray, marked: IntArray, plain: IntArray, size: int, draws: Draws) -> IntArray:
    """Return ``(anchors, size)`` subsets: an unmarked anchor, one drawn marked state and uniform unmarked others."""
    hits = marked[draws.below(len(marked), len(anchors))]
    return np.sort(np.concatenate((hits[:, None], around(anchors, plain, size - 1, draws)), axis=1), axis=1)


def one_marked(anchors: IntArray, plain: IntArray, size: int, draws: Draws) -> IntArray:
    """Return ``(anchors, size)`` subsets with one marked anchor each and uniform unmarked others."""
    others = plain[draws.distinct(len(plain), size - 1, len(anchors))]
    return np.sort(np.concatenate((anchors[:, None], others), axis=1), axis=1)


def merged(*pools: IntArray) -> IntArray:
    """Return the distinct rows of several pools."""
    return _distinct_rows(np.concatenate(pools))


def _listed(states: IntArray, size: int) -> IntArray:
    rows = list(combinations(states.tolist(), size))
    return np.array(rows, dtype=np.int64).reshape(len(rows), size)


def _distinct_rows(rows: IntArray) -> IntArray:
    rows = np.sort(rows, axis=1)
    rows = rows[np.lexsort(rows.T[::-1])]
    new: BoolArray = np.append(True, (rows[1:] != rows[:-1]).any(axis=1))[: len(rows)]
    return rows[new]
