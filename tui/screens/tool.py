"""Dialogs of the explorer: a box that closes with escape, and may compute something in the background."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from engine.errors import CancelledError, StormscopeError
from tui.actions.registry import bindings
from tui.appearance.keymap import keymap_of, with_keys
from tui.screens.dialog import Dialog
from tui.text import clean
from tui.told import told
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget

    Progress: TypeAlias = Callable[[str, str], None]
    Work: TypeAlias = Callable[[Progress, threading.Event], object]


CANCELLING = "cancelling"
UNUSED = frozenset({"run", "switch", "remove", "write", "copy", "next", "before"})
"""Actions that a dialog may have a use for."""


class ToolScreen(Dialog[int | None]):
    """A box with a title, contents, and a line that says how it goes.

    Subclasses give `contents`; those that compute something call `compute` and are told by `finished`. A dialog closes
    with the state to go to, or with None.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("tool")]
    HELP_GROUPS: ClassVar[tuple[str, ...]] = ("tool", "list", "app")
    TITLE_TEXT: ClassVar[str] = ""
    HINT: ClassVar[str] = "{tool.close} closes"

    class Advanced(Message):
        """The work reached another stage, or (`result`, `error`) its end."""

        def __init__(
            self, number: int, stage: str = "", *, result: object = None, error: StormscopeError | None = None
        ) -> None:
            super().__init__()
            self.number = number
            self.stage = stage
            self.result = result
            self.error = error

    def __init__(self) -> None:
        super().__init__()
        self._number = 0
        self._cancel = threading.Event()
        self._stage: str | None = None
        self._since = 0.0

    def contents(self) -> Iterable[Widget]:
        """Return the widgets inside the box."""
        raise NotImplementedError

    def finished(self, result: object) -> None:
        """Show what was computed."""
        raise NotImplementedError

    def action_run(self) -> None:
        """Compute it."""

    def action_switch(self) -> None:
        """Switch what is under the cursor."""

    def action_remove(self) -> None:
        """Remove what is under the cursor."""

    def action_write(self) -> None:
        """Write it to a file."""

    def action_copy(self) -> None:
        """Copy what is shown."""

    def action_next(self) -> None:
        """Show the next one."""

    def action_before(self) -> None:
        """Show the one before."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Refuse what this dialog has no use for: what it has left as it is here."""
        name = f"action_{action}"
        if action in UNUSED and getattr(type(self), name) is getattr(ToolScreen, name):
            return False
        return super().check_action(action, parameters)

    @property
    def busy(self) -> bool:
        """Whether something is computed."""
        return self._stage is not None

    def compose(self) -> ComposeResult:
        """Create the box."""
        box = Vertical(classes="form tool")
        box.border_title = Content(clean(self.TITLE_TEXT))
        box.border_subtitle = Content(with_keys(self.HINT, keymap_of(self.app)))
        with box:
            yield from self.contents()
            note = Static("", id="tool-note", markup=False)
            note.display = False
            yield note

    def on_mount(self) -> None:
        """Count the seconds while something is computed."""
        self.set_interval(1.0, self._show_stage)

    def on_unmount(self) -> None:
        """Stop what is computed: nobody waits for it any more."""
        self._cancel.set()

    def compute(self, work: Work, doing: str) -> None:
        """Run blocking work in a thread; it replaces what ran before."""
        self._cancel.set()
        self._cancel = cancel = threading.Event()
        self._number += 1
        number = self._number
        self._stage, self._since = doing, time.monotonic()
        self._show_stage()

        def advance(stage: str, detail: str) -> None:
            self.post_message(self.Advanced(number, f"{stage} {detail}".strip()))

        def run() -> None:
            try:
                result = work(advance, cancel)
            except StormscopeError as error:
                self.post_message(self.Advanced(number, error=error))
            else:
                self.post_message(self.Advanced(number, result=result))

        start_thread(self.app, run, group="tool", name=doing)

    def on_tool_screen_advanced(self, event: Advanced) -> None:
        """Show a stage or the result, unless other work has replaced this."""
        event.stop()
        if event.number != self._number:
            return
        if event.stage:
            self._stage = CANCELLING if self._cancel.is_set() else event.stage
            self._show_stage()
            return
        self._stage = None
        if isinstance(event.error, CancelledError):
            self.say("Cancelled.")
        elif event.error is not None:
            self.say_error(event.error)
        else:
            self.say("")
            self.finished(event.result)

    def _show_stage(self) -> None:
        if self._stage is not None:
            seconds = int(time.monotonic() - self._since)
            leave = "again closes" if self._stage == CANCELLING else "cancels"
            key = with_keys("{tool.close}", keymap_of(self.app))
            self.say(f"{clean(self._stage)}{f'  {seconds} s' if seconds else ''}  ({key} {leave})")

    def say(self, text: str, *, error: bool = False) -> None:
        """Show a line at the bottom of the box; nothing hides it."""
        note = self.query_one("#tool-note", Static)
        note.update(Content(text))
        note.set_class(error, "-error")
        note.display = bool(text)

    def say_error(self, error: StormscopeError) -> None:
        """Say what went wrong."""
        said = told(error)
        parts = [clean(said.what, lines=True)]
        if said.where and said.where not in said.what:
            parts.append(clean(said.where))
        if said.hint:
            parts.append(f"→ {clean(said.hint)}")
        self.say("\n".join(parts), error=True)

    def action_leave(self) -> None:
        """Cancel what is computed, else close; a second time closes at once, as some work ends only a while later."""
        if self.busy and not self._cancel.is_set():
            self._cancel.set()
            self._stage = CANCELLING
            self._show_stage()
        else:
            self.dismiss(None)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_run()
