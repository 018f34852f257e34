"""The three research questions of the evaluation, computed from cells (methods.md 1.5)."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from scipy import stats

from engine.verdicts.statistics import mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Difference = TypeVar("Difference", Fraction, float)
ZERO_METHOD: Final = "wilcox"
ALTERNATIVE: Final = "less"
MEAN_INTERVAL_METHOD = "MOVER over the cells' Wilson intervals, for these environments"


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
    """A mean of cells with its interval; the interval is None where a cell's is unknown."""

    value: Fraction
    cells: int
    lower: float | None = None
    upper: float | None = None


def paired_test(pairs: Sequence[tuple[Fraction, Fraction]]) -> PairedTest:
    """Compare cells, each given as its prioritized and its random score."""
    differences = [prioritized - random for prioritized, random in pairs]
    lower, higher = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    ranks = _signed_ranks(differences)
    float_ranks = _signed_ranks([float(prioritized) - float(random) for prioritized, random in pairs])
    statistic, p = _wilcoxon(ranks)
    # For few cells the test goes through every permutation, which is not done twice without need.
    p_floats = p if float_ranks == ranks else _wilcoxon(float_ranks)[1]
    return PairedTest(lower, higher, len(differences) - lower - higher, statistic, p, p_floats)


def _signed_ranks(differences: Sequence[Difference]) -> list[float]:
    """Replace each difference by its sign times the dense rank of its size: the same test, and no rounding."""
    order = {size: rank for rank, size in enumerate(sorted({abs(d) for d in differences if d}), start=1)}
    return [math.copysign(order[abs(d)], d) if d else 0.0 for d in differences]


def _wilcoxon(differences: Sequence[float]) -> tuple[float | None, float | None]:
    if not any(differences):
        return None, None
    result = stats.wilcoxon(np.asarray(differences, dtype=np.float64), zero_method=ZERO_METHOD, alternative=ALTERNATIVE)
    return float(result.statistic), float(result.pvalue)


def rq1(cells: Iterable[ScoreCell]) -> dict[str, PairedTest]:
    """Return the test over all comparable cells, without the baselines, and for each explainer.

    Returns
    -------
    ``all``, ``without baselines`` (where there are some), and ``explainer NAME`` → test.
    """
    by_place: dict[tuple[str, str, str], dict[str, ScoreCell]] = defaultdict(dict)
    for cell in cells:
        by_place[cell.environment, cell.explainer, cell.category][cell.strategy] = cell
    pairs = [
        (both["prioritized"], both["random"])
        for both in by_place.values()
        if "prioritized" in both and "random" in both
    ]
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
        inner = {
            environment: _mean([MeanScore(cell.score, 1, cell.lower, cell.upper) for cell in members])
            for environment, members in environments.items()
        }
        result[key] = _mean(list(inner.values())), inner
    return result


def rq3(cells: Iterable[ScoreCell]) -> dict[str, MeanScore]:
    """Return category → mean of its cells over environments, explainers and strategies."""
    groups: dict[str, list[MeanScore]] = {}
    for cell in cells:
        groups.setdefault(cell.category, []).append(MeanScore(cell.score, 1, cell.lower, cell.upper))
    return {category: _mean(members) for category, members in groups.items()}


def _mean(members: Sequence[MeanScore]) -> MeanScore:
    """Return the plain mean; its interval by MOVER (method of variance estimates recovery) from the members' ends."""
    value = mean([member.value for member in members]) or Fraction(0)
    cells = sum(member.cells for member in members)
    below = _distance([(member.value, member.lower) for member in members])
    above = _distance([(member.value, member.upper) for member in members])
    lower = None if below is None else max(0.0, float(value) - below)
    upper = None if above is None else min(1.0, float(value) + above)
    return MeanScore(value, cells, lower, upper)


def _distance(ends: Sequence[tuple[Fraction, float | None]]) -> float | None:
    distances = [None if end is None else float(value) - end for value, end in ends]
    known = [distance for distance in distances if distance is not None]
    return math.hypot(*known) / len(ends) if len(known) == len(ends) else None
