"""The verdicts of a campaign: how far it is, the table, and what the cell under the cursor says."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from engine.figures import counted
from tui.actions.action import Wording
from tui.actions.registry import bindings
from tui.appearance.keymap import keymap_of, with_keys
from tui.asking.case_rows import KEPT, CellName
from tui.campaigns.cells import MARKS, cell_sentences, kept_sentences
from tui.campaigns.estimates import duration, spent_text, sum_of, wait_text
from tui.screens.note import NoteScreen
from tui.text import clean, shorten
from tui.widgets.lanes_panel import LanesPanel
from tui.widgets.share_bar import ShareBar
from tui.widgets.verdict_table import VerdictTable

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.verdicts.tables import Grader
    from tui.campaigns.tally import Tally

NOTE_LOW, NOTE_HIGH = 3, 8
"""Lines of what is said about a campaign, in a low and in a high terminal."""
TITLE_EDGES = 4
"""Characters of the line on both sides of a title."""
MORE = "{verdicts.notes} shows all"
GO_ON = "Go on"
"""What the keys of a paused and of an unfinished campaign are called."""
EMPTY = "No verdicts yet. ] goes to the grid, ^r starts."


class VerdictsPane(Vertical):
    """Everything follows the tally; what is opened from here is asked for by messages."""

    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings("verdicts") if not each.action.startswith("cursor_")
    ]

    class PauseRequested(Message):
        """The user wants the running campaign to pause, or to go on."""

    class ReportRequested(Message):
        """The user wants the report by a grader."""

        def __init__(self, grader: Grader) -> None:
            super().__init__()
            self.grader = grader

    class CompareRequested(Message):
        """The user wants two explainers compared, that of the cell first."""

        def __init__(self, cell: CellName) -> None:
            super().__init__()
            self.cell = cell

    class CasesRequested(Message):
        """The user wants the cases of a cell."""

        def __init__(self, cell: CellName) -> None:
            super().__init__()
            self.cell = cell

    class RereadRequested(Message):
        """The user wants the file to be read anew."""

    def __init__(self, *, id: str, empty: str = EMPTY) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._empty = empty
        self._noted = ""
        self._lines = 1
        self.about = ""

    def compose(self) -> ComposeResult:
        """Create the panels."""
        yield ShareBar(id="campaign-progress")
        yield Static("", id="campaign-note", markup=False)
        yield LanesPanel(id="campaign-lanes")
        yield VerdictTable()
        yield Static("", id="campaign-cell", markup=False)

    def begin(self) -> None:
        """Go to the table."""
        self.query_one(VerdictTable).focus()

    def show_grader(self, *, by_score: bool) -> None:
        """Show scores, or shares of passes."""
        self.query_one(VerdictTable).grader = "score" if by_score else "verdict"

    def show_tally(self, tally: Tally, kept: str) -> None:
        """Show a campaign's present state; `kept` is said of one that does not run."""
        table = self.query_one(VerdictTable)
        table.tally = tally
        self._title(table)
        progress = self.query_one(ShareBar)
        progress.done, progress.total = tally.done, tally.total
        self.query_one(LanesPanel).show_tally(tally)
        text = clean(status_text(tally, self._empty) + ("" if tally.running else kept), lines=True)
        if text != self._noted:
            self._noted = text
            self._show_note()

    def _show_note(self) -> None:
        """Show as much of what is said as there is room for, and how the rest is seen."""
        most = NOTE_HIGH if self.screen.has_class("-high") else NOTE_LOW
        lines = [line.plain for line in Content(self._noted).wrap(max(self.size.width - 2, 1))]
        if len(lines) > most:
            lines = [*lines[: most - 1], self._cut(f"{lines[most - 1]} {' '.join(lines[most:])}")]
        # A layout paints the whole screen: it is only for what needs another number of lines.
        same, self._lines = len(lines) == self._lines, len(lines)
        self.query_one("#campaign-note", Static).update(Content("\n".join(lines)), layout=not same)

    def _cut(self, text: str) -> str:
        """Return a line in the room that there is; what is cut says by which key all of it is seen."""
        room = self.size.width - 2
        if len(text) <= room:
            return text
        more = f" {with_keys(MORE, keymap_of(self.app))}"
        return shorten(text, max(room - len(more), 1)) + more

    def on_resize(self, event: events.Resize) -> None:
        """Let what is said have the room that there is."""
        del event
        self._title(self.query_one(VerdictTable))
        self._show_note()
        self._show_cell()

    def _title(self, table: VerdictTable) -> None:
        shown = "passes" if table.grader == "verdict" else "scores"
        model = f", {table.model}" if table.model is not None else ""
        title = clean(f"Verdicts ({shown}{model}): {self.about}" if self.about else "Verdicts")
        signs = " ".join(f"{mark} {outcome.value}" for outcome, mark in MARKS.items())
        legend = f"  (n/questions, {signs})"
        if len(title) + len(legend) + TITLE_EDGES <= self.size.width:
            title += legend
        if str(table.border_title) != title:
            table.border_title = Content(title)

    def on_verdict_table_looked(self, event: VerdictTable.Looked) -> None:
        """Say everything about the cell under the cursor."""
        event.stop()
        self._show_cell()

    def _show_cell(self) -> None:
        shown = self.query_one("#campaign-cell", Static)
        text = "\n".join(self._cut(line) for line in self._cell_text().split("\n"))
        if str(shown.content) != text:
            shown.update(Content(text), layout=False)

    def _cell_text(self) -> str:
        """Return everything about the cell under the cursor."""
        table = self.query_one(VerdictTable)
        cell, name = table.cell(), table.place
        category = KEPT if name.kept else name.category or "all categories"
        if cell is None:
            return ""
        told = kept_sentences(cell) if name.kept else cell_sentences(cell, table.grader, name.category or "")
        return clean(f"{name.explainer or ''}, {category}: {told}", lines=True)

    def on_verdict_table_opened(self, event: VerdictTable.Opened) -> None:
        """Ask for the cell's cases."""
        event.stop()
        self.post_message(self.CasesRequested(event.name))

    def wording(self, name: str) -> Wording:
        """Return what an action is called here."""
        paused = self.query_one(VerdictTable).tally.paused
        return Wording(GO_ON) if name == "verdicts.pause" and paused else Wording()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a pause only of what runs."""
        del parameters
        return action != "pause" or self.query_one(VerdictTable).tally.running

    def action_pause(self) -> None:
        """Ask nothing more for now, or go on."""
        self.post_message(self.PauseRequested())

    def action_report(self) -> None:
        """Ask for the report."""
        self.post_message(self.ReportRequested(self.query_one(VerdictTable).grader))

    def action_compare(self) -> None:
        """Ask for two explainers to be compared."""
        self.post_message(self.CompareRequested(self.query_one(VerdictTable).place))

    def action_grader(self) -> None:
        """Show the other grader's figures."""
        table = self.query_one(VerdictTable)
        table.grader = "score" if table.grader == "verdict" else "verdict"
        self._title(table)

    def action_model(self) -> None:
        """Show the next environment, after the last one all together."""
        table = self.query_one(VerdictTable)
        models = [None, *table.tally.models]
        place = models.index(table.model) if table.model in models else 0
        table.model = models[(place + 1) % len(models)]
        self._title(table)

    def action_notes(self) -> None:
        """Show everything that is said about the campaign and the cell, however little room there is for it here."""
        self.app.push_screen(
            NoteScreen("Campaign", "\n\n".join(text for text in (self._noted, self._cell_text()) if text))
        )

    def action_reread(self) -> None:
        """Ask for the file to be read anew."""
        self.post_message(self.RereadRequested())


