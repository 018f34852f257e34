"""The explorer's app: it wires screens, engine and background work together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.campaigns.campaign_app import CampaignApp
from tui.collecting import keep_what_is_loaded
from tui.screens.opening import OpeningScreen
from tui.screens.start import StartScreen
from tui.shell import DARK, LIGHT
from tui.text import clean
from tui.workers import start_async

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from textual.app import SystemCommand
    from textual.screen import Screen

    from engine.appearance import Preferences
    from engine.recent import RecentModel
    from tui.messages import OracleReady
    from tui.screens.endpoint import EndpointScreen
    from tui.screens.explorer import ExplorerScreen
    from tui.screens.settings import SettingsScreen
    from tui.services.model_runner import Opened
    from tui.services.models import Opener
    from tui.services.services import Services

__all__ = ["DARK", "LIGHT", "ExplorerApp"]


class ExplorerApp(CampaignApp):
    """The terminal explorer: a start screen, and one model at a time.

    Parameters
    ----------
    opener
        Opens the model, in a thread after the first frame, and again when its settings change; None begins with the
        start screen.
    services
        The engine; None takes the real one, made in the first moment that needs it.
    explainer
        Who is asked unless another is chosen.
    theme, theme_folders, preferences, opener_of
        As in `ModelApp`.
    policy
        A policy to check once the first model is open.
    campaign
        A campaign file to show first.
    tour
        Seconds for each step of a guided tour to begin with, 0 to wait for keys; None begins without.
    """

    def __init__(
        self,
        opener: Opener | None,
        *,
        services: Services | None = None,
        explainer: str = "local",
        theme: str | None = None,
        theme_folders: Sequence[Path] = (),
        preferences: Preferences | None = None,
        opener_of: Callable[[RecentModel], Opener] | None = None,
        policy: Path | None = None,
        campaign: Path | None = None,
        tour: float | None = None,
    ) -> None:
        super().__init__(opener, theme=theme, theme_folders=theme_folders, preferences=preferences, opener_of=opener_of)
        self._given_services = services
        self._first_policy = policy
        self._first_campaign = campaign
        self._begin_with_tour = tour
        self.explainer = explainer

    @property
    def services(self) -> Services:
        """The engine."""
        if self._given_services is None:
            from tui.services.engine_services import EngineServices  # noqa: PLC0415  (keeps the engine out of the first frame)

            self._given_services = EngineServices(self.explainer)
        return self._given_services

    async def on_mount(self) -> None:
        """Show the first frame, and open the model behind it."""
        if self.model.opener is None:
            await self.push_screen(StartScreen(first=True))
            self.call_after_refresh(self._offer_tour if self._first_campaign is None else self._open_first_campaign)
        else:
            if self._first_campaign is not None:
                self._then = self._open_first_campaign
            await self.open_first(self.model.opener)

    def _open_first_campaign(self) -> None:
        if self._first_campaign is not None:
            self.open_campaign(self._first_campaign)

    def _offer_tour(self) -> None:
        from engine.recent import load_recent, remember_tour  # noqa: PLC0415 - read after the first frame

        if self._begin_with_tour is not None:
            remember_tour()
            self._guide(self._begin_with_tour or None)
        elif not load_recent().tour_offered:
            from tui.screens.welcome import WelcomeScreen  # noqa: PLC0415 - shown once

            remember_tour()
            self.push_screen(WelcomeScreen(), lambda wanted: self.action_tour() if wanted else None)

    def action_tour(self) -> None:
        """Be shown around."""
        self._guide(None)

    def _guide(self, seconds: float | None) -> None:
        from tui.tour.tour import TourGuide  # noqa: PLC0415 - loads when it is wanted

        if not TourGuide.under_way(self):
            TourGuide(self, seconds).start()

    def action_open_start(self) -> None:
        """Choose another model; escape comes back."""
        if not any(isinstance(screen, StartScreen | OpeningScreen) for screen in self.screen_stack[-1:]):
            self.push_screen(StartScreen(first=False))

    def action_settings(self) -> None:
        """Open the settings."""
        from tui.screens.settings import SettingsScreen  # noqa: PLC0415 - loads when it is opened

        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(SettingsScreen())

    def on_start_screen_campaign_chosen(self, event: StartScreen.CampaignChosen) -> None:
        """Go on with a campaign of the explorer, or look at one of the command line."""
        if not self.go_on_with(event.overview):
            self.open_campaign(event.overview.path)

    def on_settings_screen_changed(self, event: SettingsScreen.Changed) -> None:
        """Use the new settings from now on."""
        self.take_preferences(event.preferences)
        if self._given_services is not None:
            self._given_services.reload()

    def on_settings_screen_explainer_chosen(self, event: SettingsScreen.ExplainerChosen) -> None:
        """Ask this one from now on."""
        self._take_explainer(event.name)

    def on_endpoint_screen_submitted(self, event: EndpointScreen.Submitted) -> None:
        """Let the settings below the form write it."""
        from tui.screens.settings import SettingsScreen  # noqa: PLC0415 - loads when it is opened

        for screen in self.screen_stack:
            if isinstance(screen, SettingsScreen):
                screen.write_endpoint(event)

    async def come_back(self, explorer: ExplorerScreen, opened: Opened) -> None:
        """Go back to a model that was open in the explorer, whatever has been opened since."""
        from tui.screens.explorer import ExplorerScreen  # noqa: PLC0415 - loads with the first model

        there = explorer in self.screen_stack
        while self.screen is not explorer if there else not isinstance(self.screen, ExplorerScreen):
            await self.pop_screen()
        self.model.come_back(opened)
        if not there:
            await self.switch_screen(ExplorerScreen(opened.oracle, self.services, explorer))
        await self.fit(self.size)

    async def on_oracle_ready(self, event: OracleReady) -> None:
        """Go to the explorer, at the same state as before if it is the same model."""
        from tui.screens.explorer import ExplorerScreen  # noqa: PLC0415  (Arrow and the table load after the first frame)

        keep_what_is_loaded()
        same = not self.model.pending
        if not self.model.take(event):
            return
        before = self.explorer
        # Forms and help are closed; an explorer that stayed below would animate unseen.
        top = ExplorerScreen if before is not None else OpeningScreen
        while not isinstance(self.screen, top):
            await self.pop_screen()
        if self._runner is not None:
            self._runner.forget()
        explorer = ExplorerScreen(event.oracle, self.services, before if same else None)
        await self.switch_screen(explorer)
        await self.fit(self.size)
        policy, self._first_policy = self._first_policy, None
        if policy is not None:
            explorer.open_policy(str(policy))
        self.take_then()

    async def on_unmount(self) -> None:
        """Stop what still runs: a thread that waits for the oracle would keep the process alive."""
        self.model.cancel()
        if self._given_services is not None:
            await self._given_services.close()

    @property
    def explorer(self) -> ExplorerScreen | None:
        """The explorer, if a model is open."""
        from tui.screens.explorer import ExplorerScreen  # noqa: PLC0415

        return next((screen for screen in self.screen_stack if isinstance(screen, ExplorerScreen)), None)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Yield the actions, then every environment and every explainer."""
        from tui.appearance.palette import explainer_commands, model_commands  # noqa: PLC0415 - loads with the palette

        yield from super().get_system_commands(screen)
        yield from model_commands(self.open_model)
        yield from explainer_commands(self.services, self._take_explainer)

    def on_command_palette_opened(self) -> None:
        """Look for the models of endpoints while the palette is open; Textual also calls what the shell does."""
        from tui.appearance.palette import look_for_explainers  # noqa: PLC0415 - as above

        start_async(self, look_for_explainers(self, self.services), group="palette", name="looking for models")

    def _take_explainer(self, name: str) -> None:
        self.explainer = name
        self.notify(clean(f"{name} is asked from now on, unless another is chosen."), markup=False)
