"""The ``stormscope`` command: the headless commands, and those that open the explorer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.app import VersionOption, app
from engine.cli.common import (
    Const,
    DangerOption,
    MaxStatesOption,
    MemoryOption,
    ModeOption,
    ObjectiveOption,
    TimeoutOption,
    guarded,
    say,
)
from engine.cli.opening import Opening
from engine.errors import UsageError

ExplainerOption = Annotated[
    str | None, typer.Option("--explainer", help="Who is asked first, as in openai:MODEL; local if none.", metavar="E")
]


@app.callback(invoke_without_command=True)
def stormscope(context: typer.Context, version: VersionOption = False) -> None:
    """Open the explorer, or run one of the commands."""
    if context.invoked_subcommand is None and not version:
        _open(None)


@app.command()
def explore(
    model: Annotated[str | None, typer.Argument(help="An environment's name, or a model file.")] = None,
    const: Const = None,
    objective: ObjectiveOption = None,
    danger: DangerOption = None,
    mode: ModeOption = "auto",
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    max_states: MaxStatesOption = None,
    explainer: ExplainerOption = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", help="A policy to set beside the optimum.", metavar="FILE")
    ] = None,
    campaign: Annotated[
        Path | None,
        typer.Option("--campaign", help="Look at a campaign's file; MODEL may be left out then.", metavar="FILE"),
    ] = None,
) -> None:
    """Open the explorer at a model, or at a campaign."""
    if model is None and campaign is None:
        raise typer.BadParameter("name a model, or give --campaign FILE", param_hint="MODEL")
    opening = (
        None if model is None else Opening(model, const or (), objective, danger, mode, timeout, memory, max_states)
    )
    _open(opening, explainer, policy, campaign)


@app.command()
def tour(
    seconds: Annotated[
        float, typer.Option("--seconds", help="How long each step stays; 0 waits for a key.", min=0, max=600)
    ] = 12.0,
) -> None:
    """Play a demonstration that needs no network: the embedded model, or recorded answers without it."""

    def command() -> None:
        from tui.launch import run_explorer  # noqa: PLC0415  # as below

        run_explorer(None, tour=seconds)

    guarded(command)


@app.command()
def serve(
    model: Annotated[str | None, typer.Argument(help="Open this model; the start screen if none.")] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on; others than loopback are open to all.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", help="0 takes a free one.", min=0, max=65535)] = 8000,
) -> None:
    """Show the explorer in a browser."""

    def command() -> None:
        try:
            from tui.web.serving import serve as run  # noqa: PLC0415  # an optional extra
        except ImportError:
            raise UsageError(
                "the browser's server is not installed", where="serve", hint="pip install 'stormscope[serve]'"
            ) from None
        run(["explore", "--", model] if model else [], host, port, say)

    guarded(command)


def _open(
    opening: Opening | None,
    explainer: str | None = None,
    policy: Path | None = None,
    campaign: Path | None = None,
) -> None:
    def command() -> None:
        from tui.launch import run_explorer  # noqa: PLC0415  # Textual loads only when the explorer opens

        run_explorer(opening, explainer, policy=policy, campaign=campaign)

    guarded(command)


def main() -> None:
    """Run the command line."""
    app(prog_name="stormscope")
    sys.exit(0)


if __name__ == "__main__":
    main()
