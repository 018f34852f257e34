"""The difficulty audit: does a higher δ go with a lower grade? (methods.md 1.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from engine.reports.rows import AuditRow, Bin
from engine.verdicts.tables import grouped

if TYPE_CHECKING:
    from fractions import Fraction

    from engine.verdicts.frame import FloatArray, IntArray
    from engine.verdicts.grades import Grades
    from engine.verdicts.tables import Table

METHOD = "Kendall's tau-b of a case's difficulty and its mean grade, one-sided p (harder cases score lower)"
BINS = 5


def audit(table: Table) -> list[AuditRow]:
    """Return the audit of each explainer and category; one case is one observation, however often it was asked."""
    frame = table.frame
    known = np.flatnonzero(frame.counted & ~np.isnan(frame.cases.difficulty[frame.case]))
    groups = grouped(frame.explainer[known], frame.category[known])
    return [
        _row(table, frame.explainers[explainer], frame.categories[category], known[members])
        for (explainer, category), members in groups.items()
    ]


def case_means(cases: IntArray, grades: Grades, rows: IntArray) -> tuple[IntArray, list[Fraction]]:
    """Return the different cases of some questions, `cases` saying which each is about, and their exact mean grades."""
    groups = grouped(cases)
    found = np.array([case for (case,) in groups], dtype=np.int64)
    return found, [grades.total(rows[members]) / len(members) for members in groups.values()]


def rank_correlation(difficulty: FloatArray, grade: FloatArray) -> tuple[float, float] | None:
    """Return tau-b and the one-sided p of a negative one; None if one of both never varies."""
    if len(difficulty) == 0 or np.ptp(difficulty) == 0 or np.ptp(grade) == 0:
        return None
    result = stats.kendalltau(difficulty, grade, alternative="less")
    return float(result.statistic), float(result.pvalue)


def _row(table: Table, explainer: str, category: str, rows: IntArray) -> AuditRow:
    cases, exact = case_means(table.frame.case[rows], table.grades, rows)
    difficulty = table.frame.cases.difficulty[cases]
    # Ranks of exact means: doubles would tie means that differ, or tell equal ones apart.
    order = {mean: rank for rank, mean in enumerate(sorted(set(exact)))}
    found = rank_correlation(difficulty, np.array([order[mean] for mean in exact], dtype=np.float64))
    means = np.array([float(mean) for mean in exact])
    place = np.clip((difficulty * BINS).astype(np.int64), 0, BINS - 1)
    sizes = np.bincount(place, minlength=BINS)
    sums = np.bincount(place, weights=means, minlength=BINS)
    return AuditRow(
        explainer=explainer,
        category=category,
        cases=len(cases),
        tau=None if found is None else found[0],
        p=None if found is None else found[1],
        bins=[
            Bin(
                lower=number / BINS,
                upper=(number + 1) / BINS,
                cases=int(size),
                value=min(float(total / size), 1.0) if size else None,
            )
            for number, (size, total) in enumerate(zip(sizes, sums, strict=True))
        ],
    )
