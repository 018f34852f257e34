"""See the prompt of a question, and change it before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Label, Static, TextArea

from tui.actions.registry import bindings
from tui.screens.dialog import Dialog
from tui.text import clean

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

NOTE = "An edited prompt is marked on the verdict card, and its answers never go into a campaign file."


class PromptEdit(NamedTuple):
    """The system and the user message as they stand, and whether they are to be sent or only kept as a draft."""

    texts: tuple[str, str]
    send: bool


class PromptScreen(Dialog[PromptEdit]):
    """Two texts; closing it keeps what was written as a draft.

    Parameters
    ----------
    system, user
        The case's own prompt.
    edited
        What an earlier change, sent or not, has made of it; None if nothing.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("form")]
    HELP_GROUPS = ("form", "app")
    SEND = "Use it"
    LEAVE = "Not now"

    def __init__(self, system: str, user: str, edited: tuple[str, str] | None) -> None:
        super().__init__()
        self._own = (clean(system, lines=True), clean(user, lines=True))
        shown = self._own if edited is None else edited
        self._system = TextArea(shown[0], id="prompt-system", compact=True)
        self._user = TextArea(shown[1], id="prompt-user", compact=True)

    def compose(self) -> ComposeResult:
        """Create the box."""
        box = Vertical(classes="form", id="prompt-box")
        box.border_title = "The prompt"
        with box:
            yield Label("system", classes="form-label")
            yield self._system
            yield Label("user", classes="form-label")
            yield self._user
            yield Static(Content(NOTE), id="form-note", markup=False)
            with Horizontal(classes="form-buttons"):
                yield Button(self.SEND, compact=True, id="form-send")
                yield Button("As it was", compact=True, id="prompt-reset")
                yield Button(self.LEAVE, compact=True, id="form-cancel")

    def on_mount(self) -> None:
        """Begin in the question."""
        self._user.focus()

    @on(Button.Pressed, "#prompt-reset")
    def reset(self) -> None:
        """Take the case's own prompt again."""
        self._system.text, self._user.text = self._own

    @on(Button.Pressed, "#form-send")
    def action_send(self) -> None:
        """Use what stands here."""
        self.dismiss(PromptEdit((self._system.text, self._user.text), send=True))

    @on(Button.Pressed, "#form-cancel")
    def action_leave(self) -> None:
        """Close, and send the prompt as it was; what was written stands here when this is opened again."""
        self.dismiss(PromptEdit((self._system.text, self._user.text), send=False))
