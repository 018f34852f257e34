"""Tables of a campaign: its questions grouped into cells, graded by a named grader (methods.md 1.5)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from engine.queries.case import MANUAL
from engine.verdicts.frame import OUTCOMES, UNKNOWN
from engine.verdicts.grades import grades
from engine.verdicts.research import ScoreCell
from engine.verdicts.statistics import UNIT, Share, Variety, share, variety
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.verdicts.frame import Frame, IntArray

Grader: TypeAlias = Literal["verdict", "score"]
GRADERS: tuple[Grader, ...] = ("verdict", "score")
CellKey: TypeAlias = tuple[str, str, str, str]
"""Model, explainer, category, strategy."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Outcomes counted, each for itself."""

    passed: int
    failed: int
    invalid: int
    undecided: int
    errors: int

    @property
    def judged(self) -> int:
        """Answers that count: neither undecided ones nor errors."""
        return self.passed + self.failed + self.invalid

    @property
    def pass_rate(self) -> Fraction | None:
        """The share of passes, exact; None if nothing counts."""
        return Fraction(self.passed, self.judged) if self.judged else None


@dataclass(frozen=True, slots=True)
class Regret:
    """What the actions named cost: abs(V - Q) of the answers that name one, as doubles (methods.md 1.2).

    Attributes
    ----------
    n
        Answers that have a regret.
    unbounded
        Of these, those whose regret is infinite or not bounded; they are in no mean.
    mean, largest
        Of the finite ones; None if there is none.
    """

    n: int
    unbounded: int
    mean: float | None
    largest: float | None


@dataclass(frozen=True, slots=True)
class CellStatistics:
    """What a cell of a table shows.

    Attributes
    ----------
    counts
        Its outcomes.
    share
        The mean grade with its interval; invalid answers are in it, undecided ones and errors are not.
    chance
        What uniformly drawn answers to these questions get on average from the same grader; None if it is unknown.
    variety
        Of the answers that could be read, undecided ones too.
    regret
        Of the answers that count.
    """

    counts: Counts
    share: Share
    chance: Fraction | None
    variety: Variety
    regret: Regret


def grouped(*columns: IntArray) -> dict[tuple[int, ...], IntArray]:
    """Return the rows that have the same codes in all columns, by these codes in ascending order."""
    if not len(columns[0]):
        return {}
    order = np.lexsort(columns[::-1])
    keys = np.stack([column[order] for column in columns], axis=1)
    starts = np.flatnonzero(np.r_[True, (keys[1:] != keys[:-1]).any(axis=1)])
    members = np.split(order, starts[1:])
    return {tuple(int(code) for code in keys[start]): rows for start, rows in zip(starts, members, strict=True)}


_ASKS_FOR_COST = "worst-action"
"""Its right answer has the largest regret, so it is in no mean with answers that should have none."""


class Table:
    """The cells of one frame under one grader."""

    def __init__(self, frame: Frame, grader: Grader) -> None:
        self.frame = frame
        self.grader = grader
        self.grades = grades(frame, grader)
        found = [None if chance is None else getattr(chance, grader) for chance in frame.cases.chances]
        self._chances: list[Fraction | None] = list(dict.fromkeys(found))
        places = {chance: place for place, chance in enumerate(self._chances)}
        self._chance = np.array([places[chance] for chance in found], dtype=np.int64)

    def statistics(self, rows: IntArray) -> CellStatistics:
        """Return the statistics of some questions taken together."""
        frame = self.frame
        judged = rows[frame.counted[rows]]
        counts = np.bincount(frame.outcome[rows], minlength=len(OUTCOMES))
        answered = rows[frame.answer[rows] != UNKNOWN]
        codes, times = np.unique(frame.answer[answered], return_counts=True)
        return CellStatistics(
            counts=Counts(*(int(counts[OUTCOMES.index(outcome)]) for outcome in _COUNTED_IN_ORDER)),
            share=share(frame.cases.cluster[frame.case[judged]], self.grades.units[judged], self.grades.mean(judged)),
            chance=self._mean_chance(judged),
            variety=variety({frame.answers[c]: int(n) for c, n in zip(codes, times, strict=True)}),
            regret=_regret(frame.regret[self._costing(judged)]),
        )

    def _costing(self, rows: IntArray) -> IntArray:
        """Return the answers whose regret is what they cost; of questions for the costliest action alone, all."""
        names = self.frame.categories
        code = names.index(_ASKS_FOR_COST) if _ASKS_FOR_COST in names else -1
        costing = rows[self.frame.category[rows] != code]
        return costing if len(costing) else rows

    def _mean_chance(self, rows: IntArray) -> Fraction | None:
        codes, times = np.unique(self._chance[self.frame.case[rows]], return_counts=True)
        total = Fraction(0)
        for code, number in zip(codes, times, strict=True):
            chance = self._chances[code]
            if chance is None:
                return None
            total += chance * int(number)
        return total / len(rows) if len(rows) else None

    def cells(self) -> dict[CellKey, IntArray]:
        """Return the rows of each cell; a case that both strategies chose is in two of them, a kept answer in one."""
        frame, by_hand = self.frame, self.frame.by_hand
        groups: dict[tuple[int, ...], IntArray] = {}
        for place, name in enumerate(frame.strategies):
            picked = by_hand if name == MANUAL else frame.cases.chosen[frame.case, place] & ~by_hand
            rows = np.flatnonzero(picked)
            codes = grouped(frame.model[rows], frame.explainer[rows], frame.category[rows])
            groups |= {(*code, place): rows[members] for code, members in codes.items()}
        names = frame.models, frame.explainers, frame.categories, frame.strategies
        found: dict[CellKey, IntArray] = {}
        for (model, explainer, category, strategy), rows in sorted(groups.items(), key=lambda item: item[0]):
            found[names[0][model], names[1][explainer], names[2][category], names[3][strategy]] = rows
        return found

    def score_cells(
        self, cells: Mapping[CellKey, tuple[IntArray, CellStatistics]], baselines: Mapping[str, bool]
    ) -> list[ScoreCell]:
        """Return what the research questions are computed from; a cell in which nothing counts has no score."""
        return [
            ScoreCell(
                environment=model,
                explainer=explainer,
                category=category,
                strategy=strategy,
                score=cell.share.value,
                n=cell.share.n,
                lower=cell.share.lower,
                upper=cell.share.upper,
                baseline=baselines.get(explainer, False),
                chance=cell.chance,
                deviations=self._deviations(rows),
            )
            for (model, explainer, category, strategy), (rows, cell) in cells.items()
            if cell.share.value is not None
        ]

    def _deviations(self, rows: IntArray) -> dict[int, float]:
        """Return, by cluster, how much its answers move the cell's mean."""
        judged = rows[self.frame.counted[rows]]
        graded = self.grades.units[judged] / UNIT
        clusters, place = np.unique(self.frame.cases.cluster[self.frame.case[judged]], return_inverse=True)
        sums = np.bincount(place, weights=(graded - graded.mean()) / len(judged))
        return dict(zip(clusters.tolist(), sums.tolist(), strict=True))


_COUNTED_IN_ORDER = (Outcome.PASS, Outcome.FAIL, Outcome.INVALID, Outcome.UNDECIDED, Outcome.ERROR)


def _regret(values: Iterable[float]) -> Regret:
    array = np.asarray(values, dtype=np.float64)
    present = array[~np.isnan(array)]
    finite = present[np.isfinite(present)]
    return Regret(
        n=len(present),
        unbounded=len(present) - len(finite),
        mean=float(finite.mean()) if len(finite) else None,
        largest=float(finite.max()) if len(finite) else None,
    )
