"""The ``stormscope`` command: the headless commands, and those that open the explorer."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from engine.cli.app import VersionOption, app
from engine.cli.common import (
    Const,
    DangerOption,
    MaxStatesOption,
    MemoryOption,
    Model,
    ModeOption,
    ObjectiveOption,
    TimeoutOption,
    guarded,
)
from engine.cli.opening import Opening

ExplainerOption = Annotated[
    str | None, typer.Option("--explainer", help="Who is asked first, as in openai:MODEL; local if none.", metavar="E")
]


@app.callback(invoke_without_command=True)
def stormscope(context: typer.Context, version: VersionOption = False) -> None:
    """Open the explorer, or run one of the commands."""
    if context.invoked_subcommand is None and not version:
        _open(Opening("frozen_lake"))


@app.command()
def explore(
    model: Model,
    const: Const = None,
    objective: ObjectiveOption = None,
    danger: DangerOption = None,
    mode: ModeOption = "auto",
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    max_states: MaxStatesOption = None,
    explainer: ExplainerOption = None,
) -> None:
    """Open the explorer at a model."""
    _open(Opening(model, const or (), objective, danger, mode, timeout, memory, max_states), explainer)


def _open(opening: Opening, explainer: str | None = None) -> None:
    def command() -> None:
        from tui.launch import run_explorer  # noqa: PLC0415  # Textual loads only when the explorer opens

        run_explorer(opening, explainer)

    guarded(command)


def main() -> None:
    """Run the command line."""
    app(prog_name="stormscope")
    sys.exit(0)


if __name__ == "__main__":
    main()
