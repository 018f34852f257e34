"""The report of a campaign: verdicts, the research questions, and everything else that is computed from its file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from tui.actions.registry import bindings
from tui.campaigns.reporting import report_lines
from tui.screens.save_report import SaveReportScreen
from tui.text import clean
from tui.widgets.key_footer import KeyFooter
from tui.widgets.line_panel import LineScroll
from tui.workers import start_thread

if TYPE_CHECKING:
    from pathlib import Path

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.reports.model import Report
    from engine.verdicts.tables import Grader


class ReportText(LineScroll, can_focus=True):
    """The lines; they scroll by lines, pages and tables."""

    def __init__(self) -> None:
        super().__init__(id="report-text")
        self._starts: list[int] = []

    def show_report(self, lines: list[Content], starts: list[int]) -> None:
        """Show a report, from the top."""
        self._starts = starts
        self.show_lines(lines)

    def page(self, step: int) -> None:
        """Go down (1) or up (-1) by a page."""
        self._show_from(self._top + step * max(self.size.height - 1, 1))

    def table(self, step: int) -> None:
        """Go to the next table (1) or the one before (-1)."""
        if step > 0:
            self._show_from(next((start for start in self._starts if start > self._top), self._top))
        else:
            self._show_from(next((start for start in reversed(self._starts) if start < self._top), 0))


class ReportScreen(Screen[None]):
    """The report by one grader; it is computed in the background.

    Parameters
    ----------
    file
        The campaign.
    grader
        The grader to begin with.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("report")]
    HELP_GROUPS = ("report", "app")

    class Built(Message):
        """A report was computed."""

        def __init__(self, report: Report) -> None:
            super().__init__()
            self.report = report

    def __init__(self, file: Path, grader: Grader) -> None:
        super().__init__()
        self._file = file
        self._grader: Grader = grader
        self._report: Report | None = None
        self._text = ReportText()

    def compose(self) -> ComposeResult:
        """Create the text."""
        yield Static("", id="report-title", markup=False)
        yield self._text
        yield KeyFooter()

    def on_mount(self) -> None:
        """Compute it."""
        self._text.focus()
        self._build()

    def _build(self) -> None:
        self._title(f"{self._grader}: computing …")
        work = partial(self._read, self._grader)
        start_thread(self.app, work, group="report", name="computing the report")

    def _read(self, grader: Grader) -> None:
        from engine.reports.build import build_report  # noqa: PLC0415 - loads with the first report
        from engine.verdicts.store import Store  # noqa: PLC0415 - as above

        with Store(self._file, write=False) as store:
            self.post_message(self.Built(build_report(store, grader=grader)))

    def on_report_screen_built(self, event: Built) -> None:
        """Show it, unless another grader's is wanted now."""
        if event.report.grader == self._grader:
            self._report = event.report
            self._show()

    def on_resize(self, event: events.Resize) -> None:
        """Let the tables have the room that there is."""
        del event
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        if self._report is not None:
            self._title(self._grader)
            self._text.show_report(*report_lines(self._report, max(self._text.size.width - 2, 20)))

    def _title(self, text: str) -> None:
        title = Content.assemble((" Report ", "bold $primary"), f" {clean(str(self._file.name))}  {text}")
        self.query_one("#report-title", Static).update(title)

    def action_grader(self) -> None:
        """Report by the other grader."""
        self._grader = "score" if self._grader == "verdict" else "verdict"
        self._build()

    def action_export(self) -> None:
        """Save it in any format."""
        self.app.push_screen(SaveReportScreen(self._file, self._grader))

    def action_next(self) -> None:
        """Go to the next table."""
        self._text.table(1)

    def action_before(self) -> None:
        """Go to the table before."""
        self._text.table(-1)

    def action_cursor_down(self) -> None:
        """Scroll down."""
        self._text.action_cursor_down()

    def action_cursor_up(self) -> None:
        """Scroll up."""
        self._text.action_cursor_up()

    def action_page_down(self) -> None:
        """Go down by a page."""
        self._text.page(1)

    def action_page_up(self) -> None:
        """Go up by a page."""
        self._text.page(-1)

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss()
