"""Save a verdict card as Markdown, HTML or SVG."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Label, Select

from engine.errors import UsageError
from tui.exports import FORMATS, written
from tui.screens.save import SaveScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.widget import Widget

    from tui.asking.card import Card

NAMES = {"md": "Markdown", "html": "HTML page", "svg": "SVG picture"}


class SaveCardScreen(SaveScreen):
    """What kind of file, and where.

    Parameters
    ----------
    card
        The card.
    folder
        As of `SaveScreen`.
    """

    def __init__(self, card: Card, folder: str) -> None:
        now = datetime.now().astimezone()
        name = f"verdict-{card.category}-{card.outcome.value}-{now:%Y%m%d-%H%M%S}.{FORMATS[0]}"
        super().__init__("Save this verdict card", name, folder)
        self._card = card

    def fields(self) -> Iterable[Widget]:
        """Return the fields."""
        yield Label("kind", classes="form-label")
        options = [(NAMES[ending], ending) for ending in FORMATS]
        yield Select[str](options, value=FORMATS[0], allow_blank=False, compact=True, id="card-kind")
        yield from super().fields()

    @on(Select.Changed)
    def _kind_chosen(self, event: Select.Changed) -> None:
        event.stop()
        stem, dot, ending = self.file.value.rpartition(".")
        if dot and ending in FORMATS:
            self.file.value = f"{stem}.{event.value}"

    def content(self, name: str) -> Callable[[], str]:
        """Return the card in the form that the name's ending says."""
        ending = name.rpartition(".")[2].lower()
        if ending not in FORMATS:
            raise UsageError("the file's ending says what is written", hint="end it in .md, .html or .svg")
        return partial(written, self._card, ending)
