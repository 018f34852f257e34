"""The three research questions of the evaluation, computed from cells (methods.md 1.5)."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import numpy as np

from engine.verdicts.statistics import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Difference = TypeVar("Difference", Fraction, float)
ZERO_METHOD: Final = "wilcox"
ALTERNATIVE: Final = "less"
MEAN_INTERVAL_METHOD = (
    "MOVER over the cells' Wilson intervals, widened where cells are about the same states; for these environments"
)

_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Standard deviations from a cell's score to an end of its interval."""


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """The score of one environment, explainer, category and strategy.

    Attributes
    ----------
    score
        Exact, in [0, 1].
    n
        Answers behind it; None if unknown.
    lower, upper
        Of its interval; None if unknown.
    baseline
        Whether no language model is behind the explainer.
    chance
        What uniformly drawn answers get; None if unknown.
    deviations
        By cluster of states, how much its answers move the score; empty if unknown.
    """

    environment: str
    explainer: str
    category: str
    strategy: str
    score: Fraction
    n: int | None = None
    lower: float | None = None
    upper: float | None = None
    baseline: bool = False
    chance: Fraction | None = None
    deviations: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PairedTest:
    """RQ1, whether prioritized cases are harder than random ones.

    Attributes
    ----------
    lower, higher, tied
        Cells in which the prioritized score is lower, higher, equal; compared exactly.
    statistic, p
        Of the one-sided Wilcoxon signed-rank test (prioritized < random), equal exact differences ranked as equal. None
        if all cells are tied.
    p_floats
        The same on differences of doubles, in which equal differences can be ranked as different: what a plain
        computation gives.
    """

    lower: int
    higher: int
    tied: int
    statistic: float | None
    p: float | None
    p_floats: float | None

    @property
    def n(self) -> int:
        """The number of comparable cells."""
        return self.lower + self.higher + self.tied


@dataclass(frozen=True, slots=True)
class MeanScore:
    """A mean of cells with its interval; the interval is None where a cell's is unknown, chance likewise."""

    value: Fraction
    cells: int
    lower: float | None = None
    upper: float | None = None
    chance: Fraction | None = None


def paired_test(pairs: Sequence[tuple[Fraction, Fraction]]) -> PairedTest:
    """Compare cells, each given as its prioritized and its random score."""
    differences = [prioritized - random for prioritized, random in pairs]
    lower, higher = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    ranks = signed_ranks(differences)
    float_ranks = signed_ranks([float(prioritized) - float(random) for prioritized, random in pairs])
    statistic, p = _wilcoxon(ranks)
    # For few cells the test goes through every permutation, which is not done twice without need.
    p_floats = p if float_ranks == ranks else _wilcoxon(float_ranks)[1]
    return PairedTest(lower, higher, len(differences) - lower - higher, statistic, p, p_floats)


def signed_ranks(differences: Sequence[Difference]) -> list[float]:
    """Replace each difference by its sign times the dense rank of its size: the same test, and no rounding."""
    order = {size: rank for rank, size in enumerate(sorted({abs(d) for d in differences if d}), start=1)}
    return [math.copysign(order[abs(d)], d) if d else 0.0 for d in differences]


def _wilcoxon(differences: Sequence[float]) -> tuple[float | None, float | None]:
    if not any(differences):
        return None, None
    from scipy import stats  # noqa: PLC0415 - takes most of a second to load, and the explorer's tables need no test

    result = stats.wilcoxon(np.asarray(differences, dtype=np.float64), zero_method=ZERO_METHOD, alternative=ALTERNATIVE)
    return float(result.statistic), float(result.pvalue)


def comparable(cells: Iterable[ScoreCell]) -> list[tuple[ScoreCell, ScoreCell]]:
    """Return the prioritized and the random cell of each environment, explainer and category that has both."""
    places: dict[tuple[str, str, str], dict[str, ScoreCell]] = defaultdict(dict)
    for cell in cells:
        places[cell.environment, cell.explainer, cell.category][cell.strategy] = cell
    return [
        (both["prioritized"], both["random"]) for both in places.values() if "prioritized" in both and "random" in both
    ]


