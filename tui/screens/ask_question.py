"""The question of the ask screen: what can be asked, and the prompt that the form makes of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from engine.errors import StormscopeError, UsageError
from engine.queries.category import Scope
from tui.asking.ask_session import Ready
from tui.asking.asking_services import PREFERRED, Query
from tui.asking.card import bounded
from tui.explorer.states import named_states, read_states
from tui.screens.categories import CategoriesScreen
from tui.screens.explainers import ExplainersScreen
from tui.screens.prompt import PromptScreen
from tui.text import clean
from tui.told import told
from tui.widgets.answers_pane import AnswersPane
from tui.widgets.ask_form import AskForm
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.timer import Timer

    from tui.asking.ask_session import AskSession, FormValues
    from tui.asking.asking_services import CategoryOffer
    from tui.screens.prompt import PromptEdit

DRAFT = "Your prompt is kept as a draft and is not sent; opening the prompt again shows it."
PAUSE = 0.25
"""Seconds after the last key in a field before the question is made again."""


class QuestionScreen(Screen[None]):
    """Keeps form, question and prompt together: everything slow is done in threads, and only the last wish counts.

    Parameters
    ----------
    session
        What the form says, and what was asked with it before.
    """

    class Offered(Message):
        """It is known what can be asked; `choosing` opens the list."""

        def __init__(self, offers: Sequence[CategoryOffer], *, choosing: bool) -> None:
            super().__init__()
            self.offers = offers
            self.choosing = choosing

    class Prepared(Message):
        """The question that the form describes, or why there is none."""

        def __init__(self, number: int, ready: Ready | None, error: StormscopeError | None = None) -> None:
            super().__init__()
            self.number = number
            self.ready = ready
            self.error = error

    def __init__(self, session: AskSession) -> None:
        super().__init__()
        self.session = session
        self.form = AskForm(session.oracle, session.form)
        self.pane = AnswersPane(session)
        self._asking = session.services.asking
        self._offers: dict[str, CategoryOffer] = {}
        self._number = 0
        self._ready: Ready | None = None
        self._sending = False
        self._timer: Timer | None = None

    def send(self, ready: Ready) -> None:
        """Send a question."""
        raise NotImplementedError

    def look_for_offers(self, states: tuple[int, ...], *, choosing: bool) -> None:
        """Find out in a thread what can be asked, about the states or (choosing) about those that the form names."""
        session = self.session

        def work() -> None:
            text, found = session.form.states, states
            if choosing:
                select = partial(session.services.select, session.oracle)
                found = named_states(text, session.oracle.mdp.states, select) or states
            offers = self._asking.offers(session.oracle, found, session.recent)
            self.post_message(self.Offered(offers, choosing=choosing))

        start_thread(self.app, work, group="ask offers", name="looking what can be asked")

    def on_question_screen_offered(self, event: Offered) -> None:
        """Choose a category if none is, or let the user choose."""
        event.stop()
        self._offers = {offer.name: offer for offer in event.offers}
        chosen = self._offers.get(self.form.values.category)
        if event.choosing:
            self.app.push_screen(CategoriesScreen(event.offers, self.form.values.category), self._take_category)
        elif chosen is None:
            self.form.take_offer(_first(event.offers, len(self.session.states)))
        else:
            self.form.know(chosen)
            self._prepare()

    def on_ask_form_category_wanted(self) -> None:
        """Look again what can be asked about the states that the form names."""
        self.keep_form()
        self.look_for_offers(self.session.states, choosing=True)

    def _take_category(self, name: str | None) -> None:
        if name is not None:
            self.form.take_offer(self._offers[name])

    def on_ask_form_explainers_wanted(self) -> None:
        """Let the user choose who is asked."""
        self.app.push_screen(ExplainersScreen(self.session.services, self.form.values.explainers), self._take_names)

    def _take_names(self, names: tuple[str, ...] | None) -> None:
        if names is not None:
            self.form.take_explainers(names)
            self.keep_form()

    def on_ask_form_changed(self, event: AskForm.Changed) -> None:
        """Make the question again, after a pause while more may be typed."""
        event.stop()
        self._ready = None
        self._number += 1
        if self._timer is not None:
            self._timer.stop()
        if event.typed:
            self._timer = self.set_timer(PAUSE, self._prepare)
        else:
            self._prepare()

    def _prepare(self) -> None:
        """Make the question that the form describes, in a thread."""
        self.keep_form()
        self._number += 1
        values, number = self.form.values, self._number
        offer = self._offers.get(values.category)
        if offer is None:
            return
        parameters = self.form.parameters

        def work() -> None:
            try:
                ready = self._made(offer, values, parameters)
            except StormscopeError as error:
                self.post_message(self.Prepared(number, None, error))
            else:
                self.post_message(self.Prepared(number, ready))

        start_thread(self.app, work, group="ask prepare", name="making the question")

    def _made(self, offer: CategoryOffer, values: FormValues, parameters: dict[str, str]) -> Ready:
        oracle = self.session.oracle
        select = partial(self.session.services.select, oracle)
        try:
            states = read_states(values.states, oracle.mdp.states, offer.scope, select)
        except ValueError as error:
            raise UsageError(str(error)) from None
        query = Query(offer.name, states, parameters, values.variant, values.shuffle)
        case = self._asking.case(oracle, query)
        (question,) = self._asking.questions(oracle, case, query, [0])
        return Ready(query, case, question)

    def on_question_screen_prepared(self, event: Prepared) -> None:
        """Show the prompt, and send it if that was wanted meanwhile; or say what is wrong."""
        event.stop()
        if event.number != self._number:
            return
        sending, self._sending = self._sending, False
        if event.error is not None:
            self.say_error(event.error)
            self._show_preview(f"Not asked: {event.error.what}" if sending else event.error.what)
            return
        self._ready = event.ready
        if event.ready is None:
            return
        if event.ready.prompt != self.form.values.edited_for:
            self.form.take_edited(None)
            self.keep_form()
        self.say(self._offers[event.ready.query.category].summary)
        if self.session.attempts.case != event.ready.case.id or not self.session.attempts.all:
            self._show_preview()
        if sending:
            self.send(event.ready)

    def _show_preview(self, text: str | None = None) -> None:
        if text is not None:
            self.pane.preview.say(text)
        elif self._ready is not None:
            question, edited = self._ready.question, self.form.values.edited
            system, user = (question.system, question.user) if edited is None else edited
            self.pane.preview.show(system, user, edited=edited is not None)
        self.pane.forget()

    def action_prompt(self) -> None:
        """Show the prompt, and let the user change it."""
        if self._ready is not None:
            question, draft = self._ready.question, self.session.draft
            edited = self.form.values.edited if draft is None or draft[0] != self._ready.prompt else draft[1]
            self.app.push_screen(PromptScreen(question.system, question.user, edited), self._take_prompt)

    def _take_prompt(self, edit: PromptEdit | None) -> None:
        if edit is None or self._ready is None:
            return
        question, texts = self._ready.question, edit.texts
        own = (clean(question.system, lines=True), clean(question.user, lines=True))
        if not edit.send:
            if texts != (self.form.values.edited or own):
                self.session.draft = (self._ready.prompt, texts)
                self.say(DRAFT)
            return
        self.session.draft = None
        self.say("")
        self.form.take_edited(None if texts == own else texts, self._ready.prompt)
        self.keep_form()
        self._show_preview()

    def keep_form(self) -> None:
        """Let the sitting remember what the form says."""
        self.session.form = self.form.values

    def say_error(self, error: StormscopeError) -> None:
        """Say below the form what went wrong."""
        said = told(error)
        where = f" in {said.where}" if said.where and said.where not in said.what else ""
        hint = f"\n→ {said.hint}" if said.hint else ""
        self.say(f"{said.what}{where}{hint}", error=True)

    def say(self, text: str, *, error: bool = False) -> None:
        """Say something below the form."""
        note = self.query_one("#ask-note", Static)
        note.update(Content(bounded(text)))
        note.set_class(error, "-error")


def _first(offers: Sequence[CategoryOffer], states: int) -> CategoryOffer:
    """Return what is chosen at first: the usual category for so many states, else another one that can be asked."""
    scope = {1: Scope.STATE, 2: Scope.PAIR}.get(states, Scope.SUBSET)
    places = {name: place for place, name in enumerate(PREFERRED)}
    return min(
        offers, key=lambda each: (bool(each.reason), each.scope is not scope, places.get(each.name, len(PREFERRED)))
    )
