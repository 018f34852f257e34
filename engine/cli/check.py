"""``stormscope check``: facts without a UI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.cli.common import (
    Const,
    DangerOption,
    JsonOption,
    MaxStatesOption,
    MemoryOption,
    Model,
    ModeOption,
    ObjectiveOption,
    TimeoutOption,
    guarded,
    print_json,
)
from engine.cli.opening import Opening
from engine.errors import UsageError


def check(
    model: Model,
    const: Const = None,
    objective: ObjectiveOption = None,
    danger: DangerOption = None,
    property_: Annotated[
        list[str] | None, typer.Option("--property", help="A further property, as text or by name.", metavar="P")
    ] = None,
    properties: Annotated[
        Path | None, typer.Option("--properties", help="A file of named properties.", metavar="FILE")
    ] = None,
    mode: ModeOption = "auto",
    bottleneck_threshold: Annotated[
        float | None,
        typer.Option("--bottleneck-threshold", help="Compute losses; show states that cost at least this share of V."),
    ] = None,
    policy: Annotated[Path | None, typer.Option("--policy", help="A policy to evaluate.", hidden=True)] = None,
    where: Annotated[str | None, typer.Option("--where", help="List only states where this holds.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="States listed; 0 none, -1 all.", min=-1)] = 20,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    max_states: MaxStatesOption = None,
    json: JsonOption = False,
) -> None:
    """Check a model: values, best and worst actions, dead ends, bottlenecks and danger of its states."""
    opening = Opening(
        model, const or (), objective, danger, mode, timeout, memory, max_states, property_ or (), properties
    )

    def command() -> None:
        from engine.cli.check_view import view_of  # noqa: PLC0415  # commands load what they need

        if policy is not None:
            raise UsageError("policies are not evaluated yet", where="--policy")
        if bottleneck_threshold is not None and not 0 < bottleneck_threshold <= 1:
            raise UsageError(
                f"{bottleneck_threshold:g} is no share of V", where="--bottleneck-threshold", hint="0 < X ≤ 1"
            )
        view = view_of(opening, where=where, limit=limit, threshold=bottleneck_threshold)
        if json:
            print_json(view.as_json())
        else:
            from engine.cli.check_text import print_check  # noqa: PLC0415  # as above

            print_check(view)

    guarded(command)
