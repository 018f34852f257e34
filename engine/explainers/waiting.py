"""Waits made visible: which endpoint waits, how long and why, so that a campaign never seems to stand still."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from engine.explainers.base import Explainer


@dataclass(frozen=True, slots=True)
class Wait:
    """An endpoint waits before it asks again, or before it asks at all.

    Attributes
    ----------
    endpoint
        The explainer's name.
    seconds
        How long it will wait.
    reason
        Why, as a clause: what the server answered, or which limit of the settings is reached.
    attempt
        Number of the request that comes after the wait, from 1; above 1 it is a repetition.
    """

    endpoint: str
    seconds: float
    reason: str
    attempt: int

    def __str__(self) -> str:
        again = "again " if self.attempt > 1 else ""
        return f"{self.endpoint}: {self.reason}; asking {again}in {self.seconds:.1f} s"


OnWait: TypeAlias = Callable[[Wait], None]
"""Called on the event loop's thread when a wait begins; it must return at once and not raise."""


@runtime_checkable
class Waits(Protocol):
    """An explainer that tells of its waits: set `on_wait`; `observe_waits` does it for any explainer."""

    on_wait: OnWait | None


def observe_waits(explainer: Explainer, on_wait: OnWait | None) -> bool:
    """Let an explainer tell of its waits; returns False if it never waits (a baseline).

    While an observer is set, waits go to it and no longer to the explainer's ``on_event``.
    """
    if not isinstance(explainer, Waits):
        return False
    explainer.on_wait = on_wait
    return True
