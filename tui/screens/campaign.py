"""Campaign: many questions in the background, and the verdict table that fills."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Button, Footer, Input, Label, Static

from tui.actions import bindings
from tui.services import CampaignRequest
from tui.text import clean
from tui.widgets.checklist import Checklist
from tui.widgets.share_bar import ShareBar
from tui.widgets.status_line import StatusLine
from tui.widgets.verdict_table import VerdictTable

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from tui.campaigns import CampaignRunner
    from tui.services import Services
    from tui.tally import Tally

MAX_BUDGET = 1000
BASELINES = ("random", "first")
"""Chosen beside the default explainer: without them a pass rate means little."""


class CampaignScreen(Screen[None]):
    """A grid to choose above, verdicts below. Leaving the screen leaves the campaign running."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("campaign")]
    HELP_GROUPS = ("campaign", "app")

    class StartRequested(Message):
        """The user wants this campaign."""

        def __init__(self, request: CampaignRequest) -> None:
            super().__init__()
            self.request = request

    class StopRequested(Message):
        """The user wants the running campaign to end."""

    def __init__(self, oracle: Oracle, services: Services, explainer: str, campaigns: CampaignRunner) -> None:
        super().__init__()
        self.oracle = oracle
        self._services = services
        self._explainer = explainer
        self._campaigns = campaigns

    def compose(self) -> ComposeResult:
        """Create the form and the table."""
        yield StatusLine(id="status")
        explainers = list(dict.fromkeys([self._explainer, *self._services.explainers()]))
        categories = self._services.categories(self.oracle)
        chosen = {self._explainer, *BASELINES}
        with Horizontal(id="campaign-form"):
            names = Checklist(explainers, chosen, id="campaign-explainers")
            names.border_title = "Explainers"
            yield names
            offered = [choice.name for choice in categories]
            kinds = Checklist(offered, offered, id="campaign-categories")
            kinds.border_title = "Categories"
            yield kinds
            with Vertical(id="campaign-run"):
                yield Label("cases per category")
                yield Input("5", compact=True, type="integer", id="campaign-budget", select_on_focus=False)
                yield Button("Start", compact=True, id="campaign-start")
                yield Button("Stop", compact=True, id="campaign-stop", disabled=True)
        note = Static("", id="campaign-note", markup=False)
        yield note
        yield ShareBar(id="campaign-progress")
        yield VerdictTable()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show what there is so far."""
        self.query_one(StatusLine).oracle = self.oracle
        tally = self._campaigns.tally
        self.show_tally(tally)
        self.query_one("#campaign-start" if not tally.running else "#campaign-stop", Button).focus()

    def show_tally(self, tally: Tally) -> None:
        """Show a campaign's present state."""
        table = self.query_one(VerdictTable)
        table.tally = tally
        about = self._campaigns.about if tally.counts else ""
        table.border_title = f"Verdicts: {clean(about)}" if about else "Verdicts"
        self.query_one("#campaign-start", Button).disabled = tally.running
        stop = self.query_one("#campaign-stop", Button)
        started = tally.running and stop.disabled
        stop.disabled = not tally.running
        if started:
            stop.focus()
        progress = self.query_one(ShareBar)
        progress.done, progress.total = tally.done, tally.total
        self._say(status_text(tally))

    def _say(self, text: str, *, error: bool = False) -> None:
        note = self.query_one("#campaign-note", Static)
        note.update(Content(clean(text, lines=True)))
        note.set_class(error, "-error")

    @on(Button.Pressed, "#campaign-start")
    @on(Input.Submitted, "#campaign-budget")
    def action_start(self) -> None:
        """Ask for the campaign as chosen; what is wrong with the form is said below it."""
        if self.query_one("#campaign-start", Button).disabled:
            return
        explainers = self.query_one("#campaign-explainers", Checklist).chosen
        categories = self.query_one("#campaign-categories", Checklist).chosen
        text = self.query_one("#campaign-budget", Input).value.strip()
        budget = int(text[:9]) if text.isascii() and text.isdecimal() else 0
        if not explainers or not categories:
            self._say("Choose at least one explainer and one category (space).", error=True)
        elif not 1 <= budget <= MAX_BUDGET:
            self._say(f"Cases per category: a number from 1 to {MAX_BUDGET}.", error=True)
        else:
            self.post_message(self.StartRequested(CampaignRequest(explainers, categories, budget)))

    @on(Button.Pressed, "#campaign-stop")
    def action_stop(self) -> None:
        """Stop; what arrived is kept."""
        self.post_message(self.StopRequested())

    def action_leave(self) -> None:
        """Go back; the campaign keeps running."""
        self.dismiss()


def status_text(tally: Tally) -> str:
    """Return where a campaign stands, in one line, and the latest thing worth knowing in a second."""
    if tally.running and not tally.total:
        first = "Choosing cases …"
    elif tally.running:
        left = f", about {tally.eta:.0f} s left" if tally.eta is not None else ""
        first = f"{tally.done} of {tally.total} answered{left}"
    elif tally.stopped:
        first = f"Stopped at {tally.done} of {tally.total}; every answer is kept, Start continues."
    elif tally.total:
        first = f"Done: {tally.done} of {tally.total} answered."
    else:
        first = "Space chooses, ^r starts. i invalid, ≈ undecided, e error, … still to come."
    second = tally.waiting or (tally.notices[-1] if tally.notices else "")
    return f"{first}\n{second}" if second else first
