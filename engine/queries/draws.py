"""Seeded draws that are the same on every machine and with every numpy version."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from engine.oracle.numbers import IntArray

Keys: TypeAlias = npt.NDArray[np.uint64]


class Draws:
    """A stream of integers that depends on nothing but the parts of its seed.

    Only PCG64's raw 64-bit output is used: numpy promises that stream for good, but not what a `Generator` makes of it.

    Parameters
    ----------
    parts
        What the stream belongs to, e.g. the user's seed, a category and a strategy.
    """

    def __init__(self, *parts: object) -> None:
        digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).digest()
        self._bits = np.random.PCG64(int.from_bytes(digest, "big"))

    def keys(self, count: int) -> Keys:
        """Return ``(count,)`` uniform 64-bit integers, e.g. to break ties with."""
        return np.asarray(self._bits.random_raw(count), dtype=np.uint64)

    def below(self, bound: int | IntArray, count: int) -> IntArray:
        """Return ``(count,)`` integers in ``[0, bound)``, uniform up to a bias of ``bound / 2**64``."""
        return (self.keys(count) % np.asarray(bound, dtype=np.uint64)).astype(np.int64)

    def order(self, count: int) -> IntArray:
        """Return a permutation of ``range(count)``."""
        return np.argsort(self.keys(count), kind="stable").astype(np.int64)

    def distinct(self, bound: int, width: int, count: int) -> IntArray:
        """Return ``(count, width)``, each row a uniform set of distinct integers in ``[0, bound)`` (Floyd's method)."""
        rows = np.empty((count, width), dtype=np.int64)
        for column, top in enumerate(range(bound - width, bound)):
            drawn = self.below(top + 1, count)
            repeated = (rows[:, :column] == drawn[:, None]).any(axis=1)
            rows[:, column] = np.where(repeated, top, drawn)
        return rows
