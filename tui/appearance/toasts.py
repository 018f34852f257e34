"""Hints: in the status line where there is one, else in the corner; taken back when they are over, never twice.

None is left over a dialog that was opened after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui.text import clean
from tui.widgets.status_line import StatusLine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import App
    from textual.notifications import Notification

LONG = 3600.0
"""Seconds for a hint that is taken back when what it says is over."""


def say_in_line(app: App[Any], message: str, title: str, seconds: float) -> bool:
    """Say something for a while in the status line of the screen; False if there is none, or no room in it."""
    screen = app.screen_stack[-1] if app.screen_stack else None
    line = next(iter(screen.query(StatusLine)), None) if screen is not None else None
    hint = clean(f"{title}: {message}" if title else message)
    if line is None or not line.fits(hint):
        return False
    line.hint = hint

    def over() -> None:
        if line.hint == hint:
            line.hint = ""

    line.set_timer(seconds, over)
    return True


def take_back(app: App[Any], message: str) -> None:
    """Remove a hint that is not true any more."""
    _remove(app, lambda each: each.message == message)
    for line in _lines(app):
        if line.hint.endswith(clean(message)):
            line.hint = ""


def clear_hints(app: App[Any], kept: Sequence[str] = ()) -> None:
    """Remove all hints but errors and those with these titles."""
    _remove(app, lambda each: each.severity != "error" and each.title not in kept)
    for line in _lines(app):
        line.hint = ""


def _lines(app: App[Any]) -> list[StatusLine]:
    return [line for screen in app.screen_stack for line in screen.query(StatusLine)]


def _remove(app: App[Any], over: Callable[[Notification], bool]) -> None:
    for each in list(app._notifications):  # noqa: SLF001 - Textual takes back all notifications or none
        if over(each):
            app._unnotify(each)  # noqa: SLF001 - as above
