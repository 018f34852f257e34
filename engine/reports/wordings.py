"""The spread between wordings: the same questions put in other words (methods.md 1.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.reports.rows import WordingRow
from engine.verdicts.tables import grouped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.verdicts.frame import IntArray
    from engine.verdicts.tables import Table


def wordings(table: Table, baselines: Mapping[str, bool]) -> list[WordingRow]:
    """Return the spread of each language model, in each environment that it was asked about in several wordings.

    Baselines read no words and are left out. Only questions that were answered, and count, in every wording are
    compared: wordings differ from model to model.
    """
    frame = table.frame
    asked = [code for code, name in enumerate(frame.explainers) if not baselines[name]]
    counted = np.flatnonzero(frame.counted & np.isin(frame.explainer, asked))
    groups = grouped(frame.explainer[counted], frame.model[counted])
    rows = [
        _row(table, frame.explainers[explainer], frame.models[model], counted[members])
        for (explainer, model), members in groups.items()
    ]
    return [row for row in rows if row is not None]


def _row(table: Table, explainer: str, model: str, rows: IntArray) -> WordingRow | None:
    frame = table.frame
    variants, column = np.unique(frame.variant[rows], return_inverse=True)
    if len(variants) == 1:
        return None
    questions = grouped(frame.case[rows], frame.sample[rows])
    complete = [members for members in questions.values() if len(members) == len(variants)]
    if not complete:
        return None
    # One line a question and one column a wording, whatever order the file has them in.
    lines = np.array([members[np.argsort(column[members])] for members in complete])
    grades = table.grades.places[rows[lines]]
    means = [float(table.grades.total(column) / len(lines)) for column in rows[lines].T]
    return WordingRow(
        explainer=explainer,
        model=model,
        questions=len(lines),
        values={frame.variants[code]: value for code, value in zip(variants, means, strict=True)},
        spread=max(means) - min(means),
        same=float((grades == grades[:, :1]).all(axis=1).mean()),
    )
