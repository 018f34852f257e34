"""What a first start shows: an offer to be shown around, which is made once."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from tui.appearance.keymap import keymap_of, with_keys
from tui.screens.dialog import Dialog

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

TEXT = (
    "stormscope checks a Markov decision process exactly, asks a language model about it, "
    "and says what is true and why.\n\n"
    "The tour takes two minutes and needs no network. It is there later too: {app.tour}, or stormscope tour."
)


class WelcomeScreen(Dialog[bool]):
    """It is left with whether the tour is wanted."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "leave", "Not now", id="welcome.no")]
    HELP_GROUPS = ("app",)

    def compose(self) -> ComposeResult:
        """Create the box."""
        box = Vertical(classes="form")
        box.border_title = "Welcome"
        with box:
            yield Static(Content(with_keys(TEXT, keymap_of(self.app))), id="welcome-text")
            with Horizontal(classes="form-buttons"):
                yield Button("Take the tour", compact=True, id="welcome-yes")
                yield Button("Not now", compact=True, id="welcome-no")

    @on(Button.Pressed, "#welcome-yes")
    def action_yes(self) -> None:
        """Take the tour."""
        self.dismiss(result=True)

    @on(Button.Pressed, "#welcome-no")
    def action_leave(self) -> None:
        """Go on without it."""
        self.dismiss(result=False)
