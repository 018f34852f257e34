"""What a front end can do to a running campaign, and how explainers tell it that they wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.campaign.events import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable


class Control:
    """A handle on one campaign, made before it and given to it. Use it from the campaign's own event loop."""

    def __init__(self) -> None:
        self.stopped = False
        self._on_stop: Callable[[], object] | None = None
        self._on_waiting: Callable[[Waiting], object] | None = None

    def stop(self) -> None:
        """Ask nothing more, drop what is in flight, keep what has arrived; the campaign then finishes."""
        self.stopped = True
        if self._on_stop is not None:
            self._on_stop()

    def waiting(self, explainer: str, why: str, seconds: float | None = None) -> None:
        """Let an explainer say that it waits; it becomes an event."""
        if self._on_waiting is not None:
            self._on_waiting(Waiting(explainer, why, seconds))

    def listener(self, explainer: str) -> Callable[[str], None]:
        """Return a callback for an explainer that reports its waits as sentences."""

        def listen(why: str) -> None:
            self.waiting(explainer, why)

        return listen

    def attach(self, on_stop: Callable[[], object], on_waiting: Callable[[Waiting], object]) -> None:
        """Connect the campaign (called by it)."""
        self._on_stop, self._on_waiting = on_stop, on_waiting

    def detach(self) -> None:
        """Disconnect the campaign (called by it)."""
        self._on_stop = self._on_waiting = None
