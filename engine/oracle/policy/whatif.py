"""What if: V when states are blocked and actions forbidden, from Storm on the changed model (methods.md 1.1)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import UsageError
from engine.folders import cache_dir
from engine.oracle.client import check_model
from engine.oracle.numbers import EQUAL, UNDECIDED_SIGN, compare
from engine.oracle.policy.induced import AIM, PHI, objective_of, rewards_for, write_model
from engine.oracle.policy.rebuilt import LOOP, Selection, rebuilt
from engine.oracle.request import Limits, Mode, Request

if TYPE_CHECKING:
    import threading

    from engine.oracle.child import Progress
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray, Numbers
    from engine.oracle.policy.rebuilt import Rebuilt


@dataclass(frozen=True, slots=True)
class Change:
    """What is different.

    Attributes
    ----------
    blocked
        States that may not be visited: no run through one of them reaches the target.
    forbidden
        Choices that may not be taken.
    """

    blocked: frozenset[int] = field(default_factory=frozenset)
    forbidden: frozenset[int] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.blocked or self.forbidden)


@dataclass(frozen=True)
class Consequence:
    """What a change does.

    Attributes
    ----------
    before, after
        ``(states,)`` V without and with the change.
    changed, undecided
        States whose V certainly differs, and states where overlapping enclosures leave it open.
    """

    change: Change
    before: Numbers
    after: Numbers
    changed: IntArray
    undecided: IntArray

    def largest(self, most: int) -> list[int]:
        """Return up to `most` states of `changed`, the largest difference first (by doubles, for display)."""
        with np.errstate(invalid="ignore"):
            gap = np.abs(self.before.floats[self.changed] - self.after.floats[self.changed])
        order = np.argsort(-np.nan_to_num(gap, nan=np.inf, posinf=np.inf), kind="stable")
        return [int(state) for state in self.changed[order[:most]]]


def what_if(
    oracle: Oracle,
    change: Change,
    limits: Limits | None = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Consequence:
    """Check the changed model; errors as in `engine.oracle.client.check_model`.

    Raises UsageError if nothing is changed, or if a state would be left without any action: block it instead.
    """
    if not change:
        raise UsageError("nothing is changed", hint="block a state or forbid an action")
    _require_actions(oracle, change)
    if progress is not None:
        progress("changing", "the model")
    stem = cache_dir() / "oracle" / "chains" / _digest(oracle, change)
    model = _changed(oracle, change, cancel)
    path = write_model(stem, model, exact=oracle.exact, progress=progress, cancel=cancel)
    objective = oracle.facts.objective
    request = Request(
        path=path,
        objective=_property(oracle, change),
        objective_shown=objective.text,
        mode=Mode.EXACT if oracle.exact else Mode.SOUND,
    )
    try:
        facts = check_model(request, limits, progress=progress, cancel=cancel).facts
    finally:
        path.unlink(missing_ok=True)  # what was found is kept under the hash of this file's text
    if facts is None:
        raise UsageError("the changed model has no value", where=objective.text)
    sign = compare(oracle.facts.value, facts.value)
    undecided = np.flatnonzero(sign == UNDECIDED_SIGN)
    changed = np.flatnonzero((sign != EQUAL) & (sign != UNDECIDED_SIGN))
    return Consequence(change, oracle.facts.value, facts.value, changed, undecided)


def _property(oracle: Oracle, change: Change) -> str:
    """Return the objective in the labels of the changed model."""
    blocked = np.array(sorted(change.blocked), dtype=np.int64)
    phi, target = np.array(oracle.facts.phi), np.array(oracle.facts.target)
    phi[blocked] = target[blocked] = False
    return objective_of(oracle.facts.objective, phi, target)


def _require_actions(oracle: Oracle, change: Change) -> None:
    mdp = oracle.mdp
    for choice in change.forbidden:
        state = int(mdp.state_of_choice[choice])
        if state not in change.blocked and set(mdp.choices_of(state)) <= change.forbidden:
            raise UsageError(f"no action would be left in state {state}", hint="block the state instead")


def _changed(oracle: Oracle, change: Change, cancel: threading.Event | None) -> Rebuilt:
    """Return the changed model, states under their own numbers; a blocked state is a trap outside φ and T."""
    mdp, facts = oracle.mdp, oracle.facts
    blocked = np.zeros(mdp.states, dtype=bool)
    blocked[list(change.blocked)] = True
    kept = ~blocked[mdp.state_of_choice]
    kept[list(change.forbidden)] = False
    traps = np.flatnonzero(blocked)
    origin = np.concatenate((np.flatnonzero(kept), np.full(len(traps), LOOP)))
    owner = np.concatenate((mdp.state_of_choice[kept], traps))
    order = np.argsort(owner, kind="stable")
    initial = np.zeros(mdp.states, dtype=bool)
    initial[mdp.initial] = True
    labels = [("init", initial), (PHI, facts.phi & ~blocked), (AIM, facts.target & ~blocked)]
    return rebuilt(mdp, rewards_for(facts), Selection(owner[order], origin[order]), labels, cancel)


def _digest(oracle: Oracle, change: Change) -> str:
    content = f"{oracle.identity} {sorted(change.blocked)} {sorted(change.forbidden)}"
    return f"whatif-{hashlib.sha256(content.encode()).hexdigest()[:32]}"
