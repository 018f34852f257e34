"""The facts of a state as words, in one order everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.oracle.tri import Tri
from tui.text import shorten_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from engine.oracle.facts import Oracle


class Flag(NamedTuple):
    """One yes/no fact about states.

    Attributes
    ----------
    word
        How it is written.
    short
        How it is written where room is scarce.
    style
        A theme colour that repeats, never carries, its meaning.
    column
        ``(states,)`` mask, or the four values of `Tri`.
    """

    word: str
    short: str
    style: str
    column: npt.NDArray[np.int8] | npt.NDArray[np.bool_]

    def text(self, state: int, *, short: bool = False) -> str:
        """Return the word where the fact holds, marked ``≈`` where it is undecided, else nothing."""
        word = self.short if short else self.word
        match int(self.column[state]):
            case Tri.YES:
                return word
            case Tri.UNDECIDED:
                return f"≈{word}"
            case _:
                return ""


def flags_of(oracle: Oracle) -> tuple[Flag, ...]:
    """Return the flags that a model has at all, most telling first. It makes a column: call it once a model."""
    mdp, facts = oracle.mdp, oracle.facts
    initial = facts.target.copy()
    initial[:] = False
    initial[mdp.initial] = True
    goal = mdp.labels.get("goal")
    found = [
        Flag("goal", "goal", "success", goal)
        if goal is not None
        else Flag("target", "target", "success", facts.target),
        Flag("dead end", "dead", "error", facts.dead_end),
        Flag("bottleneck", "neck", "accent", facts.bottleneck),
        Flag("initial", "init", "primary", initial),
    ]
    unsafe = mdp.labels.get("unsafe")
    if unsafe is not None:
        found.insert(3, Flag("unsafe", "unsafe", "warning", unsafe))
    return tuple(found)


def fitting(flags: Sequence[Flag], state: int, width: int) -> str:
    """Return a state's flags in at most `width` characters: in words, else in short words, else as many as fit."""
    found = [flag for flag in flags if flag.text(state)]
    words = " ".join(flag.text(state) for flag in found)
    return words if len(words) <= width else shorten_list([flag.text(state, short=True) for flag in found], width)
