"""The explorer in a real terminal: it starts, follows its size, suspends, and leaves everything as it was."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from terminal import HERE, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., Terminal]

pytestmark = pytest.mark.skipif(not HERE or shutil.which("pgrep") is None, reason="needs tmux and pgrep")
ROOT = Path(__file__).resolve().parents[1]
APP = [sys.executable, "-m", "tui.main"]


def variables(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment of a user who has been here before."""
    own = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "STATE", "DATA")}
    state = folder / "state" / "stormscope"
    state.mkdir(parents=True, exist_ok=True)
    (state / "recent.json").write_text('{"version": 1, "models": [], "campaigns": [], "tour_offered": true}')
    cache = os.environ["XDG_CACHE_HOME"]
    return {**own, "XDG_CACHE_HOME": cache, "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", **more}


@pytest.mark.parametrize("term", ["xterm-256color", "screen-256color"])
def test_start_resize_and_quit(tmp_path: Path, term: str) -> None:
    """The start screen follows the window's size, too small included, and q leaves the terminal as it was."""
    with Terminal(tmp_path, APP, variables=variables(tmp_path, TERM=term)) as terminal:
        terminal.shows("what shall be explored?", "frozen_lake")
        terminal.resize(120, 40)
        terminal.until(lambda: len(terminal.text.splitlines()[0]) > 100)
        terminal.resize(40, 10)
        terminal.shows("too small")
        terminal.resize(80, 24)
        terminal.shows("frozen_lake")
        terminal.keys("q")
        terminal.is_clean(tmp_path)


def test_suspend(tmp_path: Path) -> None:
    """^z gives the shell a clean terminal, fg brings the screen back, and a quit after that leaves it clean too."""
    with Terminal(tmp_path, APP, variables=variables(tmp_path, TERM="xterm-256color")) as terminal:
        terminal.shows("what shall be explored?")
        terminal.keys("C-z")
        terminal.is_clean(tmp_path)
        terminal.keys("fg", "Enter")
        terminal.shows("what shall be explored?")
        terminal.keys("q")
        terminal.is_clean(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["TERM", "HUP"])
def test_a_signal_leaves_the_terminal_clean(tmp_path: Path, number: signal.Signals) -> None:
    """A program that is told to end takes its screen with it, and its exit code names the signal."""
    with Terminal(tmp_path, APP, variables=variables(tmp_path, TERM="xterm-256color")) as terminal:
        terminal.shows("what shall be explored?")
        os.kill(terminal.child("tui.main"), number)
        terminal.until(lambda: terminal.text.rstrip().endswith("ready>"))
        terminal.keys("echo co''de $?", "Enter")
        terminal.shows(f"code {128 + number}")
        terminal.is_clean(tmp_path)


def test_a_defect_leaves_a_message_and_a_clean_terminal(tmp_path: Path) -> None:
    """An error that nobody expected ends in one message and a file with the place, never in variables' values."""
    child = [sys.executable, str(ROOT / "tests" / "crashing_child.py")]
    with Terminal(tmp_path, child, variables=variables(tmp_path, TERM="xterm-256color")) as terminal:
        terminal.shows("what shall be explored?")
        terminal.keys("X")
        terminal.shows("a defect with 13 characters", "please report it")
        terminal.is_clean(tmp_path)
        assert "Traceback" not in terminal.text
        assert "sk-secret-key" not in terminal.text
    (file,) = (tmp_path / "state" / "stormscope").glob("crash-*.txt")
    trace = file.read_text()
    assert "action_crash" in trace
    assert "RuntimeError: a defect with 13 characters" in trace


def test_no_color_means_none(tmp_path: Path) -> None:
    """With NO_COLOR no escape sequence sets a colour, and the selected line is in reverse video."""
    with Terminal(tmp_path, APP, variables=variables(tmp_path, TERM="xterm-256color", NO_COLOR="1")) as terminal:
        terminal.shows("frozen_lake")
        colours = [part for part in terminal.coloured.split("\x1b[")[1:] if _sets_colour(part.partition("m")[0])]
        assert colours == []
        line = next(line for line in terminal.coloured.splitlines() if "cliff_walking" in line)
        assert "7m" in line.partition("cliff_walking")[0]
        terminal.keys("q")
        terminal.is_clean(tmp_path)


@pytest.mark.parametrize(
    ("theme", "settings"),
    [
        ("storm-dark", {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}),
        ("presentation", {"TERM": "xterm-256color", "NO_COLOR": "1"}),
        ("storm-light", {"TERM": "dumb"}),
    ],
)
def test_a_chosen_theme_sends_no_colour_where_none_is_wanted(
    tmp_path: Path, theme: str, settings: dict[str, str]
) -> None:
    """Of all bytes that are written, none sets a colour, whatever theme the settings name; a dumb terminal has none."""
    config = tmp_path / "config" / "stormscope"
    config.mkdir(parents=True, exist_ok=True)
    (config / "settings.toml").write_text(f'[tui]\ntheme = "{theme}"\n')
    with Terminal(tmp_path, APP, variables=variables(tmp_path, **settings), record=tmp_path / "bytes") as terminal:
        terminal.shows("frozen_lake")
        terminal.keys("Down", "F3")
        terminal.shows("Endpoints")
        terminal.keys("q")
        terminal.is_clean(tmp_path)
    codes = re.findall(rb"\x1b\[([0-9;]*)m", (tmp_path / "bytes").read_bytes())
    assert b"7" in {number for code in codes for number in code.split(b";")}
    assert [code for code in codes if _sets_colour(code.decode())] == []


def test_sixteen_colours_leave_the_background_alone(tmp_path: Path) -> None:
    """In a terminal of few colours only the sixteen are used, and only the selected line has a background."""
    with Terminal(tmp_path, APP, variables=variables(tmp_path, TERM="xterm")) as terminal:
        terminal.shows("frozen_lake")
        codes = {part.partition("m")[0] for part in terminal.coloured.split("\x1b[")[1:]}
        assert not any("38;" in code or "48;" in code for code in codes)
        line = next(line for line in terminal.coloured.splitlines() if "frozen_lake" in line)
        assert not {str(code) for code in (*range(40, 48), *range(100, 108))} & set(
            ";".join(part.partition("m")[0] for part in line.split("\x1b[")[1:]).split(";")
        )
        terminal.keys("q")
        terminal.is_clean(tmp_path)


def _sets_colour(code: str) -> bool:
    """Return whether an SGR code sets a colour rather than taking one back."""
    numbers = [int(part or 0) for part in code.split(";") if part.isdecimal() or not part]
    return any(30 <= number <= 38 or 40 <= number <= 48 or 90 <= number <= 107 for number in numbers)
