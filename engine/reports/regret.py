"""What the actions named cost (methods.md 1.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.reports.rows import RegretRow
from engine.verdicts.tables import grouped

if TYPE_CHECKING:
    from engine.verdicts.frame import Frame, IntArray

METHOD = "abs(V - Q) of the action named, as a share of the range of values where the objective is a reward"
BINS = 10


def regret(frame: Frame) -> list[RegretRow]:
    """Return the regret of each explainer's action answers that count, by category."""
    rows = np.flatnonzero(frame.counted & ~np.isnan(frame.regret))
    groups = grouped(frame.explainer[rows], frame.category[rows])
    return [
        _row(frame, frame.explainers[explainer], frame.categories[category], rows[members])
        for (explainer, category), members in groups.items()
    ]


def _row(frame: Frame, explainer: str, category: str, rows: IntArray) -> RegretRow:
    values = frame.regret[rows]
    finite = values[np.isfinite(values)]
    some = finite[finite > 0]
    # A part holds its upper end: a regret of exactly 1/10 belongs to the first.
    place = np.clip(np.ceil(some * BINS).astype(np.int64) - 1, 0, BINS - 1)
    return RegretRow(
        explainer=explainer,
        category=category,
        n=len(values),
        zero=int((values == 0).sum()),
        unbounded=len(values) - len(finite),
        mean=float(finite.mean()) if len(finite) else None,
        largest=float(finite.max()) if len(finite) else None,
        bins=np.bincount(place, minlength=BINS).tolist(),
    )
