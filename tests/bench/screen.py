"""The explorer in a pseudo-terminal: how soon it is there, and from a key to the frame that shows its effect."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psutil
from models import DISAGREE, consensus
from pseudo_terminal import PseudoTerminal
from slow_endpoint import SlowEndpoint

from engine.oracle.client import check_model
from engine.oracle.request import Mode, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from glass import Glass
    from pseudo_terminal import Stroke

    Row = tuple[str, str, str]

HERE: Final = Path(__file__).resolve().parent
STARTS = 5
LARGE, SMALL = (120, 40), (80, 24)
DOWN, PAGE_DOWN, ESCAPE, START = "\x1b[B", "\x1b[6~", "\x1b", "\x12"
HELD_RATE, HELD_KEYS = 30, 60
BESIDE_SECONDS = 8.0
"""How long keys are pressed while something else works."""
SOON = "33 ms (95th percentile)"


class _Measured:
    """Where to measure: the commands, and a user's folders."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "screen"
        self.model = self.folder / "consensus6.prism"
        for name in ("config", "state", "data"):
            (self.folder / name / "stormscope").mkdir(parents=True, exist_ok=True)
        recent = self.folder / "state" / "stormscope" / "recent.json"
        recent.write_text('{"version": 1, "models": [], "campaigns": [], "tour_offered": true}')
        self.model.write_text(consensus(6), encoding="utf-8")
        self.command = [sys.executable, "-m", "tui.main"]
        self.explore = [*self.command, "explore", str(self.model), "--const", "K=2", "--objective", DISAGREE]
        self.explore += ["--mode", "sound"]
        self.variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",  # the most bytes a colour can take
            "PYTHONPATH": str(HERE.parents[1]),
            "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
            **{f"XDG_{name.upper()}_HOME": str(self.folder / name) for name in ("config", "state", "data")},
        }

    def terminal(self, command: Sequence[str], size: tuple[int, int] = LARGE) -> PseudoTerminal:
        """Return a command in a new pseudo-terminal."""
        return PseudoTerminal(command, size=size, variables=self.variables)


