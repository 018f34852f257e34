"""Waiting for what the app's workers bring, for as long as a busy machine may need."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

PATIENCE = 30.0
STAYS = 2
"""How often a screen must look the same to be still."""


async def until(pilot: Pilot[None], condition: Callable[[], bool], what: str = "it did not happen") -> None:
    """Wait for something that a worker brings; `what` is said if it does not."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            await pilot.pause()
            return
        await pilot.pause(0.01)
    raise AssertionError(what)


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until the screen has stayed as it is for a while: a picture is taken next."""
    screen = pilot.app.screen
    last, same, end = "", 0, time.monotonic() + PATIENCE
    while same < STAYS:
        assert time.monotonic() < end, "the screen never stands still"
        await pilot.pause(0.03)
        drawn = pilot.app.export_screenshot(simplify=True)
        same = same + 1 if drawn == last and pilot.app.screen is screen else 0
        last, screen = drawn, pilot.app.screen
