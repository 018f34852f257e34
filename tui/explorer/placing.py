"""Which columns of the state table are in sight, and how wide each is: whole columns only, the first one always."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tui.explorer.numerals import Figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.explorer.columns import TableColumn

NUMBERS = (14, 11, 8, 6)
"""What numbers may take, as far as there is room for the other columns; the least where more columns fit then."""
PADDING = 2
"""Blanks around a cell."""
LEAST_COUNT = 2
"""So many columns are always in sight."""
LEAST_HEADING = 6
"""What is left at least of a heading that is wider than its cells."""
GROWING = ("best", "facts")
"""Columns that are given room after all others, the first of them first."""


class Placing(NamedTuple):
    """Columns in sight.

    Attributes
    ----------
    columns
        From left to right.
    widths
        Of their cells, without the blanks around them.
    number
        What a number may take.
    more
        Whether there are columns further to the right.
    """

    columns: tuple[TableColumn, ...]
    widths: tuple[int, ...]
    number: int
    more: bool


def place(columns: Sequence[TableColumn], skipped: int, room: int, sort: str = "", *, decimal: bool = False) -> Placing:
    """Return what is in sight of columns in so much room, when so many behind the first are skipped.

    Numbers have the most digits with which all columns are as wide as they like. If they cannot be, names and facts
    become narrower; if that is not enough, the last columns are out of sight. The one behind the first is always there,
    cut if it must be.

    Parameters
    ----------
    sort
        The key of the column whose heading has an arrow; empty if none has.
    """
    wanted = [columns[0], *columns[1 + skipped :]]
    found = []
    for number in NUMBERS:
        found.append(_placed(wanted, number, room, sort, decimal=decimal))
        if found[-1].whole:
            return found[-1].placing
    *_, usual, least = (each.placing for each in found)
    return least if len(least.columns) > len(usual.columns) else usual


class _Tried(NamedTuple):
    placing: Placing
    whole: bool


def _placed(wanted: Sequence[TableColumn], number: int, room: int, sort: str, *, decimal: bool) -> _Tried:
    """Return what is in sight if a number may take so much, and whether that is all, as wide as it likes to be."""
    figures = Figures(number, decimal)
    cells = [column.width(figures) + (column.key == "state") for column in wanted]
    headings = [len(column.label) + (column.key == sort) for column in wanted]
    whole = [max(pair) for pair in zip(cells, headings, strict=True)]
    if sum(whole) + PADDING * len(whole) <= room:
        return _Tried(Placing(tuple(wanted), tuple(whole), number, more=False), whole=True)
    least = [
        max(cell if column.least is None else min(cell, column.least), min(heading, LEAST_HEADING))
        for column, cell, heading in zip(wanted, cells, headings, strict=True)
    ]
    least[0] = whole[0]
    count, spare = 0, room
    while count < len(wanted) and (count < LEAST_COUNT or spare >= least[count] + PADDING):
        spare -= least[count] + PADDING
        count += 1
    widths = least[:count]
    if spare < 0:
        widths[-1] = max(widths[-1] + spare, 1)
    keys = [column.key for column in wanted]
    for at in sorted(range(count), key=lambda at: GROWING.index(keys[at]) + 1 if keys[at] in GROWING else 0):
        more = min(max(spare, 0), whole[at] - widths[at])
        widths[at] += more
        spare -= more
    return _Tried(Placing(tuple(wanted[:count]), tuple(widths), number, more=count < len(wanted)), whole=False)


class Window:
    """What is in sight of a table's columns: it moves by whole columns, and never further than the last one.

    Parameters
    ----------
    columns
        All columns from left to right; the first one stays in sight.

    Attributes
    ----------
    sort
        The key of the column whose heading has an arrow; empty if none has.
    arrow
        That arrow.
    """

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        self._columns = tuple(columns)
        self._skipped = 0
        self._more = False
        self.sort = self.arrow = ""

    @property
    def beyond(self) -> tuple[bool, bool]:
        """Whether there are columns further to the left and to the right than those in sight."""
        return self._skipped > 0, self._more

    def fit(self, room: int, *, decimal: bool) -> Placing:
        """Return what is in sight in so much room: as many columns as possible."""
        placing = place(self._columns, self._skipped, room, self.sort, decimal=decimal)
        while self._skipped and not placing.more:
            before = place(self._columns, self._skipped - 1, room, self.sort, decimal=decimal)
            if before.more:
                break
            self._skipped, placing = self._skipped - 1, before
        self._more = placing.more
        return placing

    def turn(self, step: int) -> bool:
        """Move by a column to the right (1) or to the left (-1); return whether there was one."""
        if not self.beyond[step > 0]:
            return False
        self._skipped += step
        return True

    def show(self, columns: Sequence[TableColumn], sort: str, arrow: str, room: int, *, decimal: bool) -> None:
        """Take other columns; one that orders the rows from now on comes into sight."""
        found = sort != self.sort
        self._columns, self.sort, self.arrow = tuple(columns), sort, arrow
        self._skipped = min(self._skipped, max(len(columns) - LEAST_COUNT, 0))
        keys = [column.key for column in columns]
        if found and sort in keys[1:]:
            at = keys.index(sort)
            self._skipped = min(self._skipped, at - 1)
            while at > self._skipped + len(self.fit(room, decimal=decimal).columns) - 1:
                self._skipped += 1
