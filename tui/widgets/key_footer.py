"""The line of keys at the bottom: whole entries only, and how to get help and to go back are always among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.widgets import Footer
from textual.widgets._footer import FooterKey  # Textual's public module has the footer alone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult

BACK = frozenset({"leave", "escape"})
"""Actions that lead out of where one is; the second is that of Textual's own palette."""
HELP = frozenset({"help", "app.help"})
LAST = frozenset({"leave_app"})
PADDING = 3
"""Columns of an entry beside its two texts: one before the key, one after it, one at the end."""


class KeyFooter(Footer):
    """The keys that work where the focus is, as many as there is room for."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)
        self._room = 0

    def compose(self) -> ComposeResult:
        """Create the entries that fit."""
        self._room = self.app.size.width
        entries = [each for each in super().compose() if isinstance(each, FooterKey)]
        entries.sort(key=_place)
        yield from fitting(entries, self._room)

    def on_resize(self, event: events.Resize) -> None:
        """Show more entries, or fewer."""
        if event.size.width != self._room:
            self.call_after_refresh(self.recompose)


def fitting(entries: Sequence[FooterKey], room: int) -> list[FooterKey]:
    """Return the entries that fit in `room` columns, in their order; left out are the last ones that are not kept."""
    wanted = sorted(entries, key=lambda entry: entry.action not in BACK | HELP)
    taken: list[FooterKey] = []
    for entry in wanted:
        width = PADDING + cell_len(entry.key_display) + cell_len(entry.description)
        if width > room:
            break
        room -= width
        taken.append(entry)
    return [entry for entry in entries if entry in taken]


def _place(entry: FooterKey) -> int:
    """Return where an entry stands: dialogs inherit help, whose place is behind their own keys all the same."""
    return 2 if entry.action in LAST else 1 if entry.action in HELP else 0
