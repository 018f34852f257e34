"""A report as lines of a known width, its tables coloured by the theme. Knows nothing of Textual's widgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from engine.reports.details import details
from engine.reports.results import research, verdicts
from engine.reports.words import questions_words
from tui.text import clean, shorten

if TYPE_CHECKING:
    from engine.reports.model import Report
    from engine.reports.sections import Section

TONES = {"good": "$pass", "bad": "$fail", "warn": "$warning"}
FLIPS = 20
ANSWERS = 16
"""Characters of the most frequent answer and its share."""
LEAST = 8
"""Characters that a column of words keeps where the table does not fit."""


def report_lines(report: Report, width: int) -> tuple[list[Content], list[int]]:
    """Return a report's lines, and where its tables begin."""
    lines = [Content.styled(clean(f"{report.file}, grader: {report.methods.grader}"), "bold"), *_heading(report)]
    starts: list[int] = []
    sections = [verdicts(report), *research(report), *details(report, flips=FLIPS)]
    for section in sections:
        lines.append(Content(""))
        starts.append(len(lines))
        lines += section_lines(section, width)
    if not report.table:
        lines += [Content(""), Content("No question has been asked yet.")]
    return lines, starts


def _heading(report: Report) -> list[Content]:
    lines = [f"difficulty: {', '.join(report.difficulty)} formulas"]
    if report.run is not None:
        cut = "" if report.run.ended is not None else "; the last run is not over, or was cut off"
        far = report.questions
        lines.append(questions_words(far.answered, far.total, far.kept) + cut)
    lines += [f"{model.model}: {model.states:,} states, {model.mode}, {model.objective}" for model in report.models]
    return [Content.styled(clean(line), "$text-muted") for line in lines]


def section_lines(section: Section, width: int) -> list[Content]:
    """Return a table under its title, with its notes."""
    widths = _widths(section, width)
    gap = "  " if sum(widths) + 2 * (len(widths) - 1) <= width else " "
    left = [place < section.words or title == "answers" for place, title in enumerate(section.columns)]
    lines = [Content.styled(clean(section.title), "bold $primary")]
    if section.rows:
        titles = map(_fitted, section.columns, widths, left)
        lines.append(Content.styled(gap.join(titles), "$text-muted"))
    for place, row in enumerate(section.rows):
        texts = map(_fitted, [cell.text for cell in row], widths, left)
        strong = "bold" if place in section.strong else ""
        styles = [TONES.get(cell.tone, strong) for cell in row]
        parts = [Content.styled(text, style) for text, style in zip(texts, styles, strict=True)]
        lines.append(Content(gap).join(parts))
    for note in section.notes:
        lines += [Content.styled(text.plain, "dim") for text in Content(clean(note)).wrap(max(width, 20))]
    return lines


def _fitted(text: str, room: int, left: bool) -> str:  # noqa: FBT001 - mapped over three columns
    shown = shorten(clean(text), room)
    return f"{shown:<{room}}" if left else f"{shown:>{room}}"


def _widths(section: Section, width: int) -> list[int]:
    """Return the columns' widths; where the table is too wide, words give way."""
    columns = zip(section.columns, *([cell.text for cell in row] for row in section.rows), strict=True)
    widths = [max(len(clean(text)) for text in column) for column in columns]
    widths = [
        min(room, ANSWERS) if name == "answers" else room for name, room in zip(section.columns, widths, strict=True)
    ]
    while sum(widths) + len(widths) - 1 > width:
        words = [place for place in range(len(widths)) if place < section.words or section.columns[place] == "answers"]
        widest = max(words, key=lambda place: widths[place], default=None)
        if widest is None or widths[widest] <= LEAST:
            break
        widths[widest] -= 1
    return widths
