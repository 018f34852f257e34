"""The guided tour: it presses the keys that a user would press, and explains what can be seen."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from engine.oracle.tri import Tri
from engine.recent import RecentModel
from tui.actions.registry import REGISTRY
from tui.screens.opening import OpeningScreen
from tui.screens.start import StartScreen
from tui.screens.tour import TourScreen
from tui.tour.tour_recorded import RecordedExplainer, embedded_model_there
from tui.tour.tour_script import MODEL, SCRIPT, Step, Wait
from tui.workers import start_async

if TYPE_CHECKING:
    from tui.app import ExplorerApp

GROUP = "tour"
MOST_SECONDS = 120.0
"""How long a step waits for what it shows; then it speaks all the same."""
TICK = 0.05


class TourGuide:
    """Leads through the script once; a tour that began in the explorer ends at the model that was open there.

    Parameters
    ----------
    seconds
        How long each caption stays; None waits for a key.
    """

    def __init__(self, app: ExplorerApp, seconds: float | None = None) -> None:
        self._app = app
        self._seconds = seconds
        self._explainer = app.explainer
        self._oracle = app.model.oracle

    @staticmethod
    def under_way(app: ExplorerApp) -> bool:
        """Return whether a tour is being given."""
        return any(worker.group == GROUP and not worker.is_finished for worker in app.workers)

    def start(self) -> None:
        """Begin, beside everything else."""
        start_async(self._app, self._lead(), group=GROUP, name="the tour")

    async def _lead(self) -> None:
        app = self._app
        before, opened = app.explorer, app.model.leave()
        if not await asyncio.to_thread(embedded_model_there):
            app.services.lend(RecordedExplainer())
            app.explainer = RecordedExplainer.name
        else:
            app.explainer = "local"
        try:
            if not isinstance(app.screen, StartScreen):
                await app.push_screen(StartScreen(first=False))
            for step in SCRIPT:
                if not await self._show(step):
                    break
        finally:
            app.explainer = self._explainer
        if before is not None and opened is not None:
            await app.come_back(before, opened)

    async def _show(self, step: Step) -> bool:
        """Do one step; return whether the tour goes on."""
        app = self._app
        if step.opens:
            app.open_model(RecentModel(MODEL))
        if step.bottleneck:
            self._select_bottleneck()
        for action in step.actions:
            await self._press(action)
        if not await self._wait(step):
            return False
        last = step is SCRIPT[-1]
        screen = TourScreen(step.title, step.text, top=step.top, seconds=self._seconds, last=last)
        goes_on: bool = await app.push_screen_wait(screen)
        return goes_on

    def _select_bottleneck(self) -> None:
        """Select the bottleneck that is nearest to the goal; its V is the highest."""
        from tui.screens.explorer import ExplorerScreen  # noqa: PLC0415 - loads with the first model

        screen = self._app.screen
        if isinstance(screen, ExplorerScreen):
            facts = screen.oracle.facts
            found = [state for state, value in enumerate(facts.bottleneck) if value == Tri.YES]
            if found:
                screen.trail = screen.trail.browse(max(found, key=lambda state: facts.value.floats[state]))

    async def _press(self, name: str) -> None:
        action = next(action for action in REGISTRY if action.id == name)
        key = self._app.keymap.keys_of(action).split(",")[0]
        self._app.simulate_key(key)
        await asyncio.sleep(4 * TICK)  # until the key has worked and its frame can be seen

    async def _wait(self, step: Step) -> bool:
        """Wait for what a step shows; False if it will not come, because the user cancelled it."""
        began, opening = time.monotonic(), False
        while time.monotonic() - began < MOST_SECONDS:
            screen = self._app.screen
            opening = opening or isinstance(screen, OpeningScreen)
            if self._there(step.wait):
                await asyncio.sleep(4 * TICK)
                return True
            # The start screen is also seen for a moment while the opened model takes its place.
            if opening and isinstance(screen, StartScreen) and self._app.model.oracle is self._oracle:
                return False
            await asyncio.sleep(TICK)
        return True

    def _there(self, wait: Wait) -> bool:
        from tui.screens.explorer import ExplorerScreen  # noqa: PLC0415 - loads with the first model

        screen = self._app.screen
        match wait:
            case Wait.NOTHING:
                return True
            case Wait.EXPLORER:
                return isinstance(screen, ExplorerScreen)
            case Wait.VERDICT:
                return bool(screen.query(".verdict"))
