"""Waiting for what the app's workers bring, for as long as a busy machine may need."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

PATIENCE = 30.0


async def until(pilot: Pilot[None], condition: Callable[[], bool], what: str = "it did not happen") -> None:
    """Wait for something that a worker brings; `what` is said if it does not."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            await pilot.pause()
            return
        await pilot.pause(0.01)
    raise AssertionError(what)
