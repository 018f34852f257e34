"""Hints in the corner: taken back when they are over, and never left over a dialog that was opened after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import App
    from textual.notifications import Notification

MOST = 6
"""Notices that are written out; of more the number is said."""
LONG = 3600.0
"""Seconds for a hint that is taken back when what it says is over."""


def take_back(app: App[Any], message: str) -> None:
    """Remove a hint that is not true any more."""
    _remove(app, lambda each: each.message == message)


def clear_hints(app: App[Any], kept: Sequence[str] = ()) -> None:
    """Remove all hints but errors and those with these titles."""
    _remove(app, lambda each: each.severity != "error" and each.title not in kept)


def as_one(messages: Sequence[str]) -> str:
    """Return several notices as one text."""
    shown = [clean(message) for message in messages[:MOST]]
    if len(messages) > 1:
        shown = [f"• {message}" for message in shown]
    rest = len(messages) - MOST
    return "\n".join([*shown, *([f"… and {rest} more"] if rest > 0 else [])])


def _remove(app: App[Any], over: Callable[[Notification], bool]) -> None:
    for each in list(app._notifications):  # noqa: SLF001 - Textual takes back all notifications or none
        if over(each):
            app._unnotify(each)  # noqa: SLF001 - as above
