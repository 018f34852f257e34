"""Signals that end the program: the terminal is restored and the children end, as when the user leaves."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
SIGNALLED = 128
"""An exit code above this names the signal that ended a program."""


class Signals:
    """Calls `leave` with the exit code when the program is told to end."""

    def __init__(self, leave: Callable[[int], None]) -> None:
        self._leave = leave
        self._loop: asyncio.AbstractEventLoop | None = None

    def catch(self) -> None:
        """Begin, where the platform and the thread allow it."""
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError, RuntimeError, ValueError):
            for each in ENDING:
                loop.add_signal_handler(each, self._leave, SIGNALLED + each)
            self._loop = loop

    def release(self) -> None:
        """Give the signals back."""
        if self._loop is not None:
            for each in ENDING:
                self._loop.remove_signal_handler(each)
            self._loop = None
