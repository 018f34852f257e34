"""How an explainer says that it waits, repeats or asks more simply."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.explainers.waiting import OnWait, Wait


class Telling:
    """What an explainer with a name and listeners inherits.

    Parameters
    ----------
    name
        How the command line calls the explainer.
    on_event
        Called with one sentence whenever a request is repeated, waits, or is sent in a simpler form.

    Attributes
    ----------
    on_wait
        Who is told of waits instead of `on_event`.
    """

    def __init__(self, name: str, on_event: Callable[[str], None] | None) -> None:
        self.name = name
        self.on_wait: OnWait | None = None
        self._on_event = on_event

    def _tell_wait(self, wait: Wait) -> None:
        if self.on_wait is not None:
            self.on_wait(wait)
        elif self._on_event is not None:
            self._on_event(str(wait))

    def _tell(self, event: str) -> None:
        if self._on_event is not None:
            self._on_event(f"{self.name}: {event}")
