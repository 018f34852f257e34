"""The facts about one MDP and one objective, as values (methods.md 1.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.mdp.environment import Environment
    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray, Numbers
    from engine.oracle.request import Request
    from engine.oracle.tri import TriArray


class Kind(StrEnum):
    """What an objective optimises."""

    PMAX = "Pmax"
    PMIN = "Pmin"
    RMAX = "Rmax"
    RMIN = "Rmin"

    @property
    def maximises(self) -> bool:
        """Whether larger is better."""
        return self in {Kind.PMAX, Kind.RMAX}

    @property
    def is_reward(self) -> bool:
        """Whether the value is an expected reward rather than a probability."""
        return self in {Kind.RMAX, Kind.RMIN}


@dataclass(frozen=True, slots=True)
class Objective:
    """An objective: ``Pmax``/``Pmin`` of ``φ U T`` or ``F T``, also step-bounded, ``Rmin``/``Rmax`` of ``F T``.

    Attributes
    ----------
    policy
        Where facts are about a fixed policy, what it does, in words.
    """

    text: str
    kind: Kind
    bound: int | None = None
    reward: str | None = None
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What the oracle knows about every state and choice.

    Attributes
    ----------
    objective
        The objective that the facts are about.
    value
        ``(states,)`` V.
    q
        ``(choices,)`` Q; undefined for targets and for states outside ``φ`` and T.
    best, worst
        ``(choices,)`` membership in A* and A-; undefined where Q is.
    progressing
        ``(choices,)`` whether some memoryless optimal policy takes the choice; undefined where the definition says so.
    dead_end
        ``(states,)``.
    bottleneck
        ``(states,)`` strict bottlenecks (loss 1); undefined for Pmin.
    danger
        ``(states,)`` D, or None where the model has no danger property.
    danger_text
        The danger property, or None.
    phi, target
        ``(states,)`` masks of the objective's left and right side.
    reward
        ``(choices,)`` expected immediate rewards of a reward objective.
    """

    objective: Objective
    value: Numbers
    q: Numbers
    best: TriArray
    worst: TriArray
    progressing: TriArray
    dead_end: TriArray
    bottleneck: TriArray
    danger: Numbers | None
    danger_text: str | None
    phi: BoolArray
    target: BoolArray
    reward: Numbers | None = None


@dataclass(frozen=True, slots=True)
class Oracle:
    """A checked model: the arrays, the facts, and where they come from.

    Attributes
    ----------
    identity
        Hash of everything the facts depend on: model text, constants, objective, danger, mode, versions.
    environment
        The environment that describes the model in words (a generic one for a bare file).
    constants
        The constants used, as written.
    exact
        Whether the numbers are exact rather than enclosed.
    request
        What the oracle was asked, for asking it more about the same model; None for facts that were made otherwise.
    """

    identity: str
    environment: Environment
    constants: dict[str, str]
    mdp: Mdp
    facts: Facts
    exact: bool
    request: Request | None = None
