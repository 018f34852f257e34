"""The state table: a cursor over any number of states."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.geometry import Size
from textual.message import Message
from textual_fastdatatable import DataTable
from textual_fastdatatable.column import CELL_X_PADDING

from tui.actions import bindings
from tui.widgets.state_backend import NARROW_NUMBERS, WIDE_NUMBERS, StateBackend

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.binding import BindingType
    from textual.coordinate import Coordinate

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray


WIDE_TABLE = 56


class StateTable(DataTable, inherit_bindings=False):
    """States in rows; the row under the cursor is the selected state.

    Its own bindings replace the base class's, which take tab away from moving the focus.

    Parameters
    ----------
    oracle
        The checked model.
    moved
        Called when the cursor has moved, at once: panels that followed a message would be painted a frame later.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("table")]

    class Opened(Message):
        """Enter was pressed on a state."""

    def __init__(self, oracle: Oracle, moved: Callable[[], None]) -> None:
        self.states = StateBackend(oracle)
        self._moved = moved
        self._settled_row: int | None = None
        self.away = False
        super().__init__(
            backend=self.states,
            column_labels=[
                Text(name, justify="left" if name == "facts" else "right", no_wrap=True) for name in self.states.columns
            ],
            cursor_type="row",
            render_markup=False,
            zebra_stripes=False,
            show_row_labels=False,
        )

    @property
    def more_columns(self) -> bool:
        """Whether columns lie beyond the right edge."""
        # The last column's own padding may lie outside: no text is lost with it.
        return self.virtual_size.width - CELL_X_PADDING // 2 > self.scrollable_content_region.width > 0

    @property
    def unsettled(self) -> int | None:
        """The state under the cursor if the cursor was moved and no panel follows yet, else None."""
        row = self.cursor_row
        if row == self._settled_row or not self.is_valid_row_index(row):
            return None
        return int(self.states.rows[row])

    def show_state(self, state: int) -> bool:
        """Move the cursor to a state without announcing it; False if the filter hides the state."""
        row = self.states.row_of(state)
        self.away = row is None
        self.set_class(self.away, "-away")
        if row is None:
            self._settled_row = self.cursor_row
            return False
        self._settled_row = row
        self.move_cursor(row=row)
        return True

    def show_rows(self, rows: IntArray, state: int) -> None:
        """Show other rows; the cursor stays on the state, or moves to the next one that is shown.

        Parameters
        ----------
        rows
            ``(rows,)`` states in the order of the table.
        state
            The selected state.
        """
        self.states.rows = rows
        self.notify_style_update()
        self.virtual_size = Size(self.virtual_size.width, len(rows) + self.header_height)
        if len(rows) and not self.show_state(state):
            self._settled_row = None
            self.move_cursor(row=self.states.nearest_row(state))
            self._moved()

    def watch_cursor_coordinate(self, old_coordinate: Coordinate, new_coordinate: Coordinate) -> None:
        """Tell of the move, after the base class has highlighted the row."""
        super().watch_cursor_coordinate(old_coordinate, new_coordinate)
        if old_coordinate != new_coordinate:
            self._moved()

    @on(DataTable.RowHighlighted)
    def _row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()

    def on_resize(self, _: events.Resize) -> None:
        """Give numbers the room there is, and the rest to the last column: the cursor is one unbroken bar."""
        self.states.number_width = WIDE_NUMBERS if self.size.width >= WIDE_TABLE else NARROW_NUMBERS
        for column, width in zip(self.ordered_columns, self.states.column_content_widths, strict=True):
            column.content_width = max(width, column.label.cell_len)
        *others, last = self.ordered_columns
        used = sum(column.render_width for column in others) + CELL_X_PADDING
        last.content_width = max(last.content_width, self.scrollable_content_region.width - used)
        self.virtual_size = Size(used + last.content_width, self.virtual_size.height)
        self.notify_style_update()

    def action_open(self) -> None:
        """Leave the table towards the selected state's actions."""
        self.post_message(self.Opened())
