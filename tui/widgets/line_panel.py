"""Panels made of lines, of which only those that changed are painted again.

Textual's own lists change their layout with their length, and a layout paints the whole screen: 20 KB a key over SSH.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events


class Row(NamedTuple):
    """What one row of the panel shows."""

    line: Content
    cursor: bool
    bar: str

    def same_as(self, other: Row) -> bool:
        """Whether both look alike; contents compare by text alone, so their styles are compared here."""
        return self.cursor == other.cursor and self.bar == other.bar and self.line.is_same(other.line)


class LinePanel(Widget):
    """Lines from the top; what does not fit is cut from below."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._lines: tuple[Content, ...] = ()
        self._top = 0
        self._painted: list[Row] = []

    def show_lines(self, lines: Sequence[Content]) -> None:
        """Show other lines."""
        self._lines = tuple(lines)
        self._repaint()

    def _row(self, y: int) -> Row:
        index = self._top + y
        line = self._lines[index] if index < len(self._lines) else Content("")
        return Row(line, cursor=False, bar="")

    def _repaint(self) -> None:
        rows = [self._row(y) for y in range(self.size.height)]
        if len(rows) != len(self._painted):
            self.refresh()
        else:
            changed = [y for y, row in enumerate(rows) if not row.same_as(self._painted[y])]
            if changed:
                self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))
        self._painted = rows

    def render_line(self, y: int) -> Strip:
        """Return one row."""
        row = self._row(y)
        style = self.get_visual_style("line-list--cursor") if row.cursor else self.visual_style
        width = self.size.width - len(row.bar)
        content = row.line.truncate(width, ellipsis=True)
        strip = Visual.to_strips(self, content, width, 1, style, pad=True)[0] if width > 0 else Strip([])
        if not row.bar:
            return strip
        bar = Visual.to_strips(self, Content.styled(row.bar, "dim"), 1, 1, self.visual_style)[0]
        return Strip.join([strip, bar])


class LineScroll(LinePanel, can_focus=True):
    """Lines that scroll where they do not fit."""

    def show_lines(self, lines: Sequence[Content]) -> None:
        """Show other lines, from the top."""
        self._top = 0
        super().show_lines(lines)

    def _show_from(self, top: int) -> None:
        self._top = min(max(top, 0), max(len(self._lines) - self.size.height, 0))
        self._repaint()

    def _row(self, y: int) -> Row:
        row = super()._row(y)
        lines, height = len(self._lines), self.size.height
        if lines <= height:
            return row
        first = self._top * height // lines
        last = (self._top + height) * height // lines
        return row._replace(bar="┃" if first <= y < max(last, first + 1) else "│")

    def on_mouse_scroll_down(self) -> None:
        """Scroll."""
        self._show_from(self._top + 2)

    def on_mouse_scroll_up(self) -> None:
        """Scroll."""
        self._show_from(self._top - 2)

    def action_cursor_down(self) -> None:
        """Scroll down by a line."""
        self._show_from(self._top + 1)

    def action_cursor_up(self) -> None:
        """Scroll up by a line."""
        self._show_from(self._top - 1)


class LineList(LineScroll):
    """Lines with a cursor, which scroll with it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line-list--cursor"}

    class Chosen(Message):
        """Enter or a second click on a line."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as above
        super().__init__(id=id)
        self._cursor = 0

    @property
    def cursor(self) -> int:
        """The line under the cursor."""
        return self._cursor

    def show_list(self, lines: Sequence[Content], cursor: int) -> None:
        """Show other lines, from the top, with the cursor on one of them."""
        self._lines = tuple(lines)
        self._top = 0
        self.move_to(cursor)

    def replace_lines(self, lines: Sequence[Content]) -> None:
        """Take other lines without painting them: a move of the cursor follows."""
        self._lines = tuple(lines)

    def reveal(self, line: int) -> None:
        """Scroll to a line as far as the cursor stays in sight."""
        height = max(self.size.height, 1)
        self._show_from(min(max(self._top, line - height + 1), self._cursor))

    def move_to(self, line: int) -> None:
        """Move the cursor to a line, or to the nearest that exists, and scroll to it."""
        self._cursor = min(max(line, 0), max(len(self._lines) - 1, 0))
        height = max(self.size.height, 1)
        self._show_from(min(max(self._top, self._cursor - height + 1), self._cursor))

    def _row(self, y: int) -> Row:
        return super()._row(y)._replace(cursor=self._top + y == self._cursor and y < len(self._lines))

    def on_resize(self) -> None:
        """Keep the cursor in sight, and as much above it as there is room for."""
        self._top = 0
        self.move_to(self._cursor)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor; on the line that has it, choose that line."""
        offset = event.get_content_offset(self)
        if offset is None or self._top + offset.y >= len(self._lines):
            return
        line = self._top + offset.y
        if line == self._cursor:
            self.action_select()
        else:
            self.move_to(line)

    def action_cursor_down(self) -> None:
        """Go to the next line."""
        self.move_to(self._cursor + 1)

    def action_cursor_up(self) -> None:
        """Go to the line before."""
        self.move_to(self._cursor - 1)

    def action_page_down(self) -> None:
        """Go down by a page."""
        self.move_to(self._cursor + self.size.height)

    def action_page_up(self) -> None:
        """Go up by a page."""
        self.move_to(self._cursor - self.size.height)

    def action_first(self) -> None:
        """Go to the first line."""
        self.move_to(0)

    def action_last(self) -> None:
        """Go to the last line."""
        self.move_to(len(self._lines) - 1)

    def action_select(self) -> None:
        """Choose the line under the cursor."""
        if self._lines:
            self.post_message(self.Chosen(self._cursor))
