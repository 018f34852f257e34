"""Model files before Storm reads them: empty, not of their ending's kind, or nested too deeply for its parser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

_HEAD = 65_536
"""Bytes in which a format shows itself."""

_DEEPEST = 1_000
"""Brackets inside each other that Storm's parser stands; it ends without a word at some 2,000."""

_TYPES = r"(?:mdp|dtmc|ctmc|ctmdp|pomdp|pta|popta|ma|smg|nondeterministic|probabilistic|stochastic)\b"
_COMMENTS = re.compile(rb"\A(?:\s|//[^\n]*\n)*")
_SIGNS = (
    (re.compile(rb"\{"), "JANI", ".jani"),
    (re.compile(rb"@(?:type|value_type|parameters|nr_states)\b"), "DRN", ".drn"),
    (re.compile(_TYPES.encode() + rb"\s+[^\d\s]"), "a PRISM model", ".prism"),
)
"""How formats begin, their names and endings."""

_ARCHIVE = (b"\x1f\x8b", b"\xfd7zXZ", b"BZh")
_TAR = slice(257, 262)


def require_kind(path: Path) -> None:
    """Raise ModelError for a file that is empty or no text, or whose beginning is that of another format.

    For a UMB archive only emptiness and text are looked for; its reader finds the rest.
    """
    ending, head = path.suffix.lower(), _head(path)
    start = head[_COMMENTS.match(head).end() :]  # type: ignore[union-attr]  # it matches the empty text, too
    found = next(((name, own) for sign, name, own in _SIGNS if sign.match(start)), None)
    if head.startswith(_ARCHIVE) or head[_TAR] == b"ustar":
        found = ("a UMB archive", ".umb")
    if found is not None and found[1] != (".prism" if ending in {".nm", ".pm", ".sm"} else ending):
        raise ModelError(f"this looks like {found[0]}", where=str(path), hint=f"give the file the ending {found[1]}")
    if ending == ".umb":
        return
    if b"\0" in head:
        raise ModelError(
            "this is no text: it has zero bytes", where=str(path), hint="give a text file in UTF-8 or ASCII"
        )
    if head.startswith(b"\xef\xbb\xbf"):
        raise ModelError(
            "the file begins with a byte order mark", where=str(path), hint="save it as UTF-8 without one (BOM)"
        )


def require_shallow(path: Path) -> None:
    """Raise ModelError for brackets that are nested deeper than Storm's parser stands."""
    data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    opened = np.cumsum((data == ord("(")).astype(np.int32) - (data == ord(")")))
    if len(opened) and int(opened.max()) > _DEEPEST:
        line = int((data[: int(opened.argmax())] == ord("\n")).sum()) + 1
        raise ModelError(
            f"more than {_DEEPEST:,} brackets are nested inside each other",
            where=f"{path}:{line}",
            hint="split the expression into formulas",
        )


def _head(path: Path) -> bytes:
    """Return the beginning of a file; raises ModelError if there is nothing in it but white space."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        blank = not head.strip()
        while blank and (more := file.read(_HEAD * 16)):
            blank = not more.strip()
    if blank:
        raise ModelError(
            "the file is empty" if not head else "the file holds nothing but white space",
            where=str(path),
            hint="was it written to the end?",
        )
    return head
