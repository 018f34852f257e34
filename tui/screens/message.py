"""A failure in a modal: what happened, where, what to do now."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from tui.screens.dialog import Dialog
from tui.text import clean
from tui.told import told

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.errors import StormscopeError


class FailureScreen(Dialog[None]):
    """Shows one failure until it is closed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q", "leave", "Close", id="failure.close")]

    def __init__(self, error: StormscopeError, *, title: str = "This did not work", button: str = "Close") -> None:
        super().__init__()
        self.error = error
        self._title = title
        self._button = button

    def compose(self) -> ComposeResult:
        """Create the box."""
        box = Vertical(id="failure")
        box.border_title = self._title
        with box:
            with VerticalScroll(id="failure-text", can_focus=False):
                yield Static(_text(self.error), markup=False)
            yield Button(self._button, compact=True, id="failure-close")

    def on_button_pressed(self) -> None:
        """Close."""
        self.dismiss()

    def action_leave(self) -> None:
        """Close."""
        self.dismiss()


def _text(failure: StormscopeError) -> Content:
    error = told(failure)
    parts: list[tuple[str, str]] = [(clean(error.what, lines=True), "bold")]
    if error.where:
        parts.append((f"\n\nwhere  {clean(error.where, lines=True)}", "dim"))
    if error.hint:
        parts.append((f"\n\n→ {clean(error.hint, lines=True)}", "$accent"))
    return Content.assemble(*parts)
