"""What a campaign screen does about its grid: finds what it can be made of, and counts it while it is chosen."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from textual.message import Message

from engine.errors import StormscopeError
from tui.screens.explainer import ExplainerScreen
from tui.screens.verdicts import VerdictsScreen
from tui.widgets.grid_pane import GridPane
from tui.workers import start_async, start_thread

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.facts import Oracle
    from tui.campaigns.campaign_services import CampaignRequest, Estimate, Offers
    from tui.services.services import Services

PATIENCE = 0.25
"""Seconds without a change before the grid is counted: nobody waits for what was typed halfway."""


class GridScreen(VerdictsScreen):
    """A screen with a `GridPane`; everything slow is done in threads, and only the last choice counts.

    Parameters
    ----------
    oracle, services
        The open model and the engine.
    file
        The campaign whose last grid is offered; None for the model's own.
    """

    class Offered(Message):
        """What a grid can be made of was found."""

        def __init__(self, offers: Offers) -> None:
            super().__init__()
            self.offers = offers

    class ModelsFound(Message):
        """Endpoints have said which models they have."""

        def __init__(self, names: tuple[str, ...]) -> None:
            super().__init__()
            self.names = names

    class Counted(Message):
        """A grid was counted as far as this: its stage, or what it comes to."""

        def __init__(self, request: CampaignRequest, found: Estimate | StormscopeError | str) -> None:
            super().__init__()
            self.request = request
            self.found = found

    def __init__(self, oracle: Oracle, services: Services, file: Path | None) -> None:
        super().__init__()
        self.oracle = oracle
        self.services = services
        self._file = file
        self.offered = False
        self._models: tuple[str, ...] = ()
        self._wanted: CampaignRequest | None = None
        self._counting = False
        self._cancel = threading.Event()

    def on_unmount(self) -> None:
        """Stop what is counted: nobody waits for it any more."""
        self._cancel.set()
        self._wanted = None

    def look_for_offers(self) -> None:
        """Find out what a grid can be made of; endpoints may take longer to say which models they have."""
        self._patience = self.set_timer(PATIENCE, self._count, pause=True)
        start_thread(self.app, self._find_offers, group="offers", name="looking what a grid can be made of")
        start_async(self.app, self._find_models(), group="models", name="looking for models")

    @property
    def grid_file(self) -> Path | None:
        """The campaign whose last grid is offered; None for the model's own."""
        return self._file

    def grid_is_known(self) -> None:
        """Do what waited for the offers."""

    def _find_offers(self) -> None:
        self.post_message(self.Offered(self.services.campaigns.offers(self.oracle, self.grid_file)))

    async def _find_models(self) -> None:
        offers = await self.services.asking.models()
        self.post_message(self.ModelsFound(tuple(offer.name for offer in offers if offer.ready)))

    def on_grid_screen_models_found(self, event: ModelsFound) -> None:
        """Offer them, once there is a list to put them into."""
        self._models = event.names
        if self.offered:
            self.query_one(GridPane).offer_explainers(self._models)

    def on_grid_screen_offered(self, event: Offered) -> None:
        """Show it."""
        self.offered = True
        self.query_one(GridPane).show_offers(event.offers)
        self.query_one(GridPane).offer_explainers(self._models)
        self.grid_is_known()

    def on_grid_pane_changed(self, event: GridPane.Changed) -> None:
        """Count the grid once nothing has changed for a moment."""
        event.stop()
        self.count_anew()

    def count_anew(self) -> None:
        """Count the grid soon, or say what is wrong with it."""
        pane = self.query_one(GridPane)
        self._cancel.set()
        self._wanted = None
        if not self.offered:
            pane.show_reading()
            return
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
            return self.services.campaigns.estimate(self.oracle, request, progress, cancel)
        except StormscopeError as error:
            return error

    def on_grid_screen_counted(self, event: Counted) -> None:
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
        self.app.push_screen(ExplainerScreen(self.services.check_explainer), self._named)

    def _named(self, name: str | None) -> None:
        if name is not None:
            self.query_one(GridPane).add_explainer(name)
