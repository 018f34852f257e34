"""A scroll bar that is painted when its thumb moves on the screen, not whenever the scrolled lines do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.reactive import Reactive
from textual.scrollbar import ScrollBar

if TYPE_CHECKING:
    from rich.console import RenderableType

PARTS: Final = 8
"""The thumb's ends are drawn to this part of a cell."""


class SteadyScrollBar(ScrollBar):
    """A vertical bar; beside a million rows, its thumb stays in place for thousands of them."""

    position: Reactive[float] = Reactive(0.0, repaint=False)

    def __init__(self, *, name: str, thickness: int) -> None:
        super().__init__(vertical=True, name=name, thickness=thickness)
        self._drawn = -1

    @property
    def _thumb(self) -> int:
        """Where the thumb begins, in parts of a cell."""
        hidden, height = self.window_virtual_size - self.window_size, self.size.height
        if hidden <= 0 or height <= 0:
            return 0
        size = max(1.0, height * self.window_size / self.window_virtual_size)
        return int((height - size) * self.position / hidden * PARTS)

    def watch_position(self) -> None:
        """Paint the bar if that shows another position than was drawn."""
        if self._thumb != self._drawn:
            self.refresh()

    def render(self) -> RenderableType:
        """Return the bar, and note what it shows."""
        self._drawn = self._thumb
        return super().render()
