"""The form of the ask screen: what is asked, about which states, of whom, how often."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Button, Input, Label, Select

from tui.asking.ask_session import MOST_ANSWERS
from tui.explorer.completion import NameSuggester, names_in
from tui.text import clean
from tui.widgets.chooser import Chooser

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from engine.oracle.facts import Oracle
    from tui.asking.ask_session import FormValues
    from tui.asking.asking_services import CategoryOffer

LISTED, SHUFFLED = "as listed", "shuffled"
NAMES = {"threshold": "threshold λ", "tolerance": "tolerance"}
HINTS = {"threshold": "drawn", "tolerance": "0.01"}


class AskForm(Vertical):
    """Three lines of fields. It knows what it says, and tells when that has changed.

    Attributes
    ----------
    values
        What it says.
    """

    class Changed(Message):
        """A field has changed: the question is another one. `typed` says that more may follow at once."""

        def __init__(self, *, typed: bool) -> None:
            super().__init__()
            self.typed = typed

    class CategoryWanted(Message):
        """The user wants to choose the category."""

    class ExplainersWanted(Message):
        """The user wants to choose who is asked."""

    class Sent(Message):
        """The user wants the question to be sent."""

    def __init__(self, oracle: Oracle, values: FormValues) -> None:
        super().__init__(id="ask-form")
        self.values = values
        self._oracle = oracle
        self._parameter = ""

    def compose(self) -> ComposeResult:
        """Create the fields."""
        values = self.values
        variants = self._oracle.environment.variants
        wordings = [(clean(name), name) for name in variants]
        with Horizontal(classes="ask-line"):
            yield Label("category")
            yield Chooser(values.category or "looking …", id="ask-category")
            yield Label("states")
            suggester = NameSuggester(names_in(self._oracle))
            yield Input(values.states, suggester=suggester, compact=True, id="ask-states", select_on_focus=False)
        with Horizontal(classes="ask-line"):
            yield Label("explainer")
            yield Chooser(", ".join(values.explainers), id="ask-explainers")
            yield Label("threshold λ", id="ask-parameter-name")
            yield Input(values.parameter, compact=True, id="ask-parameter", select_on_focus=False)
        with Horizontal(classes="ask-line"):
            yield Label("wording")
            first = values.variant if values.variant in variants else variants[0]
            yield Select[str](wordings, value=first, allow_blank=False, compact=True, id="ask-wording")
            yield Label("samples")
            yield Input(values.samples, compact=True, type="integer", id="ask-samples", select_on_focus=False)
            yield Label("order")
            yield Chooser(SHUFFLED if values.shuffle else LISTED, id="ask-order")
            yield Button("Ask", compact=True, id="ask-send")

    def on_mount(self) -> None:
        """Show the fields of the category."""
        self._show_parameter()

    @property
    def samples(self) -> int | None:
        """How often each explainer is asked; None if that is no usable number."""
        text = self.values.samples.strip()
        if not (text.isascii() and text.isdecimal()) or not 1 <= int(text[:9]) <= MOST_ANSWERS:
            return None
        return int(text)

    def take_offer(self, offer: CategoryOffer) -> None:
        """Show a category, with the states that it would be asked about."""
        states = " ".join(str(state) for state in offer.states)
        self.values = replace(self.values, category=offer.name, states=states, parameter="")
        self._parameter = offer.parameter
        self.query_one("#ask-category", Chooser).value = offer.name
        for name, text in (("#ask-states", states), ("#ask-parameter", "")):
            field = self.query_one(name, Input)
            with field.prevent(Input.Changed):
                field.value = text
        self._show_parameter()
        self.post_message(self.Changed(typed=False))

    def know(self, offer: CategoryOffer) -> None:
        """Learn which parameter the category has that the form names already."""
        self._parameter = offer.parameter
        self._show_parameter()

    def take_explainers(self, names: tuple[str, ...]) -> None:
        """Show who is asked."""
        self.values = replace(self.values, explainers=names)
        self.query_one("#ask-explainers", Chooser).value = ", ".join(names)

    def take_edited(self, edited: tuple[str, str] | None, prompt: str = "") -> None:
        """Send another prompt than the case's own, or that one again; `prompt` is what was edited."""
        self.values = replace(self.values, edited=edited, edited_for=prompt)

    @property
    def parameters(self) -> dict[str, str]:
        """What is set about the category, by name."""
        text = self.values.parameter.strip()
        return {self._parameter: text} if self._parameter and text else {}

    def _show_parameter(self) -> None:
        label, field = self.query_one("#ask-parameter-name", Label), self.query_one("#ask-parameter", Input)
        label.display = field.display = bool(self._parameter)
        if self._parameter:
            label.update(NAMES[self._parameter])
            field.placeholder = HINTS[self._parameter]

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        before = self.values
        match event.input.id:
            case "ask-states":
                self.values = replace(before, states=event.value)
            case "ask-parameter":
                self.values = replace(before, parameter=event.value)
            case _:
                self.values = replace(before, samples=event.value)
        if (before.states, before.parameter) != (self.values.states, self.values.parameter):
            self.post_message(self.Changed(typed=True))

    @on(Input.Submitted)
    @on(Button.Pressed)
    def _send(self, event: Input.Submitted | Button.Pressed) -> None:
        event.stop()
        self.post_message(self.Sent())

    @on(Select.Changed)
    def _wording_chosen(self, event: Select.Changed) -> None:
        event.stop()
        if event.value != self.values.variant:
            begun = bool(self.values.variant)
            self.values = replace(self.values, variant=str(event.value))
            if begun:
                self.post_message(self.Changed(typed=False))

    @on(Chooser.Opened)
    def _open(self, event: Chooser.Opened) -> None:
        event.stop()
        match event.chooser.id:
            case "ask-category":
                self.post_message(self.CategoryWanted())
            case "ask-explainers":
                self.post_message(self.ExplainersWanted())
            case _:
                shuffle = not self.values.shuffle
                self.values = replace(self.values, shuffle=shuffle)
                event.chooser.value = SHUFFLED if shuffle else LISTED
                self.post_message(self.Changed(typed=False))
