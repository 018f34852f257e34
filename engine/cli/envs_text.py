"""``envs`` for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from engine.cli.common import console
from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.mdp.environment import Environment


def print_environments(environments: Sequence[Environment]) -> None:
    """Print one row an environment."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("name", "constants", "objective", "summary"):
        table.add_column(heading)
    for environment in environments:
        constants = ", ".join(f"{name}={value}" for name, value in environment.constants.items())
        cells = (environment.name, constants, environment.objective or "-", environment.summary)
        table.add_row(*(Text(plain(cell)) for cell in cells))
    console().print(table)
