"""Step-bounded reachability that the graph alone decides: probability 0 and 1 within k steps (methods.md 1.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.derivation.graphs import all_successors

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray


def never_within(mdp: Mdp, phi: BoolArray, target: BoolArray, bound: int, *, maximise: bool) -> BoolArray:
    """``(states,)`` where the extremal probability of reaching T through φ within the bound is 0.

    Such a state is not in T, and it is outside φ or avoids T for another step: by every action for the maximum, by some
    action for the minimum.
    """

    def grown(never: BoolArray) -> BoolArray:
        return ~target & (~phi | _over_choices(mdp, all_successors(mdp, never), every=maximise))

    return _after(bound, ~target, grown)


def surely_within(mdp: Mdp, phi: BoolArray, target: BoolArray, bound: int, *, maximise: bool) -> BoolArray:
    """``(states,)`` where the extremal probability of reaching T through φ within the bound is 1.

    Such a state is in T, or in φ with all successors sure with a step less: of some action for the maximum, of every
    action for the minimum.
    """

    def grown(sure: BoolArray) -> BoolArray:
        return target | (phi & _over_choices(mdp, all_successors(mdp, sure), every=not maximise))

    return _after(bound, target, grown)


def _after(bound: int, start: BoolArray, grown: Callable[[BoolArray], BoolArray]) -> BoolArray:
    """Apply a monotone step so often, or until nothing changes."""
    found = start
    for _ in range(bound):
        following = grown(found)
        if (following == found).all():
            break
        found = following
    return found


def _over_choices(mdp: Mdp, mask: BoolArray, *, every: bool) -> BoolArray:
    combine = np.logical_and if every else np.logical_or
    found: BoolArray = combine.reduceat(mask, mdp.choice_start[:-1])
    return found
