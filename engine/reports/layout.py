"""How wide the columns of a text table are: figures whole, words wrapped where they end, what is left for answers."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.cells import cell_len

from engine.reports.words import AND
from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.reports.sections import Section

ANSWERS = "answers"
"""The column that takes what is left, and is left out where nothing is."""
_LEAST_ANSWERS = 10
_NO_ROOM = f"{ANSWERS}: left out here for want of room"
_LONGEST = 16
"""Cells of a piece of a name; a longer one may be broken anywhere."""
_ENOUGH = 24
"""Width of a column of words from which answers have as good a claim to what is left."""
_GAP = 1
"""Between two columns."""
_PIECES = re.compile(r"[^\s/:_-]*[/:_-]+|[^\s/:_-]+|\s+")
"""Where a name may be broken: after a hyphen, slash, colon or underscore, and at spaces."""


def fitted(section: Section, width: int) -> tuple[Section, tuple[int, ...]]:
    """Return a table that fits a width with the widths of its columns; empty ones where no layout of whole words fits.

    Columns of words shrink as far as their longest word; the answers are cut, and left out where not even ten
    characters of them have room.
    """
    natural = _natural(section)
    least = _least(section, natural)
    if _sum(least) > width and ANSWERS in section.columns:
        section = _without(section, section.columns.index(ANSWERS))
        natural = _natural(section)
        least = _least(section, natural)
    return section, _shared(section, natural, least, width) if _sum(least) <= width else ()


def beside(section: Section, width: int) -> list[Section]:
    """Return a table as several, each with the columns of words and as many figures as fit; at least one of them.

    For a table that no layout fits: names stay whole, and no figure is lost.
    """
    least = _least(section, _natural(section))
    words = range(section.words)
    parts: list[list[int]] = [[]]
    for place in range(section.words, len(section.columns)):
        if parts[-1] and _sum([least[at] for at in (*words, *parts[-1], place)]) > width:
            parts.append([])
        parts[-1].append(place)
    return [_only(section, (*words, *part)) for part in parts]


def wrapped(text: str, width: int) -> str:
    """Return a text in lines of a width, broken between its pieces; a piece that is longer is broken anywhere."""
    lines, line = [], ""
    inner = " " * (len(text) - len(text.lstrip()) + 1) if text.startswith(" ") else ""
    for piece in (part for found in _pieces(text) for part in _chopped(found, width)):
        if line and cell_len(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = inner + piece.lstrip()
        else:
            line += piece
    return "\n".join([*lines, line.rstrip()])


def shown(text: str) -> str:
    """Return a cell's text as a terminal shows it, with the indent of a row that belongs to one above."""
    return (" " if text.startswith(" ") else "") + plain(text)


def stacked(text: str) -> str:
    """Return a cell of figures with each of several amounts on a line of its own."""
    return shown(text).replace(AND, "\n")


def _natural(section: Section) -> list[int]:
    columns = zip(section.columns, *([cell.text for cell in row] for row in section.rows), strict=True)
    shapes = [shown] * section.words + [stacked] * (len(section.columns) - section.words)
    return [
        max(cell_len(line) for text in texts for line in shape(text).split("\n"))
        for shape, texts in zip(shapes, columns, strict=True)
    ]


def _least(section: Section, natural: Sequence[int]) -> list[int]:
    found = list(natural)
    for place, heading in enumerate(section.columns):
        if heading == ANSWERS:
            found[place] = min(natural[place], _LEAST_ANSWERS)
        elif place < section.words:
            texts = [heading, *(row[place].text for row in section.rows)]
            longest = max(cell_len(piece.rstrip()) for text in texts for piece in [*_pieces(shown(text)), ""])
            found[place] = min(longest, _LONGEST)
    return found


def _shared(section: Section, natural: Sequence[int], least: Sequence[int], width: int) -> tuple[int, ...]:
    """Give what is left to the columns that need it, the narrowest first; answers when words have enough."""
    found = list(least)
    for _ in range(width - _sum(least)):
        needing = [place for place, wanted in enumerate(natural) if found[place] < wanted]
        if not needing:
            break
        later = {place for place in needing if section.columns[place] == ANSWERS or found[place] >= _ENOUGH}
        found[min(needing, key=lambda place: (place in later, found[place]))] += 1
    return tuple(found)


def _sum(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _without(section: Section, place: int) -> Section:
    return replace(
        _only(section, [at for at in range(len(section.columns)) if at != place]),
        notes=tuple(_NO_ROOM if note.startswith(f"{ANSWERS}:") else note for note in section.notes),
    )


def _only(section: Section, places: Sequence[int]) -> Section:
    return replace(
        section,
        columns=tuple(section.columns[place] for place in places),
        rows=tuple(tuple(row[place] for place in places) for row in section.rows),
    )


def _pieces(text: str) -> list[str]:
    """Return the pieces of a text, spaces with the piece before them; an indent belongs to the first one."""
    found: list[str] = []
    for piece in _PIECES.findall(text):
        if found and (piece.isspace() or found[-1].isspace()):
            found[-1] += piece
        else:
            found.append(piece)
    return found


def _chopped(piece: str, width: int) -> Iterable[str]:
    while cell_len(piece.rstrip()) > width:
        end = max(1, next(n for n in range(1, len(piece) + 1) if cell_len(piece[:n]) > width) - 1)
        yield piece[:end]
        piece = piece[end:]
    yield piece
