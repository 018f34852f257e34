"""One step of the tour: a caption over whatever is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui.actions.registry import bindings
from tui.appearance.keymap import keymap_of, with_keys
from tui.screens.dialog import Dialog

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType


class TourScreen(Dialog[bool]):
    """It is left with whether the tour goes on.

    Parameters
    ----------
    title, text
        The caption.
    top
        Whether it stands at the top, because the bottom is what it is about.
    seconds
        When it goes on by itself; None waits for a key.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("tour")]
    HELP_GROUPS = ("tour",)

    def __init__(self, title: str, text: str, *, top: bool, seconds: float | None, last: bool) -> None:
        super().__init__(classes="-top" if top else "")
        self._title = title
        self._text = text
        self._seconds = seconds
        self._last = last

    def compose(self) -> ComposeResult:
        """Create the caption."""
        box = Vertical(id="tour")
        box.border_title = self._title
        keymap = keymap_of(self.app)
        hint = "{tour.next} ends the tour" if self._last else "{tour.next} goes on, {tour.leave} leaves the tour"
        box.border_subtitle = Content(with_keys(hint, keymap))
        with box:
            yield Static(Content(with_keys(self._text, keymap)), id="tour-text")

    def on_mount(self) -> None:
        """Go on later."""
        if self._seconds is not None:
            self.set_timer(self._seconds, self.action_next)

    def action_next(self) -> None:
        """Go on."""
        if self.is_current:
            self.dismiss(result=True)

    def action_leave(self) -> None:
        """Leave the tour."""
        self.dismiss(result=False)
