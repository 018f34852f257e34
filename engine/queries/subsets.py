"""Subsets of states with and without a marked member, e.g. a dead end (methods.md 1.3)."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from engine.oracle.numbers import IntArray
    from engine.queries.draws import Draws

ENUMERATED = 20_000
"""Up to so many subsets are simply listed."""
POOL = 50
"""Subsets drawn for each case that is wanted, where they cannot be listed …"""
LARGEST_POOL = 50_000
"""… up to so many, unless more than a quarter of them are wanted."""


def without_marked(plain: IntArray, size: int, budget: int, draws: Draws) -> IntArray:
    """Return ``(n, size)`` distinct ascending subsets of the unmarked states: all, or a uniform draw."""
    if comb(len(plain), size) <= ENUMERATED:
        return _listed(plain, size)
    return _distinct_rows(plain[draws.distinct(len(plain), size, _pool(budget))])


def with_marked(marked: IntArray, plain: IntArray, size: int, budget: int, draws: Draws) -> IntArray:
    """Return ``(n, size)`` distinct ascending subsets that hold at least one marked state: all, or a uniform draw."""
    if comb(len(marked) + len(plain), size) <= ENUMERATED:
        subsets = _listed(np.sort(np.concatenate((marked, plain))), size)
        return subsets[np.isin(subsets, marked).any(axis=1)]
    hits = range(1, size + 1)
    weights = [comb(len(marked), hit) * comb(len(plain), size - hit) for hit in hits]
    ends = np.cumsum(np.array(weights, dtype=object))
    drawn = [draws.big_below(int(ends[-1])) for _ in range(_pool(budget))]
    counts = np.bincount(np.searchsorted(ends, np.array(drawn, dtype=object), side="right"), minlength=size)
    parts = [
        np.concatenate(
            (
                marked[draws.distinct(len(marked), hit, int(count))],
                plain[draws.distinct(len(plain), size - hit, int(count))],
            ),
            axis=1,
        )
        for hit, count in zip(hits, counts, strict=True)
        if count
    ]
    return _distinct_rows(np.concatenate(parts))


def around(anchors: IntArray, plain: IntArray, size: int, draws: Draws) -> IntArray:
    """Return ``(anchors, size)`` subsets of unmarked states, each with one of the anchors and uniform others."""
    others = draws.distinct(len(plain) - 1, size - 1, len(anchors))
    skipped = np.searchsorted(plain, anchors)[:, None]
    rest = plain[others + (others >= skipped)]
    return np.sort(np.concatenate((anchors[:, None], rest), axis=1), axis=1)


def merged(*pools: IntArray) -> IntArray:
    """Return the distinct rows of several pools."""
    return _distinct_rows(np.concatenate(pools))


def _pool(budget: int) -> int:
    return max(4 * budget, min(POOL * budget, LARGEST_POOL))


def _listed(states: IntArray, size: int) -> IntArray:
    rows = list(combinations(states.tolist(), size))
    return np.array(rows, dtype=np.int64).reshape(len(rows), size)


def _distinct_rows(rows: IntArray) -> IntArray:
    return np.unique(np.sort(rows, axis=1), axis=0)
