"""The page of the folders: where everything is, and where pictures are saved."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label, Static

from engine.errors import StormscopeError, UsageError
from engine.folders import cache_dir, config_dir, data_dir, state_dir
from engine.settings import settings_file
from tui.screens.settings_page import SettingsPage
from tui.text import clean
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

LABEL = 20


class FoldersPage(SettingsPage):
    """Places by what they hold, and one field."""

    TITLE = "Folders"

    class Looked(Message):
        """A folder was looked for."""

        def __init__(self, text: str, *, there: bool) -> None:
            super().__init__()
            self.text = text
            self.there = there

    def __init__(self) -> None:
        super().__init__(id="page-folders")
        self._to_make = ""

    def compose(self) -> ComposeResult:
        """Create field and list."""
        yield Label("Pictures of screens are saved in (empty: where stormscope was started)")
        yield Input(compact=True, id="folders-export", select_on_focus=False, placeholder="e.g. ~/pictures")
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
        if not text:
            self._want("")
            return
        make = text == self._to_make
        self._to_make = ""
        start_thread(self.app, partial(self._look, text, make=make), group="folder", name="looking for the folder")

    def _look(self, text: str, *, make: bool) -> None:
        try:
            there = usable(Path(text).expanduser(), make=make)
        except StormscopeError as error:
            self.fail(error)
        else:
            self.post_message(self.Looked(text, there=there))

    def on_folders_page_looked(self, event: Looked) -> None:
        """Take the folder, or offer to make it."""
        if event.there:
            self._want(event.text)
        else:
            self._to_make = event.text
            self.post_message(self.Said(f"there is no folder {event.text} yet; enter again makes it", error=True))

    def _want(self, text: str) -> None:
        done = f"pictures are saved in {text}" if text else "pictures are saved where stormscope was started"
        self.post_message(self.Wanted({("tui", "export_folder"): text or None}, done))

    @on(Input.Changed)
    def _other(self, event: Input.Changed) -> None:
        event.stop()
        if event.value.strip() != self._to_make:
            self._to_make = ""


def usable(folder: Path, *, make: bool) -> bool:
    """Return whether files can be saved in a folder, which is made first if that is wanted; False if there is none.

    Raises
    ------
    UsageError
        If it is no folder, or nothing can be written there.
    """
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        if not folder.exists():
            return False
        if not folder.is_dir():
            raise UsageError(f"{folder} is a file, not a folder", hint="name a folder")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise UsageError(f"nothing can be written to {folder}", hint="name another folder, or change its rights")
    except OSError as error:
        raise UsageError(
            f"{folder}: {error.strerror or error}", hint="name another folder, or make this one yourself"
        ) from None
    return True


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
