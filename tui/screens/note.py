"""Something to read and to copy: a few lines until they are closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from tui.screens.dialog import Dialog
from tui.text import clean

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.verdicts.overview import Overview


class NoteScreen(Dialog[None]):
    """Shows a text; what it is about can be copied.

    Parameters
    ----------
    copied
        What ``y`` copies; empty if there is nothing to copy.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "leave", "Close", id="note.close"),
        Binding("y", "copy", "Copy", id="note.copy"),
    ]
    HELP_GROUPS = ("app",)

    def __init__(self, title: str, text: str, copied: str = "") -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._copied = copied

    @classmethod
    def of_campaign(cls, overview: Overview) -> Self:
        """Return how to go on with a campaign that this program cannot go on with by itself."""
        from tui.campaigns.resuming import report_command, resume_command  # noqa: PLC0415 - loads when it is needed

        again, report = resume_command(overview), report_command(overview)
        state = "is finished" if overview.finished else f"has {overview.done:,} of {overview.total:,} answers"
        lines = [f"It {state}. A terminal goes on with it by this command:", "", again]
        return cls(clean(overview.path.name), "\n".join([*lines, "", "Its tables:", "", report]), again)

    def compose(self) -> ComposeResult:
        """Create the box."""
        box = Vertical(classes="form")
        box.border_title = self._title
        box.border_subtitle = "y copies the command" if self._copied else ""
        with box:
            with VerticalScroll(classes="form-fields", can_focus=False):
                yield Static(Content(clean(self._text, lines=True)), markup=False)
            with Vertical(classes="form-foot"), Vertical(classes="form-buttons"):
                yield Button("Close", compact=True)

    def on_button_pressed(self) -> None:
        """Close."""
        self.dismiss()

    def action_leave(self) -> None:
        """Close."""
        self.dismiss()

    def action_copy(self) -> None:
        """Copy the command."""
        if self._copied:
            self.app.copy_to_clipboard(self._copied)
            self.notify("Copied, if the terminal takes OSC 52.")
