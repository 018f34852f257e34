"""What can be copied from the state table, as text; and whether a terminal is likely to take it."""

from __future__ import annotations

import csv
import io
import os
from typing import TYPE_CHECKING

from engine.errors import CancelledError, StoreError
from engine.oracle.policy.induced import write_atomically
from tui.explorer.numerals import Figures
from tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from tui.explorer.columns import TableColumn

EXACT = Figures(10_000)
"""Copied numbers are whole: fractions that the table cuts are not cut."""
MOST_BYTES = 70_000
"""What common terminals take through OSC 52 at most: a longer text is dropped without a word."""


def rows_csv(
    columns: Sequence[TableColumn],
    states: Iterable[int],
    stopped: Callable[[], bool] = lambda: False,
    *,
    decimal: bool = False,
) -> str:
    """Return states as CSV with a heading; numbers in full, as fractions unless decimals are wanted.

    Raises CancelledError once `stopped` says so.
    """
    figures = EXACT._replace(decimal=decimal, width=20) if decimal else EXACT
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([clean(column.label) for column in columns])
    for state in states:
        if stopped():
            raise CancelledError("cancelled")
        writer.writerow([clean(column.text(state, figures)) for column in columns])
    return buffer.getvalue()


def doubt(text: str, environment: Mapping[str, str]) -> str:
    """Return why a copied text may not arrive in this terminal; empty if nothing speaks against it.

    Copying writes OSC 52, which no terminal answers: only what is known about terminals can tell.
    """
    if len(text.encode()) > MOST_BYTES:
        return f"{len(text.encode()):,} bytes are more than terminals take"
    if environment.get("TERM_PROGRAM") == "Apple_Terminal":
        return "macOS Terminal takes no copies from programs"
    if environment.get("TERM", "") in {"linux", "vt100", "dumb"}:
        return "this console has no clipboard"
    if environment.get("STY"):
        return "GNU screen passes no copies on"
    return ""


def write_text(path: Path, text: str) -> None:
    """Write a new file; raises StoreError if it is there already or cannot be written."""
    if path.exists():
        raise StoreError("there is such a file already", where=str(path), hint="choose another name")
    if not path.parent.is_dir():
        raise StoreError("there is no such folder", where=str(path.parent), hint="choose another place")
    if not os.access(path.parent, os.W_OK):
        raise StoreError("this folder cannot be written to", where=str(path.parent), hint="choose another place")
    write_atomically(path, [text])
