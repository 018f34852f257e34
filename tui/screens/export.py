"""Save what is on the screen as an SVG picture."""

from __future__ import annotations

import os
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message
from textual.widgets import Input, Label

from engine.errors import StormscopeError, UsageError
from tui.explorer.copying import write_text
from tui.screens.form import FormScreen
from tui.text import clean
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

GROUP = "export"


class ExportScreen(FormScreen):
    """One field for the file.

    Parameters
    ----------
    picture
        The SVG text.
    folder
        Where pictures go unless the user says otherwise; empty is the folder that the program was started in.
    """

    SEND = "Save"

    class Written(Message):
        """The file is there, or why it is not."""

        def __init__(self, file: Path, error: StormscopeError | None) -> None:
            super().__init__()
            self.file = file
            self.error = error

    def __init__(self, picture: str, folder: str) -> None:
        super().__init__("Save this screen as an SVG picture")
        self._picture = picture
        name = f"stormscope-{datetime.now().astimezone():%Y%m%d-%H%M%S}.svg"
        self._file = os.path.join(folder, name) if folder else name  # noqa: PTH118 - what the user typed stays as it is

    def fields(self) -> Iterable[Widget]:
        """Return the field."""
        yield Label("file", classes="form-label")
        yield Input(self._file, compact=True, id="export-file", select_on_focus=False)

    def on_mount(self) -> None:
        """Begin at the field."""
        super().on_mount()
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_send()

    def submit(self) -> None:
        """Write the file in a thread: a slow disk must not stop the keys."""
        name = self.query_one(Input).value.strip()
        if not name:
            self.show_error(UsageError("the file has no name", hint="type one"))
            return
        self.start()
        file = Path(name).expanduser()
        start_thread(self.app, partial(self._write, file), group=GROUP, name="saving a picture")

    def _write(self, file: Path) -> None:
        self.post_message(self.Written(file, save_picture(file, self._picture)))

    def on_export_screen_written(self, event: Written) -> None:
        """Close, or say why there is no file."""
        if event.error is not None:
            self.show_error(event.error)
        else:
            self.dismiss()
            self.app.notify(clean(str(event.file)), title="Saved", markup=False)


def save_picture(file: Path, picture: str) -> StormscopeError | None:
    """Write a picture in one step; return why that failed, or None. A file that is there is kept."""
    try:
        write_text(file, picture)
    except StormscopeError as error:
        return error
    return None
