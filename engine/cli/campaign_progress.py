"""Progress of a campaign on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING, Protocol

from engine.campaign import Answered, Planned, Waiting
from engine.cli.common import say
from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, TaskID

    from engine.campaign import Event, Plan

_EVERY = 10.0
"""Seconds between lines where there is no terminal."""


class ProgressLines(Protocol):
    """Shows events and says sentences."""

    def show(self, event: Event) -> None:
        """Show an event."""

    def say(self, text: str) -> None:
        """Print one sentence."""


@contextlib.contextmanager
def progress_for(plan: Plan) -> Iterator[ProgressLines]:
    """Yield the progress that fits standard error."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    from engine.cli.common import console  # noqa: PLC0415  # only on a terminal

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bars:
        yield _Bars(bars, plan)


class _Lines:
    """A line every ten seconds, as a log wants it."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def show(self, event: Event) -> None:
        match event:
            case Planned(total=total, done=done):
                self.say(f"{total} questions" + (f", {done} answered before" if done else ""))
            case Waiting(explainer=explainer, why=why):
                self.say(f"{explainer}: {why}")
            case Answered(done=done, total=total) if time.monotonic() - self._last >= _EVERY:
                self._last = time.monotonic()
                left = f", {event.eta:.0f} s left" if event.eta is not None else ""
                self.say(f"{done} of {total}, {event.rate:.1f} a second{left}")
            case _:
                pass

    def say(self, text: str) -> None:
        say(plain(text))


class _Bars:
    """One bar for each explainer."""

    def __init__(self, bars: Progress, plan: Plan) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {
            name: bars.add_task(plain(name, limit=24), total=None) for name in plan.explainers
        }

    def show(self, event: Event) -> None:
        match event:
            case Planned():
                for name, task in self._tasks.items():
                    total = sum(count for cell, count in event.cells.items() if cell.explainer == name)
                    done = sum(count for cell, count in event.cells_done.items() if cell.explainer == name)
                    self._bars.update(task, total=total, completed=done)
            case Answered():
                self._bars.advance(self._tasks[event.cell.explainer], len(event.cells))
            case Waiting(explainer=explainer, why=why):
                self.say(f"{explainer}: {why}")
            case _:
                pass

    def say(self, text: str) -> None:
        self._bars.console.print(plain(text))
