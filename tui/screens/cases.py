"""The cases of a cell, one by one: sorted, filtered by verdict, each with its verdict card."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from engine.figures import counted
from tui.actions.registry import bindings
from tui.asking.case_rows import KEPT, CaseView, columns_of, heading, line
from tui.screens.case import CaseScreen
from tui.text import clean
from tui.widgets.key_footer import KeyFooter
from tui.widgets.picker_list import PickerList
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from engine.verdicts.browse import Asked
    from engine.verdicts.records import ModelRecord
    from tui.asking.case_rows import CaseColumn, CellName


class CasesScreen(Screen[None]):
    """A list that is read from the campaign's file in the background, also while a campaign writes it.

    Parameters
    ----------
    file
        The campaign.
    cell
        Which cell.
    oracle
        The open model: cases about it show their witnesses.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("cases")]
    HELP_GROUPS = ("cases", "list", "app")

    class Read(Message):
        """The cases were read."""

        def __init__(self, asked: list[Asked], models: Mapping[str, ModelRecord]) -> None:
            super().__init__()
            self.asked = asked
            self.models = models

    def __init__(self, file: Path, cell: CellName, oracle: Oracle | None) -> None:
        super().__init__()
        self._file = file
        self._cell = cell
        self._oracle = oracle
        self._asked: list[Asked] = []
        self._models: Mapping[str, ModelRecord] = {}
        self._columns: list[CaseColumn] = []
        self._rows: list[Asked] = []
        self.view = CaseView()
        self._list = PickerList(id="cases-list")

    def compose(self) -> ComposeResult:
        """Create the list."""
        yield Static("", id="cases-title", markup=False)
        yield Static("", id="cases-heading", markup=False)
        yield self._list
        yield KeyFooter()

    def on_mount(self) -> None:
        """Read the file."""
        self._title("reading …")
        self._list.focus()
        self.action_reread()

    def action_reread(self) -> None:
        """Read the file anew."""
        start_thread(self.app, self._read, group="cases", name="reading the campaign's cases")

    def _read(self) -> None:
        from engine.verdicts.browse import models_of, questions  # noqa: PLC0415 - the store loads with the first list
        from engine.verdicts.store import Store  # noqa: PLC0415 - as above

        explainer, category, model, kept = self._cell
        with Store(self._file, write=False) as store, store.snapshot():
            asked = questions(store, explainer=explainer, category=category, model=model, kept=kept)
            self.post_message(self.Read(asked, models_of(store)))

    def on_cases_screen_read(self, event: Read) -> None:
        """Show them."""
        self._asked, self._models = event.asked, event.models
        self._columns = columns_of(event.asked)
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """Let the columns have the room that there is."""
        del event
        self.call_after_refresh(self._show)

    def _show(self, cursor: int | None = None) -> None:
        if not self._columns:
            return
        self._rows = self.view.rows(self._asked, self._columns)
        width = max(self._list.size.width - 1, 1)
        self.query_one("#cases-heading", Static).update(heading(self._columns, self.view, width))
        place = min(self._list.cursor if cursor is None else cursor, max(len(self._rows) - 1, 0))
        self._list.show_list([line(each, self._columns, width) for each in self._rows], place)
        shown = f"{counted(len(self._rows), 'case')}"
        if self.view.outcome is not None:
            shown = f"{self.view.outcome.value}: {len(self._rows):,} of {len(self._asked):,}"
        self._title(shown if self._asked else "nothing was asked yet")

    def _title(self, shown: str) -> None:
        explainer, category, model, kept = self._cell
        what = KEPT if kept else category or "all categories"
        parts = [explainer or "all explainers", what, *([model] if model else [])]
        title = Content.assemble((f" {clean(', '.join(parts))}", "bold"), f"   {shown}")
        self.query_one("#cases-title", Static).update(title)

    def action_verdict(self) -> None:
        """Show the next verdict only, after the last one all."""
        self.view = self.view.next_outcome(self._asked)
        self._show(0)

    def action_sort_next(self) -> None:
        """Sort by the next column."""
        self.view = self.view.sorted_beside(self._columns, 1)
        self._show(0)

    def action_sort_before(self) -> None:
        """Sort by the column before."""
        self.view = self.view.sorted_beside(self._columns, -1)
        self._show(0)

    def action_reverse(self) -> None:
        """Turn the order round."""
        self.view = CaseView(self.view.sort, not self.view.descending, self.view.outcome)
        self._show(0)

    def on_line_list_chosen(self, event: PickerList.Chosen) -> None:
        """Open a case."""
        event.stop()
        if event.index < len(self._rows):
            pages = [(each,) for each in self._rows]
            screen = CaseScreen(self._file, pages, event.index, self._models, self._oracle)
            self.app.push_screen(screen, self._returned)

    def _returned(self, place: int | None) -> None:
        if place is not None:
            self._list.move_to(place)

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss()
