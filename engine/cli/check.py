"""``stormscope check``: facts without a UI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.cli.check_extras import Exports, extras_of
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
    given_options,
    guarded,
    print_json,
)
from engine.cli.opening import Opening
from engine.errors import UsageError


def check(
    context: typer.Context,
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
    policy: Annotated[
        Path | None, typer.Option("--policy", help="A policy to evaluate beside the optimum.", metavar="FILE")
    ] = None,
    export_policy: Annotated[
        Path | None, typer.Option("--export-policy", help="Write an optimal policy.", metavar="FILE")
    ] = None,
    export_chain: Annotated[
        Path | None, typer.Option("--export-chain", help="Write the policy's chain (.drn, .dot).", metavar="FILE")
    ] = None,
    export_neighbourhood: Annotated[
        Path | None,
        typer.Option("--export-neighbourhood", help="Write what surrounds the state of --where.", metavar="FILE"),
    ] = None,
    depth: Annotated[int, typer.Option("--depth", help="Steps of the neighbourhood.", min=0)] = 2,
    verify: Annotated[bool, typer.Option("--verify", help="Verify all values without Storm.")] = False,
    reproduce: Annotated[
        bool, typer.Option("--reproduce", help="Print the storm and prism commands for the value.")
    ] = False,
    sweep: Annotated[
        list[str] | None,
        typer.Option("--sweep", help="V for each value of a constant: k=1..20, p=0:1/10:1.", metavar="K=…"),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print a sweep as CSV.")] = False,
    where: Annotated[
        str | None, typer.Option("--where", help="List only states where this holds, or one by number.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", help="States listed; 0 none, -1 all.", min=-1)] = 20,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    max_states: MaxStatesOption = None,
    json: JsonOption = False,
) -> None:
    """Check a model: values, best and worst actions, dead ends, bottlenecks and danger of its states."""
    given = given_options(context)
    opening = Opening(
        model, const or (), objective, danger, mode, timeout, memory, max_states, property_ or (), properties
    )

    def command() -> None:
        from engine.cli.check_view import view_of  # noqa: PLC0415  # commands load what they need

        if bottleneck_threshold is not None and not 0 < bottleneck_threshold <= 1:
            raise UsageError(
                f"{bottleneck_threshold:g} is no share of V", where="--bottleneck-threshold", hint="0 < X ≤ 1"
            )
        if csv and (json or not sweep):
            raise UsageError(
                "--csv and --json are two forms of the same rows" if json else "only a sweep is printed as CSV",
                where="--csv",
                hint="leave one of them out" if json else "add --sweep, as in --sweep k=1..20",
            )
        if sweep:
            from engine.cli.sweep import require_alone, run_sweep  # noqa: PLC0415  # as above

            require_alone(sweep, opening.constants, given)
            run_sweep(opening, sweep, json=json, csv=csv)
            return
        view = view_of(opening, where=where, limit=limit, threshold=bottleneck_threshold, policy=policy)
        exports = Exports(export_policy, export_chain, export_neighbourhood, depth)
        extras = extras_of(opening, view, exports, verified=verify, reproduced=reproduce)
        if json:
            print_json({**view.as_json(), **extras})
        else:
            from engine.cli.check_text import print_check, print_extras  # noqa: PLC0415  # as above

            print_check(view)
            print_extras(extras)

    guarded(command)
