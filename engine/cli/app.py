"""The headless commands in one application."""

from __future__ import annotations

from typing import Annotated

import typer

from engine import __version__
from engine.cli.ask import ask
from engine.cli.cases import cases
from engine.cli.check import check
from engine.cli.doctor import doctor
from engine.cli.envs import envs
from engine.cli.explainers import explainers
from engine.cli.grade import grade
from engine.cli.probe import probe
from engine.cli.report import report
from engine.cli.run import run
from engine.cli.schema import schema

app = typer.Typer(
    name="stormscope",
    help="Explore Markov decision processes: a model checker is the oracle, language models are the witnesses.",
    no_args_is_help=False,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (envs, check, cases, ask, run, report, grade, explainers, probe, doctor, schema):
    app.command()(command)


def print_version(value: bool) -> None:  # noqa: FBT001  # typer's callback signature
    """Print the version and end."""
    if value:
        typer.echo(f"stormscope {__version__}")
        raise typer.Exit


VersionOption = Annotated[
    bool, typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True)
]
