"""Campaign: many questions in the background, and the verdict table that fills."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.message import Message
from textual.widgets import Button, ContentSwitcher

from engine.errors import StormscopeError
from tui.actions.action import Wording
from tui.actions.registry import bindings
from tui.screens.campaign_grid import GridScreen
from tui.widgets.grid_pane import GridPane
from tui.widgets.key_footer import KeyFooter
from tui.widgets.status_line import StatusLine
from tui.widgets.verdicts_pane import GO_ON, VerdictsPane

if TYPE_CHECKING:
    from pathlib import Path

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from tui.campaigns.campaign_services import CampaignRequest
    from tui.campaigns.campaigns import CampaignRunner
    from tui.campaigns.tally import Tally
    from tui.services.services import Services

GRID, VERDICTS = "campaign-grid", "campaign-verdicts"


class CampaignScreen(GridScreen):
    """Two pages: the grid, and the verdicts. Leaving the screen leaves the campaign running.

    Parameters
    ----------
    oracle, services, campaigns
        The open model, the engine, and the one campaign that may run.
    file
        The campaign to go on with; None for the model's own.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("campaign")]
    HELP_GROUPS = ("campaign", "verdicts", "choices", "app")

    class StartRequested(Message):
        """The user wants this campaign, kept in this file."""

        def __init__(self, request: CampaignRequest, file: Path) -> None:
            super().__init__()
            self.request = request
            self.file = file

    class PauseRequested(Message):
        """The user wants the running campaign to pause, or to go on."""

    class StopRequested(Message):
        """The user wants the running campaign to end."""

    def __init__(self, oracle: Oracle, services: Services, campaigns: CampaignRunner, file: Path | None = None) -> None:
        super().__init__(oracle, services, file)
        self._campaigns = campaigns
        self._seen = self._start_wanted = False
        self._steered = (False, False, False)

    def compose(self) -> ComposeResult:
        """Create the pages."""
        yield StatusLine(id="status")
        with ContentSwitcher(initial=GRID):
            yield GridPane(id=GRID)
            yield VerdictsPane(id=VERDICTS)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show what there is so far."""
        self.query_one(StatusLine).oracle = self.oracle
        self.query_one("#campaign-start", Button).focus()
        running = self._campaigns.tally.running
        if not running and (self._file is not None or self._campaigns.file is None):
            self._campaigns.show_file(self._file or self.services.campaign_file(self.oracle), self._about())
        self.show_tally(self._campaigns.tally)
        if self._campaigns.tally.explainers or running:
            self._turn(VERDICTS)
        self.look_for_offers()

    def grid_is_known(self) -> None:
        """Start if that was wanted before there was a grid."""
        if self._start_wanted:
            self.action_start()

    def _about(self) -> str:
        return f"{self.oracle.environment.title}, {self.oracle.facts.objective.text}"

    @property
    def grid_file(self) -> Path | None:
        """The given campaign, or the one that is shown: its last grid is the one that the user chose."""
        return self._file or self._campaigns.file

    # The verdicts

    @property
    def campaign_file(self) -> Path | None:
        """The file of the table."""
        return self._campaigns.file

    @property
    def open_oracle(self) -> Oracle | None:
        """The open model."""
        return self.oracle

    @property
    def explainers(self) -> tuple[str, ...]:
        """The explainers of the table."""
        return self._campaigns.tally.explainers

    def show_tally(self, tally: Tally) -> None:
        """Show a campaign's present state; a screen that is being left has nothing to show it on."""
        pane = next(iter(self.query(VerdictsPane)), None)
        if pane is None:
            return
        pane.about = self._campaigns.about
        kept = f"\nAnswers are kept in {self._campaigns.file}" if self._campaigns.file and tally.explainers else ""
        pane.show_tally(tally, kept)
        self.query_one(GridPane).show_tally(tally)
        if (tally.running, tally.paused, tally.unfinished) != self._steered:
            self._steered = tally.running, tally.paused, tally.unfinished
            self.refresh_bindings()  # only then: it makes the footer anew
        # What is in the file already is what the user comes back for.
        if tally.earlier and self.query_one(ContentSwitcher).current == GRID and not self._seen:
            self._turn(VERDICTS)
        self._seen = self._seen or tally.earlier

    def _turn(self, page: str) -> None:
        self.query_one(ContentSwitcher).current = page
        if page == GRID:
            self.query_one("#campaign-start", Button).focus()
        else:
            self.query_one(VerdictsPane).begin()

    def action_page(self) -> None:
        """Go to the other page; the grid is counted anew, for questions may have been answered meanwhile."""
        self._turn(VERDICTS if self.query_one(ContentSwitcher).current == GRID else GRID)
        if self.query_one(ContentSwitcher).current == GRID and self.offered:
            self.count_anew()

    def on_grid_pane_start_requested(self, event: GridPane.StartRequested) -> None:
        """Start."""
        event.stop()
        self.action_start()

    def wording(self, name: str) -> Wording:
        """Return what an action is called here: the grid has a button, and the verdicts say when something is left."""
        goes_on = self._campaigns.tally.unfinished and self.query_one(ContentSwitcher).current == VERDICTS
        return Wording(GO_ON) if name == "campaign.start" and goes_on else Wording()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what does something now."""
        del parameters
        running = self._campaigns.tally.running
        return {"start": not running, "stop": running}.get(action, True)

    def action_start(self) -> None:
        """Ask for the campaign as chosen; what is wrong with the grid is said below it."""
        if self._campaigns.tally.running:
            return
        self._start_wanted = not self.offered  # until then there is no grid that could be asked
        if self._start_wanted:
            return
        pane = self.query_one(GridPane)
        try:
            request = pane.request()
        except StormscopeError as error:
            self._turn(GRID)
            pane.show_error(error)
            return
        self.query_one(VerdictsPane).show_grader(by_score=pane.by_score)
        self._seen = True
        self._turn(VERDICTS)
        self.post_message(self.StartRequested(request, self.services.campaigns.file(self.oracle, request)))

    def on_verdicts_pane_pause_requested(self, event: VerdictsPane.PauseRequested) -> None:
        """Pause, or go on."""
        event.stop()
        self.post_message(self.PauseRequested())

    def on_verdicts_pane_reread_requested(self, event: VerdictsPane.RereadRequested) -> None:
        """Read the file anew."""
        event.stop()
        self._campaigns.reread()

    def action_stop(self) -> None:
        """Stop; what arrived is kept."""
        self.post_message(self.StopRequested())

    def action_leave(self) -> None:
        """Go back; the campaign keeps running."""
        self.dismiss()
