"""A report as sections of text tables, the same for terminals, Markdown and HTML.

Texts in them are as they came: each format makes them safe in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Cell(NamedTuple):
    """A table's cell; its tone is ``good``, ``bad``, ``warn``, or empty, and never says more than the text does."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One table with its title and what is to be known about it.

    Attributes
    ----------
    name
        Identifies it: ``rq1``, ``usage``, …
    title
        For people.
    columns
        Headings; the first `words` columns hold words, the others figures.
    rows
        Cells, as many as there are columns; an empty first one repeats the one above.
    notes
        Sentences about how to read it, methods named.
    words
        The number of leading columns that hold words.
    strong
        Places of the rows that sum others up.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    words: int = 1
    strong: frozenset[int] = frozenset()


def once(rows: Iterable[tuple[Cell, ...]]) -> tuple[tuple[Cell, ...], ...]:
    """Leave the first cell of a row empty where it repeats the one above."""
    found: list[tuple[Cell, ...]] = []
    last = None
    for row in rows:
        found.append((Cell(""), *row[1:]) if row[0] == last else row)
        last = row[0]
    return tuple(found)


def cells(*texts: str | Cell) -> tuple[Cell, ...]:
    """Return a row; texts become cells without a tone."""
    return tuple(text if isinstance(text, Cell) else Cell(text) for text in texts)
