"""DRN files as models: what Storm does not look at, or ends over without a message."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.worker.storm_error import StormError


_INITIAL = re.compile(r'(?:^|[\s"])init(?:$|[\s"])')
_TWO_WORDS = re.compile(r"\s*action \S+ (?!\[)\s*\S")
_PARTS = ("@type", "@model")
_HINT = "a DRN file begins with @type: MDP or @type: DTMC, and lists its states behind @model"


@dataclass
class _Found:
    """What a file holds, as far as Storm does not look at it or speaks of something else."""

    parts: set[str] = field(default_factory=set)
    declared: int | None = None
    states: int = 0
    initial: bool = False


def require_whole(path: Path) -> None:
    """Raise ModelError unless the file has its parts, as many states as it declares, and an initial one.

    Also for an action of two words: Storm takes the first and loses the rewards behind the second. It aborts on a file
    with fewer states, and misses the initial state only while the arrays are written; what it says about missing parts
    is about archives.
    """
    found = _looked_through(path)
    for part in _PARTS:
        if part not in found.parts:
            raise ModelError(f"this is no DRN file: the line {part} is missing", where=str(path), hint=_HINT)
    if found.declared is not None and found.states < found.declared:
        raise ModelError(
            f"the file declares {found.declared:,} states and has {found.states:,}",
            where=str(path),
            hint="write the file again",
        )
    if found.states and not found.initial:
        raise ModelError("the model has no initial state", where=str(path), hint="label one with init")


def _looked_through(path: Path) -> _Found:
    found, expect_count = _Found(), False
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if _TWO_WORDS.match(line):
                    raise ModelError(
                        "an action's name is one word, and its rewards follow after one space",
                        where=f"{path}:{number}",
                        hint="write %20 for a space in a name",
                    )
                if expect_count and line.strip().isdecimal():
                    found.declared = int(line)
                expect_count = line.startswith("@nr_states")
                if line.startswith("@"):
                    found.parts.add(line.partition(":")[0].strip())
                elif line.startswith("state "):
                    found.states += 1
                    found.initial = found.initial or _INITIAL.search(line) is not None
    except UnicodeDecodeError:
        raise ModelError("this is no text in UTF-8", where=str(path), hint="write the file again") from None
    except OSError as error:
        raise ModelError(f"the file cannot be read: {error}", where=str(path), hint="check the file") from None
    return found


def placed(error: StormError, path: Path) -> tuple[str, str]:
    """Return file, line and sentence of an error: Storm counts lines behind the header."""
    found = re.match(r"In line (\d+) ", error.message)
    if found is None:
        return _searched(error.message, path)
    header = path.read_text(encoding="utf-8", errors="replace").partition("@model")[0].count("\n") + 1
    return f"{path}:{header + int(found[1])}", error.message[found.end() :]


def _searched(message: str, path: Path) -> tuple[str, str]:
    """Return the place and the sentence of an error that quotes what it is about, and not where that is."""
    kind = re.match(r"Type (.*?) ?not known", message)
    if kind is not None:
        return str(path), f"there is no model type {kind[1]!r}; @type is MDP or DTMC"
    value, line = re.match(r"Could not parse value '(.*)' into ", message), re.match(r"Could not parse line '", message)
    if value is None and line is None:
        return str(path), message
    quoted = value[1] if value is not None else message[line.end() :].removesuffix("'")  # type: ignore[union-attr]  # one is
    with path.open(encoding="utf-8", errors="replace") as lines:
        number = next((number for number, text in enumerate(lines, start=1) if quoted.strip() in text), None)
    what = f"{quoted!r} is no number" if value is not None else f"this line is not understood: {quoted[:80]!r}"
    return f"{path}:{number}" if number else str(path), what
