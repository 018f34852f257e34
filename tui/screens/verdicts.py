"""What the screens with a verdict table have in common: what is opened from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.facts import Oracle
    from tui.widgets.verdicts_pane import VerdictsPane


class VerdictsScreen(Screen[None]):
    """A screen about a campaign's file; subclasses say which, and which of its models is open."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it an instance variable

    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-high")]  # noqa: RUF012 - as above

    @property
    def campaign_file(self) -> Path | None:
        """The file; None if there is none yet."""
        raise NotImplementedError

    @property
    def open_oracle(self) -> Oracle | None:
        """The open model."""
        raise NotImplementedError

    @property
    def explainers(self) -> tuple[str, ...]:
        """The explainers of the table."""
        raise NotImplementedError

    def _something(self) -> Path | None:
        """Return the file if it holds something; say so if it does not."""
        file = self.campaign_file
        if file is None or not self.explainers:
            self.notify("There are no verdicts yet.")
            return None
        return file

    def on_verdicts_pane_cases_requested(self, event: VerdictsPane.CasesRequested) -> None:
        """List the cases of a cell."""
        event.stop()
        from tui.screens.cases import CasesScreen  # noqa: PLC0415 - loads when it is opened

        file = self._something()
        if file is not None:
            self.app.push_screen(CasesScreen(file, event.cell, self.open_oracle))

    def on_verdicts_pane_compare_requested(self, event: VerdictsPane.CompareRequested) -> None:
        """Compare two explainers."""
        event.stop()
        from tui.screens.duel import DuelScreen  # noqa: PLC0415 - loads when it is opened

        file = self._something()
        if file is None:
            return
        if len(self.explainers) < 2:  # noqa: PLR2004 - two are compared
            self.notify("There is only one explainer: nobody to compare it with.")
        else:
            self.app.push_screen(DuelScreen(file, self.explainers, event.cell, self.open_oracle))

    def on_verdicts_pane_report_requested(self, event: VerdictsPane.ReportRequested) -> None:
        """Show the report."""
        event.stop()
        from tui.screens.report import ReportScreen  # noqa: PLC0415 - loads when it is opened

        file = self._something()
        if file is not None:
            self.app.push_screen(ReportScreen(file, event.grader))
