"""A real terminal for tests: tmux with a server of its own."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

HERE = shutil.which("tmux") is not None
PATIENCE = 40.0


class Terminal:
    """One window in which a shell runs a command and stays when that has ended."""

    def __init__(
        self,
        folder: Path,
        command: Sequence[str],
        *,
        size: tuple[int, int] = (80, 24),
        variables: Mapping[str, str],
        record: Path | None = None,
    ) -> None:
        self._socket = str(folder / "tmux")
        words = [f"{name}={value}" for name, value in variables.items()]
        shell = shlex.join(
            ["env", "-u", "COLORTERM", "-u", "COLUMNS", "-u", "LINES", *words, "bash", "--noprofile", "--norc", "-i"]
        )
        self._run("-f", "/dev/null", "new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), shell)
        self._run("set-option", "-g", "status", "off")
        self.keys("PS1='ready> '; stty -a > before; printf '\\033[H\\033[J'", "Enter", folder=folder)
        self.until(lambda: self.text.startswith("ready>"))
        self.before = self.flags()
        if record is not None:  # every byte that is written from here on
            self._run("pipe-pane", "-O", f"cat > {shlex.quote(str(record))}")
        self.keys(shlex.join(command), "Enter")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._run("kill-server")

    def _run(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-S", self._socket, *words], capture_output=True, text=True, check=True)
        return done.stdout

    def keys(self, *keys: str, folder: Path | None = None) -> None:
        """Press keys, by tmux's names, or type a text."""
        if folder is not None:
            self._run("send-keys", f"cd {shlex.quote(str(folder))}", "Enter")
        self._run("send-keys", *keys)

    def resize(self, width: int, height: int) -> None:
        """Give the window another size."""
        self._run("resize-window", "-x", str(width), "-y", str(height))

    @property
    def text(self) -> str:
        """What the window shows."""
        return self._run("capture-pane", "-p")

    @property
    def coloured(self) -> str:
        """What the window shows, with its escape sequences."""
        return self._run("capture-pane", "-pe")

    def flags(self) -> str:
        """Return what a program can leave behind: alternate screen, hidden cursor, mouse reports, keypad mode."""
        return self._run(
            "display-message",
            "-p",
            "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag} #{keypad_flag} #{keypad_cursor_flag}",
        ).strip()

    def child(self, name: str) -> int:
        """Return the process of the command that runs in the shell."""
        shell = self._run("display-message", "-p", "#{pane_pid}").strip()
        found = subprocess.run(["pgrep", "-P", shell, "-f", name], capture_output=True, text=True, check=True)
        return int(found.stdout.split()[0])

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something; the failure shows the window."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.05)
        raise AssertionError(f"it did not happen; the window shows:\n{self.text}")

    def shows(self, *texts: str) -> None:
        """Wait until all texts are shown."""
        self.until(lambda: all(text in self.text for text in texts))

    def is_clean(self, folder: Path) -> None:
        """Wait for the prompt, and check that the terminal is as it was before the command."""
        self.until(lambda: self.text.rstrip().endswith("ready>"))
        assert self.flags() == self.before
        after = folder / "after"
        after.unlink(missing_ok=True)
        self.keys("stty -a > written; mv written after", "Enter")  # moved, so that it is never read half written
        self.until(after.exists)
        assert after.read_text() == (folder / "before").read_text()
