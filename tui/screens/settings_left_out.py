"""The page of what was left out of settings and themes, each with its reason in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.settings import settings_file
from tui.screens.settings_page import SettingsPage
from tui.text import clean

if TYPE_CHECKING:
    from textual.app import ComposeResult


class LeftOutPage(SettingsPage):
    """A list to read; it is offered while there is something on it."""

    TITLE = "Left out"

    def __init__(self) -> None:
        super().__init__(id="page-left-out")

    def compose(self) -> ComposeResult:
        """Create the list."""
        yield VerticalScroll(Static("", id="left-out-list", markup=False), id="left-out")
        yield Static(Content(clean(f"The settings are in {settings_file()}")), classes="page-hint", markup=False)

    @property
    def offered(self) -> bool:
        """Whether anything was left out."""
        return bool(self._problems)

    @property
    def _problems(self) -> tuple[str, ...]:
        return getattr(self.app, "left_out", ())

    def show(self) -> None:
        """Show the reasons."""
        lines = [f"• {clean(problem)}" for problem in self._problems] or ["Nothing is left out."]
        self.query_one("#left-out-list", Static).update(Content("\n".join(lines)))

    def begin(self) -> None:
        """Go to the list."""
        self.query_one("#left-out", VerticalScroll).focus()
