"""A report for people: tables that fit 80 columns, with and without colours.

Everything is printed as `Text` or in tables of it: nothing that a model, an endpoint or a file says is read as markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from engine.figures import counted
from engine.reports.details import details
from engine.reports.layout import ANSWERS, beside, fitted, shown, stacked, wrapped
from engine.reports.results import research, verdicts
from engine.reports.words import questions_words
from engine.text import plain

if TYPE_CHECKING:
    from rich.console import Console

    from engine.reports.model import AnyReport, Report
    from engine.reports.sections import Cell, Section

_STYLES = {"good": "green", "bad": "red", "warn": "yellow"}
_FLIPS = 20
"""Cases that changed: the terminal shows the first, other formats all."""


def print_report(report: AnyReport, console: Console, *, brief: bool = False) -> None:
    """Print a report to a console, in its width and with the colours that it has.

    Parameters
    ----------
    brief
        Only verdicts and research questions, as after a run.
    """
    console.print(Text(f"{plain(report.file)}, {report.methods.grader}"))
    if report.kind == "cells":
        for section in research(report):
            _print(section, console)
        return
    console.print(_heading(report))
    if not report.table:
        console.print(Text("No question has been asked yet."))
    _print(verdicts(report), console, titled=False)
    for section in research(report):
        _print(section, console)
    for section in [] if brief else details(report, flips=_FLIPS):
        _print(section, console)


def _heading(report: Report) -> Text:
    lines = [f"difficulty: {plain(report.methods.difficulty)} formulas"]
    if report.methods.tolerance is not None:
        lines.append(f"satisfy passes within {plain(report.methods.tolerance)} of V")
    if report.run is not None:
        run = report.run
        if run.plan.get("policy"):
            lines.append(f"about the policy {plain(str(run.plan['policy']))}")
        far = report.questions
        state = questions_words(far.answered, far.total, far.kept)
        if run.ended is None:
            state += "; the last run is not over, or was cut off"
        lines.append(state + _going_on(report, far.total - far.answered))
    elif report.questions.kept:
        lines.append(f"no run; {counted(report.questions.kept, 'answer')} kept by hand")
    for model in report.models:
        constants = ", ".join(f"{name}={value}" for name, value in model.constants.items())
        parts = [model.model, f"{model.states:,} states", model.mode, model.objective, constants]
        lines.append(plain(", ".join(part for part in parts if part)))
    return Text("\n".join(lines) + "\n")


def _going_on(report: Report, missing: int) -> str:
    """Return how the questions without an answer get one: those that have failed are only asked again on request."""
    if missing <= 0:
        return ""
    failed = min(missing, sum(row.questions for row in report.errors))
    if not failed:
        return "; the same command goes on"
    again = f"{failed} ended in an error, which the same command asks again with --retry-errors"
    return f"; {again}" if failed == missing else f"; the same command goes on, but {again}"


def _print(section: Section, console: Console, *, titled: bool = True) -> None:
    if titled:
        console.print(Text(plain(section.title), "bold"))
    if section.rows:
        section, widths = fitted(section, console.width)
        for part in [section] if widths else beside(section, console.width):
            console.print(_table(part, widths or fitted(part, console.width)[1]))
    console.print(Text("\n".join(plain(note) for note in section.notes) + "\n", "dim"))


def _table(section: Section, widths: tuple[int, ...]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False, header_style="bold")
    for place, heading in enumerate(section.columns):
        words = place < section.words and heading != ANSWERS
        own = widths[place] if widths else None
        table.add_column(
            Text(wrapped(heading, own) if words and own else heading),
            width=own,
            justify="left" if words or heading == ANSWERS else "right",
            overflow="fold" if words else "ellipsis",
            no_wrap=not words,
        )
    for place, row in enumerate(section.rows):
        strong = place in section.strong
        table.add_row(
            *(
                _text(cell, table.columns[at].width, words=at < section.words, strong=strong)
                for at, cell in enumerate(row)
            )
        )
    return table


def _text(cell: Cell, width: int | None, *, words: bool, strong: bool) -> Text:
    text = shown(cell.text) if words else stacked(cell.text)
    return Text(wrapped(text, width) if words and width else text, _STYLES.get(cell.tone, "bold" if strong else ""))
