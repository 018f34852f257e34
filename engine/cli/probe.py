"""``stormscope probe``: what an endpoint really does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.common import JsonOption, ModelFileOption, StageLine, console, guarded, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from engine.explainers.probe_result import ProbeResult


def probe(
    explainer: Annotated[str, typer.Argument(help="Who answers, such as local or ollama:MODEL.", show_default=False)],
    model_file: ModelFileOption = None,
    json: JsonOption = False,
) -> None:
    """Ask an endpoint some ten questions to see what it does: schema, thinking, context, determinism, usage."""

    def command() -> None:
        from engine.errors import EndpointError  # noqa: PLC0415  # commands load what they need

        result = _probe(explainer, model_file)
        if result.error:
            raise EndpointError(result.error, where=explainer)
        if json:
            print_json(result.to_json())
        else:
            _print(result)

    guarded(command)


def _probe(spec: str, model_file: Path | None) -> ProbeResult:
    """Return what was found out; raises UsageError for a baseline, EndpointError if it cannot be started."""
    import asyncio  # noqa: PLC0415  # as above

    from engine.explainers.probe import probe as ask  # noqa: PLC0415
    from engine.explainers.registry import make_explainer  # noqa: PLC0415
    from engine.settings import load_settings  # noqa: PLC0415

    async def run() -> ProbeResult:
        who = make_explainer(spec, load_settings(), model_file=model_file)
        try:
            with StageLine() as line:
                return await ask(who, on_step=lambda step: line("finding out", step))
        finally:
            await who.close()

    return asyncio.run(run())


def _print(result: ProbeResult) -> None:
    from rich.table import Table  # noqa: PLC0415  # slow to load, not needed for --json
    from rich.text import Text  # noqa: PLC0415

    from engine.text import plain  # noqa: PLC0415

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for name, text, good in described(result):
        table.add_row(name, Text(plain(text), "green" if good else "yellow"))
    out = console()
    out.print(Text(plain(f"{result.explainer} ({result.model})"), "bold"))
    out.print(table)
    for note in result.notes:
        out.print(Text(plain(f"→ {note}")))


def described(result: ProbeResult) -> list[tuple[str, str, bool]]:
    """Return rows of what was asked, what was found in words, and whether it is as one would wish."""
    thinking = {
        "none": "no thinking arrives",
        "field": "in a field of its own, beside the answer",
        "tags": "in tags inside the answer; kept apart when it is read",
        "content": "the answer itself arrives as thinking; it is used",
    }
    context = {
        "whole": f"a prompt of {result.context_words} words is read whole",
        "cut": f"a prompt of {result.context_words} words is cut without a word",
        "refused": f"a prompt of {result.context_words} words is refused with an error",
        "unknown": "the reply does not tell",
    }
    same = "all the same" if result.different == 1 else f"{result.different} different ones"
    usage = "reported" if result.usage else "not reported"
    rows = [
        ("JSON schema", result.json_schema, result.json_schema == "honoured"),
        ("JSON object", result.json_object, result.json_object == "honoured"),
        ("thinking", thinking[result.thinking], True),
        ("long prompt", context[result.context], result.context in {"whole", "refused"}),
        (f"{result.repeats} answers at temperature 0", same, result.different <= 1),
        ("tokens", usage + (", thinking apart" if result.usage_reasoning else ""), result.usage),
        ("streaming", "answers arrive in pieces" if result.streams else "answers arrive at once", True),
    ]
    if result.latency is not None:
        rows.append(("time", f"{result.latency:.2f} s for a short question", True))
    return rows