def measure(folder: Path) -> list[Row]:
    """Return rows of what was measured, the figure, and the target."""
    here = _Measured(folder)
    request = Request(path=here.model, constants={"K": "2"}, objective=DISAGREE, mode=Mode.SOUND)
    states = check_model(request).mdp.states
    rows = [*_starts(here), *_bare(here, states)]
    with here.terminal(here.explore) as terminal:
        _open(terminal)
        rows += _keys(terminal, "explorer", SMALL[1])
        rows += _work(terminal)
        rows.append(_memory(terminal, "explorer"))
    with here.terminal(here.explore, SMALL) as terminal:
        _open(terminal)
        rows += _keys(terminal, "explorer at 80×24", SMALL[1] // 2)
    rows += [*_beside_campaign(here), *_beside_oracle(here)]
    load, processors = os.getloadavg()[0], psutil.cpu_count()
    return [*rows, ("load of this machine", f"{load:.1f} on {processors} processors", "at most 1: beyond, times grow")]


def _open(terminal: PseudoTerminal) -> None:
    """Wait for the explorer, and find where its right part begins."""
    terminal.until(_explorer_is_there)
    terminal.settle()
    line = next(line for line in terminal.glass.lines if "─State─" in line)
    terminal.glass.edge = line.index("─State─")


def _explorer_is_there(glass: Glass) -> bool:
    return "─State─" in glass.text


def _selected(glass: Glass) -> int | None:
    """Return the state that the state panel is about."""
    found = re.search(r" s  (\d+)  ", glass.text)
    return int(found[1]) if found else None


def _starts(here: _Measured) -> list[Row]:
    """Measure how soon there is something to read, all files being in memory."""
    helped, used = [], []
    for _ in range(STARTS):
        before, started = psutil.Process().cpu_times(), time.perf_counter()
        subprocess.run([*here.command, "--help"], env=here.variables, capture_output=True, check=True)
        helped.append(time.perf_counter() - started)
        after = psutil.Process().cpu_times()
        used.append(after.children_user + after.children_system - before.children_user - before.children_system)
    rows = [("--help", f"{statistics.median(helped):.2f} s, {statistics.median(used):.2f} s of a processor", "0.3 s")]
    lake = [*here.command, "explore", "frozen_lake"]
    with here.terminal(lake) as terminal:
        terminal.until(_explorer_is_there)  # checked once, so that the next ones read it
    for name, command, shown, target in (
        ("stormscope, first frame", here.command, _anything, "0.8 s"),
        ("explore frozen_lake, first frame", lake, _anything, "0.8 s"),
        ("explore frozen_lake, the states", lake, _explorer_is_there, "-"),
        ("explore 1.26 M states a second time, the states", here.explore, _explorer_is_there, "-"),
    ):
        seconds, used = [], []
        for _ in range(STARTS):
            with here.terminal(command) as terminal:
                seconds.append(terminal.until(shown) - terminal.started)
                used.append(terminal.cpu)
        figure = f"{statistics.median(seconds):.2f} s, {statistics.median(used):.2f} s of a processor"
        rows.append((name, figure, target))
    return rows


def _anything(glass: Glass) -> bool:
    return bool(glass.text.strip())


def _bare(here: _Measured, states: int) -> list[Row]:
    """Measure the reference."""
    command = [sys.executable, str(HERE / "bare_table.py"), str(states)]
    with here.terminal(command) as terminal:
        terminal.until(lambda glass: "state" in glass.text and "0.00" in glass.text)
        terminal.settle()
        rows = [_row("bare table, cursor key", terminal, DOWN, 20, _anything, "the reference")]
        terminal.press(DOWN * LARGE[1])
        terminal.settle()
        rows.append(_row("bare table, scrolling key", terminal, DOWN, 20, _anything, "the reference"))
        rows.append(_row("bare table, page down", terminal, PAGE_DOWN, 20, _anything, "the reference"))
        rows.append(_memory(terminal, "bare table"))
    return rows


def _keys(terminal: PseudoTerminal, name: str, page: int) -> list[Row]:
    """Measure the table's keys, from the first row on; `page` rows are in sight at least."""
    rows = [
        _row(f"{name}, cursor key", terminal, ("j", "k"), 2 * page, None, f"{SOON}; 2 KB the table, 8 KB all"),
        _held(terminal, name),
    ]
    terminal.press("g" + "j" * LARGE[1])
    terminal.settle()
    rows.append(_row(f"{name}, scrolling key", terminal, "j", 2 * page, None, SOON))
    rows.append(_row(f"{name}, page down", terminal, PAGE_DOWN, 2 * page, None, SOON))
    return rows


def _row(
    name: str,
    terminal: PseudoTerminal,
    keys: str | tuple[str, str],
    count: int,
    shown: Callable[[Glass], bool] | None,
    target: str,
) -> Row:
    """Press a key so many times, or one for the first half and another for the second; None awaits another state."""
    first, second = (keys, keys) if isinstance(keys, str) else keys
    before = terminal.cpu
    strokes = [_stroke(terminal, first if 2 * each < count else second, shown) for each in range(count)]
    used = (terminal.cpu - before) / count
    left, size = (
        statistics.median(values) for values in zip(*((each.left, each.size) for each in strokes), strict=True)
    )
    written = (
        f"{size / 1000:.1f} KB" if shown is not None else f"{left / 1000:.1f} KB the table, {size / 1000:.1f} KB all"
    )
    return name, f"{_times([each.done for each in strokes])}, {1000 * used:.0f} ms of a processor; {written}", target


def _stroke(terminal: PseudoTerminal, key: str, shown: Callable[[Glass], bool] | None = None) -> Stroke:
    before = _selected(terminal.glass)
    return terminal.stroke(key, shown or (lambda glass: _selected(glass) != before))


def _times(seconds: Sequence[float]) -> str:
    high = statistics.quantiles(seconds, n=20, method="inclusive")[-1]
    return f"{1000 * statistics.median(seconds):.0f} ms, 95th percentile {1000 * high:.0f} ms"


def _held(terminal: PseudoTerminal, name: str) -> Row:
    """Measure how far the screen lags behind a key that is held down."""
    terminal.press("g")
    terminal.settle()
    for _ in range(HELD_KEYS):
        pressed = terminal.press("j")
        time.sleep(1 / HELD_RATE)
    lag = terminal.until(lambda glass: _selected(glass) == HELD_KEYS) - pressed
    return f"{name}, key held at {HELD_RATE} a second", f"{1000 * lag:.0f} ms behind after {HELD_KEYS} keys", "33 ms"


def _work(terminal: PseudoTerminal) -> list[Row]:
    """Measure sorting and filtering all states, and keys meanwhile."""
    terminal.press("g")
    terminal.settle()
    pressed = terminal.press(">")
    meanwhile: list[float] = []
    while not meanwhile or ("↑" not in terminal.glass.text and len(meanwhile) < HELD_KEYS):
        meanwhile.append(_stroke(terminal, "j").shown)
    sorted_ = terminal.until(lambda glass: "↑" in glass.text) - pressed
    terminal.press("/")
    terminal.settle()
    typed = [terminal.stroke(key, partial(_typed, key)).shown for key in "at1=3"]
    pressed = terminal.press("\r")
    filtered = terminal.until(lambda glass: re.search(r"─[\d, ]+ states of ", glass.text) is not None) - pressed
    terminal.settle()
    return [
        ("all states sorted", f"{sorted_:.2f} s", "-"),
        ("  a key meanwhile", f"{1000 * max(meanwhile):.0f} ms at most, {len(meanwhile)} keys", "never delayed"),
        ("a character of a filter", f"{1000 * max(typed):.0f} ms at most", SOON),
        ("all states filtered", f"{filtered:.2f} s", "-"),
    ]


def _typed(key: str, glass: Glass) -> bool:
    return key in glass.lines[2]


def _memory(terminal: PseudoTerminal, name: str) -> Row:
    used = terminal.process.memory_full_info()
    return f"{name}, memory", f"{used.uss / 1e6:.0f} MB of its own, {used.rss / 1e6:.0f} MB with mapped files", "-"


def _beside_campaign(here: _Measured) -> list[Row]:
    """Measure keys while a campaign asks a slow endpoint and the random baseline."""
    settings = here.folder / "config" / "stormscope" / "settings.toml"
    with SlowEndpoint() as endpoint:
        settings.write_text(f'[endpoints.slow]\nbase_url = "{endpoint.url}"\nmodel = "slow"\n', encoding="utf-8")
        with here.terminal([*here.explore, "--explainer", "slow"]) as terminal:
            _open(terminal)
            pressed = terminal.press("c")
            opened = terminal.until(lambda glass: "cases each" in glass.text) - pressed
            terminal.until(lambda glass: "at most" in glass.text)
            terminal.press(START)
            terminal.until(lambda glass: "campaign 0" in glass.lines[0])
            terminal.press(ESCAPE)
            terminal.until(_explorer_is_there)
            figure = _beside(terminal)
            done = terminal.glass.lines[0].split()[-1]
    settings.unlink()
    return [
        ("campaign screen, first frame", f"{1000 * opened:.0f} ms", "-"),
        ("cursor key while a campaign begins and asks", f"{figure}; {done} answers", "never delayed"),
    ]


def _beside_oracle(here: _Measured) -> list[Row]:
    """Measure keys while the oracle computes what blocking each state would cost."""
    with here.terminal(here.explore) as terminal:
        _open(terminal)
        terminal.press("L")
        terminal.until(lambda glass: "Computing losses" in glass.text)
        return [("cursor key while losses are computed", _beside(terminal), "never delayed")]


def _beside(terminal: PseudoTerminal) -> str:
    end = time.perf_counter() + BESIDE_SECONDS
    strokes: list[float] = []
    while time.perf_counter() < end:
        strokes.append(_stroke(terminal, "jk"[len(strokes) // 10 % 2]).shown)
    return f"{_times(strokes)}, at most {1000 * max(strokes):.0f} ms"
