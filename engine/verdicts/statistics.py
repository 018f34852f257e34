"""The statistics of a cell: share of passes with its interval, and how varied the answers are (methods.md 1.5)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

UNIT = 10**9
"""Intervals are computed from grades in whole numbers of ``1/UNIT``; what is compared is exact."""

CONFIDENCE = 0.95
INTERVAL_METHOD = "Wilson score interval; answers about the same states form clusters"


def wilson(successes: float, n: float, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the Wilson score interval of a share.

    Parameters
    ----------
    successes, n
        The share's parts. Both may be fractional: effective counts of clustered observations, or a sum of scores in
        [0, 1], for which the interval is too wide rather than too narrow (no variable in [0, 1] with the same mean
        varies more than a binary one).
    confidence
        Of the two-sided interval.

    Returns
    -------
    Lower and upper end in [0, 1]; the whole of it if `n` is 0.

    Raises
    ------
    ValueError
        If `successes` is not in [0, n], or `confidence` is not inside (0, 1).
    """
    if not 0 <= successes <= n or not 0 < confidence < 1:
        raise ValueError(f"no share: {successes} of {n} at confidence {confidence}")
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # The ends are exactly 0 and 1 there; rounding would leave them a little beside.
    lower = 0.0 if successes == 0 else max(0.0, centre - half)
    upper = 1.0 if successes == n else min(1.0, centre + half)
    return lower, upper


def effective_n(totals: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> float:
    """Return how many independent observations clustered ones are worth.

    Answers about the same state (samples, wordings) are alike, so that n of them tell less than n states would. The
    design effect is the between-cluster variance of the share over its binomial variance, never below 1.

    Parameters
    ----------
    totals, sizes
        ``(clusters,)`` for each cluster the sum of its observations, each in [0, UNIT], and their number.

    Returns
    -------
    n divided by the design effect, at least 1; the number of clusters where all observations are equally 0 or 1, for
    then nothing is known about the design effect.
    """
    n, total, clusters = int(sizes.sum()), int(totals.sum()), len(sizes)
    if n == clusters:
        return float(n)
    if total in {0, n * UNIT}:
        return float(clusters)
    if clusters == 1:
        return 1.0
    mean = total / (n * UNIT)
    spread = float(np.square(totals / UNIT - sizes * mean).sum())
    effect = spread * clusters / (clusters - 1) / (n * mean * (1 - mean))
    return max(1.0, n / max(effect, 1.0))


@dataclass(frozen=True, slots=True)
class Share:
    """A mean of observations in [0, 1], exact, with its interval.

    Attributes
    ----------
    value
        The mean; None if there is no observation.
    n
        Observations.
    effective_n
        What they are worth if they are clustered.
    lower, upper
        Of the interval (`INTERVAL_METHOD`).
    """

    value: Fraction | None
    n: int
    effective_n: float
    lower: float
    upper: float


def share(clusters: npt.NDArray[np.int64], grades: npt.NDArray[np.int64], exact: Fraction | None = None) -> Share:
    """Return the mean of grades.

    Parameters
    ----------
    clusters, grades
        ``(n,)`` whose state each grade is about, and the grade in [0, UNIT].
    exact
        Their mean, if ``1/UNIT`` is too coarse for it; the interval is no finer than that.
    """
    n = len(grades)
    if n == 0:
        return Share(None, 0, 0.0, 0.0, 1.0)
    _, place, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    totals = np.zeros(len(sizes), dtype=np.int64)
    np.add.at(totals, place, grades)
    mean = Fraction(int(totals.sum()), n * UNIT) if exact is None else exact
    effective = effective_n(totals, sizes.astype(np.int64))
    lower, upper = wilson(min(float(mean) * effective, effective), effective)
    return Share(mean, n, effective, lower, upper)


@dataclass(frozen=True, slots=True)
class Variety:
    """How varied answers are: a model that always says "up" is not half right.

    Attributes
    ----------
    different
        The number of different answers.
    top
        The most frequent one, the first in the alphabet of several; None if there is none.
    top_share
        Its share of the answers; 0 if there is none.
    """

    different: int
    top: str | None
    top_share: Fraction


def variety(answers: Iterable[str] | Mapping[str, int]) -> Variety:
    """Count the different answers, given one by one or with their numbers; unreadable ones are not given."""
    counts = Counter(answers)
    if not counts:
        return Variety(0, None, Fraction(0))
    top, times = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return Variety(len(counts), top, Fraction(times, counts.total()))


def exact_sum(counts: Mapping[Fraction, int]) -> Fraction:
    """Return the sum of fractions, each as often as it occurs.

    Those with the same denominator are added first, then two sums at a time: the least work for long denominators.
    """
    numerators: Counter[int] = Counter()
    for value, times in counts.items():
        numerators[value.denominator] += value.numerator * times
    sums = [Fraction(numerator, denominator) for denominator, numerator in numerators.items()]
    while len(sums) > 1:
        sums = [sum(sums[place : place + 2], Fraction(0)) for place in range(0, len(sums), 2)]
    return sums[0] if sums else Fraction(0)


def mean(values: Sequence[Fraction]) -> Fraction | None:
    """Return the exact mean; None of nothing."""
    return sum(values, Fraction(0)) / len(values) if values else None
