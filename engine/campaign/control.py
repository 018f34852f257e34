"""What a front end can do to a running campaign, and how explainers tell it that they wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.campaign.events import Waiting
from engine.explainers.waiting import observe_waits

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.explainers.base import Explainer


class Control:
    """A handle on one campaign, made before it and given to it. Use it from the campaign's own event loop."""

    def __init__(self) -> None:
        self.stopped = False
        self.paused = False
        self._on_stop: Callable[[], object] | None = None
        self._on_pause: Callable[[], object] | None = None
        self._on_waiting: Callable[[Waiting], object] | None = None

    def stop(self) -> None:
        """Ask nothing more, drop what is in flight, keep what has arrived; the campaign then finishes."""
        self.stopped = True
        if self._on_stop is not None:
            self._on_stop()

    def pause(self) -> None:
        """Ask nothing more for now; what is in flight is waited for and kept."""
        self._hold(paused=True)

    def resume(self) -> None:
        """Go on after a pause."""
        self._hold(paused=False)

    def _hold(self, *, paused: bool) -> None:
        self.paused = paused
        if self._on_pause is not None:
            self._on_pause()

    def waiting(self, explainer: str, why: str, seconds: float | None = None) -> None:
        """Let an explainer say that it waits; it becomes an event."""
        if self._on_waiting is not None:
            self._on_waiting(Waiting(explainer, why, seconds))

    def listener(self, explainer: str) -> Callable[[str], None]:
        """Return a callback for an explainer that reports its waits as sentences."""

        def listen(why: str) -> None:
            # The sentence begins with the explainer's name, which the event has as well.
            self.waiting(explainer, why.removeprefix(f"{explainer}: "))

        return listen

    def observe(self, explainer: Explainer, name: str) -> None:
        """Let an explainer's waits become events, under the name that the plan has for it."""
        observe_waits(explainer, lambda wait: self.waiting(name, wait.reason, wait.seconds))

    def attach(
        self, on_stop: Callable[[], object], on_waiting: Callable[[Waiting], object], on_pause: Callable[[], object]
    ) -> None:
        """Connect the campaign (called by it)."""
        self._on_stop, self._on_waiting, self._on_pause = on_stop, on_waiting, on_pause

    def detach(self) -> None:
        """Disconnect the campaign (called by it)."""
        self._on_stop = self._on_waiting = self._on_pause = None
