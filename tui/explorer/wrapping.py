"""Long texts over several lines: shell commands that can be pasted as they stand, and valuations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PART = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\]+""", re.DOTALL)
_WORD = re.compile(rf"(?:{_PART.pattern})+", re.DOTALL)
_END = "\\"
"""What a line ends with that goes on in the next one: the shell reads neither it nor the end of the line."""


def wrapped(command: str, width: int) -> list[str]:
    """Return a shell command in lines of at most `width` characters.

    Lines end between words. Only a word that is longer than a line is broken inside: outside its quotes, or between two
    quoted halves. A comment stays one line: it cannot go on in another.
    """
    if command.startswith("#"):
        return [command]
    lines = [""]
    for word in _WORD.findall(command):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if len(longer) + len(_END) + 1 <= width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines[-1] += f" {_END}"
            lines.append("")
        for part in _parts(word, width - len(_END) - 1):
            if lines[-1] and len(lines[-1]) + len(part) + len(_END) + 1 > width:
                lines[-1] += _END
                lines.append("")
            lines[-1] += part
    return lines


def _parts(word: str, most: int) -> Iterator[str]:
    """Yield pieces of a word of at most `most` characters, which are that word side by side; quoted twos stay whole."""
    for part in _PART.findall(word):
        quote = "'" if part.startswith("'") else ""
        inner = part[1:-1] if quote else part
        whole = len(part) <= most or (not quote and part[0] in '"\\')
        step = len(part) if whole else most - 2 * len(quote)
        for start in range(0, max(len(inner), 1), max(step, 1)):
            yield f"{quote}{inner[start : start + step]}{quote}"


_JOINTS = re.compile(r"[^=_.]*[=_.]|[^=_.]+$")
"""Pieces of ``some_long_name=3``, each with the sign that it may be broken behind."""


def side_by_side(items: Iterable[str], width: int) -> list[str]:
    """Return items in lines of at most `width` characters, two blanks apart; none is broken that fits into a line.

    A longer one goes on in the next line, indented, behind a ``=``, ``_`` or dot; where it has none, anywhere.
    """
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + 2 + len(item) <= width:
            lines[-1] += f"  {item}"
        elif len(item) <= width:
            lines.append(item)
        else:
            lines += _broken(item, max(width, 3))
    return lines


def _broken(item: str, width: int) -> list[str]:
    lines = [""]
    for piece in _JOINTS.findall(item):
        rest = piece
        if lines[-1].strip() and len(lines[-1]) + len(rest) > width:
            lines.append("  ")
        while len(lines[-1]) + len(rest) > width:
            room = width - len(lines[-1])
            lines[-1] += rest[:room]
            rest = rest[room:]
            lines.append("  ")
        lines[-1] += rest
    return lines
