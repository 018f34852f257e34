"""Name an explainer that is not in the list, such as a model at an endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from engine.errors import StormscopeError
from tui.actions.registry import bindings
from tui.screens.dialog import Dialog
from tui.text import clean
from tui.told import told

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType

OTHER = "another …"
"""What stands in a list of explainers for one that has to be named."""
HELP = (
    "openai:MODEL asks OPENAI_BASE_URL, ollama:MODEL asks OLLAMA_HOST, local:FILE.gguf another embedded model; "
    "NAME asks an endpoint of the settings for its own model, NAME:MODEL for another."
)


class ExplainerScreen(Dialog[str | None]):
    """One field; it is left with the explainer's name, or with None.

    Parameters
    ----------
    check
        Raises StormscopeError if there is no such explainer.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("form")]
    HELP_GROUPS = ("form", "app")
    SEND = "Take"

    def __init__(self, check: Callable[[str], None]) -> None:
        super().__init__()
        self._check = check

    def compose(self) -> ComposeResult:
        """Create the box."""
        box = Vertical(classes="form")
        box.border_title = "Another explainer"
        with box:
            yield Input(placeholder="openai:MODEL", compact=True, id="explainer-name", select_on_focus=False)
            yield Static(HELP, id="form-note", markup=False)
            with Horizontal(classes="form-buttons"):
                yield Button(self.SEND, compact=True, id="form-send")
                yield Button(self.LEAVE, compact=True, id="form-cancel")

    @on(Input.Submitted)
    @on(Button.Pressed, "#form-send")
    def action_send(self) -> None:
        """Take the name, or say what is wrong with it."""
        name = self.query_one(Input).value.strip()
        if not name:
            return
        try:
            self._check(name)
        except StormscopeError as error:
            note = self.query_one("#form-note", Static)
            said = told(error)
            hint = f"\n→ {clean(said.hint, lines=True)}" if said.hint else ""
            note.update(Content(clean(said.what, lines=True) + hint))
            note.add_class("-error")
        else:
            self.dismiss(name)

    @on(Button.Pressed, "#form-cancel")
    def action_leave(self) -> None:
        """Close without a name."""
        self.dismiss(None)
