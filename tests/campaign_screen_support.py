"""A stand-in for the campaign part of the engine: its events come from a script that the tests give it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from engine.campaign.forecast import Forecast, Pace
from tui.campaigns.campaign_services import Estimate, Offer, Offers

if TYPE_CHECKING:
    import threading
    from collections.abc import AsyncGenerator, Sequence

    from engine.campaign.control import Control
    from engine.oracle.facts import Oracle
    from tui.campaigns.campaign_services import CampaignRequest, Progress
    from tui.campaigns.tally import News
    from tui.services.services import CategoryChoice


class Script(Protocol):
    """What the tests set."""

    events: Sequence[News]
    hold: asyncio.Event | None

    def categories(self, oracle: Oracle) -> Sequence[CategoryChoice]:
        """Return the categories to choose from."""

    def explainers(self) -> Sequence[str]:
        """Return the explainers to choose from."""


class FakeCampaigns:
    """Campaigns that bring the script's events.

    Attributes
    ----------
    requests
        The grids that were started.
    counted
        The grids that were counted.
    failure
        What counting a grid fails with.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[CampaignRequest] = []
        self.counted: list[CampaignRequest] = []
        self.failure: Exception | None = None

    def offers(self, oracle: Oracle, file: Path | None = None) -> Offers:
        """Offer the open model and one more, and everything of the script chosen."""
        del file
        own = oracle.environment.name
        return Offers(
            models=(Offer(own, "open", chosen=True), Offer("water_jug")),
            explainers=tuple(Offer(name, chosen=True) for name in self._script.explainers()),
            categories=tuple(Offer(choice.name, chosen=True) for choice in self._script.categories(oracle)),
            variants=(Offer("plain", chosen=True), Offer("story")),
        )

    def file(self, oracle: Oracle, request: CampaignRequest) -> Path:
        """Return a name."""
        return request.file or Path("/data/campaigns") / f"{oracle.environment.name}.sqlite"

    def estimate(
        self, oracle: Oracle, request: CampaignRequest, progress: Progress, cancel: threading.Event
    ) -> Estimate:
        """Count one case for each category and strategy; one language model takes 3 seconds an answer."""
        del progress, cancel
        self.counted.append(request)
        if self.failure is not None:
            raise self.failure
        cases = len(request.categories) * len(request.strategies) * request.budget
        questions = cases * request.samples
        forecast = Forecast(cases, questions, dict.fromkeys(request.explainers, questions))
        models = {name: Pace(3.0, None, measured=True) for name in request.explainers if name == "local"}
        return Estimate(forecast, models, request.concurrency, self.file(oracle, request))

    async def run(self, oracle: Oracle, request: CampaignRequest, control: Control) -> AsyncGenerator[News, None]:
        """Yield the scripted events, then wait if told to."""
        del oracle
        self.requests.append(request)
        for event in self._script.events:
            await asyncio.sleep(0)
            if control.stopped:
                return
            yield event
        hold = self._script.hold
        if hold is not None:
            while not (hold.is_set() or control.stopped):  # noqa: ASYNC110 - the control has no event to wait for
                await asyncio.sleep(0.01)
