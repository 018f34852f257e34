"""The picture of an environment that draws its states as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from engine.errors import StormscopeError
from tui.explorer.drawing import Drawing
from tui.text import clean
from tui.told import told
from tui.widgets.line_panel import LinePanel
from tui.workers import LatestOnly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.oracle.facts import Oracle

WIDTH = 34
"""Columns that a picture is made for; all pictures of a model begin in the same column."""
KEPT = 4096
"""Pictures that stay in memory."""


class TextPicture(LinePanel):
    """Shows the selected state's picture; a template that fails is explained in its place."""

    state: reactive[int] = reactive(0, init=False, repaint=False)

    class Drawn(Message):
        """A state's picture was drawn, or could not be."""

        def __init__(self, state: int, result: tuple[str, ...] | StormscopeError) -> None:
            super().__init__()
            self.state = state
            self.result = result

    def __init__(self, oracle: Oracle, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.border_title = "Picture"
        self._oracle = oracle
        self._drawing: Drawing | None = None
        self._drawn: dict[int, tuple[str, ...] | StormscopeError] = {}
        self._latest: LatestOnly[tuple[str, ...]] | None = None

    @property
    def ready(self) -> bool:
        """Whether the selected state's picture is drawn."""
        return self.state in self._drawn

    def on_mount(self) -> None:
        """Draw the first picture."""
        self._latest = LatestOnly(
            self.app,
            self._draw,
            lambda state, result: self.post_message(self.Drawn(state, result)),
            name="drawing the picture",
        )
        self.watch_state()

    def watch_state(self) -> None:
        """Show the picture if it was drawn before, else let it be drawn."""
        if self.state in self._drawn:
            self._show()
        elif self._latest is not None:
            self._latest.want(self.state)

    def on_resize(self) -> None:
        """Centre for another width."""
        self._show()

    def on_text_picture_drawn(self, event: Drawn) -> None:
        """Keep the picture, and show it if its state is still the selected one."""
        if len(self._drawn) >= KEPT:
            self._drawn.clear()
        self._drawn[event.state] = event.result
        if event.state == self.state:
            self._show()

    def _draw(self, state: int) -> tuple[str, ...]:
        if self._drawing is None:
            self._drawing = Drawing(self._oracle)
        return self._drawing.lines(state)

    def _show(self) -> None:
        result = self._drawn.get(self.state)
        if result is None:
            return
        if isinstance(result, StormscopeError):
            lines = _explained(result, self.size.width)
        else:
            margin = " " * max(0, (self.size.width - max(WIDTH, *map(len, result), 0)) // 2)
            above = max(0, (self.size.height - len(result)) // 2)
            lines = [Content("")] * above + [Content(margin + line) for line in result]
        self.show_lines(lines)


def _explained(failure: StormscopeError, width: int) -> list[Content]:
    error = told(failure)
    parts: Sequence[Content] = (
        Content.styled("This picture cannot be drawn.", "dim"),
        Content.styled(clean(error.what), "$fail"),
        Content.styled(clean(error.where), "dim"),
        Content.styled(f"→ {clean(error.hint)}" if error.hint else "", "dim"),
    )
    return [line for part in parts if part.plain for line in part.wrap(max(width, 1))]
