"""A* and A-: the choices whose Q is extremal in their state, ties decided exactly or not at all (methods.md 1.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.tri import Tri, TriArray

if TYPE_CHECKING:
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray, Numbers


def extreme_choices(q: Numbers, choice_start: IntArray, *, largest: bool) -> TriArray:
    """Return ``(choices,)`` whether each choice's Q is the largest (smallest) in its state; undefined where Q is.

    Ranks of exact numbers are compared as integers. Enclosures decide membership only where every other choice's
    enclosure lies on one side; comparing with the state's largest bounds decides most of them.
    """
    defined = q.defined
    if q.rank is not None:
        low = high = q.rank.astype(np.float64)
    else:
        low, high = q.lower, q.upper
    if not largest:
        low, high = -high, -low
    low, high = np.where(defined, low, -np.inf), np.where(defined, high, -np.inf)
    counts = np.diff(choice_start)
    result = np.full(len(q), Tri.UNDECIDED, dtype=np.int8)
    result[low >= np.repeat(np.maximum.reduceat(high, choice_start[:-1]), counts)] = Tri.YES
    result[high < np.repeat(np.maximum.reduceat(low, choice_start[:-1]), counts)] = Tri.NO
    result[~defined] = Tri.UNDEFINED
    open_ = np.logical_or.reduceat(result == Tri.UNDECIDED, choice_start[:-1])
    if open_.any():
        rows = np.repeat(open_, counts)
        starts = np.concatenate(([0], np.cumsum(counts[open_])))
        ahead = low[rows] >= _best_of_others(high[rows], starts)
        result[np.flatnonzero(rows)[ahead & defined[rows]]] = Tri.YES
    return result


def _best_of_others(value: FloatArray, choice_start: IntArray) -> FloatArray:
    """``(choices,)`` the largest value among the other choices of the same state, -inf where there is none."""
    counts = np.diff(choice_start)
    first = np.maximum.reduceat(value, choice_start[:-1])
    is_first: BoolArray = value == np.repeat(first, counts)
    several = np.add.reduceat(is_first.astype(np.int64), choice_start[:-1]) > 1
    second = np.maximum.reduceat(np.where(is_first, -np.inf, value), choice_start[:-1])
    rival_of_first = np.where(several, first, second)
    return np.where(is_first, np.repeat(rival_of_first, counts), np.repeat(first, counts))
