"""Waits of endpoints as lines: each reason at once when it first occurs, all of them summed up at the end.

A line for every wait would bury all else where a server is busy for an hour; no line at all looks like a standstill.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from engine.campaign import Waiting

AGAIN: Final = 10.0
"""Seconds after which a reason that still makes an endpoint wait is told again."""
_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)?")


@dataclass(slots=True)
class _Told:
    text: str
    times: int = 0
    seconds: float = 0.0
    last: float = 0.0


class Waits:
    """Every wait of a run, by endpoint and reason; reasons that differ in numbers only are one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told: dict[tuple[str, str], _Told] = {}

    def count(self, event: Waiting) -> bool:
        """Count a wait, and return whether it is to be told now: the first of its reason, or one after a while."""
        now = self._clock()
        told = self._told.setdefault((event.explainer, _NUMBERS.sub("0", event.why)), _Told(event.why))
        told.times += 1
        told.seconds += event.seconds or 0.0
        if told.times > 1 and now - told.last < AGAIN:
            return False
        told.last = now
        return True

    def totals(self) -> list[str]:
        """Return a sentence for each reason that made an endpoint wait more than once."""
        return [
            f"{explainer} waited {told.times} times, {told.seconds:.1f} s in all: {told.text}"
            for (explainer, _), told in self._told.items()
            if told.times > 1 and told.seconds
        ]
