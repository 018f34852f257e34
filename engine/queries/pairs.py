"""Pairs of states whose numbers certainly differ, found without enumerating all pairs (methods.md 1.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from engine.oracle.numbers import FloatArray, IntArray, Numbers
    from engine.queries.draws import Draws
    from engine.queries.values import Scale

ENUMERATED = 20_000
"""Up to so many pairs are simply listed."""
DIGITS = 9
"""δ is rounded to so many digits, so that closer gaps count as tied."""


class DistinctPairs:
    """All unordered pairs of states with a smaller and a certainly larger number.

    States are sorted by number (by lower bound in sound mode). All states after some position are then certainly
    larger than a given one, and none before it is, which makes pairs countable and uniform draws exact.
    Pairs are ``(n, 2)`` states, the smaller number first.

    Parameters
    ----------
    numbers
        ``(states,)`` V or D.
    scale
        How gaps are measured.
    draws
        The order within ties, so that no state is preferred for its number.
    """

    def __init__(self, numbers: Numbers, scale: Scale, draws: Draws) -> None:
        lower, upper = (numbers.rank, numbers.rank) if numbers.rank is not None else (numbers.lower, numbers.upper)
        defined = np.flatnonzero(numbers.defined)
        self._states: IntArray = defined[np.lexsort((draws.keys(len(defined)), lower[defined]))]
        self._first: IntArray = np.searchsorted(lower[self._states], upper[self._states], side="right").astype(np.int64)
        self._floats: FloatArray = numbers.floats[self._states]
        self._partners: IntArray = len(self._states) - self._first
        self._scale = scale
        self._draws = draws

    @property
    def total(self) -> int:
        """The number of pairs."""
        return int(self._partners.sum())

    def uniform(self, count: int) -> IntArray:
        """Return `count` distinct pairs drawn uniformly, or all if there are few."""
        if self.total <= max(ENUMERATED, 4 * count):
            return self._all()
        ends = np.cumsum(self._partners)
        found = np.empty((0, 2), dtype=np.int64)
        while len(found) < count:
            drawn = self._draws.below(self.total, 2 * count)
            left = np.searchsorted(ends, drawn, side="right")
            right = self._first[left] + drawn - (ends[left] - self._partners[left])
            found = np.concatenate((found, np.stack((left, right), axis=1)))
            _, kept = np.unique(found, axis=0, return_index=True)
            found = found[np.sort(kept)]
        return self._states[found[:count]]

    def closest(self, count: int) -> IntArray:
        """Return at least `count` pairs with the smallest gaps, or all if there are few.

        States are ranked by the gap to their closest larger neighbour. The pair of the state at rank r with its d-th
        larger neighbour has at least r + d other pairs that are as close, so only r + d < `count` needs a look.
        """
        if self.total <= max(ENUMERATED, 4 * count):
            return self._all()
        left = np.flatnonzero(self._partners > 0)
        left = left[self._smallest(self._gaps(left, self._first[left]), 4 * count)]
        widths = np.maximum(1, count - np.arange(len(left)))
        rows = np.repeat(left, widths)
        right = self._first[rows] + np.arange(len(rows)) - np.repeat(np.cumsum(widths) - widths, widths)
        inside = right < len(self._states)
        rows, right = rows[inside], right[inside]
        kept = self._smallest(self._gaps(rows, right), 4 * count)
        closest: IntArray = self._states[np.stack((rows[kept], right[kept]), axis=1)]
        return closest

    def _gaps(self, left: IntArray, right: IntArray) -> FloatArray:
        gaps = self._scale.gaps(self._floats[left], self._floats[right])
        return np.round(gaps, DIGITS)

    def _smallest(self, gaps: FloatArray, count: int) -> IntArray:
        """Return the positions of the smallest gaps, ties in drawn order."""
        near = np.arange(len(gaps))
        if len(gaps) > count:
            near = np.flatnonzero(gaps <= np.partition(gaps, count - 1)[count - 1])
        order: IntArray = near[np.lexsort((self._draws.keys(len(near)), gaps[near]))]
        return order[:count]

    def _all(self) -> IntArray:
        left = np.repeat(np.arange(len(self._states)), self._partners)
        offsets = np.arange(len(left)) - np.repeat(np.cumsum(self._partners) - self._partners, self._partners)
        return self._states[np.stack((left, self._first[left] + offsets), axis=1)]
