"""``stormscope doctor``: whether everything works here, and what to do if not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from engine.cli.common import JsonOption, StageLine, console, guarded, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.cli.doctor_checks import Check


def doctor(json: JsonOption = False) -> None:
    """Check the terminal, Storm, the embedded model, folders, settings and endpoints; exit 2 if one needs you."""

    def command() -> None:
        import asyncio  # noqa: PLC0415  # commands load what they need
        from dataclasses import asdict  # noqa: PLC0415

        from engine.cli.doctor_checks import all_checks  # noqa: PLC0415

        with StageLine() as line:
            line("looking at", "this machine")
            checks = asyncio.run(all_checks())
        healthy = all(check.level != "problem" for check in checks)
        if json:
            print_json({"healthy": healthy, "checks": [asdict(check) for check in checks]})
        else:
            _print(checks)
        if not healthy:
            raise typer.Exit(2)

    guarded(command)


def _print(checks: Sequence[Check]) -> None:
    from rich.table import Table  # noqa: PLC0415  # slow to load, not needed for --json
    from rich.text import Text  # noqa: PLC0415

    from engine.text import plain  # noqa: PLC0415

    colours = {"fine": "green", "note": "yellow", "problem": "bold red"}
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for check in checks:
        what = Text(plain(check.found))
        if check.hint:
            what.append(f"\n→ {plain(check.hint)}", "dim" if check.level == "note" else "")
        table.add_row(Text(check.level, colours[check.level]), Text(plain(check.name)), what)
    console().print(table)
