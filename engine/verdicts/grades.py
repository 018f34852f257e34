"""The grades of a frame's questions as exact fractions, with doubles beside them for what is measured only."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from engine.verdicts.exact_scores import exact_score
from engine.verdicts.frame import OUTCOMES, UNKNOWN
from engine.verdicts.statistics import UNIT, exact_sum
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from engine.verdicts.frame import Frame, IntArray
    from engine.verdicts.tables import Grader


@dataclass(frozen=True, slots=True, eq=False)
class Grades:
    """One grade a question, exact; equal places are equal grades.

    Attributes
    ----------
    values
        The different grades in [0, 1], in ascending order.
    places
        ``(n,)`` place of each question's grade in `values`; `UNKNOWN` where the outcome does not count.
    units
        ``(n,)`` the grades in whole numbers of ``1/UNIT``, for intervals; `UNKNOWN` likewise.
    uncertain
        How many questions have a score of which only the double is known.
    """

    values: tuple[Fraction, ...]
    places: IntArray
    units: IntArray
    uncertain: int = 0

    def total(self, rows: IntArray) -> Fraction:
        """Return the exact sum of the grades of some questions that count."""
        places, times = np.unique(self.places[rows], return_counts=True)
        return exact_sum({self.values[p]: n for p, n in zip(places.tolist(), times.tolist(), strict=True)})

    def mean(self, rows: IntArray) -> Fraction | None:
        """Return the exact mean; None of nothing."""
        return self.total(rows) / len(rows) if len(rows) else None


def grades(frame: Frame, grader: Grader) -> Grades:
    """Return the grades of all questions; an answer that is none has 0."""
    if grader == "verdict":
        passed = (frame.outcome == OUTCOMES.index(Outcome.PASS)).astype(np.int64)
        places = np.where(frame.counted, passed, UNKNOWN)
        return Grades((Fraction(0), Fraction(1)), places, np.where(frame.counted, passed * UNIT, UNKNOWN))
    return _scores(frame)


def _scores(frame: Frame) -> Grades:
    counted = np.flatnonzero(frame.counted)
    judged = np.stack((frame.case[counted], frame.answer[counted]), axis=1)
    stored = np.nan_to_num(frame.score[counted], nan=0.0)
    # Each different answer to a case is graded once, however often it was given.
    keys, firsts, which = np.unique(
        np.column_stack((judged, stored.view(np.int64))), axis=0, return_index=True, return_inverse=True
    )
    found = [
        exact_score(
            frame.cases.stored[case].case,
            None if answer == UNKNOWN else frame.answers[answer],
            float(stored[first]),
        )
        for (case, answer, _), first in zip(keys.tolist(), firsts.tolist(), strict=True)
    ]
    values = tuple(sorted({value for value, _ in found}))
    order = {value: place for place, value in enumerate(values)}
    which = which.reshape(-1)
    places = np.full(len(frame.outcome), UNKNOWN, dtype=np.int64)
    places[counted] = np.array([order[value] for value, _ in found], dtype=np.int64)[which]
    units = np.full(len(frame.outcome), UNKNOWN, dtype=np.int64)
    units[counted] = np.array([round(value * UNIT) for value, _ in found], dtype=np.int64)[which]
    certain = np.array([known for _, known in found], dtype=np.bool_)
    return Grades(values, places, units, int((~certain[which]).sum()))
