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
from tui.screens.explainer import OTHER, ExplainerScreen
from tui.services import CampaignRequest
from tui.text import clean
from tui.widgets.checklist import Checklist
from tui.widgets.share_bar import ShareBar
from tui.widgets.status_line import StatusLine
from tui.widgets.verdict_table import VerdictTable
from tui.workers import start_thread

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from tui.campaigns import CampaignRunner
    from tui.services import Services
    from tui.tally import Stored, Tally

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

    class EarlierRead(Message):
        """The verdicts of earlier runs were read from the model's file."""

        def __init__(self, stored: Stored) -> None:
            super().__init__()
            self.stored = stored

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
            names = Checklist(explainers, chosen, more=OTHER, id="campaign-explainers")
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
        if not tally.counts and not tally.running:
            start_thread(self.app, self._read, group="stored", name="reading the campaign's file")
        self.query_one("#campaign-start" if not tally.running else "#campaign-stop", Button).focus()

    def _read(self) -> None:
        stored = self._services.stored(self.oracle)
        if stored is not None and stored.outcomes:
            self.post_message(self.EarlierRead(stored))

    def on_campaign_screen_earlier_read(self, event: EarlierRead) -> None:
        """Show what earlier runs left."""
        self._campaigns.show_earlier(event.stored)

    def on_checklist_more_wanted(self) -> None:
        """Let the user name another explainer."""
        self.app.push_screen(ExplainerScreen(self._services.check_explainer), self._named)

    def _named(self, name: str | None) -> None:
        if name is not None:
            self.query_one("#campaign-explainers", Checklist).add(name)

    def show_tally(self, tally: Tally) -> None:
        """Show a campaign's present state."""
        table = self.query_one(VerdictTable)
        table.tally = tally
        about = self._campaigns.about if tally.counts else ""
        table.border_title = f"Verdicts: {clean(about)}" if about else "Verdicts"
        self._enable(self.query_one("#campaign-start", Button), self.query_one("#campaign-stop", Button), tally)
        progress = self.query_one(ShareBar)
        progress.done, progress.total = tally.done, tally.total
        kept = "" if tally.running else f"\nAnswers are kept in {self._services.campaign_file(self.oracle)}"
        self._say(status_text(tally) + kept)

    def _enable(self, start: Button, stop: Button, tally: Tally) -> None:
        """Enable the button that does something now. The focus goes there first: it must never fall into a field."""
        wanted, other = (stop, start) if tally.running else (start, stop)
        if not wanted.disabled and other.disabled:
            return
        wanted.disabled = False
        if tally.running or self.focused is other:
            self.set_focus(wanted)
        other.disabled = True

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
    """Return where a campaign stands, in one line, and what else is worth knowing below, the latest first."""
    if tally.running and not tally.total:
        first = "Choosing cases …"
    elif tally.running:
        left = f", about {tally.eta:.0f} s left" if tally.eta is not None else ""
        first = f"{tally.done} of {tally.total} answered{left}"
    elif tally.stopped:
        first = f"Stopped at {tally.done} of {tally.total}; every answer is kept, Start continues."
    elif tally.earlier:
        first = f"All {tally.done} answers of earlier runs; Start continues."
    elif tally.total and not tally.missing:
        first = f"Done: {tally.done} of {tally.total} answered."
    elif tally.total:
        first = f"Ended: {tally.done} of {tally.total} answered. {_missing(tally)} Start asks again."
    else:
        first = "Space chooses, ^r starts. i invalid, ≈ undecided, e error, … still to come."
    second = "; ".join([*([tally.waiting] if tally.waiting else []), *reversed(tally.notices)])
    return f"{first}\n{second}" if second else first


def _missing(tally: Tally) -> str:
    """Return how many answers are missing, and of whom."""
    lacking = {
        explainer: count.planned - count.answered
        for explainer in tally.explainers
        if (count := tally.total_of(explainer)).answered < count.planned
    }
    whose = ", ".join(f"{explainer} {number}" for explainer, number in lacking.items())
    return f"{tally.missing} failed or were not asked{f' ({whose})' if whose else ''}."