def rq1(cells: Iterable[ScoreCell]) -> dict[str, PairedTest]:
    """Return the test over all comparable cells, without the baselines, and for each explainer.

    Returns
    -------
    ``all``, ``without baselines`` (where there are some), and ``explainer NAME`` → test.
    """
    pairs = comparable(cells)
    if not pairs:
        return {}
    groups = {"all": pairs}
    asked = [pair for pair in pairs if not pair[0].baseline]
    if 0 < len(asked) < len(pairs):
        groups["without baselines"] = asked
    for pair in pairs:
        groups.setdefault(f"explainer {pair[0].explainer}", []).append(pair)
    return {name: paired_test([(one.score, other.score) for one, other in group]) for name, group in groups.items()}


def rq2(cells: Iterable[ScoreCell]) -> Mapping[tuple[str, str], tuple[MeanScore, Mapping[str, MeanScore]]]:
    """Return the score of each explainer by strategy: the mean over categories in each environment, then over those.

    Returns
    -------
    ``(explainer, strategy)`` → its score, and the score in each environment.
    """
    groups: dict[tuple[str, str], dict[str, list[ScoreCell]]] = {}
    for cell in cells:
        environments = groups.setdefault((cell.explainer, cell.strategy), {})
        environments.setdefault(cell.environment, []).append(cell)
    result = {}
    for key, environments in groups.items():
        inner = {environment: _mean(_evenly(members)) for environment, members in environments.items()}
        weighted = [
            (cell, weight / len(environments)) for members in environments.values() for cell, weight in _evenly(members)
        ]
        result[key] = _mean(weighted), inner
    return result


def rq3(cells: Iterable[ScoreCell]) -> dict[str, MeanScore]:
    """Return category → mean of its cells over environments, explainers and strategies."""
    groups: dict[str, list[ScoreCell]] = {}
    for cell in cells:
        groups.setdefault(cell.category, []).append(cell)
    return {category: _mean(_evenly(members)) for category, members in groups.items()}


_Weighted: TypeAlias = "list[tuple[ScoreCell, Fraction]]"


def _evenly(members: Sequence[ScoreCell]) -> _Weighted:
    return [(cell, Fraction(1, len(members))) for cell in members]


def _mean(weighted: _Weighted) -> MeanScore:
    """Return a weighted mean; its interval by MOVER (method of variance estimates recovery) from the cells' ends."""
    value = sum((cell.score * weight for cell, weight in weighted), Fraction(0))
    chances = [(cell.chance, weight) for cell, weight in weighted]
    chance = sum((each * weight for each, weight in chances if each is not None), Fraction(0))
    below = _distance([(cell, cell.lower, weight) for cell, weight in weighted])
    above = _distance([(cell, cell.upper, weight) for cell, weight in weighted])
    return MeanScore(
        value,
        len(weighted),
        lower=None if below is None else max(0.0, float(value) - below),
        upper=None if above is None else min(1.0, float(value) + above),
        chance=None if any(each is None for each, _ in chances) else chance,
    )


_Ends: TypeAlias = "Sequence[tuple[ScoreCell, float | None, Fraction]]"


def _distance(ends: _Ends) -> float | None:
    """Return how far the interval of a weighted mean reaches to the side on which the cells' ends are."""
    known = [(cell, float(weight) * (float(cell.score) - end)) for cell, end, weight in ends if end is not None]
    if len(known) < len(ends):
        return None
    return math.hypot(*(reach for _, reach in known)) * _inflation(ends)


def _inflation(ends: _Ends) -> float:
    """Return how much wider the interval is than that of independent cells, at least 1.

    Cells about the same states vary together: the deviations of a state are added over all cells before they are
    squared, and compared with those squared cell by cell. A cell at 0 or 1 shows no deviations. There each state is
    taken to stand for an equal part of the interval and all such cells to agree about it, as `effective_n` takes the
    answers about one state.
    """
    together: dict[tuple[bool, int], float] = defaultdict(float)
    apart = 0.0
    for cell, end, weight in ends:
        settled = cell.score in {0, 1}
        part = 0.0
        if settled and cell.deviations and end is not None:
            part = abs(float(cell.score) - end) / _Z / math.sqrt(len(cell.deviations))
        for cluster, deviation in cell.deviations.items():
            moved = float(weight) * (part if settled else deviation)
            together[settled, cluster] += moved
            apart += moved**2
    joint = math.fsum(deviation**2 for deviation in together.values())
    return math.sqrt(max(1.0, joint / apart)) if apart else 1.0
