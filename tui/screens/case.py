"""One case of a campaign: its verdict card, the cases before and after it, and the way to its state."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Container
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from engine.explainers.base import Question
from engine.verdicts.by_hand import question_words
from tui.actions.registry import bindings
from tui.services.services import Asked as CardOf
from tui.text import clean
from tui.widgets.key_footer import KeyFooter
from tui.widgets.verdict_card import VerdictCard
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from engine.verdicts.browse import Asked
    from engine.verdicts.records import Answer, ModelRecord
    from engine.witnesses.runs import Witness


class CaseScreen(Screen[int]):
    """One card at a time; it is left with the place of the case that was shown last.

    Parameters
    ----------
    file
        The campaign.
    pages
        The questions to look through: each of one explainer, or of two that are compared.
    place
        The page to begin with.
    models
        The campaign's models by name.
    oracle
        The open model: cases about it show their witnesses.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("case")]
    HELP_GROUPS = ("case", "card", "app")

    class StateRequested(Message):
        """The user wants to see a case's states in the explorer."""

        def __init__(self, model: ModelRecord, states: tuple[int, ...]) -> None:
            super().__init__()
            self.model = model
            self.states = states

    class Read(Message):
        """An answer was read."""

        def __init__(self, asked: Asked, card: CardOf) -> None:
            super().__init__()
            self.asked = asked
            self.card = card

    def __init__(
        self,
        file: Path,
        pages: Sequence[tuple[Asked, ...]],
        place: int,
        models: Mapping[str, ModelRecord],
        oracle: Oracle | None,
    ) -> None:
        super().__init__()
        self._file = file
        self._pages = pages
        self._place = place
        self._side = 0
        self._models = models
        self._oracle = oracle

    @property
    def asked(self) -> Asked:
        """The question that is shown."""
        page = self._pages[self._place]
        return page[self._side % len(page)]

    def compose(self) -> ComposeResult:
        """Create the place of the card."""
        yield Static("", id="case-title", markup=False)
        yield Container(id="case-card")
        yield KeyFooter()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer another explainer's answer only where there is one."""
        del parameters
        return action != "other" or len(self._pages[self._place]) > 1

    def on_mount(self) -> None:
        """Read the first answer."""
        self._look()

    def _look(self) -> None:
        asked = self.asked
        key = asked.record.key
        about = question_words(key.variant, key.sample, asked.stored.strategies, kept=asked.kept)
        title = Content.assemble(
            (f" case {self._place + 1} of {len(self._pages)} ", "bold"),
            f"  {clean(asked.stored.model)}  {clean(about)}",
        )
        self.query_one("#case-title", Static).update(title)
        start_thread(self.app, partial(self._read, asked), group="case", name="reading an answer")

    def _read(self, asked: Asked) -> None:
        from engine.verdicts.browse import answer_to  # noqa: PLC0415 - the store loads with the first list
        from engine.verdicts.store import Store  # noqa: PLC0415 - as above

        with Store(self._file, write=False) as store:
            answer = answer_to(store, asked)
        words = "" if answer.user else _words(self._oracle if self._is_open(asked) else None, asked)
        self.post_message(self.Read(asked, card_of(asked, answer, words)))

    async def on_case_screen_read(self, event: Read) -> None:
        """Show it, unless the user has gone on."""
        if event.asked is not self.asked:
            return
        asked, oracle = event.asked, self._oracle
        if oracle is not None and self._is_open(asked):
            card = VerdictCard(event.card, oracle.mdp, partial(_find, oracle, asked))
        else:
            card = VerdictCard(event.card)
        box = self.query_one("#case-card", Container)
        await box.remove_children()
        await box.mount(card)
        card.focus()

    def _is_open(self, asked: Asked) -> bool:
        """Return whether the case is about the open model."""
        record = self._models.get(asked.stored.model)
        return self._oracle is not None and record is not None and self._oracle.identity == record.identity

    def _go(self, step: int) -> None:
        place = min(max(self._place + step, 0), len(self._pages) - 1)
        if place != self._place:
            self._place = place
            self.refresh_bindings()
            self._look()

    def action_next(self) -> None:
        """Show the next case."""
        self._go(1)

    def action_before(self) -> None:
        """Show the case before."""
        self._go(-1)

    def action_other(self) -> None:
        """Show what the other explainer answered."""
        self._side += 1
        self._look()

    def action_state(self) -> None:
        """Go to the state in the explorer."""
        asked = self.asked
        self.post_message(self.StateRequested(self._models[asked.stored.model], asked.stored.case.states))

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss(self._place)


def card_of(asked: Asked, answer: Answer, words: str = "") -> CardOf:
    """Return a stored answer as a verdict card takes it, with the question in words where its prompt is not kept."""
    key = answer.key
    question = Question(
        asked.stored.case, answer.system, answer.user, {}, key.variant, sample=key.sample, shown=answer.shown
    )
    return CardOf(
        answer.explainer, question, answer.reply, answer.verdict, shuffled=bool(answer.shown), stored=True, words=words
    )


def _words(oracle: Oracle | None, asked: Asked) -> str:
    """Return what was asked, without its prompt: in its wording if the model is open, else as its category says it."""
    from engine.prompts.rendering import question_text  # noqa: PLC0415 - templates load with the first failure
    from engine.queries.registry import all_categories  # noqa: PLC0415 - as above

    case = asked.stored.case
    if oracle is not None and asked.record.key.variant in oracle.environment.variants:
        return question_text(oracle, case, variant=asked.record.key.variant)
    category = all_categories().get(case.category)
    return "" if category is None else f"{category.summary} (its prompt is not kept: the question has no answer yet)"


def _find(oracle: Oracle, asked: Asked) -> Sequence[Witness]:
    from engine.witnesses.cases import witnesses  # noqa: PLC0415 - loads with the first card

    return witnesses(oracle, asked.stored.case, asked.record.answer)
