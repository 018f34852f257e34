"""Requests per minute: each one gets a moment to begin, evenly spread.

Written here because the limiters that there are (aiolimiter) wait without telling how long, and a wait must be shown.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

TOLD_FROM: Final = 1.0
"""Seconds from which a wait is worth telling."""


class Pace:
    """At most so many beginnings a minute, in the order of asking.

    Parameters
    ----------
    per_minute
        None sets no limit.
    """

    def __init__(self, per_minute: float | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval = 0.0 if per_minute is None else 60.0 / per_minute
        self._clock = clock
        self._next = 0.0

    async def turn(self, tell: Callable[[float], None]) -> None:
        """Wait for the next free moment; `tell` is called with the seconds of a wait that is worth telling."""
        if not self._interval:
            return
        now = self._clock()
        begin = max(now, self._next)
        self._next = begin + self._interval
        if begin - now >= TOLD_FROM:
            tell(begin - now)
        try:
            await asyncio.sleep(begin - now)
        except asyncio.CancelledError:
            if self._next == begin + self._interval:  # nobody has queued behind: the moment is free again
                self._next = begin
            raise
