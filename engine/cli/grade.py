"""``stormscope grade``: grade a campaign's answers again, or answers that came from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.common import JsonOption, guarded, print_json, say
from engine.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.verdicts.elsewhere import GradedAnswer, GradedFile
    from engine.verdicts.records import ModelRecord
    from engine.verdicts.regrading import Regraded

SHOWN = 20
"""Lines that could not be used and are named one by one; ``--json`` has all."""


def grade(
    file: Annotated[
        Path,
        typer.Argument(
            help='A campaign, or answers from elsewhere: a JSONL file with {"case": ID, "answer": …} on each line.',
            show_default=False,
        ),
    ],
    cases: Annotated[
        list[Path] | None,
        typer.Option("--cases", help="What the answers are about: `cases --json`, or a campaign.", metavar="FILE"),
    ] = None,
    explainer: Annotated[
        str | None, typer.Option("--explainer", help="Who answered, where a line does not say.", metavar="NAME")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="A campaign that the answers are added to, for reports.", metavar="CAMPAIGN"),
    ] = None,
    tolerance: Annotated[
        str | None, typer.Option("--tolerance", help="Another tolerance for satisfy in a campaign.", metavar="X")
    ] = None,
    export_failures: Annotated[
        Path | None,
        typer.Option("--export-failures", help="Write a campaign's failed cases in chat format.", metavar="FILE.jsonl"),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Grade answers without asking anything: those of a campaign again, or those of a file."""

    def command() -> None:
        from engine.verdicts.database import is_sqlite  # noqa: PLC0415  # commands load what they need

        if not file.is_file():
            raise UsageError("there is no such file", where=str(file), hint="give a campaign or a file of answers")
        if is_sqlite(file):
            _refuse("a campaign is graded", {"--cases": cases, "--explainer": explainer, "--out": out})
            _regrade(file, tolerance, export_failures, json=json)
        else:
            _refuse("answers are graded", {"--tolerance": tolerance, "--export-failures": export_failures})
            _grade(file, cases or (), explainer or file.stem, out, json=json)

    guarded(command)


def _refuse(doing: str, options: Mapping[str, object]) -> None:
    given = next((name for name, value in options.items() if value), None)
    if given is not None:
        raise UsageError(f"{given} has no meaning where {doing}", hint="leave it out")


def _regrade(file: Path, tolerance: str | None, failures: Path | None, *, json: bool) -> None:
    from engine.queries.setting import read_tolerance  # noqa: PLC0415  # as above
    from engine.verdicts.failures import export_failures  # noqa: PLC0415
    from engine.verdicts.regrading import regrade  # noqa: PLC0415
    from engine.verdicts.store import Store  # noqa: PLC0415

    wanted = None if tolerance is None else read_tolerance(tolerance)
    with Store(file, write=True) as store:
        done = regrade(store, tolerance=wanted, synonyms=_installed_synonyms)
        written = None if failures is None else export_failures(store, failures)
    if json:
        changed = [{"before": a, "after": b, "count": n} for (a, b), n in done.changed.items()]
        print_json(
            {
                "file": str(file),
                "answers": done.answers,
                "changed": changed,
                "rescored": done.rescored,
                "failed": done.failed,
                "tolerance": done.tolerance,
                "failures_exported": written,
            }
        )
    else:
        _print_regraded(done)
    if written is not None:
        say(f"{written} failed cases are in {failures}")


def _installed_synonyms(model: ModelRecord) -> Mapping[str, Sequence[str]]:
    """Return the synonyms of the environment of that name, for campaigns that did not store them."""
    from engine.mdp.environment import load_environment  # noqa: PLC0415  # as above
    from engine.mdp.sources import known_environments  # noqa: PLC0415

    found = known_environments().get(model.environment)
    return {} if found is None else load_environment(found).synonyms


def _print_regraded(done: Regraded) -> None:
    typer.echo(f"{done.answers:,} answers graded again, {sum(done.changed.values()):,} with another verdict")
    for (before, after), count in sorted(done.changed.items()):
        typer.echo(f"  {before} → {after}: {count}")
    if done.rescored:
        typer.echo(f"  {done.rescored:,} with the same verdict and another score or reading")
    if done.failed:
        typer.echo(f"  {done.failed:,} that the grader failed on; they keep their verdict")


