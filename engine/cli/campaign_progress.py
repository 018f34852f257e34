"""Progress of a campaign on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from engine.campaign import Answered, ExplainerFailed, Planned, Waiting
from engine.campaign.spent import costs_text
from engine.cli.common import say
from engine.cli.waits import Waits
from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.progress import Progress, TaskID

    from engine.campaign import Cell, Event, Plan, Spent

_EVERY = 10.0
"""Seconds between lines where there is no terminal."""
_SHORT_WAIT = 10.0
"""Seconds below which a wait is told with a tenth."""
_THOUSAND, _MILLION = 1_000, 1_000_000


class ProgressLines(Protocol):
    """Shows events and says sentences."""

    def show(self, event: Event) -> None:
        """Show an event."""

    def say(self, text: str) -> None:
        """Print one sentence."""


@contextlib.contextmanager
def progress_for(plan: Plan) -> Iterator[ProgressLines]:
    """Yield the progress that fits standard error."""
    waits = Waits()
    if not sys.stderr.isatty():
        lines = _Lines(waits)
        yield lines
        for total in waits.totals():
            lines.say(total)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    from engine.cli.common import console  # noqa: PLC0415  # only on a terminal

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[details]}", markup=False),
    )
    with Progress(*columns, console=console(stderr=True), transient=True, expand=True) as bars:
        yield _Bars(bars, plan, waits)
    for total in waits.totals():
        say(plain(total))


def plan_notes(planned: Planned) -> list[str]:
    """Return what a user should know of a grid: what was left out and why, and what is smaller than asked for."""
    notes = [f"{model}, {category} is left out: {why}" for (model, category), why in planned.omitted.items()]
    notes += [
        f"{model}, {category} ({strategy}) has only {count:,} candidates: all are used"
        for (model, category, strategy), count in planned.short.items()
    ]
    if planned.skipped:
        notes.append(f"{planned.skipped} questions that failed before are not asked again; --retry-errors does that")
    return notes


def waiting_text(event: Waiting) -> str:
    """Return a wait as a sentence: which endpoint, how long, why."""
    how_long = "" if event.seconds is None else f" waits {_for(event.seconds)}"
    return f"{event.explainer}{how_long}: {event.why}"


def _for(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds >= _SHORT_WAIT else f"{seconds:.1f} s"


def spent_text(spent: Spent, *, brief: bool = False) -> str:
    """Return tokens and cost, as far as they are known; `brief` as in `costs_text`."""
    parts = []
    if spent.tokens_in is not None or spent.tokens_out is not None:
        parts.append(f"{_short(spent.tokens_in)} in, {_short(spent.tokens_out)} out")
    return ", ".join(part for part in (*parts, costs_text(spent.costs, brief=brief)) if part)


def _short(count: int | None) -> str:
    if count is None:
        return "?"
    if count < _THOUSAND:
        return str(count)
    return f"{count / _THOUSAND:.1f}k" if count < _MILLION else f"{count / _MILLION:.2f}M"


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left" if hours else f"{minutes}:{rest:02} left"


class _Cells:
    """How many cells of the grid have all their answers."""

    def __init__(self, totals: Mapping[Cell, int], done: Mapping[Cell, int]) -> None:
        self._totals = totals
        self._done = Counter(done)

    def count(self, event: Answered) -> None:
        """Count an answer."""
        if event.verdict.outcome.value != "error":
            self._done.update(event.cells)

    def text(self, explainer: str | None = None) -> str:
        """Return how many cells are complete, of one explainer or of all."""
        cells = [cell for cell in self._totals if explainer in {None, cell.explainer}]
        complete = sum(self._done[cell] >= self._totals[cell] for cell in cells)
        return f"{complete:,}/{len(cells):,} cells"


class _Lines:
    """A line every ten seconds, as a log wants it."""

    def __init__(self, waits: Waits) -> None:
        self._waits = waits
        self._last = time.monotonic()
        self._cells = _Cells({}, {})

    def show(self, event: Event) -> None:
        match event:
            case Planned(total=total, done=done):
                self._cells = _Cells(event.cells, event.cells_done)
                self.say(f"{total:,} questions" + (f", {done:,} answered before" if done else ""))
                for note in plan_notes(event):
                    self.say(note)
            case Waiting():
                if self._waits.count(event):
                    self.say(waiting_text(event))
            case ExplainerFailed(explainer=explainer, error=error):
                self.say(f"{explainer}: {error}")
            case Answered():
                self._cells.count(event)
                if time.monotonic() - self._last >= _EVERY:
                    self._last = time.monotonic()
                    self._say_progress(event)
            case _:
                pass

    def _say_progress(self, event: Answered) -> None:
        parts = [
            f"{event.done:,} of {event.total:,}",
            self._cells.text(),
            f"{event.rate:.1f} a second",
            _left(event.eta),
        ]
        spent = spent_text(event.spent)
        told = f"{event.cell.explainer}: {spent}" if spent else ""
        self.say(", ".join(part for part in (*parts, told) if part))

    def say(self, text: str) -> None:
        say(plain(text))


class _Bars:
    """One bar for each explainer."""

    def __init__(self, bars: Progress, plan: Plan, waits: Waits) -> None:
        self._waits = waits
        self._bars = bars
        self._cells = _Cells({}, {})
        self._tasks: dict[str, TaskID] = {
            name: bars.add_task(plain(name, limit=24), total=None, details="") for name in plan.explainers
        }

    def show(self, event: Event) -> None:
        match event:
            case Planned():
                self._cells = _Cells(event.cells, event.cells_done)
                for name, task in self._tasks.items():
                    total = sum(count for cell, count in event.cells.items() if cell.explainer == name)
                    done = sum(count for cell, count in event.cells_done.items() if cell.explainer == name)
                    self._bars.update(task, total=total, completed=done, details=self._cells.text(name))
                for note in plan_notes(event):
                    self.say(note)
            case Answered():
                self._cells.count(event)
                self._advance(event)
            case Waiting():
                self._wait(event)
            case ExplainerFailed(explainer=explainer, error=error):
                self.say(f"{explainer}: {error}")
            case _:
                pass

    def _advance(self, event: Answered) -> None:
        name = event.cell.explainer
        parts = [self._cells.text(name), f"{event.rate:.1f}/s", _left(event.eta), spent_text(event.spent, brief=True)]
        steps = 0 if event.verdict.outcome.value == "error" else len(event.cells)
        self._bars.update(self._tasks[name], advance=steps, details=", ".join(part for part in parts if part))

    def _wait(self, event: Waiting) -> None:
        """Show a wait where the explainer's figures are, until its next answer; one with a new reason is a line too."""
        if self._waits.count(event):
            self.say(waiting_text(event))
        if event.seconds is not None and event.explainer in self._tasks:
            text = f"waits {_for(event.seconds)}: {event.why}"
            self._bars.update(self._tasks[event.explainer], details=plain(text, limit=60))

    def say(self, text: str) -> None:
        self._bars.console.print(plain(text))
