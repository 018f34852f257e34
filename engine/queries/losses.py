"""Losses of states for the `refined` difficulty: re-checked where they can be positive, and kept (methods.md 1.3)."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, cast

import numpy as np

from engine.errors import UsageError
from engine.oracle.client import losses
from engine.oracle.derivation.detours import loss_candidates
from engine.oracle.numbers import number_float
from engine.oracle.tri import Tri
from engine.queries.values import parse_number

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray, JsonNumber

WORK = 8_000_000
"""States times re-checks that one category may cost: some minutes at most."""
FEWEST, MOST = 8, 2_000
"""Re-checks that are always, and never, worth it."""
KEPT = 8
"""Models whose losses stay in memory."""

_cache: OrderedDict[str, dict[int, float]] = OrderedDict()
_lock = Lock()


def most_rechecks(oracle: Oracle) -> int:
    """Return how many states of a model may be re-checked for one category."""
    return max(FEWEST, min(MOST, WORK // max(oracle.mdp.states, 1)))


def affordable(oracle: Oracle, states: IntArray) -> BoolArray:
    """Return ``(n,)`` the candidates whose losses are worth computing: all, or those that come first.

    Parameters
    ----------
    states
        ``(n, k)`` candidates, the most promising first, -1 for members that do not matter; a candidate costs a
        re-check for each of its states whose loss can be positive and that none before it has.
    """
    costly = np.append(_costly(oracle), False)  # the place of -1, which costs nothing
    if int(costly.sum()) <= most_rechecks(oracle):
        return np.ones(len(states), dtype=bool)
    _, first = np.unique(states.ravel(), return_index=True)
    new = np.zeros(states.size, dtype=np.int64)
    new[first] = costly[states].ravel()[first]
    total = np.cumsum(new.reshape(states.shape).sum(axis=1))
    bought = np.zeros(len(costly), dtype=bool)
    bought[states[total <= most_rechecks(oracle)]] = True
    # Later candidates that cost nothing more are kept too.
    kept: BoolArray = (bought | ~costly)[states].all(axis=1)
    return kept


def loss_of(oracle: Oracle, states: IntArray) -> FloatArray:
    """Return ``(states of the model,)`` losses as doubles, NaN where they were not asked for; -1 asks for nothing.

    Strict bottlenecks have loss 1 and states that an optimal policy does without have loss 0; only the others among
    the given states are re-checked, all in one run of the oracle.

    Raises
    ------
    UsageError
        If the facts do not come from a model that can be checked again.
    """
    asked = np.unique(states[states >= 0])
    found = np.full(oracle.mdp.states, np.nan)
    found[asked] = 0.0
    strict = asked[oracle.facts.bottleneck[asked] == Tri.YES]
    open_ = asked[_costly(oracle)[asked]]
    known = _known(oracle)
    missing = tuple(state for state in open_.tolist() if state not in known)
    if missing:
        if oracle.request is None:
            raise UsageError("refined difficulty needs losses, and this model cannot be checked again")
        checked = losses(oracle.request, missing)
        for state, value in checked.items():
            number = None if value is None else parse_number(cast("JsonNumber", value))
            known[state] = 0.0 if number is None else number_float(number)
    found[open_] = [known[state] for state in open_.tolist()]
    found[strict] = 1.0
    return found


def _costly(oracle: Oracle) -> BoolArray:
    """``(states,)`` whose loss is neither 0 nor 1 for certain."""
    costly: BoolArray = loss_candidates(oracle.mdp, oracle.facts) & (oracle.facts.bottleneck == Tri.NO)
    return costly


def _known(oracle: Oracle) -> dict[int, float]:
    with _lock:
        known = _cache.setdefault(oracle.identity, {})
        _cache.move_to_end(oracle.identity)
        while len(_cache) > KEPT:
            _cache.popitem(last=False)
        return known
