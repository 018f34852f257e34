"""What the plots show: counts of values and gaps, and V against a constant. Knows nothing of Textual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.gaps import decision_gaps
from engine.oracle.numbers import number_float, parse_exact, to_float

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.oracle.again import Swept
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import FloatArray

BINS = 20


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of numbers in equal steps.

    Attributes
    ----------
    edges
        ``(bins + 1,)``.
    counts
        ``(bins,)``.
    left_out
        Numbers that are infinite or not defined.
    """

    edges: FloatArray
    counts: np.ndarray[tuple[int], np.dtype[np.int64]]
    left_out: int

    @property
    def middles(self) -> list[float]:
        """The middle of each step."""
        return [float(middle) for middle in (self.edges[:-1] + self.edges[1:]) / 2]


def histogram(numbers: FloatArray, bins: int = BINS) -> Histogram:
    """Count numbers; a single value gets a step of its own width around it."""
    finite = numbers[np.isfinite(numbers)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    counts, edges = np.histogram(finite, bins=bins, range=(low, high))
    return Histogram(edges, counts.astype(np.int64), len(numbers) - len(finite))


def value_histogram(oracle: Oracle) -> Histogram:
    """Count V over the states."""
    return histogram(oracle.facts.value.floats)


def gap_histogram(oracle: Oracle) -> Histogram:
    """Count the gaps between the best and the next different Q, over the states that have both."""
    return histogram(decision_gaps(oracle.mdp, oracle.facts))


def curve(rows: Sequence[Swept]) -> tuple[list[float], list[float]]:
    """Return the constants and V at the first initial state, where both are finite numbers."""
    points = []
    for row in rows:
        value = row.initial.at(0) if len(row.initial) else None
        if value is not None and np.isfinite(number_float(value)):
            points.append((to_float(parse_exact(row.constant)), number_float(value)))
    return [x for x, _ in points], [y for _, y in points]
