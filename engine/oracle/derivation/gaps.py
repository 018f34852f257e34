"""How much the decision matters: the gap between the best Q and the next different one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import FloatArray


@dataclass(frozen=True, slots=True)
class LeftOut:
    """States without a gap, counted by the reason; together with those that have one they are all states.

    Attributes
    ----------
    undefined
        Targets and states outside φ: their actions have no Q.
    single
        There is one action only.
    tied
        All actions are equally good.
    undecided
        Overlapping enclosures leave open whether one is worse.
    infinite
        The gap is infinite: only some actions have a finite value.
    """

    undefined: int
    single: int
    tied: int
    undecided: int
    infinite: int


def left_out(mdp: Mdp, facts: Facts) -> LeftOut:
    """Count the states that have no finite gap."""
    best, starts = np.asarray(facts.best), mdp.choice_start[:-1]
    worse, good = (np.logical_or.reduceat(best == verdict, starts) for verdict in (Tri.NO, Tri.YES))
    undefined = np.logical_and.reduceat(best == Tri.UNDEFINED, starts)
    single = ~undefined & (np.diff(mdp.choice_start) == 1)
    tied = ~undefined & ~single & np.logical_and.reduceat(best == Tri.YES, starts)
    decided = worse & good
    infinite = int((~np.isfinite(decision_gaps(mdp, facts))).sum())
    undecided = ~(undefined | single | tied | decided)
    return LeftOut(int(undefined.sum()), int(single.sum()), int(tied.sum()), int(undecided.sum()), infinite)


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
