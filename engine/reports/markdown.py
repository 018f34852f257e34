"""A report as Markdown, for a paper's repository or a README: GitHub's tables, nothing that a name could break."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.reports.details import details
from engine.reports.results import research, verdicts
from engine.reports.words import questions_words
from engine.text import plain

if TYPE_CHECKING:
    from engine.reports.model import AnyReport
    from engine.reports.sections import Cell, Section

_FLIPS = 1000
_ACTIVE = re.compile(r"([\\`*_\[\]<>|~$#])")


def report_markdown(report: AnyReport) -> str:
    """Return a report as Markdown."""
    lines = [f"# {safe(report.file)}", "", f"- grader: {safe(report.methods.grader)}"]
    lines.append(f"- difficulty: {safe(report.methods.difficulty)}")
    if report.kind == "cells":
        return "\n".join([*lines, "", *_sections(research(report))])
    if report.methods.tolerance is not None:
        lines.append(f"- satisfy passes within {safe(report.methods.tolerance)} of V")
    if report.run is not None and report.run.plan.get("policy"):
        lines.append(f"- about the policy {safe(str(report.run.plan['policy']))}")
    if report.run is not None:
        far = report.questions
        lines.append(f"- {questions_words(far.answered, far.total, far.kept)}")
    for model in report.models:
        parts = [f"{model.states:,} states", model.mode, safe(model.objective)]
        lines.append(f"- model {safe(model.model)}: {', '.join(parts)}")
    if not report.table:
        lines += ["", "No question has been asked yet."]
    return "\n".join([*lines, "", *_sections([verdicts(report), *research(report), *details(report, flips=_FLIPS)])])


def safe(text: str) -> str:
    """Return a text on one line in which nothing is markup, a link, a mention or an entity."""
    escaped = _ACTIVE.sub(r"\\\1", plain(text).replace("&", "&amp;"))
    return escaped.replace("@", "&#64;").replace("://", ":&#47;&#47;").replace("www.", "www&#46;")


def _sections(sections: list[Section]) -> list[str]:
    return [line for section in sections for line in _section(section)]


def _section(section: Section) -> list[str]:
    lines = [f"## {safe(section.title)}", ""]
    if section.rows:
        marks = ["---" if place < section.words or heading == "answers" else "---:"
                 for place, heading in enumerate(section.columns)]  # fmt: skip
        lines += [_line([safe(heading) for heading in section.columns]), _line(marks)]
        lines += [_line(_cells(row, strong=place in section.strong)) for place, row in enumerate(section.rows)]
        lines.append("")
    return [*lines, *(f"- {safe(note)}" for note in section.notes), ""]


def _cells(row: tuple[Cell, ...], *, strong: bool) -> list[str]:
    first, *rest = (safe(cell.text.strip()) for cell in row)
    # An indented row belongs to the bold one above it.
    indent = "&nbsp;&nbsp;" if row[0].text.startswith(" ") else ""
    return [f"**{first}**" if strong and first else indent + first, *rest]


def _line(texts: list[str]) -> str:
    return f"| {' | '.join(texts)} |"
