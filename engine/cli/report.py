"""``stormscope report``: the tables of a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.common import JsonOption, guarded
from engine.errors import UsageError

if TYPE_CHECKING:
    from engine.verdicts.tables import Grader

FORMATS = ("text", "json")
GRADERS = ("verdict", "score")


def report(
    file: Annotated[Path, typer.Argument(help="A campaign's file.", show_default=False)],
    format_: Annotated[str, typer.Option("--format", help="text or json.", metavar="F")] = "text",
    grader: Annotated[str, typer.Option("--grader", help="verdict or score.", metavar="G")] = "verdict",
    json: JsonOption = False,
) -> None:
    """Print the tables of a campaign: verdicts, RQ1 to RQ3."""

    def command() -> None:
        chosen = "json" if json else format_
        if chosen not in FORMATS:
            raise UsageError(f"there is no format {chosen!r}", where="--format", hint=f"use {' or '.join(FORMATS)}")
        print_report(file, grader, json=chosen == "json")

    guarded(command)


def read_grader(text: str) -> Grader:
    """Return the grader of that name; raises UsageError."""
    match text:
        case "verdict" | "score":
            return text
        case _:
            hint = f"use {' or '.join(GRADERS)}"
            raise UsageError(f"there is no grader {text!r}", where="--grader", hint=hint)


def print_report(file: Path, grader: str, *, json: bool) -> None:
    """Print a campaign's report on standard output."""
    from engine.cli.common import console  # noqa: PLC0415  # commands load what they need
    from engine.verdicts import report as reports  # noqa: PLC0415
    from engine.verdicts.store import Store  # noqa: PLC0415

    chosen = read_grader(grader)
    with Store(file, write=False) as store:
        if json:
            typer.echo(reports.report(store, format="json", grader=chosen), nl=False)
        else:
            typer.echo(reports.report(store, grader=chosen, console=console()), nl=False)
