"""The page of the themes: the cursor tries one, enter keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.widgets import OptionList, Static

from engine.folders import config_dir
from tui.screens.settings_page import SettingsPage
from tui.text import clean
from tui.widgets.settings_list import SettingsList

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

ABOUT = {
    "storm-dark": "a night over water",
    "storm-light": "a clear day after rain",
    "high-contrast": "black, white and four pure hues",
    "colour-blind": "hues that everybody can tell apart",
    "sixteen": "the terminal's own colours and background",
    "presentation": "for a projector",
}


class ThemePage(SettingsPage):
    """Themes in a list, and a sample of what their colours mean."""

    TITLE = "Theme"
    HINT = "The cursor tries a theme, enter keeps it. Your own: TOML files in "

    def __init__(self) -> None:
        super().__init__(id="page-theme")
        self._kept: str | None = None

    def compose(self) -> ComposeResult:
        """Create list and sample."""
        yield SettingsList(id="theme-list")
        yield Static(Content("\n").join(_sample()), id="theme-sample", markup=False)
        yield Static(clean(f"{self.HINT}{config_dir() / 'themes'}"), classes="page-hint", markup=False)

    def show(self) -> None:
        """Show the themes, the present one marked."""
        self._kept = self._kept or self.app.theme
        themes = getattr(self.app, "themes", ())
        self.query_one(SettingsList).show_lines((name, self._line(name)) for name in themes)

    def _line(self, name: str) -> Content:
        mark = "●" if name == self._kept else " "
        return Content.assemble(f"{mark} {clean(name):<16}", (ABOUT.get(name, "your own"), "dim"))

    def begin(self) -> None:
        """Begin at the present theme."""
        self._to_kept()
        self.query_one(SettingsList).focus()

    def _to_kept(self) -> None:
        listed = self.query_one(SettingsList)
        if self._kept is not None and any(option.id == self._kept for option in listed.options):
            listed.highlighted = listed.get_option_index(self._kept)

    def leave(self) -> bool:
        """Go back to the theme that was kept, with the cursor as well; return whether another one was tried."""
        tried = self._kept is not None and self.app.theme != self._kept
        if tried and self._kept is not None:
            self.app.theme = self._kept
            self._to_kept()
        return tried

    @on(OptionList.OptionHighlighted)
    def _tried(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self.query_one(SettingsList).has_focus and event.option_id:
            self.app.theme = event.option_id

    @on(OptionList.OptionSelected)
    def _taken(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_id:
            self._kept = self.app.theme = event.option_id
            self.show()
            self.post_message(self.Wanted({("tui", "theme"): event.option_id}, f"{event.option_id} is kept"))


def _sample() -> Iterator[Content]:
    yield Content.assemble(("Heading", "bold $primary"), "  text  ", ("muted text", "dim"))
    yield Content.assemble(
        (" pass ", "bold $pass"), (" fail ", "bold $fail"), (" invalid ", "bold $invalid"), (" key ", "bold $accent")
    )
    yield Content.assemble(
        ("  selected line                  ", "$block-cursor-foreground on $block-cursor-background")
    )
    yield Content.assemble(
        ("  selected, elsewhere            ", "$block-cursor-blurred-foreground on $block-cursor-blurred-background")
    )
