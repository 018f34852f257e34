"""Position bias: where the chosen options stood among those that were listed (methods.md 1.4)."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from engine.queries.spaces import OneOf
from engine.reports.rows import PositionRow
from engine.verdicts.frame import UNKNOWN
from engine.verdicts.tables import grouped

if TYPE_CHECKING:
    from engine.verdicts.frame import Frame, IntArray

LEAST_EXPECTED = 5
"""Below this expected number for each position the chi-square test is not made."""


def positions(frame: Frame) -> list[PositionRow]:
    """Return the positions of each explainer's choices, by number of options and by whether they were shuffled."""
    columns = [(row, *found) for row in np.flatnonzero(frame.answer != UNKNOWN) if (found := _place(frame, int(row)))]
    if not columns:
        return []
    row, options, shuffled, place = np.array([entry[:4] for entry in columns], dtype=np.int64).T
    right = [entry[4] for entry in columns]
    groups = grouped(frame.explainer[row], options, shuffled)
    return [
        _row(
            frame.explainers[explainer], size, place[members], [right[index] for index in members], shuffled=bool(drawn)
        )
        for (explainer, size, drawn), members in groups.items()
    ]


def _place(frame: Frame, row: int) -> tuple[int, bool, int, tuple[int, ...]] | None:
    """Return the number of options, whether they were shuffled, the answer's place, and those of the right ones."""
    case = frame.cases.stored[frame.case[row]].case
    if not isinstance(case.space, OneOf):
        return None
    shown = frame.shown[row]
    options = case.space.options if shown is None else _shown(shown)
    answer = frame.answers[frame.answer[row]]
    if answer not in options:
        return None
    right = tuple(options.index(option) for option in case.accepted if option in options)
    return len(options), shown is not None, options.index(answer), right


@lru_cache(maxsize=1 << 12)
def _shown(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def _row(explainer: str, size: int, place: IntArray, right: list[tuple[int, ...]], *, shuffled: bool) -> PositionRow:
    chosen = np.bincount(place, minlength=size)
    accepted = np.bincount(np.fromiter((spot for spots in right for spot in spots), dtype=np.int64), minlength=size)
    enough = len(place) >= LEAST_EXPECTED * size
    return PositionRow(
        explainer=explainer,
        options=size,
        shuffled=shuffled,
        n=len(place),
        chosen=chosen.tolist(),
        right=accepted.tolist(),
        p=float(stats.chisquare(chosen).pvalue) if shuffled and enough and size > 1 else None,
    )
