"""What Storm gives for one property."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.oracle.numbers import BoolArray, FloatArray


@dataclass(frozen=True)
class Result:
    """One property's result over states, as Storm gave it.

    Attributes
    ----------
    exact
        Exact values by state (texts of rationals or ``inf``), or None.
    lower, upper
        Bounds by state in sound mode.
    unbounded
        Values by state that Storm gives without bounds: they decide nothing.
    widened
        Whether the bounds have been moved outward already.
    truth
        Truth by state of a property without a number.
    states
        The states covered: all, or the initial ones.
    """

    states: Sequence[int]
    exact: list[str] | None = None
    lower: FloatArray | None = None
    upper: FloatArray | None = None
    unbounded: FloatArray | None = None
    truth: BoolArray | None = None
    widened: bool = False
