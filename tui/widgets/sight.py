"""Which columns of a table are in sight, and what is said of those that the right edge cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip
from textual_fastdatatable.column import CELL_X_PADDING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual_fastdatatable.column import Column

    from tui.explorer.columns import TableColumn


def in_sight(columns: Iterable[Column], x1: int, x2: int) -> tuple[int, list[tuple[int, int]]]:
    """Return where the first column begins that is in sight from `x1` to `x2`, and place and width of what is seen.

    A column that the right edge cuts is as narrow as what is left of it, down to its first blank.
    """
    left, first = 0, None
    found = []
    for place, column in enumerate(columns):
        right = left + column.render_width
        width = min(right - CELL_X_PADDING, x2 - 1) - left
        if width > 0 and right > x1:
            first = left if first is None else first
            found.append((place, width))
        left = right
    return first or 0, found


def heading_is_cut(columns: Iterable[Column], shown: Sequence[TableColumn], x2: int) -> bool:
    """Return whether a column's label crosses the right edge at `x2`."""
    left = 0
    for column, each in zip(columns, shown, strict=True):
        right = left + column.render_width
        end = right - 1 if each.right else left + 1 + column.label.cell_len
        if left + 1 < x2 < end:
            return True
        left = right
    return False


def ellipsed(strip: Strip) -> Strip:
    """Return a line with an ellipsis in its last column."""
    segments = [segment for segment in strip if segment.text]
    style = segments[-1].style if segments else None
    return Strip([*strip.crop(0, strip.cell_length - 1), Segment("…", style)])
