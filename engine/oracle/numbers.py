"""Vectors of checked numbers, exact or enclosed, and comparisons between them that never guess (methods.md 1.1)."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.oracle.tri import Tri, TriArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

Exact: TypeAlias = Fraction | float
"""A fraction, or ``math.inf``: the only float that stands for an exact number."""

# Exact values can have more digits than Python converts between integers and text unless it is told to.
_DIGITS = 100_000
if 0 < sys.get_int_max_str_digits() < _DIGITS:
    sys.set_int_max_str_digits(_DIGITS)


@dataclass(frozen=True, slots=True)
class Interval:
    """An enclosure of a number: ``lower <= number <= upper``."""

    lower: float
    upper: float


Number: TypeAlias = Exact | Interval
JsonNumber: TypeAlias = str | dict[str, float | str] | None


def exact_text(value: Exact) -> str:
    """Return ``num/den``, an integer, or ``inf``."""
    return "inf" if value == math.inf else str(value)


def parse_exact(text: str) -> Exact:
    """Read ``1/3``, ``0.1`` (one tenth exactly), ``2e-3`` or ``inf``; raises ValueError on anything else."""
    stripped = text.strip()
    return math.inf if stripped.lower() in {"inf", "infinity", "∞"} else Fraction(stripped.replace(" ", ""))


def to_float(value: Exact) -> float:
    """Return the nearest double; a fraction beyond its range gives infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def number_json(value: Number | None) -> JsonNumber:
    """Return a number as every ``--json`` output writes it (design.md, "The command line")."""
    match value:
        case None:
            return None
        case Interval(lower, upper):
            return {"lower": "inf" if lower == math.inf else lower, "upper": "inf" if upper == math.inf else upper}
        case _:
            return exact_text(value)


def number_text(value: Number | None, *, digits: int = 4) -> str:
    """Return a number for people: the fraction, or the enclosure's middle behind a ``≈`` unless it is a point."""
    match value:
        case None:
            return "-"
        case Interval(lower, upper) if lower == upper:
            return "inf" if lower == math.inf else f"{lower:.{digits}g}"
        case Interval(lower, upper):
            return f"≈{(lower + upper) / 2:.{digits}g}"
        case _:
            return exact_text(value)


def number_float(value: Number) -> float:
    """Return a double for drawing and sorting, never for a verdict."""
    return (value.lower + value.upper) / 2 if isinstance(value, Interval) else to_float(value)


