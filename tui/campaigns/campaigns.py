"""The one campaign that may run in the background."""

from __future__ import annotations

import time
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from tui.campaigns.tally import Stored, Tally
from tui.workers import start_async, start_thread

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from textual.app import App

    from engine.campaign.control import Control
    from tui.campaigns.tally import News

FRAME = 0.2
"""Seconds between two looks at the tally: a fast campaign must not paint every verdict."""
READING = "Reading the campaign"
"""The stage until it is known what a file holds."""


class CampaignNews(Message):
    """A campaign's file was read, for the answers `kept` by hand alone; or (None) the running campaign is over."""

    def __init__(self, stored: Stored | None, number: int, *, kept: bool = False) -> None:
        super().__init__()
        self.stored = stored
        self.number = number
        self.kept = kept


class CampaignRunner:
    """Starts, counts, pauses and stops campaigns; `show` is called with the tally when it has changed.

    Attributes
    ----------
    tally
        What the campaign has brought so far.
    about
        What it is about, for people.
    file
        Where it is kept; None before there is one.
    """

    def __init__(self, app: App[None], show: Callable[[Tally], None]) -> None:
        self._app = app
        self._show = show
        self._number = 0
        self._control: Control | None = None
        self._shown: Tally | None = None
        self._tick = 0
        self.tally = Tally()
        self.about = ""
        self.file: Path | None = None

    def start(self, events: AsyncGenerator[News, None], control: Control, about: str, file: Path) -> None:
        """Run a campaign's events beside everything else; `control` steers it."""
        self._number += 1
        self.about, self.file = about, file
        self._control = control
        self._change(Tally(running=True))
        start_async(self._app, self._run(events, self._number), group="campaign", name="running the campaign")

    async def _run(self, events: AsyncGenerator[News, None], number: int) -> None:
        async with aclosing(events):
            async for event in events:
                if number == self._number:
                    self.tally = self.tally.add(event, time.monotonic())
        self._app.post_message(CampaignNews(None, number))

    def show_file(self, file: Path, about: str) -> None:
        """Show what a file holds, if there is one, unless a campaign is running; it is read in a thread."""
        if self.tally.running or (self.file == file and self.tally.explainers):
            return
        self._number += 1
        self.file, self.about = file, about
        self._change(Tally(stage=READING))
        work = partial(self._read, file, self._number)
        start_thread(self._app, work, group="stored", name="reading the campaign's file")

    def reread(self) -> None:
        """Read the file anew."""
        if not self.tally.running and self.file is not None:
            file, self.file = self.file, None
            self.show_file(file, self.about)

    def _read(self, file: Path, number: int) -> None:
        stored = read_campaign(file)
        if stored is not None:
            self._app.post_message(CampaignNews(stored, number))
        else:
            self._app.post_message(CampaignNews(None, number))

    def look_for_kept(self, file: Path) -> None:
        """Read which answers were kept by hand, after one was; the rest of the tally stays, also while it runs."""
        if self.file == file:
            work = partial(self._read_kept, file, self._number)
            start_thread(self._app, work, group="kept", name="reading the campaign's file")

    def _read_kept(self, file: Path, number: int) -> None:
        stored = read_campaign(file)
        if stored is not None:
            self._app.post_message(CampaignNews(stored, number, kept=True))

    def take(self, news: CampaignNews) -> None:
        """Take what was read, or the end; not that of a campaign that was replaced."""
        if news.number != self._number:
            return
        if news.stored is not None and news.kept and self.tally.explainers:
            self._change(self.tally.with_kept(news.stored))
        elif news.stored is not None:
            self._change(Tally.of_file(news.stored))
        elif self.tally.running:
            self._change(self.tally.end(stopped=self._control is not None and self._control.stopped))
        elif self.tally.stage == READING:
            self._change(Tally())

    def pause(self) -> None:
        """Ask nothing more for now, or go on."""
        if self.tally.running and not self.tally.ending and self._control is not None:
            if self._control.paused:
                self._control.resume()
            else:
                self._control.pause()
            self._change(self.tally.hold(paused=self._control.paused))

    def stop(self) -> None:
        """Ask nothing more; what has arrived is committed, then the campaign's last event comes."""
        if self.tally.running and self._control is not None:
            self._control.stop()
            self._change(self.tally.end_soon())

    def forget(self) -> None:
        """Forget a campaign that is over: another model or objective is open now."""
        if not self.tally.running:
            self._number += 1
            self.file, self.about = None, ""
            self._change(Tally())

    def unread(self) -> None:
        """Note that a file could not be read, which is shown elsewhere."""
        if self.tally.stage == READING:
            self._change(Tally())

    def failed(self) -> None:
        """Note that the campaign ended in a failure, which is shown elsewhere."""
        self._change(self.tally.end(stopped=True))

    def show_changes(self) -> None:
        """Show the tally if it has changed since the last look, or if a wait is counted down."""
        if self.tally is not self._shown or (self.tally.waits and int(time.monotonic()) != self._tick):
            self._tick = int(time.monotonic())
            self._shown = self.tally
            self._show(self.tally)

    def _change(self, tally: Tally) -> None:
        self.tally = tally
        self.show_changes()


def read_campaign(file: Path) -> Stored | None:
    """Return what a campaign file holds; None if there is no such file. Blocks.

    Raises
    ------
    StoreError
        If it is no campaign, or cannot be read.
    """
    from engine.campaign.board import read_board  # noqa: PLC0415 - the store loads with the first file
    from engine.verdicts.store import Store  # noqa: PLC0415 - as above

    try:
        if not file.is_file():
            return None
    except OSError:
        return None  # starting a campaign there says why
    with Store(file, write=False) as store:
        return Stored(read_board(store))
