"""Ask: one question to one or several explainers, and the verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Button, Input, Static

from engine.errors import StormscopeError
from engine.figures import counted
from tui.actions.registry import bindings
from tui.asking.ask_session import MOST_ANSWERS
from tui.screens.ask_question import QuestionScreen
from tui.widgets.answers_pane import WAITING
from tui.widgets.key_footer import KeyFooter
from tui.widgets.status_line import StatusLine
from tui.workers import start_thread

if TYPE_CHECKING:
    from pathlib import Path

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tui.asking.ask_session import Ready
    from tui.asking.asking_services import Kept
    from tui.widgets.ask_form import AskForm

FRAME = 0.1
"""Seconds between two looks at the answers: a fast model must not paint every word."""


class AskScreen(QuestionScreen):
    """A form, and below it the prompt, then the answers."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("ask"), *bindings("card")]
    HELP_GROUPS = ("ask", "card", "list", "app")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it an instance variable

    class WasKept(Message):
        """Answers were put into the campaign file, or why not."""

        def __init__(self, kept: Kept | None, error: StormscopeError | None = None) -> None:
            super().__init__()
            self.kept = kept
            self.error = error

    class AnswersKept(Message):
        """Answers are in a campaign file that were not there before."""

        def __init__(self, file: Path) -> None:
            super().__init__()
            self.file = file

    def compose(self) -> ComposeResult:
        """Create the form and the room below it."""
        yield StatusLine(id="status")
        self.form.border_title = "Ask"
        yield self.form
        yield Static(WAITING, id="ask-note", markup=False)
        yield Vertical(self.pane, id="ask-room")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin at the button: the form is filled with what can be asked."""
        self.query_one(StatusLine).oracle = self.session.oracle
        self.query_one("#ask-send", Button).focus()
        self.set_interval(FRAME, self.pane.show)
        self.look_for_offers(self.session.states, choosing=False)

    def on_ask_form_sent(self, event: AskForm.Sent) -> None:
        """Send the question."""
        event.stop()
        self.action_send()

    def action_send(self) -> None:
        """Send the question, as soon as it is made; what is wrong with the form is said below it."""
        self.keep_form()
        if self._ready is not None:
            self.send(self._ready)
            return
        self._sending = True
        if self._timer is not None:
            self._timer.stop()
        self._prepare()

    def send(self, ready: Ready) -> None:
        """Send a question to everybody who is chosen, unless a number makes no sense."""
        samples = self.form.samples
        explainers = self.form.values.explainers
        asked = len(self.session.attempts.all) if self.session.attempts.case == ready.case.id else 0
        if samples is None:
            self.say(f"samples: a number from 1 to {MOST_ANSWERS}", error=True)
        elif asked + samples * len(explainers) > MOST_ANSWERS:
            self.say(f"More than {MOST_ANSWERS} answers to one question: a campaign (c) is for many.", error=True)
        else:
            self.keep_form()
            # In a field the keys of the answers would be typed; tab leads back to it.
            self.pane.wanted = isinstance(self.focused, Input)
            self.session.ask(self.app, ready, samples)

    def action_leave(self) -> None:
        """Give up what is running; otherwise go back."""
        if self._sending or self.session.running:
            self._sending = False
            self.session.cancel()
            self.say("Cancelled: what had not arrived was not judged.")
        else:
            self.keep_form()
            self.dismiss()

    async def action_next(self) -> None:
        """Show the next answer."""
        await self.pane.step(1)

    async def action_before(self) -> None:
        """Show the answer before."""
        await self.pane.step(-1)

    def action_witness(self) -> None:
        """Walk along a witness of the card that is shown."""
        if self.pane.card is not None:
            self.pane.card.action_witness()
        else:
            self.say("There is no verdict yet.")

    def action_export(self) -> None:
        """Save the card that is shown."""
        if self.pane.card is not None:
            self.pane.card.action_export()
        else:
            self.say("There is no verdict yet.")

    def action_keep(self) -> None:
        """Put the answers into the model's campaign file."""
        session = self.session
        asked = session.attempts.asked

        def work() -> None:
            try:
                kept = self._asking.keep(session.oracle, asked)
            except StormscopeError as error:
                self.post_message(self.WasKept(None, error))
            else:
                self.post_message(self.WasKept(kept))

        start_thread(self.app, work, group="keep", name="keeping answers")

    def on_ask_screen_was_kept(self, event: WasKept) -> None:
        """Say what became of the answers."""
        event.stop()
        if event.error is not None:
            self.say_error(event.error)
        elif event.kept is not None:
            kept = event.kept
            already = f"; {counted(kept.already, 'question')} had an answer there already" if kept.already else ""
            beside = ", beside its campaign: no rate counts what is kept by hand" if kept.kept else ""
            self.say(f"{counted(kept.kept, 'answer')} kept in {kept.file}{beside}{already}")
            self.post_message(self.AnswersKept(kept.file))
