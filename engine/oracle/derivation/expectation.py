"""Q from V: the expectation of a value over every choice's successors, exact or rounded outward (methods.md 1.1)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.derivation.graphs import all_successors
from engine.oracle.numbers import Exact, FloatArray, Numbers

if TYPE_CHECKING:
    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray, IntArray

_EPSILON = float(np.finfo(np.float64).eps)


def expectation(mdp: Mdp, value: Numbers, defined: BoolArray, reward: Numbers | None = None) -> Numbers:
    """Return ``(choices,)`` reward plus expected value of the successors.

    Parameters
    ----------
    value
        ``(states,)`` numbers, all defined.
    defined
        ``(choices,)`` where the result is defined.
    reward
        ``(choices,)`` expected immediate rewards; none for probabilities.
    """
    if value.exact and mdp.exact_probability is not None:
        return _exact(mdp, value, defined, reward)
    return _enclosed(mdp, value, defined, reward)


def row_sums(mdp: Mdp) -> list[Fraction]:
    """Return every choice's sum of exact probabilities."""
    one = Numbers.from_ranks(np.zeros(mdp.states, dtype=np.int64), [Fraction(1)])
    sums = _exact(mdp, one, np.ones(mdp.choices, dtype=bool), None)
    return [Fraction(sums.table[rank]) for rank in sums.rank] if sums.table and sums.rank is not None else []


def _exact(mdp: Mdp, value: Numbers, defined: BoolArray, reward: Numbers | None) -> Numbers:
    """Sum fractions once for every distinct row: rows are compared as sorted tuples of (probability, value) pairs."""
    probabilities, table = mdp.probability_table, value.table
    if mdp.exact_probability is None or probabilities is None or value.rank is None or table is None:
        raise ValueError("exact expectations need exact probabilities and values")
    width = max(len(table), 1)
    pair = mdp.exact_probability * width + value.rank[mdp.target]
    distinct, position = np.unique(pair, return_inverse=True)
    products = [_product(probabilities[int(key) // width], table[int(key) % width]) for key in distinct]
    rewards = _rewards(reward, mdp.choices)
    known: dict[tuple[Exact, tuple[int, ...]], Exact] = {}
    results: list[Exact | None] = []
    starts: IntArray = np.asarray(mdp.transition_start)
    for choice, inside in enumerate(defined.tolist()):
        if not inside:
            results.append(None)
            continue
        row = tuple(sorted(position[starts[choice] : starts[choice + 1]].tolist()))
        key = (rewards[choice], row)
        if key not in known:
            known[key] = sum((products[index] for index in row), start=rewards[choice])
        results.append(known[key])
    return Numbers.from_exact(results)


def _product(probability: Fraction, value: Exact) -> Exact:
    return math.inf if value == math.inf else probability * value


def _rewards(reward: Numbers | None, choices: int) -> list[Exact]:
    if reward is None or reward.rank is None or reward.table is None:
        return [Fraction(0)] * choices
    table = reward.table
    return [table[rank] for rank in reward.rank.tolist()]


def _enclosed(mdp: Mdp, value: Numbers, defined: BoolArray, reward: Numbers | None) -> Numbers:
    lower = _rounded(mdp, value.lower, None if reward is None else reward.lower, down=True)
    upper = _rounded(mdp, value.upper, None if reward is None else reward.upper, down=False)
    if reward is None:
        np.clip(lower, 0.0, 1.0, out=lower)
        np.clip(upper, 0.0, 1.0, out=upper)
        for point in (0.0, 1.0):
            certain = all_successors(mdp, (value.lower == point) & (value.upper == point))
            lower[certain] = upper[certain] = point
    else:
        # Sums of zeros need no rounding: ties at 0 are decided, and what cannot be negative has no bound below 0.
        positive = all_successors(mdp, value.lower >= 0) & (reward.lower >= 0)
        nothing = positive & all_successors(mdp, value.upper == 0) & (reward.upper == 0)
        lower[positive] = np.maximum(lower[positive], 0.0)
        lower[nothing] = upper[nothing] = 0.0
    lower[~defined] = upper[~defined] = np.nan
    return Numbers(lower, upper)


def _rounded(mdp: Mdp, value: FloatArray, extra: FloatArray | None, *, down: bool) -> FloatArray:
    """Sum in doubles and move outward by a bound on the rounding error of the sum and of the stored probabilities."""
    infinite = np.isinf(value)
    unbounded = bool(infinite.any())
    finite = np.where(infinite, 0.0, value) if unbounded else value
    total: FloatArray = mdp.matrix @ finite
    size = total if not (finite < 0).any() else mdp.matrix @ np.abs(finite)
    if extra is not None:
        total, size = total + extra, size + np.abs(extra)
    error = size * ((np.diff(mdp.transition_start) + 3) * _EPSILON)
    moved: FloatArray = np.nextafter(total - error, -np.inf) if down else np.nextafter(total + error, np.inf)
    if unbounded:
        moved[mdp.matrix @ infinite.astype(np.float64) > 0] = np.inf
    return moved
