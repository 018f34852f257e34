"""The explorer's app: it wires screens, engine and background work together, and shows every failure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, SystemCommand
from textual.worker import Worker, WorkerState

from tui.actions import GROUPS, REGISTRY, bindings
from tui.campaigns import FRAME, CampaignRunner
from tui.dimming import ReadableDim
from tui.model_forms import ModelForms
from tui.model_runner import GROUP, ModelRunner
from tui.screens.form import FormScreen
from tui.screens.message import FailureScreen
from tui.screens.opening import OpeningScreen
from tui.screens.small import SmallScreen, too_small
from tui.signals import Signals
from tui.text import clean
from tui.themes import OWN_VARIABLES, load_themes
from tui.workers import as_report

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from textual import events
    from textual.binding import BindingType
    from textual.filter import LineFilter
    from textual.geometry import Size
    from textual.screen import Screen

    from engine.errors import StormscopeError
    from tui.campaigns import CampaignNews
    from tui.messages import ConstantsNeeded, OracleProgress, OracleReady, SettingsChosen, WordsChosen
    from tui.models import Opener
    from tui.screens.campaign import CampaignScreen
    from tui.screens.explorer import ExplorerScreen
    from tui.services import Services
    from tui.tally import Tally

DARK, LIGHT = "storm-dark", "storm-light"


class ExplorerApp(App[None]):
    """The terminal explorer on one model.

    Parameters
    ----------
    opener
        Opens the model, in a thread after the first frame, and again when its settings change.
    services
        The engine; None takes the real one, made in the first moment that needs it.
    explainer
        Who is asked unless another is chosen.
    theme
        The name of the first theme.
    theme_folders
        Folders with a user's own themes.

    Attributes
    ----------
    failure
        Why the model could not be opened; None if it could.
    """

    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]
    TITLE = "stormscope"
    ENABLE_COMMAND_PALETTE = True

    def __init__(
        self,
        opener: Opener,
        *,
        services: Services | None = None,
        explainer: str = "local",
        theme: str = DARK,
        theme_folders: Sequence[Path] = (),
    ) -> None:
        super().__init__()
        self._dim = ReadableDim()
        self._model = ModelRunner(self, opener)
        self._forms = ModelForms(self, self._model, self._leave_with)
        self._given_services = services
        self._explainer = explainer
        self.failure: StormscopeError | None = None
        self._signals = Signals(lambda code: self.exit(return_code=code))
        self._campaigns = CampaignRunner(self, self._show_tally)
        self._loaded, self._skipped = load_themes(theme_folders)
        for loaded in self._loaded.values():
            self.register_theme(loaded)
        if theme in self._loaded:
            self.theme = theme

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return the values of this app's own colour variables for themes without them."""
        return OWN_VARIABLES

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the base class's filters after one that keeps dim text readable."""
        return [self._dim, *super().get_line_filters()]

    @property
    def services(self) -> Services:
        """The engine."""
        if self._given_services is None:
            from tui.engine_services import EngineServices  # noqa: PLC0415  (keeps the engine out of the first frame)

            self._given_services = EngineServices(self._explainer)
        return self._given_services

    async def on_mount(self) -> None:
        """Show the first frame, and open the model behind it."""
        self._signals.catch()
        await self.push_screen(OpeningScreen(self._model.opener.title))
        for message in self._skipped:
            self.notify(clean(message), severity="warning", markup=False)
        self.set_interval(FRAME, self._campaigns.show_changes)
        self.call_after_refresh(self._model.open, self._model.settings)

    async def on_resize(self, event: events.Resize) -> None:
        """Say so when the terminal is too small."""
        await self._fit(event.size)

    async def _fit(self, size: Size) -> None:
        shown = isinstance(self.screen, SmallScreen)
        if too_small(size) and not shown:
            await self.push_screen(SmallScreen())
        elif shown and not too_small(size):
            await self.pop_screen()

    def on_oracle_progress(self, event: OracleProgress) -> None:
        """Show the stage while the model is opening."""
        if isinstance(self.screen, OpeningScreen | FormScreen):
            self.screen.show_stage(f"{event.stage} {event.detail}".strip())

    def on_opening_screen_cancelled(self) -> None:
        """Stop the oracle; its error ends the app."""
        self._model.cancel()

    def on_form_screen_cancel_requested(self) -> None:
        """Stop the oracle; its error is shown in the form."""
        self._model.cancel()

    def on_constants_needed(self, event: ConstantsNeeded) -> None:
        """Ask for the values of the model's constants."""
        self._forms.need_constants(event.constants)

    def on_settings_chosen(self, event: SettingsChosen) -> None:
        """Check the model with other settings; the open one stays until that has worked."""
        if self._model.oracle is None:
            self._model.settings = event.settings
        self._model.open(event.settings)

    def on_words_chosen(self, event: WordsChosen) -> None:
        """Save the open model in the user's words."""
        if self._model.oracle is not None:
            self._model.save(self._model.oracle, event.name, event.words, replace=event.replace)

    def _leave_with(self, failure: StormscopeError) -> None:
        self.failure = failure
        self.exit(return_code=failure.exit_code)

    async def on_oracle_ready(self, event: OracleReady) -> None:
        """Go to the explorer, at the same state as before where there is one."""
        from tui.screens.explorer import ExplorerScreen  # noqa: PLC0415  (Arrow and the table load after the first frame)

        if not self._model.take(event):
            return
        before = self._explorer
        while not isinstance(self.screen, OpeningScreen | ExplorerScreen):
            await self.pop_screen()  # a form, or help; what is below the explorer would animate unseen
        self._campaigns.forget()
        await self.switch_screen(ExplorerScreen(event.oracle, self.services, before))
        await self._fit(self.size)

    async def on_unmount(self) -> None:
        """Stop what still runs: a thread that waits for the oracle would keep the process alive."""
        self._model.cancel()
        self._signals.release()
        if self._given_services is not None:
            await self._given_services.close()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Show every failure of background work, in the one place where they all end."""
        worker, error = event.worker, event.worker.error
        if event.state is not WorkerState.ERROR or error is None:
            return
        report = as_report(error, worker.name)
        if worker.group == GROUP:
            self._forms.show_failure(report)
            return
        if worker.group == "campaign":
            self._campaigns.failed()
        self.push_screen(FailureScreen(report, title=f"Failed: {clean(worker.name)}"))

    def on_explorer_screen_objective_requested(self) -> None:
        """Let the user choose another objective."""
        self._forms.change_objective()

    def on_explorer_screen_constants_requested(self) -> None:
        """Let the user change the model's constants."""
        self._forms.change_constants()

    def on_explorer_screen_words_requested(self) -> None:
        """Let the user say what the model is about."""
        self._forms.edit_words()

    def on_explorer_screen_ask_requested(self) -> None:
        """Open the question form for the selected state."""
        from tui.screens.ask import AskScreen  # noqa: PLC0415  (forms load when they are opened)

        explorer = self._explorer
        if explorer is not None:
            trail = explorer.trail
            self.push_screen(AskScreen(explorer.oracle, self.services, trail.current, trail.states, self._explainer))

    def on_explorer_screen_campaign_requested(self) -> None:
        """Open the campaign."""
        from tui.screens.campaign import CampaignScreen  # noqa: PLC0415

        oracle = self._model.oracle
        if oracle is not None:
            self.push_screen(CampaignScreen(oracle, self.services, self._explainer, self._campaigns))

    def on_campaign_screen_start_requested(self, event: CampaignScreen.StartRequested) -> None:
        """Run a campaign beside everything else."""
        from engine.campaign.control import Control  # noqa: PLC0415 - loads when the first campaign starts

        oracle = self._model.oracle
        if oracle is not None:
            control = Control()
            about = f"{oracle.environment.title}, {oracle.facts.objective.text}"
            self._campaigns.start(self.services.campaign(oracle, event.request, control), control, about)

    def on_campaign_news(self, event: CampaignNews) -> None:
        """Count what happened."""
        self._campaigns.take(event)

    def on_campaign_screen_stop_requested(self) -> None:
        """Stop the campaign."""
        self._campaigns.stop()

    def _show_tally(self, tally: Tally) -> None:
        from tui.screens.campaign import CampaignScreen  # noqa: PLC0415
        from tui.widgets.status_line import StatusLine  # noqa: PLC0415

        running = f"campaign {tally.done}/{tally.total or '…'}" if tally.running else ""
        for screen in self.screen_stack:
            if isinstance(screen, CampaignScreen) and screen.is_mounted:
                screen.show_tally(tally)
            for line in screen.query(StatusLine):
                line.background = running

    @property
    def _explorer(self) -> ExplorerScreen | None:
        from tui.screens.explorer import ExplorerScreen  # noqa: PLC0415

        return next((screen for screen in self.screen_stack if isinstance(screen, ExplorerScreen)), None)

    def action_toggle_theme(self) -> None:
        """Switch between light and dark."""
        self.theme = LIGHT if self.current_theme.dark else DARK

    def action_help_quit(self) -> None:
        """Say how to leave: ^C copies in text fields."""
        self.notify("q leaves stormscope; ^q does so from a text field too. esc cancels what runs.", title="To leave")

    def action_leave_app(self) -> None:
        """End the app."""
        self.exit()

    def action_help(self) -> None:
        """Show the keys, those of this screen first."""
        from tui.screens.help import HelpScreen  # noqa: PLC0415

        self.push_screen(HelpScreen(getattr(self.screen, "HELP_GROUPS", ("app",))))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Yield the palette's commands from the registry: those of the screen, then those that work everywhere."""
        groups = getattr(screen, "HELP_GROUPS", ("app",))
        for action in REGISTRY:
            if action.palette and action.group in groups:
                namespace = self if action.group == "app" else screen
                run = partial(self.run_action, action.action, namespace)
                yield SystemCommand(f"{GROUPS[action.group]}: {action.title}", action.help, run)
        for name in sorted(self._loaded):
            yield SystemCommand(
                f"Theme: {name}", "Use this theme.", partial(setattr, self, "theme", name), discover=False
            )
