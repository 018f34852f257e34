"""A campaign file to look at: its verdicts, cases and report. Nothing is asked and nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.actions.registry import bindings
from tui.campaigns.campaigns import read_campaign
from tui.campaigns.tally import Tally
from tui.screens.verdicts import VerdictsScreen
from tui.text import clean, shorten_start
from tui.widgets.key_footer import KeyFooter
from tui.widgets.verdicts_pane import VerdictsPane
from tui.workers import start_thread

if TYPE_CHECKING:
    from pathlib import Path

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from engine.verdicts.overview import Overview
    from tui.campaigns.tally import Stored

EMPTY = "Nothing was asked in this campaign yet."


class CampaignFileScreen(VerdictsScreen):
    """The verdict table of a file, which may be written by another program meanwhile: f6 reads it again.

    Parameters
    ----------
    file
        The campaign.
    oracle
        The open model, if one is: cases about it show their witnesses.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("file")]
    HELP_GROUPS = ("file", "verdicts", "app")

    class GoOnRequested(Message):
        """The user wants the campaign to go on."""

        def __init__(self, overview: Overview) -> None:
            super().__init__()
            self.overview = overview

    class Read(Message):
        """The file was read."""

        def __init__(self, stored: Stored, overview: Overview) -> None:
            super().__init__()
            self.stored = stored
            self.overview = overview

    def __init__(self, file: Path, oracle: Oracle | None = None) -> None:
        super().__init__()
        self._file = file
        self._oracle = oracle
        self._tally = Tally()
        self._overview: Overview | None = None
        self._state = ""

    def compose(self) -> ComposeResult:
        """Create the table."""
        yield Static("", id="file-title", markup=False)
        yield VerdictsPane(id="campaign-verdicts", empty=EMPTY)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Read the file."""
        self._title("reading …")
        self.query_one(VerdictsPane).begin()
        self.action_reread()

    def on_resize(self, event: events.Resize) -> None:
        """Let the file's name have the room that there is."""
        del event
        self._title(self._state)

    @property
    def campaign_file(self) -> Path | None:
        """The file."""
        return self._file

    @property
    def open_oracle(self) -> Oracle | None:
        """The open model."""
        return self._oracle

    @property
    def explainers(self) -> tuple[str, ...]:
        """The explainers of the file."""
        return self._tally.explainers

    def _title(self, text: str) -> None:
        self._state = text
        name = " stormscope "
        room = max(self.size.width - len(name) - len(text) - 4, 1)
        file = shorten_start(clean(str(self._file)), room)
        title = Content.assemble((name, "bold $primary"), f" {file}  ", (text, "dim"))
        self.query_one("#file-title", Static).update(title)

    def action_reread(self) -> None:
        """Read the file anew."""
        start_thread(self.app, self._read, group="campaign file", name="reading a campaign")

    def _read(self) -> None:
        from engine.errors import UsageError  # noqa: PLC0415 - rarely needed
        from engine.verdicts.overview import overview  # noqa: PLC0415 - the store loads with the first file

        stored = read_campaign(self._file)
        if stored is None:
            raise UsageError("there is no such file", where=str(self._file), hint="check the path")
        self.post_message(self.Read(stored, overview(self._file)))

    def on_campaign_file_screen_read(self, event: Read) -> None:
        """Show what it holds."""
        self._overview = event.overview
        found = event.overview
        self._title("finished" if found.finished else f"{found.done:,} of {found.total:,} answered")
        self._tally = Tally.of_file(event.stored)
        pane = self.query_one(VerdictsPane)
        pane.about = ", ".join(dict.fromkeys(model.title for model in found.models))
        pane.show_tally(self._tally, "")

    def on_verdicts_pane_reread_requested(self, event: VerdictsPane.RereadRequested) -> None:
        """Read the file anew."""
        event.stop()
        self.action_reread()

    def on_verdicts_pane_pause_requested(self, event: VerdictsPane.PauseRequested) -> None:
        """Say that nothing runs."""
        event.stop()
        self.notify("This file is only looked at; nothing is asked here.")

    def action_go_on(self) -> None:
        """Go on with the campaign, or say how it goes on."""
        if self._overview is not None:
            self.post_message(self.GoOnRequested(self._overview))

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss()
