"""``stormscope report``: the tables of a campaign, or of cells that were made elsewhere."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.common import JsonOption, guarded, say
from engine.errors import UsageError

if TYPE_CHECKING:
    from engine.reports.render import Format
    from engine.verdicts.tables import Grader

FORMATS = ("text", "json", "csv", "markdown", "html", "junit")
GRADERS = ("verdict", "score")


def report(
    file: Annotated[Path | None, typer.Argument(help="A campaign's file.", show_default=False)] = None,
    format_: Annotated[str, typer.Option("--format", help=f"{', '.join(FORMATS)}.", metavar="F")] = "text",
    grader: Annotated[str, typer.Option("--grader", help="verdict or score.", metavar="G")] = "verdict",
    compare: Annotated[
        Path | None,
        typer.Option("--compare", help="An earlier campaign: what is better now, and worse.", metavar="FILE"),
    ] = None,
    cells: Annotated[
        Path | None,
        typer.Option("--cells", help="CSV: environment,explainer,category,prioritized,random.", metavar="FILE"),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write to a file.", metavar="FILE")] = None,
    json: JsonOption = False,
) -> None:
    """Print the tables of a campaign: verdicts, RQ1 to RQ3, the difficulty audit, cost.

    With --cells the research questions of a table of cells instead.
    """

    def command() -> None:
        chosen = _format("json" if json else format_)
        _check(file, compare, cells, out)
        if cells is not None:
            text = _cells(cells, chosen, to_file=out is not None)
        else:
            text = _campaign(file, chosen, read_grader(grader), compare, to_file=out is not None)
        if out is None:
            typer.echo(text, nl=False)
        else:
            _write(out, text)
            say(f"the report is in {out}")

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
    """Print a campaign's verdicts and research questions, or its whole report as JSON, on standard output."""
    from engine.cli.common import console  # noqa: PLC0415  # commands load what they need
    from engine.reports.build import build_report  # noqa: PLC0415  # as above
    from engine.reports.render import report_json  # noqa: PLC0415  # as above
    from engine.reports.text import print_report as print_text  # noqa: PLC0415  # as above
    from engine.verdicts.store import Store  # noqa: PLC0415  # as above

    with Store(file, write=False) as store:
        built = build_report(store, grader=read_grader(grader))
    if json:
        typer.echo(report_json(built), nl=False)
    else:
        print_text(built, console(), brief=True)


def _format(text: str) -> Format:
    match text:
        case "text" | "json" | "csv" | "markdown" | "html" | "junit":
            return text
        case _:
            raise UsageError(f"there is no format {text!r}", where="--format", hint=f"use one of: {', '.join(FORMATS)}")


def _check(file: Path | None, compare: Path | None, cells: Path | None, out: Path | None) -> None:
    """Refuse what makes no sense together; raises UsageError."""
    if file is None and cells is None:
        raise UsageError("there is nothing to report", hint="give a campaign's file, or --cells FILE.csv")
    if cells is not None and (file is not None or compare is not None):
        raise UsageError("a table of cells is reported alone", where="--cells", hint="leave the campaign's file out")
    for source in (file, compare, cells):
        if out is not None and source is not None and out.exists() and source.exists() and out.samefile(source):
            raise UsageError("the report would overwrite what it is made from", where="--out", hint="name another file")


def _campaign(file: Path | None, form: Format, grader: Grader, compare: Path | None, *, to_file: bool) -> str:
    from engine.cli.common import console  # noqa: PLC0415  # commands load what they need
    from engine.reports.render import report as render  # noqa: PLC0415  # as above
    from engine.verdicts.store import Store  # noqa: PLC0415  # as above

    with ExitStack() as stack:
        store = stack.enter_context(Store(file or Path(), write=False))
        reference = None if compare is None else stack.enter_context(Store(compare, write=False))
        return render(store, format=form, grader=grader, console=None if to_file else console(), reference=reference)


def _cells(cells: Path, form: Format, *, to_file: bool) -> str:
    from engine.cli.common import console  # noqa: PLC0415  # commands load what they need
    from engine.reports.questions import cells_report  # noqa: PLC0415  # as above
    from engine.reports.render import rendered  # noqa: PLC0415  # as above

    return rendered(cells_report(cells), form, console=None if to_file else console())


def _write(out: Path, text: str) -> None:
    """Write a whole file or none: a report that was cut off must not look like one."""
    partial = ""
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=out.parent, prefix=f".{out.name}-", delete=False
        ) as stream:
            partial = stream.name
            stream.write(text)
        mask = os.umask(0)
        os.umask(mask)
        Path(partial).chmod(0o666 & ~mask)
        Path(partial).replace(out)
    except OSError as error:
        if partial:
            Path(partial).unlink(missing_ok=True)
        raise UsageError(f"the report cannot be written: {error.strerror}", where=str(out)) from None
