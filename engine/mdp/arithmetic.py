"""The operators of PRISM expressions on whole columns of states, exact: int64 until a fraction occurs."""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.oracle.numbers import IntArray

_ROOM = 2**31
"""Products of two smaller integers fit into int64."""


def is_truth(value: Any) -> bool:
    """Return whether a value, of one or of all states, is a condition and no number."""
    return np.asarray(value).dtype == bool


def fractions(value: Any) -> Any:
    """Return numbers as Python fractions, elementwise; numpy's integers must not stay inside, as they overflow."""
    return np.frompyfunc(_fraction, 1, 1)(np.asarray(value, dtype=object))


def _fraction(value: Any) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(int(value))


def _roomy(left: Any, right: Any) -> tuple[Any, Any]:
    """Return the operands as fractions if sums or products could leave the range of int64."""
    sizes = [
        int(np.max(np.abs(side), initial=0)) for side in (np.asarray(left), np.asarray(right)) if side.dtype != object
    ]
    small = all(size < _ROOM for size in sizes)
    return (left, right) if small else (fractions(left), fractions(right))


def constant(text: str) -> Any:
    """Return the value of a constant's exact text; raises ValueError if it is neither a number nor a truth value."""
    if text.lower() in {"true", "false"}:
        return np.bool_(text.lower() == "true")
    value = Fraction(text)
    return np.int64(value) if value.denominator == 1 else fractions(value)


def _floor(value: Any) -> IntArray:
    return np.asarray(np.frompyfunc(lambda number: number.__floor__(), 1, 1)(fractions(value)), dtype=np.int64)


def _mod(left: Any, right: Any) -> Any:
    if np.any(np.asarray(right) == 0):
        raise ZeroDivisionError
    return np.mod(left, right)


def _pow(left: Any, right: Any) -> Any:
    if np.any(np.abs(np.asarray(right)) > 64):  # noqa: PLR2004  # beyond that no state variable needs it
        raise OverflowError
    return np.frompyfunc(lambda base, exponent: Fraction(base) ** int(exponent), 2, 1)(left, right)


LOGIC: dict[str, Callable[..., Any]] = {
    "not_": np.logical_not,
    "and_": np.logical_and,
    "or_": np.logical_or,
    "implies": lambda left, right: np.logical_or(np.logical_not(left), right),
    "iff": lambda left, right: np.logical_not(np.logical_xor(left, right)),
}
"""Operators on conditions, by the grammar's rule."""

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": lambda left, right: operator.add(*_roomy(left, right)),
    "subtract": lambda left, right: operator.sub(*_roomy(left, right)),
    "multiply": lambda left, right: operator.mul(*_roomy(left, right)),
    "divide": lambda left, right: fractions(left) / fractions(right),
    "negate": lambda value: -value,
    "less": lambda left, right: np.asarray(left < right, dtype=bool),
    "at_most": lambda left, right: np.asarray(left <= right, dtype=bool),
    "greater": lambda left, right: np.asarray(left > right, dtype=bool),
    "at_least": lambda left, right: np.asarray(left >= right, dtype=bool),
    "equal": lambda left, right: np.asarray(left == right, dtype=bool),
    "unequal": lambda left, right: np.asarray(left != right, dtype=bool),
}
"""Operators on numbers, by the grammar's rule; division by zero raises ZeroDivisionError."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "floor": _floor,
    "ceil": lambda value: -_floor(-fractions(value)),
    "round": lambda value: _floor(fractions(value) + Fraction(1, 2)),
    "mod": _mod,
    "pow": _pow,
}
"""Functions of a fixed number of operands, by name."""
