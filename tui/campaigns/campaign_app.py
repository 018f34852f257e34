"""The part of the app that runs campaigns, shows campaign files, and goes from a case to its state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.asking.asking_app import AskingApp

if TYPE_CHECKING:
    from pathlib import Path

    from engine.errors import StormscopeError
    from engine.verdicts.overview import Overview
    from engine.verdicts.records import ModelRecord
    from tui.campaigns.campaigns import CampaignNews, CampaignRunner
    from tui.campaigns.tally import Tally
    from tui.screens.ask import AskScreen
    from tui.screens.campaign import CampaignScreen
    from tui.screens.campaign_file import CampaignFileScreen
    from tui.screens.case import CaseScreen


class CampaignApp(AskingApp):
    """An app in which one campaign may run beside everything else."""

    _runner: CampaignRunner | None = None

    @property
    def campaigns(self) -> CampaignRunner:
        """The one campaign that may run."""
        if self._runner is None:
            from tui.campaigns.campaigns import FRAME, CampaignRunner  # noqa: PLC0415 - keeps the engine out of the first frame

            self._runner = CampaignRunner(self, self._show_tally)
            self.set_interval(FRAME, self._runner.show_changes)
        return self._runner

    def open_campaign(self, file: Path) -> None:
        """Show a campaign file, without asking anything."""
        from tui.screens.campaign_file import CampaignFileScreen  # noqa: PLC0415 - loads when it is opened

        self.push_screen(CampaignFileScreen(file, self.model.oracle))

    def on_explorer_screen_campaign_requested(self) -> None:
        """Open the model's own campaign."""
        self._open_grid(None)

    def _open_grid(self, file: Path | None) -> None:
        """Open the campaign screen of the open model, for a file or for the model's own."""
        from tui.screens.campaign import CampaignScreen  # noqa: PLC0415 - loads when it is opened

        oracle = self.model.oracle
        if oracle is not None:
            self.push_screen(CampaignScreen(oracle, self.services, self.campaigns, file))

    def go_on_with(self, overview: Overview) -> bool:
        """Open the campaign screen of a file that the explorer began, and its model first; False if it is no such."""
        from tui.campaigns.resuming import model_of  # noqa: PLC0415 - loads when it is needed

        model = model_of(overview)
        if model is None:
            return False
        oracle, explorer = self.model.oracle, self.explorer
        if oracle is not None and explorer is not None and oracle.identity == overview.models[0].identity:
            while self.screen is not explorer:
                self.pop_screen()
            self._open_grid(overview.path)
        else:
            self.open_model(model, lambda: self._open_grid(overview.path))
        return True

    def on_campaign_file_screen_go_on_requested(self, event: CampaignFileScreen.GoOnRequested) -> None:
        """Go on with a campaign of the explorer, or say how another one goes on."""
        from tui.screens.note import NoteScreen  # noqa: PLC0415 - loads when it is opened

        if not self.go_on_with(event.overview):
            self.push_screen(NoteScreen.of_campaign(event.overview))

    def on_campaign_screen_start_requested(self, event: CampaignScreen.StartRequested) -> None:
        """Run a campaign beside everything else."""
        from engine.campaign.control import Control  # noqa: PLC0415 - loads when the first campaign starts

        oracle = self.model.oracle
        if oracle is None or self.campaigns.tally.running:
            return
        control = Control()
        models = event.request.models or (oracle.environment.name,)
        about = f"{oracle.environment.title}, {oracle.facts.objective.text}"
        if models != (oracle.environment.name,):
            about = ", ".join(models)
        events = self.services.campaigns.run(oracle, event.request, control)
        self.campaigns.start(events, control, about, event.file)

    def on_campaign_news(self, event: CampaignNews) -> None:
        """Take what was read, or the end."""
        self.campaigns.take(event)

    def on_ask_screen_answers_kept(self, event: AskScreen.AnswersKept) -> None:
        """Let the table of the file have what was kept in it."""
        self.campaigns.look_for_kept(event.file)

    def on_campaign_screen_pause_requested(self) -> None:
        """Let the campaign pause, or go on."""
        self.campaigns.pause()

    def on_campaign_screen_stop_requested(self) -> None:
        """Stop the campaign."""
        self.campaigns.stop()

    def show_failure(self, report: StormscopeError, group: str, name: str) -> None:
        """Show why background work failed; a campaign is over then."""
        if group == "campaign":
            self.campaigns.failed()
        elif group == "stored":
            self.campaigns.unread()
        super().show_failure(report, group, name)

    def _show_tally(self, tally: Tally) -> None:
        from tui.screens.campaign import CampaignScreen  # noqa: PLC0415 - as above
        from tui.widgets.status_line import StatusLine  # noqa: PLC0415 - as above

        said = "paused at" if tally.paused else "campaign"
        running = f"{said} {tally.done:,}/{f'{tally.total:,}' if tally.total else '…'}" if tally.running else ""
        for screen in self.screen_stack:
            if isinstance(screen, CampaignScreen) and screen.is_mounted:
                screen.show_tally(tally)
            for line in screen.query(StatusLine):
                line.background = running

    def on_case_screen_state_requested(self, event: CaseScreen.StateRequested) -> None:
        """Go to a case's states in the explorer; a model that is not open is opened first."""
        from tui.campaigns.resuming import model_of_record  # noqa: PLC0415 - loads when it is needed

        oracle, explorer = self.model.oracle, self.explorer
        if oracle is not None and explorer is not None and oracle.identity == event.model.identity:
            while self.screen is not explorer:
                self.pop_screen()
            self._select(event.states)
            return
        model = model_of_record(event.model)
        if model is None:
            self.notify(f"The model {event.model.environment} is not known here: open its file first.")
        else:
            self.open_model(model, lambda: self._select_in(event.model, event.states))

    def _select_in(self, model: ModelRecord, states: tuple[int, ...]) -> None:
        """Select states of a model that was opened for them, if it still is the campaign's."""
        oracle = self.model.oracle
        if oracle is not None and oracle.identity == model.identity:
            self._select(states)
        else:
            self.notify("This is not the campaign's model any more: it has changed since, so its states may be others.")

    def _select(self, states: tuple[int, ...]) -> None:
        explorer = self.explorer
        if explorer is None:
            return
        explorer.trail = explorer.trail.browse(states[0])
        if len(states) > 1:
            explorer.pane.mark(states)
            explorer.notify(f"The {len(states):,} states of the question are marked.")
