"""Ask: one question to one explainer, and the verdict."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Button, Footer, Input, Label, LoadingIndicator, Select, Static

from engine.errors import UsageError
from tui.actions import bindings
from tui.states import parse_states, suggest_states
from tui.text import clean
from tui.widgets.status_line import StatusLine
from tui.widgets.verdict_card import VerdictCard
from tui.workers import start_async

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget
    from textual.worker import Worker

    from engine.oracle.facts import Oracle
    from tui.services import Asked, CategoryChoice, Services

EMPTY = (
    "Choose what to ask and whom, then press enter on Ask (or ^r).\n"
    "The oracle knows the answer; the verdict appears here."
)


class AskScreen(Screen[None]):
    """A form of three fields, and below it what came of it."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("ask")]
    HELP_GROUPS = ("ask", "app")

    class Answered(Message):
        """A question has ended: with a verdict, or (failed, cancelled) without."""

        def __init__(self, number: int, asked: Asked | None, refusal: UsageError | None = None) -> None:
            super().__init__()
            self.number = number
            self.asked = asked
            self.refusal = refusal

    def __init__(self, oracle: Oracle, services: Services, state: int, recent: Sequence[int], explainer: str) -> None:
        super().__init__()
        self.oracle = oracle
        self._services = services
        self._state = state
        self._recent = recent
        self._explainer = explainer
        self._choices: dict[str, CategoryChoice] = {}
        self._number = 0
        self._showing = asyncio.Lock()
        self._asking: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        """Create the form."""
        yield StatusLine(id="status")
        form = Horizontal(id="ask-form")
        form.border_title = f"Ask about state {self._state}"
        with form:
            with Vertical(classes="field"):
                yield Label("category")
                yield Select[str]([], prompt="loading …", compact=True, id="ask-category")
            with Vertical(classes="field"):
                yield Label("explainer")
                yield Select[str]([], prompt="loading …", compact=True, id="ask-explainer")
            with Vertical(classes="field -states"):
                yield Label("states")
                yield Input(str(self._state), compact=True, id="ask-states", select_on_focus=False)
            yield Button("Ask", compact=True, id="ask-send")
        note = Static("", id="ask-note", markup=False)
        note.display = False
        yield note
        with Vertical(id="ask-result"):
            yield Static(EMPTY, id="ask-empty", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Fill the lists."""
        self.query_one(StatusLine).oracle = self.oracle
        choices = self._services.categories(self.oracle)
        self._choices = {choice.name: choice for choice in choices}
        category = self.query_one("#ask-category", Select)
        category.set_options([(choice.name, choice.name) for choice in choices])
        if choices:
            preferred = "best-action" if "best-action" in self._choices else choices[0].name
            category.value = preferred
        explainers = list(dict.fromkeys([self._explainer, *self._services.explainers()]))
        explainer = self.query_one("#ask-explainer", Select)
        explainer.set_options([(name, name) for name in explainers])
        explainer.value = self._explainer
        self.query_one("#ask-send", Button).focus()

    @on(Select.Changed, "#ask-category")
    def _category_chosen(self, event: Select.Changed) -> None:
        choice = self._choices.get(str(event.value))
        if choice is None:
            return
        states = suggest_states(self.oracle.mdp.states, self._state, self._recent, choice.scope)
        self.query_one("#ask-states", Input).value = " ".join(str(state) for state in states)
        self._say(choice.summary)

    @on(Input.Submitted, "#ask-states")
    @on(Button.Pressed, "#ask-send")
    async def action_send(self) -> None:
        """Send the question; what is wrong with the form is said below it."""
        choice = self._choices.get(str(self.query_one("#ask-category", Select).value))
        explainer = self.query_one("#ask-explainer", Select).value
        if choice is None or not isinstance(explainer, str):
            self._say("Choose a category and an explainer first.", error=True)
            return
        try:
            states = parse_states(self.query_one("#ask-states", Input).value, self.oracle.mdp.states, choice.scope)
        except ValueError as error:
            self._say(str(error), error=True)
            return
        self._say(choice.summary)
        self._number += 1
        work = self._ask(self._number, choice.name, states, explainer)
        self._asking = start_async(self.app, work, group="ask", name=f"asking {explainer}")
        waiting = Static(Content(f"{clean(explainer)} is thinking; esc cancels"), classes="centred")
        await self._show(Vertical(LoadingIndicator(), waiting, id="ask-waiting"))

    async def _ask(self, number: int, category: str, states: tuple[int, ...], explainer: str) -> None:
        asked: Asked | None = None
        refusal: UsageError | None = None
        try:
            asked = await self._services.ask(self.oracle, category, states, explainer)
        except UsageError as error:
            refusal = error
        finally:
            self.post_message(self.Answered(number, asked, refusal))

    async def on_ask_screen_answered(self, event: Answered) -> None:
        """Show the verdict, unless the question was cancelled or replaced."""
        if event.number != self._number:
            return
        self._asking = None
        if event.asked is not None:
            await self._show(VerdictCard(event.asked))
            self.query_one("#ask-send", Button).focus()
            return
        text = Content("No verdict: the question could not be asked.")
        if event.refusal is not None:
            why = Content.styled(f"Not asked: {clean(event.refusal.what)}.", "$invalid")
            text = why + Content.styled(f"\n\n→ {clean(event.refusal.hint, lines=True)}", "dim")
        await self._show(Static(text, id="ask-empty"))

    async def _show(self, widget: Widget) -> None:
        async with self._showing:
            result = self.query_one("#ask-result")
            await result.remove_children()
            await result.mount(widget)

    def _say(self, text: str, *, error: bool = False) -> None:
        note = self.query_one("#ask-note", Static)
        note.update(Content(text))
        note.set_class(error, "-error")
        note.display = bool(text)

    @property
    def asking(self) -> bool:
        """Whether an answer is awaited."""
        return self._asking is not None and not self._asking.is_finished

    async def action_leave(self) -> None:
        """Cancel a running question; otherwise go back."""
        if self.asking and self._asking is not None:
            self._number += 1
            self._asking.cancel()
            self._asking = None
            await self._show(Static("Cancelled: nothing was judged.", id="ask-empty", markup=False))
        else:
            self.dismiss()
