"""DRN files as models: what Storm does not look at, or ends over without a message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.storm_error import StormError


def require_whole(path: Path) -> None:
    """Raise ModelError unless the file has as many states as it declares, and an initial one.

    Storm aborts on a file with fewer states, and misses the initial state only while the arrays are written.
    """
    declared: int | None = None
    states, initial, expect_count = 0, False, False
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if expect_count and line.strip().isdecimal():
                    declared = int(line)
                expect_count = line.startswith("@nr_states")
                if line.startswith("state "):
                    states += 1
                    initial = initial or re.search(r'(?:^|[\s"])init(?:$|[\s"])', line) is not None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"the file cannot be read: {error}", where=str(path)) from None
    if declared is not None and states < declared:
        raise ModelError(
            f"the file declares {declared:,} states and has {states:,}", where=str(path), hint="write the file again"
        )
    if states and not initial:
        raise ModelError("the model has no initial state", where=str(path), hint="label one with init")


def placed(error: StormError, path: Path) -> tuple[str, str]:
    """Return file, line and sentence of an error: Storm counts lines behind the header."""
    found = re.match(r"In line (\d+) ", error.message)
    if found is None:
        return str(path), error.message
    header = path.read_text(encoding="utf-8", errors="replace").partition("@model")[0].count("\n") + 1
    return f"{path}:{header + int(found[1])}", error.message[found.end() :]
