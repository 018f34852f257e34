"""Columns: sort by one, hide and show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content

from tui.explorer.view import BY_NUMBER
from tui.screens.tool import ToolScreen
from tui.text import clean
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual.widget import Widget

    from tui.explorer.columns import TableColumn
    from tui.explorer.view import View

LABEL_WIDTH = 16


class ColumnsScreen(ToolScreen):
    """The columns in a list; the table behind it changes at once, through `changed`."""

    TITLE_TEXT = "Columns"
    HINT: ClassVar[str] = "{list.choose} sorts, again turns round   {tool.switch} hides or shows   {tool.close} closes"

    def __init__(self, columns: Sequence[TableColumn], view: View, changed: Callable[[View], None]) -> None:
        super().__init__()
        self._changed = changed
        self._columns = columns
        self._view = view
        self._list = PickerList()

    def contents(self) -> Iterable[Widget]:
        """Return the list."""
        yield self._list

    def on_mount(self) -> None:
        """Begin at the column that orders the states."""
        super().on_mount()
        keys = [column.key for column in self._columns]
        self._list.show_list(self._lines(), keys.index(self._view.sort) if self._view.sort in keys else 0)
        self._list.focus()

    def _lines(self) -> list[Content]:
        return [self._line(column) for column in self._columns]

    def _line(self, column: TableColumn) -> Content:
        shown = column.key == BY_NUMBER or column.key not in self._view.hidden
        arrow = ("↓" if self._view.descending else "↑") if column.key == self._view.sort else " "
        return Content.assemble(
            (f"{'[x]' if shown else '[ ]'} {arrow} ", "$accent"),
            (f"{clean(column.label):<{LABEL_WIDTH}} ", "bold" if shown else "dim"),
            (column.help, "dim"),
        )

    def _want(self, view: View) -> None:
        self._view = view
        self._list.show_list(self._lines(), self._list.cursor)
        self._changed(view)

    @on(PickerList.Chosen)
    def _chosen(self, event: PickerList.Chosen) -> None:
        event.stop()
        self._want(self._view.sorted_by(self._columns[event.index].key))

    def action_switch(self) -> None:
        """Hide or show the column; the state's number always stays."""
        key = self._columns[self._list.cursor].key
        if key != BY_NUMBER:
            self._want(self._view.toggled(key))
