"""``stormscope explainers``: who can answer, and what each still lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.cli.common import JsonOption, guarded, print_json

if TYPE_CHECKING:
    from engine.explainers.offers import Status
    from engine.explainers.registry import ExplainerInfo

PATIENCE = 3.0
"""Seconds that an endpoint has to list its models."""
SHOWN = 20
"""Models that the text names; ``--json`` has all."""


def explainers(json: JsonOption = False) -> None:
    """List who can answer: baselines, the embedded model, and the models that each endpoint offers."""

    def command() -> None:
        import asyncio  # noqa: PLC0415  # commands load what they need
        from dataclasses import asdict  # noqa: PLC0415

        from engine.explainers.offers import all_statuses  # noqa: PLC0415
        from engine.settings import load_settings  # noqa: PLC0415

        found = asyncio.run(all_statuses(load_settings(), patience=PATIENCE))
        if json:
            rows = [
                {"name": each.spec, "summary": each.summary, "baseline": each.baseline, **asdict(status)}
                for each, status in found
            ]
            print_json({"explainers": rows})
        else:
            _print(found)

    guarded(command)


def _print(found: list[tuple[ExplainerInfo, Status]]) -> None:
    from rich.table import Table  # noqa: PLC0415  # slow to load, not needed for --json
    from rich.text import Text  # noqa: PLC0415

    from engine.cli.common import console  # noqa: PLC0415
    from engine.text import plain  # noqa: PLC0415

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("name", no_wrap=True)
    table.add_column("ready", no_wrap=True)
    table.add_column("what it is")
    for each, status in found:
        what = Text(plain(each.summary))
        if not each.baseline:
            for line in _details(status):
                what.append(f"\n{plain(line)}", "dim")
        ready = Text("yes", "green") if status.ready else Text("no", "yellow")
        table.add_row(Text(plain(each.spec)), ready, what)
    console().print(table)


def _details(status: Status) -> list[str]:
    lines = []
    if status.endpoint is not None:
        lines.append(f"{status.endpoint.url}, {'a key is set' if status.endpoint.key_set else 'no key is set'}")
    lines.append(status.status)
    if status.endpoint is not None and status.endpoint.models:
        models = status.endpoint.models
        more = f" and {len(models) - SHOWN} more" if len(models) > SHOWN else ""
        lines[-1] += f": {', '.join(models[:SHOWN])}{more}"
    return [*lines, f"→ {status.hint}"] if status.hint else lines
