"""Forms about the open model: what they have in common."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Static

from tui.actions.registry import bindings
from tui.appearance.keymap import keymap_of, with_keys
from tui.screens.dialog import Dialog
from tui.text import clean
from tui.told import told

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget

    from engine.errors import StormscopeError


class FormScreen(Dialog[None]):
    """Fields, a line that says how it goes, and two buttons. It stays until what it asked for is done.

    Subclasses give `fields` and `submit`, which posts a message or says what is wrong.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("form")]
    HELP_GROUPS: ClassVar[tuple[str, ...]] = ("form", "app")
    SEND: ClassVar[str] = "Check"

    class CancelRequested(Message):
        """The user does not want to wait for what was asked for."""

    def __init__(self, title: str, error: StormscopeError | None = None) -> None:
        super().__init__()
        self._title = title
        self._error = error
        self._stage: str | None = None
        self._since = 0.0

    @property
    def busy(self) -> bool:
        """Whether what was asked for is under way."""
        return self._stage is not None

    def fields(self) -> Iterable[Widget]:
        """Return the fields."""
        raise NotImplementedError

    def submit(self) -> None:
        """Ask for what the fields say, or say what is wrong with them."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Create the box."""
        box = Vertical(classes="form")
        box.border_title = clean(self._title)
        with box:
            with VerticalScroll(classes="form-fields", can_focus=False):
                yield from self.fields()
            with Vertical(classes="form-foot"):
                yield Static("", id="form-note", markup=False)
                with Horizontal(classes="form-buttons"):
                    yield Button(self.SEND, compact=True, id="form-send")
                    yield Button(self.LEAVE, compact=True, id="form-cancel")

    def on_mount(self) -> None:
        """Show why the form was opened, if something had failed."""
        self.set_interval(1.0, self._show_stage)
        if self._error is not None:
            self.show_error(self._error)
        else:
            self._say("")

    def start(self) -> None:
        """Show that what was asked for is under way."""
        self._stage = "starting"
        self._since = time.monotonic()
        self.query_one("#form-send", Button).disabled = True
        self._show_stage()

    def show_stage(self, stage: str) -> None:
        """Show what the oracle does now."""
        if self.busy:
            self._stage = stage
            self._show_stage()

    def show_error(self, error: StormscopeError) -> None:
        """Say why it did not work; the fields can be changed."""
        self._end()
        said = told(error)
        parts = [clean(said.what, lines=True)]
        if said.where and said.where not in said.what:
            parts.append(clean(said.where))
        if said.hint:
            parts.append(f"→ {clean(said.hint)}")
        self._say("\n".join(parts), error=True)

    def show_cancelled(self) -> None:
        """Say that nothing was changed."""
        self._end()
        self._say("Cancelled; nothing was changed.")

    def rest(self) -> None:
        """Wait to be sent again, with nothing to say: another form was opened for what was missing, and left."""
        self._end()
        self._say("")

    def _end(self) -> None:
        self._stage = None
        self.query_one("#form-send", Button).disabled = False

    def _show_stage(self) -> None:
        if self._stage is not None:
            seconds = int(time.monotonic() - self._since)
            cancels = with_keys("({form.leave} cancels)", keymap_of(self.app))
            self._say(f"{clean(self._stage)}{f'  {seconds} s' if seconds else ''}  {cancels}")

    def _say(self, text: str, *, error: bool = False) -> None:
        note = self.query_one("#form-note", Static)
        note.update(Content(text))
        note.set_class(error, "-error")
        note.display = bool(text)

    @on(Button.Pressed, "#form-send")
    def action_send(self) -> None:
        """Submit, unless what was submitted is still under way."""
        if not self.busy:
            self.submit()

    @on(Button.Pressed, "#form-cancel")
    def action_leave(self) -> None:
        """Cancel what is under way, else close the form."""
        if self.busy:
            self._stage = "cancelling"
            self._show_stage()
            self.post_message(self.CancelRequested())
        else:
            self.dismiss()
