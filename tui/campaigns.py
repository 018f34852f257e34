"""The one campaign that may run in the background."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from textual.message import Message

from tui.tally import Tally
from tui.workers import start_async

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from textual.app import App

    from engine.campaign.control import Control
    from tui.tally import News, Stored

FRAME = 0.1
"""Seconds between two looks at the tally: a fast campaign must not paint every verdict."""


class CampaignNews(Message):
    """Something happened in the running campaign; None when it is over."""

    def __init__(self, event: News | None, number: int) -> None:
        super().__init__()
        self.event = event
        self.number = number


class CampaignRunner:
    """Starts, counts and stops campaigns; `show` is called with the tally when it has changed."""

    def __init__(self, app: App[None], show: Callable[[Tally], None]) -> None:
        self._app = app
        self._show = show
        self._number = 0
        self._control: Control | None = None
        self._shown: Tally | None = None
        self.tally = Tally()
        self.about = ""

    def start(self, events: AsyncGenerator[News, None], control: Control, about: str) -> None:
        """Run a campaign's events beside everything else; `control` stops them, `about` names what they are about."""
        self._number += 1
        self.about = about
        self._control = control
        self._change(Tally(running=True))
        start_async(self._app, self._run(events, self._number), group="campaign", name="running the campaign")

    async def _run(self, events: AsyncGenerator[News, None], number: int) -> None:
        async with aclosing(events):
            async for event in events:
                self._app.post_message(CampaignNews(event, number))
        self._app.post_message(CampaignNews(None, number))

    def show_earlier(self, stored: Stored) -> None:
        """Show what earlier runs left, unless a campaign has been started here."""
        if not self.tally.counts and not self.tally.running:
            self._change(Tally.of_file(stored))

    def take(self, news: CampaignNews) -> None:
        """Count one event, unless it is from a campaign that was stopped and replaced."""
        if news.number != self._number:
            return
        if news.event is not None:
            self.tally = self.tally.add(news.event)
        elif self.tally.running:
            self._change(self.tally.end(stopped=self._control is not None and self._control.stopped))

    def stop(self) -> None:
        """Ask nothing more; what has arrived is committed, then the campaign's last event comes."""
        if self.tally.running and self._control is not None:
            self._control.stop()
            self._change(self.tally.ending())

    def forget(self) -> None:
        """Forget a campaign that is over: another model or objective is open now."""
        if not self.tally.running:
            self._change(Tally())

    def failed(self) -> None:
        """Note that the campaign ended in a failure, which is shown elsewhere."""
        self._change(self.tally.end(stopped=True))

    def show_changes(self) -> None:
        """Show the tally if it has changed since the last look."""
        if self.tally is not self._shown:
            self._shown = self.tally
            self._show(self.tally)

    def _change(self, tally: Tally) -> None:
        self.tally = tally
        self.show_changes()
