"""A list in a dialog: as high as its lines, as far as there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.message import Message

from tui.actions.registry import bindings
from tui.widgets.line_panel import LineList, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType
    from textual.geometry import Size


class PickerList(LineList):
    """Lines with a cursor; enter or a second click chooses one."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list")]

    class Moved(Message):
        """The cursor is on another line, or the lines are others."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def move_to(self, line: int) -> None:
        """Move the cursor, and tell of it."""
        super().move_to(line)
        self.post_message(self.Moved(self.cursor))

    def show_list(self, lines: Sequence[Content], cursor: int) -> None:
        """Show other lines; the dialog may grow or shrink with them."""
        super().show_list(lines, cursor)
        self.refresh(layout=True)

    def _row(self, y: int) -> Row:
        row = super()._row(y)
        # In the cursor's own colours: accents are chosen for the background around it.
        return row._replace(line=Content(row.line.plain)) if row.cursor else row

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines."""
        del container, viewport, width
        return max(len(self._lines), 1)
