"""Ask: one question to one explainer, and the verdict."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Button, Footer, Input, Label, LoadingIndicator, Select, Static

from engine.errors import ExpressionError, UsageError
from tui.actions import bindings
from tui.screens.explainer import OTHER, ExplainerScreen
from tui.states import read_states, suggest_states
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

PREFERRED = "best-action"
"""Chosen at first wherever it can be asked."""
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
                yield self._category_list()
            with Vertical(classes="field"):
                yield Label("explainer")
                yield self._explainer_list()
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
        """Begin at the button: the lists are filled with what can be asked."""
        self.query_one(StatusLine).oracle = self.oracle
        self.query_one("#ask-send", Button).focus()

    def _category_list(self) -> Select[str]:
        choices = self._services.categories(self.oracle)
        self._choices = {choice.name: choice for choice in choices}
        ordered = sorted(choices, key=lambda choice: choice.name != PREFERRED)
        askable = (choice.name for choice in ordered if self._askable(choice))
        first = next(askable, ordered[0].name if ordered else None)
        options = [(choice.name, choice.name) for choice in choices]
        if first is None:
            return Select[str]([], prompt="none is defined", compact=True, id="ask-category")
        return Select[str](options, value=first, allow_blank=False, compact=True, id="ask-category")

    def _askable(self, choice: CategoryChoice) -> bool:
        return self._services.askable(self.oracle, choice.name, self._suggested(choice))

    def _suggested(self, choice: CategoryChoice) -> tuple[int, ...]:
        return suggest_states(self.oracle.mdp.states, self._state, self._recent, choice.scope)

    def _explainer_list(self) -> Select[str]:
        return Select[str](
            self._explainer_options(), value=self._explainer, allow_blank=False, compact=True, id="ask-explainer"
        )

    def _explainer_options(self) -> list[tuple[Content, str]]:
        names = dict.fromkeys([self._explainer, *self._services.explainers(), OTHER])
        return [(Content(clean(name)), name) for name in names]

    @on(Select.Changed, "#ask-explainer")
    def _explainer_chosen(self, event: Select.Changed) -> None:
        if event.value != OTHER:
            self._explainer = str(event.value)
            return
        self.app.push_screen(ExplainerScreen(self._services.check_explainer), self._named)

    def _named(self, name: str | None) -> None:
        """Choose the explainer that was named; the one before if none was."""
        self._explainer = name or self._explainer
        explainer = self.query_one("#ask-explainer", Select)
        explainer.set_options(self._explainer_options())
        explainer.value = self._explainer

    @on(Select.Changed, "#ask-category")
    def _category_chosen(self, event: Select.Changed) -> None:
        choice = self._choices.get(str(event.value))
        if choice is None:
            return
        states = self._suggested(choice)
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
            text = self.query_one("#ask-states", Input).value
            select = partial(self._services.select, self.oracle)
            states = await asyncio.to_thread(read_states, text, self.oracle.mdp.states, choice.scope, select)
        except ExpressionError as error:
            self._say(
                clean(f"{error.what} in {error.where}\n→ {error.hint}".removesuffix("\n→ "), lines=True), error=True
            )
            return
        except ValueError as error:
            self._say(clean(str(error)), error=True)
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
            before = self.focused
            await self._show(VerdictCard(event.asked))
            if before is None or not before.is_attached:
                self.set_focus(self.query_one("#ask-send", Button))
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
