"""The facts of a state as words, in one order everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.oracle.tri import Tri

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from engine.oracle.facts import Oracle


class Flag(NamedTuple):
    """One yes/no fact about states.

    Attributes
    ----------
    word
        How it is written.
    style
        A theme colour that repeats, never carries, its meaning.
    column
        ``(states,)`` mask, or the four values of `Tri`.
    """

    word: str
    style: str
    column: npt.NDArray[np.int8] | npt.NDArray[np.bool_]

    def text(self, state: int) -> str:
        """Return the word where the fact holds, marked ``≈`` where it is undecided, else nothing."""
        match int(self.column[state]):
            case Tri.YES:
                return self.word
            case Tri.UNDECIDED:
                return f"≈{self.word}"
            case _:
                return ""


def flags_of(oracle: Oracle) -> tuple[Flag, ...]:
    """Return the flags that a model has at all, most telling first."""
    mdp, facts = oracle.mdp, oracle.facts
    initial = facts.target.copy()
    initial[:] = False
    initial[mdp.initial] = True
    goal = mdp.labels.get("goal")
    found = [
        Flag("goal", "success", goal) if goal is not None else Flag("target", "success", facts.target),
        Flag("dead end", "error", facts.dead_end),
        Flag("bottleneck", "accent", facts.bottleneck),
        Flag("initial", "primary", initial),
    ]
    unsafe = mdp.labels.get("unsafe")
    if unsafe is not None:
        found.insert(3, Flag("unsafe", "warning", unsafe))
    return tuple(found)
