"""The grid of a campaign: what is asked of whom, how often, and what that comes to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Input, Label, Static

from engine.campaign.plan import STRATEGIES
from engine.errors import UsageError
from tui.campaigns.campaign_services import CampaignRequest, Offer
from tui.campaigns.estimates import calls_text, left_out, size_text, upper_bound
from tui.screens.explainer import OTHER
from tui.text import clean, shorten_start
from tui.told import told
from tui.widgets.choice_list import ChoiceList

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual import events
    from textual.app import ComposeResult

    from engine.errors import StormscopeError
    from tui.campaigns.campaign_services import Estimate, Offers
    from tui.campaigns.tally import Tally

REFINED, SHUFFLED, SCORES = "refined difficulty", "shuffled options", "graded by score"
WAYS = (
    Offer(f"{STRATEGIES[0]} cases", chosen=True),
    Offer(f"{STRATEGIES[1]} cases"),
    Offer(REFINED),
    Offer(SHUFFLED),
    Offer(SCORES),
)
NUMBERS = (
    ("budget", "cases each", "20"),
    ("samples", "samples", "1"),
    ("seed", "seed", "0"),
    ("flight", "at once", "4"),
)
"""Fields: id, label, first value."""


class GridPane(Vertical):
    """Lists and fields; the present choice is `request`."""

    class Changed(Message):
        """The grid is another one."""

    class StartRequested(Message):
        """The user wants the campaign."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._first_variant: tuple[str, ...] = ()
        self._file = ""

    def compose(self) -> ComposeResult:
        """Create lists and fields."""
        with Horizontal(id="grid-lists"):
            with Vertical():
                yield ChoiceList("Environments", id="grid-models")
                yield ChoiceList("Wordings", id="grid-variants")
            with Vertical():
                yield ChoiceList("Explainers", more=OTHER, id="grid-explainers")
                yield ChoiceList("How", id="grid-ways")
            with Vertical():
                yield ChoiceList("Categories", id="grid-categories")
        with Horizontal(id="grid-numbers"):
            for name, label, value in NUMBERS:
                yield Label(label)
                yield Input(value, compact=True, type="integer", id=f"grid-{name}", select_on_focus=False)
            yield Button("Start", compact=True, id="campaign-start")
        with Horizontal(id="grid-file"):
            yield Label("file")
            yield Input(compact=True, id="grid-path", select_on_focus=False, placeholder="the grid's own")
        yield Static("", id="grid-note", markup=False)

    def show_offers(self, offers: Offers) -> None:
        """Show what there is to choose from."""
        for name in ("models", "explainers", "categories", "variants"):
            self._list(name).show_offers(getattr(offers, name))
        # Each environment's own first wording: others may not have this one's.
        self._first_variant = tuple(offer.name for offer in offers.variants[:1])
        self._list("ways").show_offers(WAYS)
        if offers.before is not None:
            self._choose(offers.before)
        self.post_message(self.Changed())

    def _choose(self, request: CampaignRequest) -> None:
        """Choose the grid that was asked before."""
        known = {offer.name for offer in self._list("explainers").offers}
        for name in request.explainers:
            if name not in known:
                self._list("explainers").add(Offer(name))
        for name in ("models", "explainers", "categories", "variants"):
            names = getattr(request, name)
            if names:
                self._list(name).choose(names)
        ways = [f"{name} cases" for name in request.strategies]
        ways += [REFINED] if request.difficulty == "refined" else []
        ways += [SHUFFLED] if request.shuffle else []
        self._list("ways").choose(ways)
        numbers = (request.budget, request.samples, request.seed, request.concurrency)
        for (name, _, _), number in zip(NUMBERS, numbers, strict=True):
            self.query_one(f"#grid-{name}", Input).value = str(number)
        if request.file is not None:
            self.query_one("#grid-path", Input).value = str(request.file)

    def _list(self, name: str) -> ChoiceList:
        return self.query_one(f"#grid-{name}", ChoiceList)

    def add_explainer(self, name: str) -> None:
        """Offer another explainer, chosen."""
        self._list("explainers").add(Offer(name))

    def offer_explainers(self, names: Iterable[str]) -> None:
        """Offer others, not chosen."""
        for name in names:
            self._list("explainers").offer(name)

    @property
    def by_score(self) -> bool:
        """Whether the table is to show scores."""
        return SCORES in self._list("ways").chosen

    def request(self) -> CampaignRequest:
        """Return the choice; raises UsageError that says what is missing or wrong."""
        ways = self._list("ways").chosen
        chosen = {name: self._list(name).chosen for name in ("models", "explainers", "categories", "variants")}
        strategies = tuple(name for name in STRATEGIES if f"{name} cases" in ways)
        for what, names in ({**chosen, "cases": strategies}).items():
            if not names:
                raise UsageError(f"nothing is chosen of the {_SAID[what]}", hint="space chooses")
        path = self.query_one("#grid-path", Input).value.strip()
        return CampaignRequest(
            explainers=chosen["explainers"],
            categories=chosen["categories"],
            budget=self._number("budget", "cases each"),
            models=chosen["models"],
            strategies=strategies,
            variants=() if chosen["variants"] == self._first_variant else chosen["variants"],
            samples=self._number("samples", "samples"),
            seed=self._number("seed", "seed", least=0),
            concurrency=self._number("flight", "at once"),
            difficulty="refined" if REFINED in ways else "paper",
            shuffle=SHUFFLED in ways,
            file=Path(path).expanduser() if path else None,
        )

    def _number(self, name: str, label: str, *, least: int = 1) -> int:
        text = self.query_one(f"#grid-{name}", Input).value.strip()
        number = int(text[:9]) if text.isascii() and text.isdecimal() else -1
        if number < least:
            raise UsageError(f"{label}: a whole number from {least} on")
        return number

    def show_reading(self) -> None:
        """Say that it is not known yet what there is to choose from."""
        self._say("Reading what can be asked, and what was asked before …")

    def show_counting(self, request: CampaignRequest, stage: str = "") -> None:
        """Say how much it is at most, while it is counted."""
        at_most = f"at most {upper_bound(request):,} cases; counting …"
        self._say(f"{at_most}\n{stage}" if stage else at_most)

    def show_estimate(self, request: CampaignRequest, estimate: Estimate) -> None:
        """Say what the grid comes to, and where it will be kept."""
        if not estimate.forecast.cases:
            nothing = "\n".join(["There is nothing to ask.", *left_out(estimate, many=len(request.models) > 1)])
            self._say(nothing, error=True)
            return
        first = size_text(estimate, len(request.explainers))
        notes = left_out(estimate, many=len(request.models) > 1)
        self._say("\n".join([first, calls_text(estimate), *notes]))
        self._file = str(estimate.file or "")
        self._show_file()

    def on_resize(self, event: events.Resize) -> None:
        """Let the file's name have the room that there is."""
        del event
        self.call_after_refresh(self._show_file)

    def _show_file(self) -> None:
        """Show the file where none is typed; of a long path the end, which tells files apart."""
        field = self.query_one("#grid-path", Input)
        room = max(field.content_size.width - 1, 1)
        if self._file:
            field.placeholder = shorten_start(self._file, room)

    def show_error(self, error: StormscopeError) -> None:
        """Say what is wrong with the grid."""
        said = told(error)
        where = f" ({clean(said.where)})" if said.where and said.where not in said.what else ""
        hint = f"\n→ {clean(said.hint, lines=True)}" if said.hint else ""
        self._say(f"{clean(said.what, lines=True)}{where}{hint}", error=True)

    def show_tally(self, tally: Tally) -> None:
        """Let nothing be started while a campaign runs."""
        self.query_one("#campaign-start", Button).disabled = tally.running

    def _say(self, text: str, *, error: bool = False) -> None:
        note = self.query_one("#grid-note", Static)
        note.update(Content(clean(text, lines=True)))
        note.set_class(error, "-error")

    @on(Input.Changed)
    @on(ChoiceList.Changed)
    def _changed(self, event: Message) -> None:
        event.stop()
        if isinstance(event, Input.Changed) and event.value and not event.value.strip():
            event.input.value = ""  # a blank would hide the file that the grid has
            return
        self.post_message(self.Changed())

    @on(Input.Submitted)
    @on(Button.Pressed, "#campaign-start")
    def _start(self, event: Message) -> None:
        event.stop()
        self.post_message(self.StartRequested())


_SAID = {
    "models": "environments",
    "explainers": "explainers",
    "categories": "categories",
    "variants": "wordings",
    "cases": "ways to choose cases",
}