def _grade(file: Path, cases: Sequence[Path], explainer: str, out: Path | None, *, json: bool) -> None:
    from engine.verdicts.elsewhere import add_to_campaign, grade_file, known_cases  # noqa: PLC0415  # as above
    from engine.verdicts.store import Store  # noqa: PLC0415

    if not cases:
        raise UsageError(
            "it is not said what the answers are about", where="--cases", hint="give the file of `cases --json`"
        )
    known = known_cases(cases)
    found = grade_file(file, known, explainer)
    if out is not None and found.graded:
        with Store(out, write=True) as store:
            add_to_campaign(store, known, found.graded, file.name)
    if json:
        print_json(_as_json(file, found))
    else:
        _print_graded(found.graded)
    for error in found.errors[:SHOWN]:
        say(f"{file}:{error.line}: {_plain(error.message)}")
    if out is not None:
        say(f"{len(found.graded):,} answers are in {out}; `stormscope report {out}` shows them")
    if found.errors:
        more = f", the first {SHOWN} of them above" if len(found.errors) > SHOWN else ""
        raise UsageError(
            f"{len(found.errors):,} lines could not be used{more}", where=str(file), hint="mend them and grade again"
        )


def _plain(text: str) -> str:
    from engine.text import plain  # noqa: PLC0415  # as above

    return plain(text, limit=300)


def _as_json(file: Path, found: GradedFile) -> dict[str, Any]:
    return {
        "file": str(file),
        "explainers": _rates(found.graded),
        "answers": [
            {
                "line": each.given.line,
                "case": each.case.id,
                "model": each.model,
                "category": each.case.category,
                "explainer": each.explainer,
                "variant": each.given.variant,
                "sample": each.given.sample,
                "answer": each.verdict.answer,
                "verdict": each.verdict.outcome.value,
                "invalid_kind": each.verdict.invalid_kind.value if each.verdict.invalid_kind is not None else None,
                "score": each.verdict.score,
                "reason": each.verdict.reason,
                "accepted": list(each.verdict.accepted),
                "regret": each.verdict.regret,
            }
            for each in found.graded
        ],
        "errors": [{"line": error.line, "message": error.message} for error in found.errors],
    }


def _rates(graded: Sequence[GradedAnswer]) -> list[dict[str, Any]]:
    """Return each explainer's counts by outcome, and the share of passes among the counted ones."""
    from collections import Counter  # noqa: PLC0415  # as above

    from engine.verdicts.verdict import Outcome  # noqa: PLC0415

    counts: dict[str, Counter[Outcome]] = {}
    for each in graded:
        counts.setdefault(each.explainer, Counter())[each.verdict.outcome] += 1
    rows = []
    for name, count in counts.items():
        n = sum(number for outcome, number in count.items() if outcome.counted)
        outcomes = {outcome.value: count[outcome] for outcome in Outcome if outcome is not Outcome.ERROR}
        rows.append({"explainer": name, **outcomes, "n": n, "pass_rate": count[Outcome.PASS] / n if n else None})
    return rows


def _print_graded(graded: Sequence[GradedAnswer]) -> None:
    from rich.table import Table  # noqa: PLC0415  # slow to load, not needed for --json
    from rich.text import Text  # noqa: PLC0415

    from engine.cli.common import console  # noqa: PLC0415

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("line", "explainer", "category", "verdict", "why"):
        table.add_column(name, no_wrap=name != "why")
    for each in graded:
        row = (
            str(each.given.line),
            each.explainer,
            each.case.category,
            each.verdict.outcome.value,
            each.verdict.reason,
        )
        table.add_row(*(Text(_plain(text)) for text in row))
    out = console()
    out.print(table)
    for rate in _rates(graded):
        passed = f"{rate['pass']} of {rate['n']} pass"
        out.print(f"{_plain(rate['explainer'])}: {passed}, {rate['invalid']} invalid, {rate['undecided']} undecided")
