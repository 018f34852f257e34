"""What a policy does in every state, as arrays: most policies take one action everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray, IntArray
    from engine.oracle.policy.policies import Distribution, Policy


@dataclass(frozen=True)
class Moves:
    """A policy's moves.

    Attributes
    ----------
    single
        ``(states,)`` the only choice that it takes; -1 where it mixes several or says nothing.
    mixed
        State → distribution, where it takes several.
    """

    single: IntArray
    mixed: Mapping[int, Distribution]

    @property
    def silent(self) -> BoolArray:
        """``(states,)`` where the policy says nothing."""
        found: BoolArray = self.single < 0
        found[list(self.mixed)] = False
        return found

    def taken(self, choices: int, inside: BoolArray) -> BoolArray:
        """``(choices,)`` the choices that are taken in the states where `inside` is True."""
        found = np.zeros(choices, dtype=bool)
        found[self.single[inside & (self.single >= 0)]] = True
        found[[choice for state, moves in self.mixed.items() if inside[state] for choice in moves]] = True
        return found


def moves_of(mdp: Mdp, policy: Policy) -> Moves:
    """Return a policy's moves; a state with a single choice takes it, whether the policy names it or not."""
    single = np.where(np.diff(mdp.choice_start) == 1, mdp.choice_start[:-1], -1)
    mixed: dict[int, Distribution] = {}
    for state, moves in policy.moves.items():
        if len(moves) == 1:
            (single[state],) = moves
        else:
            single[state] = -1
            mixed[state] = moves
    return Moves(single, mixed)