@dataclass(frozen=True, slots=True)
class Numbers:
    """A vector of numbers that were checked, each exact or enclosed by an interval, some undefined.

    Attributes
    ----------
    lower, upper
        ``(n,)`` doubles. In exact mode both are the nearest double; NaN where undefined.
    rank
        Exact mode: ``(n,)`` position in `table`, -1 where undefined. Comparing ranks compares the numbers exactly.
    table
        Exact mode: the distinct numbers in ascending order.
    """

    lower: FloatArray
    upper: FloatArray
    rank: IntArray | None = None
    table: tuple[Exact, ...] | None = None

    @classmethod
    def from_exact(cls, values: Sequence[Exact | None]) -> Numbers:
        """Build from exact numbers; None is undefined."""
        table = tuple(sorted({value for value in values if value is not None}))
        position = {value: index for index, value in enumerate(table)}
        rank = np.array([-1 if value is None else position[value] for value in values], dtype=np.int64)
        return cls.from_ranks(rank, table)

    @classmethod
    def from_ranks(cls, rank: IntArray, table: Iterable[Exact]) -> Numbers:
        """Build from positions in an ascending table of distinct numbers; -1 is undefined."""
        table = tuple(table)
        floats = np.append(np.array([to_float(value) for value in table], dtype=np.float64), np.nan)[rank]
        return cls(floats, floats, rank, table)

    @property
    def exact(self) -> bool:
        """Whether every number is exact."""
        return self.rank is not None

    @property
    def defined(self) -> BoolArray:
        """``(n,)`` whether the number is defined."""
        return ~np.isnan(self.lower)

    @property
    def floats(self) -> FloatArray:
        """``(n,)`` doubles for drawing and for ordering candidates, never for a verdict; NaN where undefined."""
        if self.exact:
            return self.lower
        with np.errstate(invalid="ignore"):
            return np.where(np.isinf(self.lower), self.lower, (self.lower + self.upper) / 2)

    def __len__(self) -> int:
        return len(self.lower)

    def at(self, index: int) -> Number | None:
        """Return one number: a fraction or infinity, an interval in sound mode, None where undefined."""
        if self.rank is not None and self.table is not None:
            rank = int(self.rank[index])
            return None if rank < 0 else self.table[rank]
        lower, upper = float(self.lower[index]), float(self.upper[index])
        return None if math.isnan(lower) else Interval(lower, upper)

    def take(self, indices: npt.NDArray[np.integer]) -> Numbers:
        """Return the numbers at the indices, comparable exactly as before."""
        rank = None if self.rank is None else self.rank[indices]
        return Numbers(self.lower[indices], self.upper[indices], rank, self.table)

    def where(self, mask: BoolArray) -> Numbers:
        """Return the same numbers, undefined outside a mask ``(n,)``."""
        rank = None if self.rank is None else np.where(mask, self.rank, -1)
        return Numbers(np.where(mask, self.lower, np.nan), np.where(mask, self.upper, np.nan), rank, self.table)

    def sign(self, left: npt.NDArray[np.integer], right: npt.NDArray[np.integer]) -> npt.NDArray[np.int8]:
        """Compare number ``left[k]`` with number ``right[k]``.

        Returns
        -------
        ``(k,)`` int8: -1 smaller, 0 equal, 1 larger, 2 undecided, 3 one of them is undefined.
        """
        return compare(self.take(left), self.take(right))

    def equals(self, value: Exact) -> TriArray:
        """``(n,)`` whether each number is the given one; an interval that is no point is never decided to be equal."""
        result: TriArray = np.full(len(self), Tri.NO, dtype=np.int8)
        if self.rank is not None and self.table is not None:
            result[self.rank == (self.table.index(value) if value in self.table else -3)] = Tri.YES
        else:
            point = to_float(value)
            result[(self.lower <= point) & (point <= self.upper)] = Tri.UNDECIDED
            result[(self.lower == point) & (self.upper == point)] = Tri.YES
        result[~self.defined] = Tri.UNDEFINED
        return result


SMALLER, EQUAL, LARGER, UNDECIDED_SIGN, UNDEFINED_SIGN = -1, 0, 1, 2, 3


def compare(left: Numbers, right: Numbers) -> npt.NDArray[np.int8]:
    """Compare two vectors of the same length elementwise, exactly; the signs are those of `Numbers.sign`."""
    sign: npt.NDArray[np.int8] = np.full(len(left), UNDECIDED_SIGN, dtype=np.int8)
    if left.rank is not None and right.rank is not None:
        a, b = _joint_ranks(left, right)
        sign[:] = np.sign(a - b)
    else:
        sign[left.upper < right.lower] = SMALLER
        sign[left.lower > right.upper] = LARGER
        points = (left.lower == left.upper) & (right.lower == right.upper)
        sign[points & (left.lower == right.lower)] = EQUAL
    sign[~(left.defined & right.defined)] = UNDEFINED_SIGN
    return sign


def _joint_ranks(left: Numbers, right: Numbers) -> tuple[IntArray, IntArray]:
    assert left.rank is not None and right.rank is not None and left.table is not None and right.table is not None  # noqa: S101, PT018
    if left.table is right.table:
        return left.rank, right.rank
    position = {value: index for index, value in enumerate(sorted({*left.table, *right.table}))}

    def ranks(vector: IntArray, table: tuple[Exact, ...]) -> IntArray:
        return np.append(np.array([position[value] for value in table], dtype=np.int64), -1)[vector]

    return ranks(left.rank, left.table), ranks(right.rank, right.table)
