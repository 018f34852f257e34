"""The state table: a cursor over any number of states."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import on
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual_fastdatatable import DataTable
from textual_fastdatatable.column import CELL_X_PADDING

from tui.actions.registry import bindings
from tui.explorer.placing import Window
from tui.text import shorten
from tui.widgets.state_backend import StateBackend
from tui.widgets.steady_scrollbar import SteadyScrollBar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from textual import events
    from textual.binding import BindingType
    from textual.coordinate import Coordinate
    from textual.scrollbar import ScrollBar

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray
    from tui.explorer.columns import TableColumn


KEPT_ROWS = 1000
"""Drawn rows that stay in memory."""


class StateTable(DataTable, inherit_bindings=False):
    """States in rows; the row under the cursor is the selected state.

    Its own bindings replace the base class's, which take tab away from moving the focus. Sideways it moves by whole
    columns, of which the first stays: what the base class scrolls are characters, so it is given only what fits.

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

    class HeadingChosen(Message):
        """A column's heading was clicked."""

        def __init__(self, column: str) -> None:
            super().__init__()
            self.column = column

    class Turned(Message):
        """Other columns are in sight."""

    class MarkToggled(Message):
        """A state is to be marked, or no longer: the one that was under the cursor; None if the filter hides it."""

        def __init__(self, state: int | None) -> None:
            super().__init__()
            self.state = state

    def __init__(self, oracle: Oracle, moved: Callable[[], None]) -> None:
        self.states = StateBackend(oracle)
        self._moved = moved
        self._window = Window(self.states.shown)
        self._settled_row: int | None = None
        self.away = False
        self._base_style = Style()
        self._row_cache: LRUCache[Hashable, Strip] = LRUCache(KEPT_ROWS)
        super().__init__(
            backend=self.states,
            column_labels=[_heading(column) for column in self.states.shown],
            cursor_type="row",
            render_markup=False,
            zebra_stripes=False,
            show_row_labels=False,
        )

    @property
    def more_columns(self) -> tuple[bool, bool]:
        """Whether there are columns further to the left and to the right than those in sight."""
        return self._window.beyond

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

    def _clear_caches(self) -> None:
        super()._clear_caches()
        self._row_cache.clear()

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scroll bar, created when it is first needed."""
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = SteadyScrollBar(name="vertical", thickness=self.scrollbar_size_vertical)
            self._vertical_scrollbar.display = False
            self.app._start_widget(self, self._vertical_scrollbar)  # noqa: SLF001 - as Textual's own property does
        return self._vertical_scrollbar

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Paint the rows when they scroll, without the heading and the scroll bar."""
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        if round(old_value) != round(new_value):
            width, height = self.scrollable_content_region.size
            self.refresh(Region(0, self.header_height, width, height - self.header_height))

    def _set_hover_cursor(self, active: bool) -> None:  # noqa: FBT001 - the base class's signature
        # Every cursor key takes the mouse's row away; the base class paints it although there is none.
        if active != self._show_hover_cursor:
            super()._set_hover_cursor(active)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines as the base class does, which finds their common style anew for each."""
        self._base_style = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Return one line of what is in sight."""
        if y >= self.header_height:
            y += self.scroll_offset.y
        x = self.scroll_offset.x
        # The base class's width is that of the widget, part of which lies below the scroll bar.
        return self._render_line(y, x, x + self.scrollable_content_region.width, self._base_style)

    def _render_line(self, y: int, x1: int, x2: int, base_style: Style) -> Strip:
        """Return a line as the base class does, but a row as one piece of text.

        The base class draws each cell as a padded renderable of its own, which takes ten times as long for a page and
        writes three times as many bytes, and it draws all rows again when the cursor moves.
        """
        row = y - self.header_height
        if not self.is_valid_row_index(row):
            return super()._render_line(y, x1, x2, base_style)
        width = self.size.width
        cursor, hover = row == self.cursor_row, self._show_hover_cursor and row == self.hover_row
        key = (row, x1, x2, width, cursor, hover, base_style, self._update_count, self._pseudo_class_state)
        if key not in self._row_cache:
            component, post = self._get_styles_to_render_cell(
                False,  # noqa: FBT003 - neither a heading,
                False,  # noqa: FBT003 - nor a row's label,
                False,  # noqa: FBT003 - nor a cell that does not scroll
                hover,
                cursor,
                False,  # noqa: FBT003 - nor one of a selected range
                self.show_cursor,
                self._show_hover_cursor,
                False,  # noqa: FBT003 - as there are no ranges
                self.cursor_foreground_priority == "css",
                self.cursor_background_priority == "css",
            )
            # The mouse finds row and column in the style; of a row, the column does not matter.
            style = base_style + Style.from_meta({"row": row, "column": 0}) + component + post
            widths = [column.render_width - CELL_X_PADDING for column in self.ordered_columns]
            text = self.states.line_at(row, enumerate(widths))
            # As wide as the table, whatever its columns are: the cursor is one unbroken bar.
            strip = Strip([Segment(text, style)]).adjust_cell_length(x2 - x1, style)
            self._row_cache[key] = strip.adjust_cell_length(width, base_style)
        return self._row_cache[key]

    def show_columns(self, columns: Sequence[TableColumn], *, sort: str, descending: bool) -> None:
        """Show other columns; the heading of the one that orders the rows says so, and is in sight."""
        room, decimal = self.scrollable_content_region.width, self.states.figures.decimal
        self._window.show(columns, sort, "↓" if descending else "↑", room, decimal=decimal)
        self._fit()

    def show_decimals(self, *, decimal: bool) -> None:
        """Write numbers as decimals or as fractions."""
        self.states.figures = self.states.figures._replace(decimal=decimal)
        self._fit()

    def show_marks(self, marked: AbstractSet[int], changed: Iterable[int]) -> None:
        """Mark other states, and paint only the rows that changed."""
        self.states.marked = marked
        self._row_cache.clear()  # what other rows look like on the screen stays
        for state in changed:
            row = self.states.row_of(state)
            if row is not None:
                self.refresh_row(row)

    @on(DataTable.HeaderSelected)
    def _heading_clicked(self, event: DataTable.HeaderSelected) -> None:
        event.stop()
        if 0 <= event.column_index < len(self.states.shown):
            self.post_message(self.HeadingChosen(self.states.shown[event.column_index].key))

    @on(DataTable.RowHighlighted)
    def _row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()

    def on_resize(self, _: events.Resize) -> None:
        """Fit the columns to another width, and keep the cursor in sight: before the first size there was none."""
        self._fit()
        self.call_after_refresh(self._scroll_cursor_into_view)

    def _fit(self) -> None:
        """Show the columns that there is room for; what they leave is for the last one if it begins at its left."""
        room = self.scrollable_content_region.width
        placing = self._window.fit(room, decimal=self.states.figures.decimal)
        self.states.shown = placing.columns
        self.states.figures = self.states.figures._replace(width=placing.number)
        widths = list(placing.widths)
        if not placing.columns[-1].right:
            widths[-1] += max(room - sum(widths) - CELL_X_PADDING * len(widths), 0)
        self._column_labels = [
            _heading(column, self._window.arrow if column.key == self._window.sort else "", width)
            for column, width in zip(placing.columns, widths, strict=True)
        ]
        self._ordered_columns = None
        for column, width in zip(self.ordered_columns, widths, strict=True):
            column.content_width = width
        self._update_count += 1
        self.virtual_size = Size(room, self.virtual_size.height)
        self.notify_style_update()

    def action_scroll_right(self) -> None:
        """Show the next column to the right."""
        self._turn(1)

    def action_scroll_left(self) -> None:
        """Show the next column to the left."""
        self._turn(-1)

    def _turn(self, step: int) -> None:
        if self._window.turn(step):
            self._fit()
            self.post_message(self.Turned())

    def action_open(self) -> None:
        """Leave the table towards the selected state's actions."""
        self.post_message(self.Opened())

    def action_mark(self) -> None:
        """Mark the selected state, or unmark it."""
        row = self.cursor_row
        here = self.is_valid_row_index(row) and (not self.away or self.unsettled is not None)
        self.post_message(self.MarkToggled(int(self.states.rows[row]) if here else None))


def _heading(column: TableColumn, arrow: str = "", width: int | None = None) -> Text:
    label = column.label if width is None else shorten(column.label, width - len(arrow))
    return Text(label + arrow, justify="right" if column.right else "left", no_wrap=True)
