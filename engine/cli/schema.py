"""``stormscope schema``: the JSON schema of what a command prints."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.common import guarded


def schema(
    command: Annotated[str, typer.Argument(help="A command that takes --json, such as check.", show_default=False)],
) -> None:
    """Print the JSON schema of a command's --json output."""

    def printed() -> None:
        import json  # noqa: PLC0415  # commands load what they need

        from engine.cli.schemas import schema_of  # noqa: PLC0415

        typer.echo(json.dumps(schema_of(command), indent=2))

    guarded(printed)
