"""The rows of the state table, read from the oracle's arrays when a cell is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual_fastdatatable.backend import DataTableBackend

from tui.explorer.columns import columns_of
from tui.explorer.numerals import Figures
from tui.explorer.placing import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray
    from tui.explorer.columns import TableColumn

MARK = "*"
"""Before the number of a marked state."""


class StateBackend(DataTableBackend[Any]):
    """A read-only view of states through a row→state index; nothing is built per row.

    Parameters
    ----------
    data
        The checked model.

    Attributes
    ----------
    shown
        The columns from left to right.
    figures
        How numbers are written.
    marked
        The states that are marked.
    """

    def __init__(self, data: Oracle, max_rows: int | None = None, column_names: Sequence[str] | None = None) -> None:
        super().__init__(data, max_rows, column_names)
        self.data = data
        self.figures = Figures(NUMBERS[-1])
        self.shown: tuple[TableColumn, ...] = columns_of(data)
        self.marked: AbstractSet[int] = frozenset()
        self._rows: IntArray = np.arange(data.mdp.states, dtype=np.int64)

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
        if not len(later):
            return max(len(self._rows) - 1, 0)
        return int(later[np.argmin(self._rows[later])])

    def _text(self, column: TableColumn, state: int, width: int | None = None) -> str:
        if column.key == "state" and state in self.marked:
            return f"{MARK}{state}"
        return column.text(state, self.figures) if width is None else column.text_in(state, self.figures, width)

    def _cell(self, column: TableColumn, state: int) -> Text:
        return Text(self._text(column, state), justify="right" if column.right else "left", no_wrap=True)

    def line_at(self, index: int, columns: Iterable[tuple[int, int]]) -> str:
        """Return the text of some of a row's cells, each as many columns wide as is said.

        Parameters
        ----------
        index
            The row.
        columns
            Each column's place in `shown`, and its width without the blanks around it.
        """
        state = int(self._rows[index])
        parts = []
        for place, width in columns:
            column = self.shown[place]
            text = self._text(column, state, width)
            if text.isascii() and len(text) <= width:
                parts.append(text.rjust(width) if column.right else text.ljust(width))
                continue
            room = width - cell_len(text)
            blanks = " " * max(room, 0)
            cut = (
                f"{set_cell_size(text, width - 1)}…" if room < 0 else ""
            )  # characters of two columns were counted as one
            parts.append(cut or (blanks + text if column.right else text + blanks))
        return f" {'  '.join(parts)} "

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
        return [column.label for column in self.shown]

    @property
    def column_content_widths(self) -> Sequence[int]:
        """The widest text of each column, from the arrays' extremes rather than from all rows."""
        return [column.width(self.figures) + (column.key == "state") for column in self.shown]

    def get_row_at(self, index: int) -> Sequence[Any]:
        """Return a row's cells as text."""
        state = int(self._rows[index])
        return [self._cell(column, state) for column in self.shown]

    def get_column_at(self, index: int) -> Sequence[Any]:
        """Return a column's cells as text, one per row."""
        return [self._cell(self.shown[index], int(state)) for state in self._rows]

    def get_cell_at(self, row_index: int, column_index: int) -> Any:
        """Return one cell as text; raises IndexError outside the table."""
        if not (0 <= row_index < len(self._rows) and 0 <= column_index < len(self.shown)):
            raise IndexError(f"no cell at row {row_index}, column {column_index}")
        return self._cell(self.shown[column_index], int(self._rows[row_index]))

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
