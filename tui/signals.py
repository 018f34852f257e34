"""What ends the program from outside: signals, and the end of its terminal; children end as when the user leaves."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import stat
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
SIGNALLED = 128
"""An exit code above this names the signal that ended a program."""


LOOK_EVERY = 1.0
"""Seconds between two looks at whether the terminal is still there."""

LEAVE_WITHIN = 5.0
"""Seconds that leaving may take once it is not."""


def terminal_gone() -> bool:
    """Whether the terminal at standard input was closed: it has hung up.

    A program that is not its terminal's session leader is not told by a signal, and reading from what is left of the
    terminal gives nothing, at once and for ever.
    """
    if not hasattr(select, "poll") or sys.__stdin__ is None:
        return False
    poll = select.poll()
    try:
        if not stat.S_ISCHR(os.fstat(sys.__stdin__.fileno()).st_mode):
            return False  # a pipe or file: whoever starts the program so does not look at it through a terminal
        poll.register(sys.__stdin__.fileno(), 0)
    except (OSError, ValueError):
        return False  # closed by ourselves
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))


class Signals:
    """Calls `leave` with the exit code when the program is told to end, or its terminal is gone."""

    def __init__(self, leave: Callable[[int], None]) -> None:
        self._leave = leave
        self._loop: asyncio.AbstractEventLoop | None = None
        self._released = threading.Event()

    def catch(self) -> None:
        """Begin, where the platform and the thread allow it."""
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError, RuntimeError, ValueError):
            for each in ENDING:
                loop.add_signal_handler(each, self._leave, SIGNALLED + each)
            self._loop = loop
        self._released.clear()
        threading.Thread(target=self._look, args=(loop,), daemon=True).start()

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Leave when the terminal is gone; end at once if that is not done soon.

        What draws waits for ever once its last lines could not be written, and then no loop runs that could leave.
        Children see that this process has ended, and end.
        """
        while not terminal_gone():
            if self._released.wait(LOOK_EVERY):
                return
        code = SIGNALLED + ENDING[-1]
        loop.call_soon_threadsafe(self._leave, code)
        time.sleep(LEAVE_WITHIN)
        os._exit(code)

    def release(self) -> None:
        """Give the signals back, and look no more."""
        self._released.set()
        if self._loop is not None:
            for each in ENDING:
                self._loop.remove_signal_handler(each)
            self._loop = None
