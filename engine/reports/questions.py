"""The three research questions as rows of a report, from a campaign's cells or from a table made elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.reports.model import CellsMethods, CellsReport
from engine.reports.rows import CategoryMean, ExplainerMean, MeanRow, PairedRow, PairRow
from engine.verdicts.cell_files import read_cells
from engine.verdicts.research import ALTERNATIVE, ZERO_METHOD, comparable, rq1, rq2, rq3

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from engine.verdicts.research import MeanScore, ScoreCell

RQ1_METHOD = f"one-sided Wilcoxon signed-rank test, alternative {ALTERNATIVE}, zero method {ZERO_METHOD}"
_ELSEWHERE = "as made elsewhere; the table does not say"


def cells_report(file: Path) -> CellsReport:
    """Compute the research questions of a table of cells; raises UsageError as `read_cells`."""
    return CellsReport(
        file=file.name,
        methods=CellsMethods(grader=_ELSEWHERE, difficulty=_ELSEWHERE, rq1=RQ1_METHOD),
        **research(read_cells(file)),
    )


def research(cells: Sequence[ScoreCell]) -> dict[str, Any]:
    """Return the rows of RQ1, RQ2 and RQ3, and the pairs of scores behind RQ1."""
    baselines = {cell.explainer: cell.baseline for cell in cells}
    return {
        "rq1": [
            PairedRow(
                group=group,
                n=test.n,
                lower=test.lower,
                higher=test.higher,
                tied=test.tied,
                statistic=test.statistic,
                p=test.p,
                p_floats=test.p_floats,
            )
            for group, test in rq1(cells).items()
        ],
        "rq2": [
            ExplainerMean(
                explainer=explainer,
                baseline=baselines[explainer],
                strategy=strategy,
                environments={name: MeanRow(**_mean(inner)) for name, inner in environments.items()},
                **_mean(score),
            )
            for (explainer, strategy), (score, environments) in rq2(cells).items()
        ],
        "rq3": [CategoryMean(category=category, **_mean(score)) for category, score in rq3(cells).items()],
        "pairs": [
            PairRow(
                environment=prioritized.environment,
                explainer=prioritized.explainer,
                category=prioritized.category,
                prioritized=float(prioritized.score),
                random=float(random.score),
            )
            for prioritized, random in comparable(cells)
        ],
    }


def _mean(score: MeanScore) -> dict[str, Any]:
    return {
        "value": float(score.value),
        "lower": score.lower,
        "upper": score.upper,
        "chance": None if score.chance is None else float(score.chance),
        "cells": score.cells,
    }
