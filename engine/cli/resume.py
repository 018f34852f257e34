"""The command line that goes on with an interrupted campaign: what was given, spelt so that a shell reads it back."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from pathlib import Path


def resume_command(
    context: typer.Context, out: Path, *, add: tuple[str, ...] = (), leave_out: tuple[str, ...] = ()
) -> str:
    """Return the command of a context with ``--out`` set.

    Parameters
    ----------
    context
        The command's own.
    out
        The campaign's file.
    add
        Options without a value that are added, such as ``--retry-errors``.
    leave_out
        Options that made sense the first time only.
    """
    words = ["stormscope", str(context.info_name or "run")]
    for parameter in context.command.params:
        name, key = parameter.opts[0], parameter.name or ""
        source = context.get_parameter_source(key)
        # By name: typer has a copy of click inside, or uses the package, depending on its version.
        if source is not None and source.name == "COMMANDLINE" and name not in {"--out", *add, *leave_out}:
            words += _words(name, context.params[key])
    return shlex.join([*words, "--out", os.fspath(out), *add])


def _words(name: str, value: object) -> list[str]:
    if isinstance(value, bool):
        return [name] if value else []
    values = value if isinstance(value, list | tuple) else [value]
    return [word for each in values for word in (name, str(each))]
