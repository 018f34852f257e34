"""The page of the folders: where everything is, and where pictures are saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.widgets import Input, Label, Static

from engine.folders import cache_dir, config_dir, data_dir, state_dir
from engine.settings import settings_file
from tui.screens.settings_page import SettingsPage
from tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

LABEL = 20


class FoldersPage(SettingsPage):
    """Places by what they hold, and one field."""

    TITLE = "Folders"

    def __init__(self) -> None:
        super().__init__(id="page-folders")

    def compose(self) -> ComposeResult:
        """Create field and list."""
        yield Label("Pictures of screens are saved in (empty: where stormscope was started)")
        yield Input(compact=True, id="folders-export", select_on_focus=False, placeholder="~/pictures")
        yield Static(Content("\n").join(_places()), id="folders-list", markup=False)

    def show(self) -> None:
        """Show the folder of pictures."""
        preferences = getattr(self.app, "preferences", None)
        field = self.query_one(Input)
        if preferences is not None and not field.has_focus:
            field.value = preferences.appearance.export_folder

    def begin(self) -> None:
        """Go to the field."""
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        done = f"pictures are saved in {text}" if text else "pictures are saved where stormscope was started"
        self.post_message(self.Wanted({("tui", "export_folder"): text or None}, done))


def _places() -> Iterator[Content]:
    found = {
        "settings": settings_file(),
        "your environments": config_dir() / "environments",
        "your themes": config_dir() / "themes",
        "campaigns": data_dir() / "campaigns",
        "checked models": cache_dir() / "oracle",
        "recent files": state_dir(),
    }
    yield Content.styled("Everything else follows the platform's conventions (XDG on Linux):", "dim")
    for label, path in found.items():
        yield Content.assemble((f"{label:<{LABEL}}", "dim"), clean(str(path)))
