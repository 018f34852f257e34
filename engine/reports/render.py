"""A report in the format that was asked for."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Literal, TypeAlias

from rich.console import Console

from engine.errors import UsageError
from engine.reports.build import build_report
from engine.reports.junit import report_junit
from engine.reports.markdown import report_markdown
from engine.reports.text import print_report
from engine.reports.tidy import report_csv
from engine.text import without_ends

if TYPE_CHECKING:
    from engine.reports.model import AnyReport
    from engine.verdicts.store import Store
    from engine.verdicts.tables import Grader

Format: TypeAlias = Literal["text", "json", "csv", "markdown", "html", "junit"]
FORMATS: tuple[Format, ...] = ("text", "json", "csv", "markdown", "html", "junit")
COMPARING: tuple[Format, ...] = ("text", "json", "markdown", "html")
"""The formats that have a place for a comparison."""


def report(
    store: Store,
    *,
    format: Format = "text",  # noqa: A002 - the option's name
    grader: Grader = "verdict",
    console: Console | None = None,
    reference: Store | None = None,
) -> str:
    """Return the report of a campaign.

    Parameters
    ----------
    store
        Open in any mode; also while another program writes it.
    format
        One of `FORMATS`; ``json`` follows schema 1, `model.Report`.
    grader
        ``verdict`` (share of passes) or ``score`` (mean score), named in the report.
    console
        Whose width and colours the text follows; 80 columns without colours by default.
    reference
        Another campaign, to be compared with.
    """
    if format == "junit":
        return junit_of(store, grader, reference)
    return rendered(build_report(store, grader=grader, reference=reference), format, console=console)


def rendered(built: AnyReport, format: Format, *, console: Console | None = None) -> str:  # noqa: A002 - as above
    """Return a report in a format; raises UsageError where the format has no place for it."""
    if built.kind == "campaign" and built.comparison is not None and format == "csv":
        raise UsageError("csv has no place for a comparison", where="--format", hint=f"use {_listed(COMPARING)}")
    match format:
        case "text":
            return report_text(built) if console is None else _captured(built, console)
        case "json":
            return report_json(built)
        case "csv":
            return report_csv(built)
        case "markdown":
            return report_markdown(built)
        case "html":
            from engine.reports.page import report_html  # noqa: PLC0415 - only pages need templates

            return report_html(built)
        case "junit":
            raise UsageError("junit needs a campaign: a table of cells has no test cases", where="--format")


def junit_of(store: Store, grader: Grader, reference: Store | None) -> str:
    """Return a campaign as JUnit XML; raises UsageError for what it has no place for."""
    if grader != "verdict":
        raise UsageError(f"junit tells passes from failures, not the grader {grader!r}", where="--grader")
    if reference is not None:
        raise UsageError("junit has no place for a comparison", where="--format", hint=f"use {_listed(COMPARING)}")
    return report_junit(store)


def report_json(built: AnyReport) -> str:
    """Return a report as JSON text; everything but ASCII is escaped, so that no terminal reads it as anything else."""
    return json.dumps(built.model_dump(mode="json", by_alias=True), indent=1, allow_nan=False) + "\n"


def report_text(built: AnyReport, *, width: int = 80, brief: bool = False) -> str:
    """Return a report as text without colours."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, color_system=None, force_terminal=False, legacy_windows=False)
    print_report(built, console, brief=brief)
    return without_ends(stream.getvalue())


def _captured(built: AnyReport, console: Console) -> str:
    with console.capture() as captured:
        print_report(built, console)
    return captured.get() if console.is_terminal else without_ends(captured.get())


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