def status_text(tally: Tally, empty: str) -> str:
    """Return where a campaign stands, in one line, and what else is worth knowing below, the latest first."""
    first = _running(tally) if tally.running else _ended(tally, empty)
    spent = sum_of(tally.board.spent.values())
    told = spent_text(spent) if spent is not None else ""
    now = time.monotonic()
    apart = [
        f"{name} {wait_text(wait.why, wait.left(now))}"
        for name, wait in tally.waits.items()
        if name not in tally.explainers
    ]
    given_up = [f"{name} is not asked any more: {error}" for name, error in tally.given_up.items()]
    second = "; ".join([*apart, *reversed(given_up), *reversed(tally.notices)])
    return "\n".join(line for line in (f"{first}{f'  {told}' if told else ''}", second) if line)


def _running(tally: Tally) -> str:
    if not tally.total:
        return f"{tally.stage or 'Choosing cases'} …"
    parts = [f"{tally.done:,} of {tally.total:,} answered"]
    if tally.ending:
        parts.append("stopping; what has arrived is kept")
    elif tally.paused:
        parts.append("paused; p goes on")
    elif tally.eta is not None:
        parts.append(f"about {duration(tally.eta)} left")
    return ", ".join(parts)


def _ended(tally: Tally, empty: str) -> str:
    if tally.stage:
        return f"{tally.stage} …"
    kept = f" {counted(tally.kept, 'answer')} kept by hand, in no rate." if tally.kept else ""
    return _campaign(tally, empty) + kept if tally.total or not tally.kept else f"Nothing was asked yet.{kept}"


def _campaign(tally: Tally, empty: str) -> str:
    if tally.stopped and not tally.total:
        return "Stopped before the first question."
    if tally.stopped:
        return f"Stopped at {tally.done:,} of {tally.total:,}; every answer is kept, ^r goes on."
    if tally.earlier:
        first = f"{tally.done:,} of {tally.total:,} questions of the file are answered"
        return f"{first}: unfinished, ^r goes on. {_missing(tally)}" if tally.missing > 0 else f"{first}."
    if tally.total and not tally.missing:
        return f"Done: {tally.done:,} of {tally.total:,} answered."
    if tally.total:
        return f"Ended: {tally.done:,} of {tally.total:,} answered. {_missing(tally)} ^r goes on."
    return empty


def _missing(tally: Tally) -> str:
    """Return how many answers are missing, and of whom."""
    lacking = {name: planned - answered for name in tally.explainers for answered, planned in [tally.planned_of(name)]}
    whose = ", ".join(f"{explainer} {number}" for explainer, number in lacking.items() if number)
    return f"{tally.missing} failed or were not asked{f' ({whose})' if whose else ''}."
