"""How the state table is looked at, as a value: which states, in which order, with which columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tui.explorer.columns import ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.oracle.numbers import BoolArray, IntArray
    from tui.explorer.columns import TableColumn

BY_NUMBER = "state"


@dataclass(frozen=True, slots=True)
class View:
    """A way to look at the states.

    Attributes
    ----------
    filter
        A PRISM expression; empty shows all states.
    sort
        The key of the column that orders them.
    descending
        Whether the order is reversed.
    hidden
        The keys of hidden columns.
    decimal
        Whether numbers are decimals rather than fractions.
    """

    filter: str = ""
    sort: str = BY_NUMBER
    descending: bool = False
    hidden: frozenset[str] = frozenset()
    decimal: bool = False

    @property
    def plain(self) -> bool:
        """Whether all states are shown by their numbers."""
        return not self.filter and self.sort == BY_NUMBER and not self.descending

    def sorted_by(self, key: str) -> View:
        """Order by a column; by the same one again, the other way round."""
        return replace(self, sort=key, descending=not self.descending if key == self.sort else False)

    def toggled(self, key: str) -> View:
        """Hide a column, or show it again."""
        return replace(self, hidden=self.hidden ^ {key})

    def columns(self, every: Sequence[TableColumn]) -> list[TableColumn]:
        """Return the columns that are shown; the state's number always is."""
        return [column for column in every if column.key == BY_NUMBER or column.key not in self.hidden]

    def neighbour(self, every: Sequence[TableColumn], step: int) -> View:
        """Order by the shown column to the right (1) or to the left (-1) of the present one, round and round."""
        keys = [column.key for column in self.columns(every)]
        place = keys.index(self.sort) if self.sort in keys else 0
        return replace(self, sort=keys[(place + step) % len(keys)], descending=False)


def rows_of(view: View, columns: Sequence[TableColumn], states: int, select: Callable[[str], BoolArray]) -> IntArray:
    """Return ``(rows,)`` the states of a view in their order; errors as in `select`."""
    rows: IntArray = np.flatnonzero(select(view.filter)) if view.filter else np.arange(states, dtype=np.int64)
    column = next((each for each in columns if each.key == view.sort), None)
    if column is None or column.key == BY_NUMBER:
        return rows[::-1] if view.descending else rows
    return ordered(column, rows, descending=view.descending)
