"""The rows of the state table, read from the oracle's arrays when a cell is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from rich.text import Text
from textual_fastdatatable.backend import DataTableBackend

from engine.figures import short
from engine.oracle.tri import Tri
from tui.flags import flags_of
from tui.text import clean, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray, Numbers
    from tui.flags import Flag

NARROW_NUMBERS, WIDE_NUMBERS = 8, 14
NAME_WIDTH = 14
ROOM = 12
"""Columns that variables may take before the facts; more of them come after the facts, which must be seen."""
MEASURED_VALUES = 2000
"""So many distinct numbers are formatted to find a column's width; more than that get the full width at once."""


class StateBackend(DataTableBackend[Any]):
    """A read-only view of states through a row→state index; nothing is built per row.

    Parameters
    ----------
    data
        The checked model.
    """

    def __init__(self, data: Oracle, max_rows: int | None = None, column_names: Sequence[str] | None = None) -> None:
        super().__init__(data, max_rows, column_names)
        self.data = data
        self.number_width = NARROW_NUMBERS
        self._rows: IntArray = np.arange(data.mdp.states, dtype=np.int64)
        self._flags = flags_of(data)
        self._facts_width = _facts_width(self._flags)
        names = [shorten(clean(name), NAME_WIDTH) for name in data.mdp.valuations]
        cells = [_variable_cell(column) for column in data.mdp.valuations.values()]
        room = sum(_variable_width(column) + 2 for column in data.mdp.valuations.values())
        self._facts_at = facts_at = 0 if room > ROOM else len(names)
        self._columns = ("state", "V", "D", *names[:facts_at], "facts", *names[facts_at:])
        self._cells: tuple[Callable[[int], Text], ...] = (
            _integer_cell,
            self._number_cells(data.facts.value),
            self._number_cells(data.facts.danger),
            *cells[:facts_at],
            self._flags_cell,
            *cells[facts_at:],
        )

    @property
    def rows(self) -> IntArray:
        """``(rows,)`` the state in each row."""
        return self._rows

    @rows.setter
    def rows(self, rows: IntArray) -> None:
        self._rows = rows

    def row_of(self, state: int) -> int | None:
        """Return the row that shows a state, or None if it is filtered out."""
        if state < len(self._rows) and int(self._rows[state]) == state:
            return state  # all states are shown: no search through a million rows on every key
        found = np.flatnonzero(self._rows == state)
        return int(found[0]) if len(found) else None

    def nearest_row(self, state: int) -> int:
        """Return the row of the state, or of the first shown state with a higher number (else the last row)."""
        later = np.flatnonzero(self._rows >= state)
        return int(later[0]) if len(later) else max(len(self._rows) - 1, 0)

    def _number_cells(self, numbers: Numbers | None) -> Callable[[int], Text]:
        def cell(state: int) -> Text:
            text = "-" if numbers is None else short(numbers.at(state), self.number_width)
            return Text(text, justify="right", no_wrap=True)

        return cell

    def _flags_cell(self, state: int) -> Text:
        cell = Text(no_wrap=True)
        for flag in self._flags:
            if word := flag.text(state):
                cell.append(" " if cell else "").append(word)
        return cell

    @property
    def source_data(self) -> Oracle:
        """The checked model."""
        return self.data  # type: ignore[no-any-return]  # the base class leaves the type of its data open

    @property
    def source_row_count(self) -> int:
        """The number of states."""
        return self.source_data.mdp.states

    @property
    def row_count(self) -> int:
        """The number of states that pass the filter."""
        return len(self._rows)

    @property
    def columns(self) -> Sequence[str]:
        """The column labels."""
        return self._columns

    @property
    def column_content_widths(self) -> Sequence[int]:
        """The widest text of each column, from the arrays' extremes rather than from all rows."""
        mdp, facts = self.source_data.mdp, self.source_data.facts
        flags = self._facts_width
        widths = [_variable_width(column) for column in mdp.valuations.values()]
        return [
            len(str(mdp.states - 1)),
            _numbers_width(facts.value, self.number_width),
            _numbers_width(facts.danger, self.number_width),
            *widths[: self._facts_at],
            flags,
            *widths[self._facts_at :],
        ]

    def get_row_at(self, index: int) -> Sequence[Any]:
        """Return a row's cells as text."""
        state = int(self._rows[index])
        return [cell(state) for cell in self._cells]

    def get_column_at(self, index: int) -> Sequence[Any]:
        """Return a column's cells as text, one per row."""
        return [self._cells[index](int(state)) for state in self._rows]

    def get_cell_at(self, row_index: int, column_index: int) -> Any:
        """Return one cell as text; raises IndexError outside the table."""
        if not (0 <= row_index < len(self._rows) and 0 <= column_index < len(self._cells)):
            raise IndexError(f"no cell at row {row_index}, column {column_index}")
        return self._cells[column_index](int(self._rows[row_index]))

    @classmethod
    def from_pydict(
        cls, data: Mapping[str, Sequence[Any]], max_rows: int | None = None, column_names: Sequence[str] | None = None
    ) -> NoReturn:
        """Refuse: rows come from an oracle only."""
        raise NotImplementedError

    def append_column(self, label: str, default: Any | None = None) -> NoReturn:
        """Refuse: the view is read-only."""
        raise NotImplementedError

    def append_rows(self, records: Iterable[Iterable[Any]]) -> NoReturn:
        """Refuse: the view is read-only."""
        raise NotImplementedError

    def drop_row(self, row_index: int) -> NoReturn:
        """Refuse: the view is read-only."""
        raise NotImplementedError

    def update_cell(self, row_index: int, column_index: int, value: Any) -> NoReturn:
        """Refuse: the view is read-only."""
        raise NotImplementedError

    def sort(self, by: Any) -> NoReturn:
        """Refuse: an order is set through `rows`, computed in a worker."""
        raise NotImplementedError


def _integer_cell(state: int) -> Text:
    return Text(str(state), justify="right", no_wrap=True)


def _variable_cell(column: np.ndarray[Any, Any]) -> Callable[[int], Text]:
    def cell(state: int) -> Text:
        value = column[state].item()
        return Text(
            ("true" if value else "false") if isinstance(value, bool) else str(value), justify="right", no_wrap=True
        )

    return cell


def _variable_width(column: np.ndarray[Any, Any]) -> int:
    if column.dtype == np.bool_:
        return len("false")
    return max(len(str(column.min().item())), len(str(column.max().item()))) if len(column) else 1


def _facts_width(flags: Sequence[Flag]) -> int:
    """Return the width of the longest list of facts that a state has."""
    if not len(flags[0].column):
        return 0
    total = np.zeros(len(flags[0].column), dtype=np.int16)
    for flag in flags:
        total += (flag.column == Tri.YES) * np.int16(len(flag.word) + 1)
        total += (flag.column == Tri.UNDECIDED) * np.int16(len(flag.word) + 2)
    return max(int(total.max()) - 1, 0)


def _numbers_width(numbers: Numbers | None, most: int) -> int:
    if numbers is None:
        return 1
    if numbers.table is None or len(numbers.table) > MEASURED_VALUES:
        return most
    return max((len(short(value, most)) for value in numbers.table), default=1)
