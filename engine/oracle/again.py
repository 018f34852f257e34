"""Asking the oracle more about a model that is open: commands, losses, policies, other constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import UsageError
from engine.folders import cache_dir
from engine.oracle.client import CheckedModel, check_model, losses
from engine.oracle.derivation.detours import loss_candidates
from engine.oracle.facts import Kind
from engine.oracle.numbers import Numbers
from engine.oracle.reproduce import reproduce

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence

    from engine.oracle.child import Progress
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray, JsonNumber
    from engine.oracle.request import Request


def as_checked(oracle: Oracle) -> CheckedModel:
    """Return the same model as `engine.oracle.client.check_model` gives it."""
    folder = cache_dir() / "oracle" / oracle.identity
    meta = {"mode": "exact" if oracle.exact else "sound"}
    return CheckedModel(oracle.identity, folder, oracle.mdp, oracle.facts, meta)


def request_of(oracle: Oracle) -> Request:
    """Return what the oracle was asked; raises UsageError for facts that came without a model file."""
    if oracle.request is None:
        raise UsageError("this model has no file that Storm could read again", where=oracle.environment.title)
    return oracle.request


def commands(oracle: Oracle, text: str, state: int) -> list[str]:
    """Return the shell commands whose result is a property's value in a state (see `reproduce`)."""
    return reproduce(request_of(oracle), as_checked(oracle), text, state)


def all_losses(oracle: Oracle, *, progress: Progress | None = None, cancel: threading.Event | None = None) -> Numbers:
    """Return ``(states,)`` loss(b), 0 where a policy that attains V does without b (methods.md 1.1).

    Raises UsageError for Pmin, where it is not defined, and otherwise as `engine.oracle.client.losses`.
    """
    if oracle.facts.objective.kind is Kind.PMIN:
        raise UsageError("loss is not defined for Pmin objectives", where=oracle.facts.objective.text)
    request = request_of(oracle)
    candidates = np.flatnonzero(loss_candidates(oracle.mdp, oracle.facts))
    asked = tuple(int(state) for state in candidates)
    found = losses(request, asked, progress=progress, cancel=cancel) if asked else {}
    return _as_numbers(oracle, found)


def _as_numbers(oracle: Oracle, found: dict[int, JsonNumber]) -> Numbers:
    from fractions import Fraction  # noqa: PLC0415 - only here

    defined = oracle.facts.phi & ~oracle.facts.target
    defined[oracle.mdp.initial] = False
    if all(isinstance(value, str) for value in found.values()):
        table = sorted({Fraction(0), *(Fraction(str(value)) for value in found.values())})
        position = {value: index for index, value in enumerate(table)}
        rank: IntArray = np.where(defined, position[Fraction(0)], -1)
        for state, value in found.items():
            rank[state] = position[Fraction(str(value))]
        return Numbers.from_ranks(rank, table)
    lower = np.where(defined, 0.0, np.nan)
    upper = lower.copy()
    for state, value in found.items():
        bounds = value if isinstance(value, dict) else {"lower": np.nan, "upper": np.nan}
        lower[state], upper[state] = float(bounds["lower"]), float(bounds["upper"])
    return Numbers(lower, upper)


@dataclass(frozen=True, slots=True)
class Swept:
    """One value of a swept constant.

    Attributes
    ----------
    constant
        The constant's value as exact text.
    states
        The number of states of the model with that value.
    initial
        ``(initial states,)`` V at the initial states, in their order.
    """

    constant: str
    states: int
    initial: Numbers


def sweep(
    oracle: Oracle,
    name: str,
    values: Sequence[str],
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Iterator[Swept]:
    """Yield V at the initial states for each value of a constant, one check after the other.

    Raises UsageError if the model has no such constant, and otherwise as `check_model`.
    """
    request = request_of(oracle)
    if name not in request.constants:
        known = ", ".join(request.constants) or "it has none that can be set"
        raise UsageError(f"there is no constant {name}", where=oracle.environment.title, hint=f"constants: {known}")
    objective = {"objective": oracle.facts.objective.text}
    for value in values:
        constants = {**request.constants, name: value}
        wanted = request.model_copy(update={"constants": constants, **objective})
        checked = check_model(wanted, progress=progress, cancel=cancel)
        if checked.facts is None:
            raise UsageError("the model has no objective", where=f"{name}={value}")
        yield Swept(value, checked.mdp.states, checked.facts.value.take(checked.mdp.initial))
