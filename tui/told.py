"""Errors in the words of the app: where one speaks of the options of a command, here it speaks of what the app has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.errors import StormscopeError

_OPTION = re.compile(r"(?<![\w-])--[a-z]")
_SAYINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"give one with --objective", "choose an objective, or write one"),
        (r"give them with --const ", "give them values: "),
        (r"write --const ", "write "),
        (r"the values given by --const", "the values of the constants"),
        (r"\s*\(--[a-z][^)]*\)", ""),
        (r"raise --[a-z-]+, or ", ""),
        (r"use --mode sound, or another format", "use another format"),
    )
)
_CLAUSE = re.compile(r"(?:; |\n\s*)")
_COMMAND = re.compile(r"`[^`]*`|^\s*stormscope .*$", re.MULTILINE)
"""A whole command, to be typed in a shell: its options are part of it."""


class Told(NamedTuple):
    """An error as the app tells it; the parts are those of `StormscopeError`."""

    what: str
    where: str
    hint: str


def told(error: StormscopeError) -> Told:
    """Return an error without the options of commands.

    Clauses about an option that the app has no words for are left out: nobody can follow them here. Commands that are
    quoted as a whole stay as they are.
    """
    where = "" if _OPTION.match(error.where) else error.where
    return Told(_without(error.what) or error.what, where, _without(error.hint))


def _without(text: str) -> str:
    if not _OPTION.search(_COMMAND.sub("", text)):
        return text
    for pattern, said in _SAYINGS:
        text = pattern.sub(said, text)
    clauses = [clause for clause in _CLAUSE.split(text) if not _OPTION.search(_COMMAND.sub("", clause))]
    return "; ".join(clauses)
