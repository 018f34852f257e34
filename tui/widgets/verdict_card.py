"""The verdict card: the question, what the model said, what is true, and why."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Collapsible, Static

from engine.verdicts.verdict import Outcome
from tui.actions.registry import bindings
from tui.asking.card import Weight, card_of, question_of
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.mdp.model import Mdp
    from engine.witnesses.runs import Witness
    from tui.asking.card import Card, Row
    from tui.services.services import Asked

__all__ = ["OUTCOME_STYLES", "VerdictCard", "question_of"]

OUTCOME_STYLES = {
    Outcome.PASS: "$pass",
    Outcome.FAIL: "$fail",
    Outcome.INVALID: "$invalid",
    Outcome.UNDECIDED: "$secondary",
    Outcome.ERROR: "$fail",
}
"""The colour of each outcome; its word alone carries the meaning."""
WEIGHTS = {
    Weight.PLAIN: "",
    Weight.STRONG: "bold",
    Weight.TRUTH: "bold $primary",
    Weight.FAINT: "dim",
    Weight.QUOTED: "italic",
    Weight.BAD: "$fail",
}
LABEL_WIDTH = 9


class CardText(Static):
    """Head and rows as one widget: a widget for each row takes long to mount."""

    def __init__(self, card: Card) -> None:
        super().__init__(markup=False)
        self._card = card

    def show(self, card: Card) -> None:
        """Show another card."""
        self._card = card
        if self.size.width:
            self._write(self.size.width)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap for another width."""
        self._write(event.size.width)

    def _write(self, width: int) -> None:
        lines = [line for row in self._card.rows for line in _lines(row, width)]
        self.update(Content("\n").join([*_head(self._card).wrap(max(width, 1)), Content(""), *lines]))


def _head(card: Card) -> Content:
    style = OUTCOME_STYLES[card.outcome]
    return Content.assemble(
        (f" {card.outcome.value.upper()} ", f"bold reverse {style}"),
        (f" ({card.kind})" if card.kind else "", style),
        "  ",
        (card.category, "bold"),
        f" of {card.about}  asked of ",
        (card.explainer, "bold"),
        f", {card.wording}",
        (" (prompt edited)" if card.edited else "", "$fail"),
    )


def _lines(row: Row, width: int) -> Iterator[Content]:
    text = Content.styled(row.text, WEIGHTS[row.weight]) if row.weight is not Weight.PLAIN else Content(row.text)
    room = max(width - LABEL_WIDTH, 1)
    wrapped = [line for part in text.split("\n") for line in part.wrap(room)] or [Content("")]
    for label, line in zip_longest([row.label], wrapped, fillvalue=""):
        yield Content.styled(f"{label:<{LABEL_WIDTH}}", "dim") + line


class VerdictCard(VerticalScroll, can_focus=True):
    """One verdict with its reasons. Nothing in it is read as markup.

    Parameters
    ----------
    asked
        The answer with its verdict.
    mdp
        The model, for the paths of witnesses; None shows none.
    find
        Finds the witnesses; it may block and is called in a thread.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("card")]

    class Found(Message):
        """The witnesses were found."""

        def __init__(self, witnesses: Sequence[Witness]) -> None:
            super().__init__()
            self.witnesses = witnesses

    class ReplayRequested(Message):
        """The user wants to walk through what shows why an answer is right or wrong."""

        def __init__(self, witnesses: Sequence[Witness], mdp: Mdp) -> None:
            super().__init__()
            self.witnesses = witnesses
            self.mdp = mdp

    class ExportRequested(Message):
        """The user wants the card as a file."""

        def __init__(self, card: Card) -> None:
            super().__init__()
            self.card = card

    def __init__(
        self, asked: Asked, mdp: Mdp | None = None, find: Callable[[], Sequence[Witness]] | None = None
    ) -> None:
        super().__init__(classes=f"verdict -{asked.verdict.outcome.value}")
        self.asked = asked
        self.card = card_of(asked)
        self.witnesses: Sequence[Witness] = ()
        self._mdp = mdp
        self._find = find
        self._text = CardText(self.card)
        self.border_title = "Verdict"
        self.border_subtitle = Content(self.card.footing)

    def compose(self) -> ComposeResult:
        """Create the text and what can be unfolded."""
        card = self.card
        yield self._text
        if card.reasoning:
            with Collapsible(title="Reasoning (never read as the answer)", collapsed=True):
                yield Static(Content(card.reasoning))
        if card.prompt:
            with Collapsible(title="Prompt as it was sent", collapsed=True):
                yield Static(Content(card.prompt))
        if card.reply and card.outcome is not Outcome.ERROR:
            with Collapsible(title="Reply as it came", collapsed=card.outcome is not Outcome.INVALID):
                yield Static(Content(card.reply))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a path to walk only where the model is open."""
        del parameters
        return action != "witness" or self._mdp is not None

    def on_mount(self) -> None:
        """Look for witnesses behind the card."""
        find = self._find
        if self._mdp is not None and find is not None:

            def work() -> None:
                self.post_message(self.Found(find()))

            start_thread(self.app, work, group=f"witnesses {id(self)}", name="looking for witnesses")

    def on_verdict_card_found(self, event: Found) -> None:
        """Show them."""
        event.stop()
        self.witnesses = event.witnesses
        self.card = card_of(self.asked, event.witnesses, self._mdp)
        self._text.show(self.card)

    def action_witness(self) -> None:
        """Walk through a witness in the explorer."""
        paths = [each for each in self.witnesses if each.path is not None and each.path.choices]
        if paths and self._mdp is not None:
            self.post_message(self.ReplayRequested(paths, self._mdp))
        else:
            self.notify("There is no path to walk: the card says why.")

    def action_export(self) -> None:
        """Save the card as a file."""
        self.post_message(self.ExportRequested(self.card))
