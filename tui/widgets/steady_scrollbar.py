"""A scroll bar that is painted when its thumb moves on the screen, not whenever the scrolled lines do."""

from __future__ import annotations

from typing import Final

from textual.reactive import Reactive
from textual.scrollbar import ScrollBar

PARTS: Final = 8
"""The thumb's ends are drawn to this part of a cell."""


class SteadyScrollBar(ScrollBar):
    """A vertical bar; beside a million rows, its thumb stays in place for thousands of them."""

    position: Reactive[float] = Reactive(0.0, repaint=False)

    def __init__(self, *, name: str, thickness: int) -> None:
        super().__init__(vertical=True, name=name, thickness=thickness)
        self._drawn = 0

    def watch_position(self) -> None:
        """Paint the bar if that shows another position."""
        hidden, height = self.window_virtual_size - self.window_size, self.size.height
        if hidden <= 0 or height <= 0:
            return
        thumb = max(1.0, height * self.window_size / self.window_virtual_size)
        drawn = int((height - thumb) * self.position / hidden * PARTS)
        if drawn != self._drawn:
            self._drawn = drawn
            self.refresh()
