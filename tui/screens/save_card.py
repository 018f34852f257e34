"""Save a verdict card as Markdown, HTML or SVG."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message
from textual.widgets import Input, Label, Select

from engine.errors import StormscopeError, UsageError
from tui.explorer.copying import write_text
from tui.exports import FORMATS, written
from tui.screens.form import FormScreen
from tui.text import clean
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

    from tui.asking.card import Card

NAMES = {"md": "Markdown", "html": "HTML page", "svg": "SVG picture"}


class SaveCardScreen(FormScreen):
    """What kind of file, and where.

    Parameters
    ----------
    card
        The card.
    folder
        Where cards go unless the user says otherwise; empty is the folder that the program was started in.
    """

    SEND = "Save"

    class Written(Message):
        """The file is there, or why it is not."""

        def __init__(self, file: Path, error: StormscopeError | None) -> None:
            super().__init__()
            self.file = file
            self.error = error

    def __init__(self, card: Card, folder: str) -> None:
        super().__init__("Save this verdict card")
        self._card = card
        place = Path(folder).expanduser() if folder else Path.cwd()
        now = datetime.now().astimezone()
        self._file = str(place / f"verdict-{card.category}-{card.outcome.value}-{now:%Y%m%d-%H%M%S}.{FORMATS[0]}")

    def fields(self) -> Iterable[Widget]:
        """Return the fields."""
        yield Label("kind", classes="form-label")
        options = [(NAMES[ending], ending) for ending in FORMATS]
        yield Select[str](options, value=FORMATS[0], allow_blank=False, compact=True, id="card-kind")
        yield Label("file", classes="form-label")
        yield Input(self._file, compact=True, id="card-file", select_on_focus=False)

    def on_mount(self) -> None:
        """Begin at the kind."""
        super().on_mount()
        self.query_one(Select).focus()

    @on(Select.Changed)
    def _kind_chosen(self, event: Select.Changed) -> None:
        event.stop()
        field = self.query_one("#card-file", Input)
        stem, dot, ending = field.value.rpartition(".")
        if dot and ending in FORMATS:
            field.value = f"{stem}.{event.value}"

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_send()

    def submit(self) -> None:
        """Write the file in a thread: a slow disk must not stop the keys."""
        name = self.query_one("#card-file", Input).value.strip()
        ending = name.rpartition(".")[2].lower()
        if ending not in FORMATS:
            self.show_error(UsageError("the file's ending says what is written", hint="end it in .md, .html or .svg"))
            return
        self.start()
        start_thread(
            self.app, partial(self._write, Path(name).expanduser(), ending), group="export", name="saving a card"
        )

    def _write(self, file: Path, ending: str) -> None:
        try:
            write_text(file, written(self._card, ending))
        except StormscopeError as error:
            self.post_message(self.Written(file, error))
        else:
            self.post_message(self.Written(file, None))

    def on_save_card_screen_written(self, event: Written) -> None:
        """Close, and say where the file is; or say why there is none."""
        event.stop()
        if event.error is not None:
            self.show_error(event.error)
        else:
            self.dismiss()
            self.app.notify(clean(str(event.file)), title="Saved", markup=False)
