"""The command line as tests call it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from typer.testing import CliRunner

from engine.cli.app import app

if TYPE_CHECKING:
    from click.testing import Result


def run_cli(*args: str) -> Result:
    """Run a command and return its exit code and what it printed."""
    return CliRunner().invoke(app, args)


def json_of(*args: str) -> dict[str, Any]:
    """Run a command with ``--json`` that must succeed, and return its object."""
    result = run_cli(*args, "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found
