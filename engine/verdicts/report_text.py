"""A report for people: tables that fit 80 columns, with and without colours.

Everything is printed as `Text` or in tables of it: nothing that a model, an endpoint or a file says is read as markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from engine.verdicts.report_model import Figures, MeanRow, Report

_HEADINGS = ("95 %", "n", "chance", "pass", "fail", "inv", "und", "err")
_ANSWERS_WIDTH = 12


def print_report(report: Report, console: Console) -> None:
    """Print a report to a console, in its width and with the colours that it has."""
    parts: list[Text | Table] = [_heading(report), _verdicts(report), _notes(report)]
    if report.rq1:
        parts += [_paired(report), _note(f"p: {report.methods.rq1}")]
    if len(report.models) > 1 or report.rq1:
        parts += [
            _means("RQ2: mean over categories, then over models", *_explainer_means(report)),
            _note(f"95 %: {report.methods.mean_interval}"),
            _means("RQ3: mean over models, explainers and strategies", *_category_means(report)),
        ]
    for part in parts:
        console.print(part)


def percent(share: float | None) -> str:
    """Return a share as whole per cents; only 0 and 1 themselves are 0 % and 100 %."""
    if share is None:
        return "-"
    rounded = round(share * 100)
    if rounded == 0 and share > 0:
        return "<1%"
    if rounded == 100 and share < 1:  # noqa: PLR2004 - per cents
        return ">99%"
    return f"{rounded}%"


def interval(lower: float | None, upper: float | None) -> str:
    """Return an interval as whole per cents."""
    return "-" if lower is None or upper is None else f"{lower * 100:.0f}–{upper * 100:.0f}"


def answers_text(figures: Figures) -> str:
    """Return how varied the answers are: ``always up``, or how many there are and the most frequent one's share."""
    if figures.top is None:
        return "-"
    if figures.different == 1:
        return plain(f"always {figures.top}", limit=_ANSWERS_WIDTH)
    start = f"{figures.different}, {percent(figures.top_share)} "
    return start + plain(figures.top, limit=max(_ANSWERS_WIDTH - len(start), 2))


def _table(first: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column(Text(first), overflow="fold")
    return table


def _heading(report: Report) -> Text:
    lines = [f"{plain(report.file)}, {report.methods.grader}"]
    if report.run is not None:
        run = report.run
        state = f"{run.done} of {run.total} questions of the last run are answered"
        if run.ended is None:
            state = f"the last run ({run.total} questions) is not over, or was cut off"
        lines.append(state + ("" if run.done == run.total else "; the same command goes on"))
    for model in report.models:
        constants = ", ".join(f"{name}={value}" for name, value in model.constants.items())
        parts = [model.model, f"{model.states} states", model.mode, model.objective, constants]
        lines.append(plain(", ".join(part for part in parts if part)))
    return Text("\n".join(lines) + "\n")


def _verdicts(report: Report) -> Table | Text:
    if not report.table:
        return Text("No question has been asked yet.\n")
    table = _table("explainer, category")
    value = "rate" if report.grader == "verdict" else "score"
    for heading in (value, *_HEADINGS):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    table.add_column(Text("answers"), no_wrap=True, overflow="ellipsis")
    for explainer in report.explainers:
        name = plain(explainer.explainer) + (" (baseline)" if explainer.baseline else "")
        table.add_row(Text(name, "bold"), *_cells(explainer))
        for row in report.table:
            if row.explainer == explainer.explainer:
                table.add_row(Text(f" {plain(row.category)}"), *_cells(row), Text(answers_text(row)))
    return table


def _cells(figures: Figures) -> list[Text]:
    return [
        Text(percent(figures.value), _style(figures)),
        Text(interval(figures.lower, figures.upper) if figures.n else "-"),
        Text(str(figures.n)),
        Text(percent(figures.chance)),
        Text(str(figures.passed)),
        Text(str(figures.failed)),
        Text(str(figures.invalid), "yellow" if figures.invalid else ""),
        Text(str(figures.undecided), "yellow" if figures.undecided else ""),
        Text(str(figures.errors), "red" if figures.errors else ""),
    ]


def _style(figures: Figures) -> str:
    """Colour what differs from chance; the interval beside it says the same without colours."""
    if figures.chance is None or figures.n == 0:
        return ""
    if figures.lower > figures.chance:
        return "green"
    return "red" if figures.upper < figures.chance else ""


def _notes(report: Report) -> Text:
    value = (
        "rate: the share of answers that pass"
        if report.grader == "verdict"
        else "score: the mean in [0, 1], as per cents"
    )
    lines = [
        "",
        f"{value}; inv counts as not passed",
        "und: answers that the oracle's enclosures do not decide; und and err never count",
        f"95 %: {report.methods.interval}",
        "chance: what uniformly drawn answers get on average",
        "answers: how many different ones, and the share of the most frequent",
    ]
    lines += [f"omitted: {plain(f'{row.model}, {row.category}: {row.reason}')}" for row in report.omitted]
    return Text("\n".join(lines) + "\n", "dim")


def _paired(report: Report) -> Table:
    table = _table("RQ1: prioritized < random")
    for heading in ("cells", "lower", "higher", "tied", "W", "p"):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    for row in report.rq1:
        statistic = "-" if row.statistic is None else f"{row.statistic:g}"
        p = "-" if row.p is None else f"{row.p:.4f}"
        cells = (str(row.n), str(row.lower), str(row.higher), str(row.tied), statistic, p)
        table.add_row(Text(plain(row.group)), *(Text(cell) for cell in cells))
    return table


def _note(text: str) -> Text:
    return Text(f"\n{text}\n", "dim")


def _explainer_means(report: Report) -> tuple[list[str], Sequence[MeanRow]]:
    return [f"{row.explainer}, {row.strategy}" for row in report.rq2], report.rq2


def _category_means(report: Report) -> tuple[list[str], Sequence[MeanRow]]:
    return [row.category for row in report.rq3], report.rq3


def _means(title: str, names: Sequence[str], rows: Sequence[MeanRow]) -> Table:
    table = _table(title)
    for heading in ("score", "95 %", "cells"):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    for name, row in zip(names, rows, strict=True):
        cells = (f"{row.value:.3f}", interval(row.lower, row.upper), str(row.cells))
        table.add_row(Text(plain(name)), *(Text(cell) for cell in cells))
    return table
