"""The explorer when its terminal goes away without a signal: it ends, and uses no processor until then."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 30.0


@pytest.mark.skipif(not hasattr(select, "poll"), reason="needs poll")
def test_the_app_ends_when_its_terminal_is_closed(tmp_path: Path) -> None:
    """A program that does not lead its terminal's session gets no signal; it sees the closed terminal."""
    master, slave = pty.openpty()
    homes = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("CONFIG", "STATE", "DATA")}
    child = subprocess.Popen(
        [sys.executable, "-m", "tui.main"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, **homes, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)},
    )
    os.close(slave)
    try:
        _read_until(master, b"\x1b[?1049h")
        children = psutil.Process(child.pid).children(recursive=True)
        os.close(master)
        assert child.wait(timeout=PATIENCE) != 0
        psutil.wait_procs(children, timeout=PATIENCE)
        assert [process for process in children if process.is_running()] == []
    finally:
        child.kill()
        child.wait()


def _read_until(master: int, wanted: bytes) -> None:
    """Read what the program draws until a sequence has come."""
    seen, end = b"", time.monotonic() + PATIENCE
    while wanted not in seen and time.monotonic() < end:
        ready, _, _ = select.select([master], [], [], 0.5)
        seen += os.read(master, 65_536) if ready else b""
    assert wanted in seen
