"""Another model made of a model's choices: some left out, some replaced by a loop or by a mixture of several."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

from engine.errors import CancelledError

if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping, Sequence

    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray, IntArray, Numbers

T = TypeVar("T")
LOOP = -1
"""Instead of a choice of the model: one that stays in the state for ever."""


class Coded(NamedTuple, Generic[T]):
    """Many values of which few differ.

    Attributes
    ----------
    code
        ``(n,)`` position of each one in `values`.
    values
        The distinct values.
    """

    code: IntArray
    values: Sequence[T]


class Mixture(NamedTuple):
    """A choice that the model does not have.

    Attributes
    ----------
    distribution
        Successor → probability.
    rewards
        Reward model → its expected reward, for every reward model of the result.
    """

    distribution: Mapping[int, Fraction]
    rewards: Mapping[str, Fraction]


@dataclass(frozen=True)
class Rebuilt:
    """A model ready to be written to a file; its states are those of the other model.

    Attributes
    ----------
    choice_start, transition_start, target
        As in `engine.mdp.model.Mdp`; a choice's targets ascend.
    labels
        Names, and ``(states,)`` where they hold; ``init`` is among them.
    action
        ``(choices,)`` names; empty for loops and mixtures.
    probability
        ``(transitions,)`` fractions, or doubles in sound mode.
    rewards
        Reward model → ``(choices,)`` expected rewards.
    """

    choice_start: IntArray
    transition_start: IntArray
    target: IntArray
    labels: Sequence[tuple[str, BoolArray]]
    action: Coded[str]
    probability: Coded[Fraction | float]
    rewards: Mapping[str, Coded[Fraction]]

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.choice_start) - 1

    @property
    def choices(self) -> int:
        """The number of choices."""
        return len(self.transition_start) - 1

    @property
    def kind(self) -> str:
        """``DTMC`` where every state has one choice, else ``MDP``: what a file says, so that Storm solves no more."""
        return "DTMC" if self.choices == self.states else "MDP"


@dataclass(frozen=True)
class Selection:
    """What another model is made of.

    Attributes
    ----------
    owner
        ``(choices,)`` the state of each choice, ascending.
    origin
        ``(choices,)`` which of the model's choices it is; `LOOP`; or ``-2 - k`` for ``mixtures[k]``.
    mixtures
        Choices that the model does not have.
    """

    owner: IntArray
    origin: IntArray
    mixtures: Sequence[Mixture] = ()


def rebuilt(
    mdp: Mdp,
    rewards: Mapping[str, Numbers],
    chosen: Selection,
    labels: Sequence[tuple[str, BoolArray]],
    cancel: threading.Event | None = None,
) -> Rebuilt:
    """Return the model that consists of the chosen choices; raises CancelledError between its steps.

    Parameters
    ----------
    mdp, rewards
        The model that the choices come from, and by reward model the reward of each of them.
    chosen
        The choices of the result.
    labels
        The labels of the result.
    """
    owner, origin = chosen.owner, chosen.origin
    first = np.maximum(origin, 0)
    mixed = [chosen.mixtures[-2 - place] for place in origin[origin < LOOP].tolist()]
    length = np.where(origin >= 0, np.diff(mdp.transition_start)[first], 1)
    length[origin < LOOP] = [len(each.distribution) for each in mixed]
    start = _starts(length)
    source = np.repeat(mdp.transition_start[first] - start[:-1], length) + np.arange(start[-1])
    inside = np.repeat(origin >= 0, length)
    require_going_on(cancel)
    known = _probabilities(mdp)
    require_going_on(cancel)
    own = [(target, each.distribution[target]) for each in mixed for target in sorted(each.distribution)]
    numbers = [*known.values, Fraction(1), *(number for _, number in own)]
    target = np.repeat(owner, length)
    code = np.full(len(target), len(known.values), dtype=np.int64)
    target[inside], code[inside] = mdp.target[source[inside]], known.code[source[inside]]
    new = np.repeat(origin < LOOP, length)
    target[new] = [target for target, _ in own]
    code[new] = len(known.values) + 1 + np.arange(len(own))
    require_going_on(cancel)
    of_choice = np.repeat(np.arange(len(origin)), length)
    if not ((of_choice[1:] != of_choice[:-1]) | (target[1:] > target[:-1])).all():
        order = np.lexsort((target, of_choice))
        target, code = target[order], code[order]
    require_going_on(cancel)
    return Rebuilt(
        choice_start=_starts(np.bincount(owner, minlength=mdp.states)),
        transition_start=start,
        target=target,
        labels=labels,
        action=Coded(np.where(origin >= 0, mdp.action[first], len(mdp.action_names)), [*mdp.action_names, ""]),
        probability=Coded(code, numbers),
        rewards={name: _rewards(name, reward, origin, mixed) for name, reward in rewards.items()},
    )


def require_going_on(cancel: threading.Event | None) -> None:
    """Raise CancelledError once the event is set."""
    if cancel is not None and cancel.is_set():
        raise CancelledError("cancelled")


def exact_reward(reward: Numbers, choice: int) -> Fraction:
    """Return a choice's reward as a fraction: that of the double in the middle of an enclosure, 0 where undefined."""
    if reward.rank is not None and reward.table is not None:
        rank = int(reward.rank[choice])
        return Fraction(reward.table[rank]) if rank >= 0 else Fraction(0)
    return Fraction(float(np.nan_to_num(reward.floats[choice])))


def _starts(counts: IntArray) -> IntArray:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def _probabilities(mdp: Mdp) -> Coded[Fraction | float]:
    if mdp.exact_probability is not None and mdp.probability_table is not None:
        return Coded(mdp.exact_probability, mdp.probability_table)
    distinct, code = np.unique(mdp.probability, return_inverse=True)
    return Coded(code, distinct.tolist())


def _rewards(name: str, reward: Numbers, origin: IntArray, mixed: Sequence[Mixture]) -> Coded[Fraction]:
    """``(choices,)`` the rewards; those of loops are 0."""
    first = np.maximum(origin, 0)
    known = reward.rank[first] if reward.rank is not None else np.nan_to_num(reward.floats[first])
    _, where, code = np.unique(known, return_index=True, return_inverse=True)
    values = [exact_reward(reward, int(first[place])) for place in where]
    code = np.where(origin == LOOP, len(values), code)
    code[origin < LOOP] = len(values) + 1 + np.arange(len(mixed))
    return Coded(code, [*values, Fraction(0), *(each.rewards[name] for each in mixed)])
