"""Conditions about checked numbers: where they hold, where they do not, and where bounds leave both open."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.oracle.numbers import Numbers, to_float

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.oracle.numbers import BoolArray, Exact, FloatArray


class Truth(NamedTuple):
    """A condition in every state. Where a number is not defined, all four are false: neither side holds.

    Attributes
    ----------
    yes, no
        ``(states,)`` whether the condition certainly holds, and certainly does not.
    may, may_not
        ``(states,)`` whether the bounds allow it to hold, and not to hold.
    """

    yes: BoolArray
    no: BoolArray
    may: BoolArray
    may_not: BoolArray

    @property
    def undecided(self) -> BoolArray:
        """``(states,)`` where the condition holds or does not, and the bounds do not tell which."""
        return self.may & ~self.yes


def truth_of(value: Any) -> Truth:
    """Return a condition that is decided everywhere, of one or of all states; a `Truth` as it is."""
    if isinstance(value, Truth):
        return value
    yes = np.asarray(value, dtype=bool)
    return Truth(yes, ~yes, yes, ~yes)


def _not(one: Truth) -> Truth:
    return Truth(one.no, one.yes, one.may_not, one.may)


def _or(one: Truth, other: Truth) -> Truth:
    return Truth(one.yes | other.yes, one.no & other.no, one.may | other.may, one.may_not & other.may_not)


def _and(one: Truth, other: Truth) -> Truth:
    return _not(_or(_not(one), _not(other)))


def _implies(one: Truth, other: Truth) -> Truth:
    return _or(_not(one), other)


def _iff(one: Truth, other: Truth) -> Truth:
    return _and(_implies(one, other), _implies(other, one))


CONNECTIVES: dict[str, Callable[..., Truth]] = {
    "not_": _not,
    "and_": _and,
    "or_": _or,
    "implies": _implies,
    "iff": _iff,
}
"""Operators on conditions, by the grammar's rule."""


class _Order(NamedTuple):
    """How two columns of numbers certainly lie to each other, ``(states,)`` each."""

    less: BoolArray
    at_most: BoolArray
    greater: BoolArray
    at_least: BoolArray
    equal: BoolArray

    def swapped(self) -> _Order:
        return _Order(self.greater, self.at_least, self.less, self.at_most, self.equal)


COMPARISONS = ("less", "at_most", "greater", "at_least", "equal", "unequal")
"""The grammar's rules that compare numbers."""


def compared(kind: str, left: Any, right: Any) -> Truth:
    """Compare two numbers, at least one of which is a column of checked ones.

    Exact numbers are compared as fractions. Bounds decide as far as they lie on one side, without any rounding.

    Parameters
    ----------
    kind
        One of `COMPARISONS`.
    left, right
        `Numbers`, or integers or fractions, of one or of all states.
    """
    if isinstance(left, Numbers):
        order, defined = _order(left, right)
    else:
        order, defined = _order(right, left)
        order = order.swapped()
    yes, no = {
        "less": (order.less, order.at_least),
        "at_most": (order.at_most, order.greater),
        "greater": (order.greater, order.at_most),
        "at_least": (order.at_least, order.less),
        "equal": (order.equal, order.less | order.greater),
        "unequal": (order.less | order.greater, order.equal),
    }[kind]
    yes, no = yes & defined, no & defined
    return Truth(yes, no, defined & ~no, defined & ~yes)


def _order(left: Numbers, right: Any) -> tuple[_Order, BoolArray]:
    """Return how numbers lie to others, and where both are defined."""
    if not isinstance(right, Numbers):
        if np.ndim(right) == 0:
            return _order_to_one(left, _exact(np.asarray(right).item())), left.defined
        right = _numbers(np.asarray(right))
    defined = left.defined & right.defined
    if left.rank is not None and right.rank is not None:
        return _order_of_ranks(left, right), defined
    (low, high), (floor, ceiling) = _bounds(left), _bounds(right)
    with np.errstate(invalid="ignore"):
        equal = (low == high) & (floor == ceiling) & (low == floor)
        return _Order(high < floor, high <= floor, low > ceiling, low >= ceiling, equal), defined


def _order_of_ranks(left: Numbers, right: Numbers) -> _Order:
    assert left.rank is not None and right.rank is not None and left.table is not None and right.table is not None  # noqa: S101, PT018 - the caller looked
    if left.table is right.table:
        a, b = left.rank, right.rank
    else:
        place = {value: at for at, value in enumerate(sorted({*left.table, *right.table}))}
        a = np.array([*(place[value] for value in left.table), -1], dtype=np.int64)[left.rank]
        b = np.array([*(place[value] for value in right.table), -1], dtype=np.int64)[right.rank]
    return _Order(a < b, a <= b, a > b, a >= b, a == b)


def _order_to_one(numbers: Numbers, value: Exact) -> _Order:
    if numbers.rank is not None and numbers.table is not None:
        at = bisect_left(numbers.table, value)
        there = at < len(numbers.table) and numbers.table[at] == value
        equal = (numbers.rank == at) & there
        less = numbers.rank < at
        return _Order(less, less | equal, ~(less | equal), ~less, equal)
    # No double lies between a number and the double nearest to it: that double decides for all others.
    near = to_float(value)
    above, below = near > value, near < value
    low, high = numbers.lower, numbers.upper
    with np.errstate(invalid="ignore"):
        less = high <= near if below else high < near
        at_most = high < near if above else high <= near
        greater = low >= near if above else low > near
        at_least = low > near if below else low >= near
        equal = (low == near) & (high == near) & (not above) & (not below)
    return _Order(less, at_most, greater, at_least, equal)


def _bounds(numbers: Numbers) -> tuple[FloatArray, FloatArray]:
    """Return doubles that enclose numbers, also exact ones: those are stored as the nearest double."""
    if numbers.rank is None or numbers.table is None:
        return numbers.lower, numbers.upper
    near = [to_float(value) for value in numbers.table]
    low = [float(np.nextafter(f, -np.inf)) if f > value else f for f, value in zip(near, numbers.table, strict=True)]
    high = [float(np.nextafter(f, np.inf)) if f < value else f for f, value in zip(near, numbers.table, strict=True)]
    return np.array([*low, np.nan])[numbers.rank], np.array([*high, np.nan])[numbers.rank]


def _exact(value: Any) -> Exact:
    return value if isinstance(value, Fraction) else Fraction(int(value))


def _numbers(column: Any) -> Numbers:
    """Return a column of integers or fractions as exact numbers."""
    if column.dtype == object:
        return Numbers.from_exact([_exact(value) for value in column])
    found, inverse = np.unique(column, return_inverse=True)
    return Numbers.from_ranks(inverse, [Fraction(int(value)) for value in found])
