"""Which state stands for a tile that several states share: the one nearest to the selected state in all else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.oracle.numbers import BoolArray, IntArray


class Nearest:
    """Finds the nearest state of each tile.

    The distance of two states is the sum of the differences of their other variables, each divided by the variable's
    range: so another truth value counts as much as the two ends of a number.

    Parameters
    ----------
    tile
        ``(states,)`` tile of each state; -1 outside the grid.
    tiles
        The number of tiles.
    others
        The ``(states,)`` columns of the variables that do not place a state.
    """

    def __init__(self, tile: IntArray, tiles: int, others: Sequence[IntArray | BoolArray]) -> None:
        self._tile = tile
        self._tiles = tiles
        inside = np.flatnonzero(tile >= 0)
        self._order = inside[np.argsort(tile[inside], kind="stable")]
        self._occupied, self._starts = np.unique(tile[self._order], return_index=True)
        self._counts = np.diff(np.append(self._starts, len(self._order)))
        scaled = [_scaled(column) for column in others]
        self._points = np.stack(scaled, axis=1) if scaled else np.zeros((len(tile), 0), dtype=np.float32)
        self._sorted = self._points[self._order]

    def states(self, state: int) -> IntArray:
        """Return ``(tiles,)`` the nearest state on each tile, the lowest of equally near ones; -1 on empty tiles.

        The selected state stands for its own tile.
        """
        found = np.full(self._tiles, -1, dtype=np.int64)
        if len(self._order):
            distance = np.abs(self._sorted - self._points[state]).sum(axis=1)
            least = np.repeat(np.minimum.reduceat(distance, self._starts), self._counts)
            place = np.where(distance == least, np.arange(len(distance)), len(distance))
            first = np.minimum.reduceat(place, self._starts)
            found[self._occupied] = self._order[first]
        if self._tile[state] >= 0:
            found[self._tile[state]] = state
        return found


def _scaled(column: IntArray | BoolArray) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    numbers = np.asarray(column, dtype=np.float32)
    span = float(numbers.max() - numbers.min()) if len(numbers) else 0.0
    return numbers / np.float32(span) if span > 0 else np.zeros_like(numbers)
