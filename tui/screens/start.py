"""The start screen: what can be opened, with a look at each."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, Static

from engine.errors import StormscopeError
from engine.recent import RecentModel, forget_campaign, forget_model
from tui.actions.registry import bindings, key_text, of_group
from tui.appearance.keymap import DEFAULT
from tui.services.entries import Kind, all_entries
from tui.services.paths import model_of
from tui.text import clean
from tui.told import told
from tui.widgets.entry_list import EntryList
from tui.widgets.key_footer import KeyFooter
from tui.widgets.path_input import PathInput
from tui.widgets.preview_panel import PreviewPanel, progress_of
from tui.workers import start_thread

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from engine.verdicts.overview import Overview
    from tui.services.entries import Entry
    from tui.services.preview import Preview

PATIENCE = 0.25
"""Seconds that the cursor rests on an entry before the oracle looks at it."""
CANDIDATES = 12


class StartScreen(Screen[None]):
    """A list at the left, the entry under the cursor at the right, and a field for a file below."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("start")]
    HELP_GROUPS = ("start", "list", "path", "app")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it an instance variable

    class ModelChosen(Message):
        """The user wants a model."""

        def __init__(self, model: RecentModel) -> None:
            super().__init__()
            self.model = model

    class CampaignChosen(Message):
        """The user wants a campaign."""

        def __init__(self, overview: Overview) -> None:
            super().__init__()
            self.overview = overview

    class Seen(Message):
        """A look at an entry was prepared; until it is `final`, `note` says what is still being done."""

        def __init__(
            self, key: str, found: Preview | Overview | StormscopeError, note: str = "", *, final: bool = True
        ) -> None:
            super().__init__()
            self.key = key
            self.found = found
            self.note = note
            self.final = final

    def __init__(self, *, first: bool) -> None:
        super().__init__()
        self._first = first
        self._seen: dict[str, Preview | Overview | StormscopeError] = {}
        self._cancel = threading.Event()
        self._timer: Timer | None = None
        self._busy = False

    def compose(self) -> ComposeResult:
        """Create the panels."""
        with Horizontal(id="start-head"):
            yield Static(Content.assemble((" stormscope", "bold $primary"), "  what shall be explored?"))
            yield Static(Content(self._hints()), id="start-hints")
        with Horizontal(id="start"):
            left = Vertical(id="start-left")
            left.border_title = "Open"
            with left:
                yield EntryList(id="start-list")
            right = VerticalScroll(id="start-right", can_focus=False)
            with right:
                yield PreviewPanel(id="start-preview")
        field = Vertical(id="start-file")
        field.border_title = "File"
        with field:
            yield PathInput(id="start-path")
            yield Static("", id="start-note", markup=False)
        yield KeyFooter()

    def _hints(self) -> str:
        """Return the keys of what can be done here beside opening, as they are set."""
        keymap = getattr(self.app, "keymap", DEFAULT)
        shown = {"app.settings": "settings", "app.tour": "tour", "app.palette": "commands"}
        keys = {action.id: key_text(keymap.keys_of(action)).split(", ")[0] for action in of_group("app")}
        return "   ".join(f"{keys[name]} {word}" for name, word in shown.items()) + " "

    def on_mount(self) -> None:
        """Show the list; everything about its entries comes later."""
        self._refresh()
        self.query_one(EntryList).focus()

    def on_screen_resume(self) -> None:
        """Show what has been opened meanwhile."""
        if self._seen:
            self._refresh()

    def on_unmount(self) -> None:
        """Stop the oracle."""
        self._cancel.set()

    def _refresh(self) -> None:
        entries = all_entries()
        self.query_one(EntryList).show_entries(entries, {})
        files = [entry for entry in entries if entry.kind is Kind.CAMPAIGN]
        if files:
            start_thread(self.app, partial(self._read_campaigns, files), group="campaigns", name="reading campaigns")

    def _read_campaigns(self, entries: list[Entry]) -> None:
        from engine.verdicts.overview import overview  # noqa: PLC0415 - loads after the first frame

        for entry in entries:
            try:
                self.post_message(self.Seen(entry.key, overview(Path(entry.model.model))))
            except StormscopeError as error:
                self.post_message(self.Seen(entry.key, error))

    @on(EntryList.Looked)
    def _looked(self, event: EntryList.Looked) -> None:
        """Look at the entry soon; what was being looked at is left."""
        self._cancel.set()
        if self._timer is not None:
            self._timer.stop()
        entry = event.entry
        if entry is None:
            return
        if entry.key in self._seen:
            self._show(entry.key)
            return
        self.query_one(PreviewPanel).show_text("")
        self._timer = self.set_timer(PATIENCE, partial(self._look, entry))

    def _look(self, entry: Entry) -> None:
        if entry.kind is not Kind.CAMPAIGN:
            self._cancel = threading.Event()
            self._busy = True
            work = partial(self._prepare, entry, self._cancel)
            start_thread(self.app, work, group="preview", name="looking at a model")

    def _prepare(self, entry: Entry, cancel: threading.Event) -> None:
        from tui.services.preview import preview_of, words_of  # noqa: PLC0415 - as above

        def progress(stage: str, detail: str) -> None:
            if not cancel.is_set():
                note = f"{stage} {detail}".strip()
                self.post_message(self.Seen(entry.key, words, f"{clean(note)} …  (esc stops)", final=False))

        try:
            words = words_of(entry.model)
            self.post_message(self.Seen(entry.key, words, "looking …", final=False))
            check = entry.kind is Kind.ENVIRONMENT
            found = preview_of(entry.model, check=check, progress=progress, cancel=cancel)
        except StormscopeError as error:
            self.post_message(self.Seen(entry.key, error))
        else:
            stopped = cancel.is_set()
            note = "stopped; enter opens it" if stopped else ""
            self.post_message(self.Seen(entry.key, words if stopped else found, note))

    def on_start_screen_seen(self, event: Seen) -> None:
        """Show it if the cursor is still there."""
        self._seen[event.key] = event.found
        overview = _as_overview(event.found)
        if overview is not None:
            self.query_one(EntryList).note(event.key, progress_of(overview))
        entry = self.query_one(EntryList).entry
        if entry is not None and entry.key == event.key:
            self._show(event.key, event.note)
            self._busy = not event.final
        if event.note:
            del self._seen[event.key]  # it was not looked at to the end: the next time it will be

    def _show(self, key: str, note: str = "") -> None:
        panel, found = self.query_one(PreviewPanel), self._seen[key]
        overview = _as_overview(found)
        if isinstance(found, StormscopeError):
            panel.show_text(clean("\n".join(told(found)).strip(), lines=True))
        elif overview is not None:
            panel.show_overview(overview)
        else:
            panel.show_preview(found, note)  # type: ignore[arg-type] # the other two were excluded above

    @on(EntryList.Chosen)
    def _chosen(self, event: EntryList.Chosen) -> None:
        entry = event.entry
        if entry.kind is not Kind.CAMPAIGN:
            self._want(entry.model)
            return
        overview = _as_overview(self._seen.get(entry.key))
        if overview is not None:
            self.post_message(self.CampaignChosen(overview))

    @on(Input.Submitted, "#start-path")
    def _typed(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        if not text:
            return
        try:
            model = model_of(text)
        except StormscopeError as error:
            self.show_error(error)
        else:
            self._want(model)

    def _want(self, model: RecentModel) -> None:
        self._cancel.set()
        self._say("opening …")
        self.post_message(self.ModelChosen(model))

    def show_error(self, error: StormscopeError) -> None:
        """Say why something cannot be opened."""
        said = told(error)
        hint = f"  → {said.hint}" if said.hint else ""
        where = f"{said.where}: " if said.where and said.where not in said.what else ""
        self._say(clean(f"{where}{said.what}{hint}"), error=True)

    def say_nothing(self) -> None:
        """Take back what was said below the field."""
        self._say("")

    def _say(self, text: str, *, error: bool = False) -> None:
        note = self.query_one("#start-note", Static)
        note.update(Content(text))
        note.set_class(error, "-error")

    @on(PathInput.Candidates)
    def _candidates(self, event: PathInput.Candidates) -> None:
        names = [path.rstrip("/").rpartition("/")[2] + ("/" if path.endswith("/") else "") for path in event.paths]
        more = f"  and {len(names) - CANDIDATES} more" if len(names) > CANDIDATES else ""
        self._say(clean("  ".join(names[:CANDIDATES]) + more))

    @on(Input.Changed, "#start-path")
    def _typing(self) -> None:
        self._say("")

    def action_file(self) -> None:
        """Go to the field."""
        self.query_one(PathInput).focus()

    def action_forget(self) -> None:
        """Take a recent model or a campaign off the list; its file stays."""
        entry = self.query_one(EntryList).entry
        if entry is not None and entry.kind in {Kind.RECENT, Kind.CAMPAIGN}:
            if entry.kind is Kind.RECENT:
                forget_model(entry.model)
            else:
                forget_campaign(entry.model.model)
            self._refresh()
            if entry in all_entries():
                self._say(f"This campaign is kept in {clean(entry.model.model)}; delete the file to be rid of it.")

    def action_leave(self) -> None:
        """Stop looking, else leave the field, else go back to what was open."""
        if self._busy and not self._cancel.is_set():
            self._cancel.set()
        elif isinstance(self.focused, PathInput):
            self.query_one(EntryList).focus()
        elif not self._first:
            self.dismiss()


def _as_overview(found: object) -> Overview | None:
    from engine.verdicts.overview import Overview  # noqa: PLC0415 - the store loads after the first frame

    return found if isinstance(found, Overview) else None
