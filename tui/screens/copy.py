"""Copy a cell, a row or many rows; or write them to a file where the terminal takes no copies."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content
from textual.widgets import Input

from engine.figures import counted
from tui.actions.action import Wording
from tui.appearance.keymap import keymap_of, with_keys
from tui.explorer.copying import EXACT, MOST_BYTES, doubt, rows_csv, write_text
from tui.screens.tool import ToolScreen
from tui.text import clean, shorten
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Sequence

    from textual.widget import Widget

    from engine.oracle.numbers import IntArray
    from tui.explorer.columns import TableColumn
    from tui.screens.tool import Progress

PREVIEW = 40
NAME_WIDTH = 30


@dataclass(frozen=True, slots=True)
class Offer:
    """Something to copy: what it is, a look at it, and its whole text, which may take long and can be stopped."""

    title: str
    preview: str
    text: Callable[[Callable[[], bool]], str]


def offers_of(
    columns: Sequence[TableColumn], state: int, marked: Sequence[int], shown: Sequence[int] | IntArray, *, decimal: bool
) -> list[Offer]:
    """Return what can be copied: the row, the marked rows, the rows as shown, then each cell of the row."""
    every = partial(rows_csv, columns, decimal=decimal)
    offers = [Offer("this row as CSV", f"s{state}", partial(every, [state]))]
    if marked:
        offers.append(Offer(f"{counted(len(marked), 'marked state')} as CSV", "", partial(every, marked)))
    offers.append(Offer(f"all {counted(len(shown), 'shown state')} as CSV", "", partial(every, shown)))
    for column in columns:
        text = column.text(state, EXACT)
        offers.append(Offer(clean(column.label), text, partial(_itself, text)))
    return offers


class CopyScreen(ToolScreen):
    """A list of what can be copied, and a file name where that is better."""

    TITLE_TEXT = "Copy"
    HINT: ClassVar[str] = "{list.choose} copies   {tool.write} writes a file   {tool.close} closes"
    RUN: ClassVar[Wording] = Wording("Write", "Write it to the file.")

    def __init__(self, offers: Sequence[Offer], name: str) -> None:
        super().__init__()
        self._offers = offers
        self._name_before = name
        self._list = PickerList()
        self._writing = False
        self._file = Input(compact=True, id="copy-file", select_on_focus=False)

    def contents(self) -> Iterable[Widget]:
        """Return the list and the file's name."""
        yield self._list
        yield self._file

    def on_mount(self) -> None:
        """Begin at the row."""
        super().on_mount()
        self._file.display = False
        self._list.show_list([self._line(offer) for offer in self._offers], 0)
        self._list.focus()

    @staticmethod
    def _line(offer: Offer) -> Content:
        return Content.assemble(
            (f"{shorten(offer.title, NAME_WIDTH):<{NAME_WIDTH}} ", "bold"),
            (shorten(clean(offer.preview), PREVIEW), "dim"),
        )

    @on(PickerList.Chosen)
    def _chosen(self, event: PickerList.Chosen) -> None:
        event.stop()
        self._writing = False
        self._make(self._offers[event.index])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to write the file once its name is asked for."""
        if action == "run" and not self._file.display:
            return False
        return super().check_action(action, parameters)

    def action_write(self) -> None:
        """Ask for the file's name."""
        self._file.display = True
        self.refresh_bindings()
        self._file.value = self._file.value or str(Path.cwd() / f"{self._name_before}.csv")
        self._file.cursor_position = len(self._file.value)
        self._file.focus()

    def action_run(self) -> None:
        """Write the file."""
        self._writing = True
        self._make(self._offers[self._list.cursor])

    def _make(self, offer: Offer) -> None:
        path = Path(self._file.value).expanduser() if self._writing else None

        def work(progress: Progress, cancel: threading.Event) -> str:
            del progress
            text = offer.text(cancel.is_set)
            if path is not None:
                write_text(path, text)
            return text

        self.compute(work, "writing" if self._writing else "copying")

    def finished(self, result: object) -> None:
        """Copy the text, unless it was written; say so where it may not arrive."""
        text = str(result)
        size = f"{len(text.encode()):,} bytes"
        if self._writing:
            self.app.notify(f"{size} written to {clean(self._file.value)}", markup=False)
            self.dismiss(None)
            return
        why = doubt(text, os.environ)
        if len(text.encode()) > MOST_BYTES:
            self.say(f"Not copied: {why}.\n→ {self._instead()}", error=True)
            return
        self.app.copy_to_clipboard(text)
        if why:
            self.say(f"Copied, but it may not arrive: {why}.\n→ {self._instead()}", error=True)
            return
        self.app.notify(f"{size} copied", markup=False)
        self.dismiss(None)

    def _instead(self) -> str:
        return with_keys("{tool.write} writes a file instead", keymap_of(self.app))


def _itself(text: str, _: Callable[[], bool]) -> str:
    return text
