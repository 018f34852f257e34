"""Campaign: many questions in the background, and the verdict table that fills."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message
from textual.widgets import Button, ContentSwitcher, Footer

from engine.errors import StormscopeError
from tui.actions import bindings
from tui.screens.explainer import ExplainerScreen
from tui.screens.verdicts import VerdictsScreen
from tui.widgets.grid_pane import GridPane
from tui.widgets.status_line import StatusLine
from tui.widgets.verdicts_pane import VerdictsPane
from tui.workers import start_async, start_thread

if TYPE_CHECKING:
    from pathlib import Path

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from tui.campaign_services import CampaignRequest, Estimate, Offers
    from tui.campaigns import CampaignRunner
    from tui.services import Services
    from tui.tally import Tally

GRID, VERDICTS = "campaign-grid", "campaign-verdicts"
PATIENCE = 0.25
"""Seconds without a change before the grid is counted: nobody waits for what was typed halfway."""


class CampaignScreen(VerdictsScreen):
    """Two pages: the grid, and the verdicts. Leaving the screen leaves the campaign running."""

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

    class Offered(Message):
        """What a grid can be made of was found."""

        def __init__(self, offers: Offers) -> None:
            super().__init__()
            self.offers = offers

    class Counted(Message):
        """A grid was counted as far as this: its stage, or what it comes to."""

        def __init__(self, request: CampaignRequest, found: Estimate | StormscopeError | str) -> None:
            super().__init__()
            self.request = request
            self.found = found

    def __init__(self, oracle: Oracle, services: Services, campaigns: CampaignRunner) -> None:
        super().__init__()
        self.oracle = oracle
        self._services = services
        self._campaigns = campaigns
        self._wanted: CampaignRequest | None = None
        self._counting = False
        self._cancel = threading.Event()
        self._offered = self._seen = False
        self._steered = (False, False)

    def compose(self) -> ComposeResult:
        """Create the pages."""
        yield StatusLine(id="status")
        with ContentSwitcher(initial=GRID):
            yield GridPane(id=GRID)
            yield VerdictsPane(id=VERDICTS)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show what there is so far."""
        self.query_one(StatusLine).oracle = self.oracle
        self._patience = self.set_timer(PATIENCE, self._count, pause=True)
        self.query_one("#campaign-start", Button).focus()
        running = self._campaigns.tally.running
        if not running and self._campaigns.file is None:
            self._campaigns.show_file(self._services.campaign_file(self.oracle), self._about())
        self.show_tally(self._campaigns.tally)
        if self._campaigns.tally.explainers or running:
            self._turn(VERDICTS)
        start_thread(self.app, self._find_offers, group="offers", name="looking what a grid can be made of")

    def on_unmount(self) -> None:
        """Stop what is counted: nobody waits for it any more."""
        self._cancel.set()
        self._wanted = None

    def _about(self) -> str:
        return f"{self.oracle.environment.title}, {self.oracle.facts.objective.text}"

    def _find_offers(self) -> None:
        self.post_message(self.Offered(self._services.campaigns.offers(self.oracle)))

    def on_campaign_screen_offered(self, event: Offered) -> None:
        """Show it."""
        self._offered = True
        self.query_one(GridPane).show_offers(event.offers)

    # The grid's count

    def on_grid_pane_changed(self, event: GridPane.Changed) -> None:
        """Count the grid once nothing has changed for a moment."""
        event.stop()
        self._count_anew()

    def _count_anew(self) -> None:
        pane = self.query_one(GridPane)
        self._cancel.set()
        self._wanted = None
        try:
            request = pane.request()
        except StormscopeError as error:
            pane.show_error(error)
            return
        self._wanted = request
        pane.show_counting(request)
        self._patience.stop()
        self._patience = self.set_timer(PATIENCE, self._count)

    def _count(self) -> None:
        if self._wanted is not None and not self._counting:
            self._counting = True
            start_async(self.app, self._count_wanted(), group="counting", name="counting the grid")

    async def _count_wanted(self) -> None:
        """Count the grid that is wanted, one at a time, until it is still the wanted one."""
        from asyncio import to_thread  # noqa: PLC0415 - used here only

        done: CampaignRequest | None = None
        try:
            while self._wanted is not None and self._wanted is not done:
                done = self._wanted
                self._cancel = threading.Event()
                found = await to_thread(self._counted, done, self._cancel)
                self.post_message(self.Counted(done, found))
        finally:
            self._counting = False

    def _counted(self, request: CampaignRequest, cancel: threading.Event) -> Estimate | StormscopeError:
        def progress(stage: str, detail: str) -> None:
            self.post_message(self.Counted(request, f"{stage} {detail}".strip()))

        try:
            return self._services.campaigns.estimate(self.oracle, request, progress, cancel)
        except StormscopeError as error:
            return error

    def on_campaign_screen_counted(self, event: Counted) -> None:
        """Show it, unless another grid is wanted by now."""
        if event.request is not self._wanted:
            return
        pane = self.query_one(GridPane)
        if isinstance(event.found, StormscopeError):
            pane.show_error(event.found)
        elif isinstance(event.found, str):
            pane.show_counting(event.request, event.found)
        else:
            pane.show_estimate(event.request, event.found)

    def on_choice_list_more_wanted(self) -> None:
        """Let the user name another explainer."""
        self.app.push_screen(ExplainerScreen(self._services.check_explainer), self._named)

    def _named(self, name: str | None) -> None:
        if name is not None:
            self.query_one(GridPane).add_explainer(name)

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
        if (tally.running, tally.paused) != self._steered:
            self._steered = tally.running, tally.paused
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
        if self.query_one(ContentSwitcher).current == GRID and self._offered:
            self._count_anew()

    def on_grid_pane_start_requested(self, event: GridPane.StartRequested) -> None:
        """Start."""
        event.stop()
        self.action_start()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what does something now."""
        del parameters
        running = self._campaigns.tally.running
        return {"start": not running, "stop": running}.get(action, True)

    def action_start(self) -> None:
        """Ask for the campaign as chosen; what is wrong with the grid is said below it."""
        if self._campaigns.tally.running:
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
        self.post_message(self.StartRequested(request, self._services.campaigns.file(self.oracle, request)))

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
