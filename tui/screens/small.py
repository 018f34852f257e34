"""What is shown while the terminal is too small for anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.appearance.keymap import keymap_of, with_keys

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Size

LEAST_WIDTH, LEAST_HEIGHT = 50, 14


def too_small(size: Size) -> bool:
    """Return whether a terminal has no room for the panels."""
    return size.width < LEAST_WIDTH or size.height < LEAST_HEIGHT


class SmallScreen(ModalScreen[None]):
    """Says what to do; it goes when the terminal has grown. Until then the app can only be left."""

    # A modal screen hides the app's own keys; with their ids these follow what the settings say.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "app.leave_app", "Quit", id="app.quit"),
        Binding("ctrl+z", "app.suspend_process", "Suspend", id="app.suspend"),
    ]
    HELP_GROUPS = ("app",)

    def compose(self) -> ComposeResult:
        """Create the text."""
        leaves = with_keys("{app.quit} leaves", keymap_of(self.app))
        yield Static(Content(f"too small:\nat least {LEAST_WIDTH}×{LEAST_HEIGHT}\n{leaves}"), id="too-small")
