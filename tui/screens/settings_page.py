"""What the pages of the settings have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.containers import Vertical
from textual.message import Message

from tui.told import told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.errors import StormscopeError
    from engine.settings_file import Place


class SettingsPage(Vertical):
    """One page. Subclasses show what is set, and post what shall be changed."""

    TITLE = ""
    HINT = ""

    class Wanted(Message):
        """Values shall be written into the settings file; None removes one."""

        def __init__(self, changes: Mapping[Place, Any], done: str) -> None:
            super().__init__()
            self.changes = changes
            self.done = done

    class Said(Message):
        """There is something to say below the page."""

        def __init__(self, text: str, *, error: bool = False) -> None:
            super().__init__()
            self.text = text
            self.error = error

    @property
    def offered(self) -> bool:
        """Whether there is anything on the page."""
        return True

    def show(self) -> None:
        """Show what is set now."""

    def begin(self) -> None:
        """Put the focus where the page begins."""

    def leave(self) -> bool:
        """Take back what was only tried; return whether there was any of that."""
        return False

    def action_test(self) -> None:
        """Try what is under the cursor, where that makes sense."""

    def action_new(self) -> None:
        """Add something, where that makes sense."""

    def action_remove(self) -> None:
        """Remove what is under the cursor, where that makes sense."""

    def fail(self, error: StormscopeError) -> None:
        """Say why something did not work."""
        self.post_message(self.Said(in_one_line(error), error=True))


def in_one_line(error: StormscopeError) -> str:
    """Return an error and what to do about it."""
    said = told(error)
    rest = said.hint or said.where
    return f"{said.what}  → {' '.join(rest.split())}" if rest else said.what
