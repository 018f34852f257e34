"""Forms that save something to a file."""

from __future__ import annotations

import os
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
    from collections.abc import Callable, Iterable

    from textual.widget import Widget


class SaveScreen(FormScreen):
    """A field for the file; subclasses say in `content` what goes into it.

    Parameters
    ----------
    title
        What is saved.
    name
        The file's name to begin with.
    folder
        Where it goes unless the user says otherwise; empty is the folder that the program was started in.
    """

    SEND = "Save"

    class Written(Message):
        """The file is there, or why it is not."""

        def __init__(self, file: Path, error: StormscopeError | None) -> None:
            super().__init__()
            self.file = file
            self.error = error

    def __init__(self, title: str, name: str, folder: str) -> None:
        super().__init__(title)
        place = os.path.join(folder, name) if folder else name  # noqa: PTH118 - what the user typed stays as it is
        self.file = Input(place, compact=True, id="save-file", select_on_focus=False)

    def content(self, name: str) -> Callable[[], str]:
        """Return what makes the text of a file, in a thread; raises UsageError if the name does not do."""
        raise NotImplementedError

    def fields(self) -> Iterable[Widget]:
        """Return the field."""
        yield Label("file", classes="form-label")
        yield self.file

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_send()

    def submit(self) -> None:
        """Write the file in a thread: a slow disk must not stop the keys."""
        name = self.file.value.strip()
        if not name:
            self.show_error(UsageError("the file has no name", hint="type one"))
            return
        try:
            make = self.content(name)
        except UsageError as error:
            self.show_error(error)
            return
        self.start()
        start_thread(self.app, partial(self._write, Path(name).expanduser(), make), group="save", name="saving a file")

    def _write(self, file: Path, make: Callable[[], str]) -> None:
        try:
            write_text(file, make())
        except StormscopeError as error:
            self.post_message(self.Written(file, error))
        else:
            self.post_message(self.Written(file, None))

    def on_save_screen_written(self, event: Written) -> None:
        """Close, and say where the file is; or say why there is none."""
        event.stop()
        if event.error is not None:
            self.show_error(event.error)
        else:
            self.dismiss()
            self.app.notify(clean(str(event.file.absolute())), title="Saved", markup=False)
