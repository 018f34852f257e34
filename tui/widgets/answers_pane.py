"""What came of a question: the prompt before it is sent, then answers as they grow, then verdict cards."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui.asking.asking import Stage
from tui.asking.card import bounded
from tui.widgets.answer_list import AnswerList, SpreadPanel
from tui.widgets.growing_answer import GrowingAnswer
from tui.widgets.verdict_card import VerdictCard

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from tui.asking.ask_session import AskSession
    from tui.asking.asking import Attempt, Attempts

WAITING = "looking what can be asked …"
FOR_LISTS = 4
"""Of so many lines one is for the list of answers, where it stands above the answer itself."""


class PromptView(VerticalScroll, can_focus=True):
    """The prompt as it will be sent."""

    def __init__(self) -> None:
        super().__init__(id="ask-preview")
        self._text = Static(WAITING, markup=False)

    def compose(self) -> ComposeResult:
        """Create the text."""
        yield self._text

    def on_mount(self) -> None:
        """Say what it is."""
        self.border_title = "Prompt"
        self.border_subtitle = "p changes it"

    def show(self, system: str, user: str, *, edited: bool) -> None:
        """Show a prompt."""
        self.border_title = "Prompt, edited by you" if edited else "Prompt as it will be sent"
        self._text.update(Content.assemble((bounded(system), "dim"), "\n\n", bounded(user)))

    def say(self, text: str) -> None:
        """Show a sentence in the prompt's place."""
        self.border_title = "Prompt"
        self._text.update(Content(bounded(text)))


class AnswersPane(Vertical):
    """One answer is shown in full, several as a list beside the one under the cursor.

    Attributes
    ----------
    wanted
        Whether the next answer that is shown takes the focus.
    """

    def __init__(self, session: AskSession) -> None:
        super().__init__(id="ask-result")
        self._session = session
        self._list = AnswerList(id="ask-answers")
        self._spread = SpreadPanel(id="ask-spread")
        self._side = Vertical(self._list, self._spread, id="ask-side")
        self._detail = Vertical(id="ask-detail")
        self._painted: Attempts | None = None
        self._key: tuple[int, bool, int] | None = None
        self._swapping = asyncio.Lock()
        self.wanted = False
        self.preview = PromptView()

    def compose(self) -> ComposeResult:
        """Create list and detail."""
        yield self.preview
        yield self._side
        yield self._detail

    def on_mount(self) -> None:
        """Begin with the prompt."""
        self._side.display = self._detail.display = False
        self._list.border_title = "Answers"

    @property
    def card(self) -> VerdictCard | None:
        """The verdict card that is shown; None if there is none."""
        return next(iter(self.query(VerdictCard)), None)

    def forget(self) -> None:
        """Show the prompt again: the question has become another one."""
        self._painted = self._key = None
        self._side.display = self._detail.display = False
        self.preview.display = True

    async def show(self, *, moving: bool = False) -> None:
        """Show how far everything is; nothing is painted while nothing has changed."""
        attempts = self._session.attempts
        if not attempts.all or (attempts is self._painted and not attempts.running and not moving):
            return
        self._painted = attempts
        several = len(attempts.all) > 1
        self.preview.display = False
        self._side.display, self._detail.display = several, True
        if several:
            most = self.size.height // FOR_LISTS
            self._list.styles.height = "1fr" if self.screen.has_class("-wide") else min(len(attempts.all), most) + 1
            self._list.show_attempts(attempts)
            self._list.border_title = f"Answers ({len(attempts.asked)} of {len(attempts.all)})"
            self._spread.show_attempts(attempts, max(most // 2, 1))
            if self._list.cursor != self._session.shown:
                self._list.move_to(self._session.shown)
        shown = min(self._session.shown, len(attempts.all) - 1)
        await self._show_detail(shown, attempts.all[shown])

    async def _show_detail(self, number: int, attempt: Attempt) -> None:
        key = (number, attempt.stage is Stage.DONE, id(attempt.question))
        async with self._swapping:
            if key == self._key:
                for growing in self._detail.query(GrowingAnswer):
                    growing.show(attempt)
                return
            self._key = key
            widget: Widget = GrowingAnswer(attempt) if attempt.asked is None else self._card_of(attempt)
            held = self.screen.focused is not None and self._detail in self.screen.focused.ancestors
            await self._detail.remove_children()
            await self._detail.mount(widget)
            if held or self.wanted:
                widget.focus()
            self.wanted = False

    def _card_of(self, attempt: Attempt) -> VerdictCard:
        asked = attempt.asked
        if asked is None:
            raise TypeError("there is no answer yet")
        oracle = self._session.oracle
        answer = asked.verdict.answer
        find = partial(self._session.services.asking.witnesses, oracle, attempt.question.case, answer)
        return VerdictCard(asked, oracle.mdp, find)

    async def on_answer_list_looked(self, event: AnswerList.Looked) -> None:
        """Show the answer under the cursor."""
        event.stop()
        self._session.shown = self._list.cursor
        await self.show(moving=True)

    async def step(self, by: int) -> None:
        """Show the next answer, or the one before."""
        count = len(self._session.attempts.all)
        if count:
            self._session.shown = (self._session.shown + by) % count
            await self.show(moving=True)
