"""The first frame: a model is opening, with its progress and a way out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import LoadingIndicator, Static

from tui.text import clean

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType


class OpeningScreen(Screen[None]):
    """Shows the stages of building and checking a model."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "cancel", "Cancel", id="opening.cancel")]

    class Cancelled(Message):
        """The user does not want to wait."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self._stage = "starting the oracle"
        self._since = time.monotonic()

    def compose(self) -> ComposeResult:
        """Create the box in the middle."""
        with Vertical(id="opening"):
            yield Static(Content.assemble(("stormscope", "bold $primary"), "  ", clean(self._title)))
            yield LoadingIndicator()
            yield Static("", id="opening-stage", markup=False)
            yield Static(Content.styled("esc cancels", "dim"))

    def on_mount(self) -> None:
        """Count the seconds: a long check must be seen to be alive."""
        self.set_interval(1.0, self._show)
        self._show()

    def show_stage(self, stage: str) -> None:
        """Show what the oracle does now."""
        self._stage = stage
        self._show()

    def _show(self) -> None:
        seconds = int(time.monotonic() - self._since)
        waited = f"  {seconds} s" if seconds else ""
        self.query_one("#opening-stage", Static).update(Content(clean(self._stage) + waited))

    def action_cancel(self) -> None:
        """Ask the app to stop the oracle."""
        self._stage = "cancelling"
        self._show()
        self.post_message(self.Cancelled())
