"""What the plots show: counts of values and gaps, and V against a constant. Knows nothing of Textual."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.derivation.gaps import decision_gaps, left_out
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
    reasons
        Why some numbers are not counted, in words, and how many.
    """

    edges: FloatArray
    counts: np.ndarray[tuple[int], np.dtype[np.int64]]
    reasons: tuple[tuple[str, int], ...] = ()

    @property
    def left_out(self) -> int:
        """How many numbers are not counted."""
        return sum(count for _, count in self.reasons)

    @property
    def middles(self) -> list[float]:
        """The middle of each step."""
        return [float(middle) for middle in (self.edges[:-1] + self.edges[1:]) / 2]


def histogram(numbers: FloatArray, bins: int = BINS, *, probabilities: bool = False) -> Histogram:
    """Count numbers; a single value gets an axis of length 1 around it, of probabilities the one from 0 to 1."""
    finite = numbers[np.isfinite(numbers)]
    low, high = value_range(finite.tolist() or [0.0, 1.0], probabilities=probabilities)
    counts, edges = np.histogram(finite, bins=bins, range=(low, high))
    reasons = (("infinite", int(np.isinf(numbers).sum())), ("not defined", int(np.isnan(numbers).sum())))
    return Histogram(edges, counts.astype(np.int64), reasons)


def are_probabilities(oracle: Oracle) -> bool:
    """Return whether V and with it the gaps are probabilities rather than rewards."""
    return not oracle.facts.objective.kind.is_reward


def value_range(values: Sequence[float], *, probabilities: bool) -> tuple[float, float]:
    """Return the ends of an axis of V: those of the values, with some room where all are equal.

    An axis of probabilities ends at 0 and 1 at the latest: there is nothing beyond.
    """
    low, high = min(values), max(values)
    if low < high:
        return low, high
    return (0.0, 1.0) if probabilities else (low - 0.5, high + 0.5)


def value_histogram(oracle: Oracle) -> Histogram:
    """Count V over the states."""
    return histogram(oracle.facts.value.floats, probabilities=are_probabilities(oracle))


def gap_histogram(oracle: Oracle) -> Histogram:
    """Count the gaps between the best and the next different Q, over the states that have both."""
    gaps, out = decision_gaps(oracle.mdp, oracle.facts), left_out(oracle.mdp, oracle.facts)
    found = histogram(gaps, probabilities=are_probabilities(oracle))
    reasons = (
        ("with all actions tied", out.tied),
        ("with one action", out.single),
        ("≈ undecided", out.undecided),
        ("with an infinite gap", out.infinite),
        ("without Q (targets and such)", out.undefined),
    )
    return replace(found, reasons=reasons)


def curve(rows: Sequence[Swept]) -> tuple[list[float], list[float]]:
    """Return the constants and V at the first initial state, where both are finite numbers."""
    points = []
    for row in rows:
        value = row.initial.at(0) if len(row.initial) else None
        if value is not None and np.isfinite(number_float(value)):
            points.append((to_float(parse_exact(row.constant)), number_float(value)))
    return [x for x, _ in points], [y for _, y in points]
