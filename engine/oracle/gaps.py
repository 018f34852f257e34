"""How much the decision matters: the gap between the best Q and the next different one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import FloatArray


def decision_gaps(mdp: Mdp, facts: Facts) -> FloatArray:
    """Return ``(k,)`` the gaps, one for each state with certainly optimal and certainly worse actions.

    Doubles, for drawing: whether an action is worse is decided exactly, how much worse is rounded.
    """
    q, best = facts.q.floats, np.asarray(facts.best)
    with np.errstate(invalid="ignore"):
        away = np.abs(q - facts.value.floats[mdp.state_of_choice])
    worse = np.where(best == Tri.NO, away, np.inf)
    has_worse = np.logical_or.reduceat(best == Tri.NO, mdp.choice_start[:-1])
    has_best = np.logical_or.reduceat(best == Tri.YES, mdp.choice_start[:-1])
    found: FloatArray = np.minimum.reduceat(worse, mdp.choice_start[:-1])[has_best & has_worse]
    return found
