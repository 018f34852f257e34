"""A program in a pseudo-terminal, whose output is kept with the moment in which it came."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
import time
from typing import TYPE_CHECKING, NamedTuple, Self

import psutil
from glass import Glass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FRAME_END = b"\x1b[?2026l"
ASKED, ANSWER = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
"""The terminal is asked whether it draws whole frames only, and says yes: so the end of a frame can be seen."""
QUIET = 0.08
"""Seconds without output after which a key is taken to have had all its effect."""
PATIENCE = 120.0


class Stroke(NamedTuple):
    """What one key did.

    Attributes
    ----------
    shown
        Seconds until the frame that showed its effect was complete.
    done
        Seconds until the last frame within the quiet that followed.
    left, right, size
        Bytes that drew the left and the right part of the screen, and all of them.
    """

    shown: float
    done: float
    left: int
    right: int
    size: int


class PseudoTerminal:
    """Runs a command; use it as a context, which ends the command."""

    def __init__(self, command: Sequence[str], *, size: tuple[int, int], variables: Mapping[str, str]) -> None:
        self.glass = Glass(*size)
        self._chunks: list[tuple[float, bytes]] = []
        self._seen = 0
        self._open_frame = b""
        self._here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.started = time.perf_counter()
        self._child = subprocess.Popen(
            command, stdin=there, stdout=there, stderr=there, env=dict(variables), start_new_session=True
        )
        os.close(there)
        self.process = psutil.Process(self._child.pid)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for child in self.process.children(recursive=True) if self._child.poll() is None else ():
            child.kill()
        self._child.kill()
        self._child.wait()
        os.close(self._here)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._here, 1 << 16)
            except OSError:  # how Linux says that the other side is closed
                return
            self._chunks.append((time.perf_counter(), data))
            if ASKED in data:
                os.write(self._here, ANSWER)

    @property
    def cpu(self) -> float:
        """Seconds of processor time that the command itself has used."""
        times = self.process.cpu_times()
        return float(times.user + times.system)

    def _frames(self) -> list[tuple[float, bytes]]:
        """Return the frames that were completed since the last call, with the moment of their end."""
        found = []
        while self._seen < len(self._chunks):
            moment, data = self._chunks[self._seen]
            self._seen += 1
            *whole, self._open_frame = (self._open_frame + data).split(FRAME_END)
            found += [(moment, frame + FRAME_END) for frame in whole]
        return found

    def until(self, shown: Callable[[Glass], bool]) -> float:
        """Wait until the screen shows something; return the moment in which that frame was complete, or now.

        Raises
        ------
        TimeoutError
            If that does not happen; the message holds the screen.
        """
        now = time.perf_counter()
        if shown(self.glass):
            return now
        end = now + PATIENCE
        while time.perf_counter() < end:
            for moment, frame in self._frames():
                self.glass.feed(frame)
                if shown(self.glass):
                    return moment
            time.sleep(0.005)
        raise TimeoutError(f"it did not happen; the screen shows:\n{self.glass.text}")

    def settle(self, quiet: float = 0.4) -> None:
        """Wait until nothing has been written for a while, less than the time in which a text cursor blinks."""
        while not self._chunks or time.perf_counter() - self._chunks[-1][0] < quiet:
            time.sleep(0.02)
        for _, frame in self._frames():
            self.glass.feed(frame)

    def press(self, keys: str) -> float:
        """Press keys without waiting; return the moment."""
        moment = time.perf_counter()
        os.write(self._here, keys.encode())
        return moment

    def stroke(self, keys: str, shown: Callable[[Glass], bool], *, pause: float = QUIET) -> Stroke:
        """Press keys and wait for the effect, then as long as the output goes on, at most four pauses.

        Nothing is interpreted before the output has ended, so that measuring takes no time from what is measured.
        """
        glass, before = self.glass, len(self._chunks)
        glass.left = glass.right = 0
        pressed = self.press(keys)
        time.sleep(pause)
        for _ in range(3):
            if len(self._chunks) > before and time.perf_counter() - self._chunks[-1][0] >= pause * 0.9:
                break
            time.sleep(pause)
        frames, moment = self._frames(), None
        for at, frame in frames:
            glass.feed(frame)
            if moment is None and shown(glass):
                moment = at
        size = sum(len(frame) for _, frame in frames)
        if moment is None:
            moment = self.until(shown)
            return Stroke(moment - pressed, moment - pressed, glass.left, glass.right, size)
        return Stroke(moment - pressed, frames[-1][0] - pressed, glass.left, glass.right, size)
