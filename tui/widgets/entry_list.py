"""The start screen's list: entries under headings."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.actions.registry import bindings
from tui.text import clean, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.binding import BindingType

    from tui.services.entries import Entry

NAME_WIDTH = 28


class EntryList(OptionList):
    """Entries of several kinds; the cursor passes over the headings."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list")]

    class Looked(Message):
        """The cursor is on another entry; None while there is none."""

        def __init__(self, entry: Entry | None) -> None:
            super().__init__()
            self.entry = entry

    class Chosen(Message):
        """An entry was chosen."""

        def __init__(self, entry: Entry) -> None:
            super().__init__()
            self.entry = entry

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id, markup=False, compact=True)
        self._entries: dict[str, Entry] = {}
        self._notes: Mapping[str, str] = {}

    @property
    def entry(self) -> Entry | None:
        """The entry under the cursor."""
        option = self.highlighted_option
        return self._entries.get(option.id or "") if option is not None else None

    def show_entries(self, entries: Sequence[Entry], notes: Mapping[str, str]) -> None:
        """Show a list; `notes` says something about entries, by their keys. The cursor stays on its entry."""
        before = self.entry.key if self.entry is not None else None
        self._notes = notes
        self._entries = {entry.key: entry for entry in entries}
        self.clear_options()
        kind = None
        for entry in entries:
            if entry.kind is not kind:
                kind = entry.kind
                self.add_option(Option(Content.styled(kind.value, "bold $primary"), disabled=True))
            self.add_option(Option(self._line(entry), id=entry.key))
        keys = list(self._entries)
        wanted = before if before in self._entries else next(iter(keys), None)
        self.highlighted = self.get_option_index(wanted) if wanted is not None else None

    def note(self, key: str, text: str) -> None:
        """Say something about one entry."""
        self._notes = {**self._notes, key: text}
        if key in self._entries:
            self.replace_option_prompt(key, self._line(self._entries[key]))

    def _line(self, entry: Entry) -> Content:
        note = self._notes.get(entry.key, "")
        room = max(NAME_WIDTH - len(note), 8)
        name = shorten(clean(entry.name), room)
        return Content.assemble(f"  {name:<{room}} ", (clean(note), "dim")) if note else Content(f"  {name}")

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell which entry it is."""
        event.stop()
        self.post_message(self.Looked(self.entry))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Tell which entry was chosen."""
        event.stop()
        entry = self._entries.get(event.option_id or "")
        if entry is not None:
            self.post_message(self.Chosen(entry))
