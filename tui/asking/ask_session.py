"""One sitting at the ask screen: what the form says, and the answers that come. It outlives the screen."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tui.asking.asking import EDITED, Attempt, Attempts, Stage
from tui.workers import start_async

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import App
    from textual.worker import Worker

    from engine.explainers.base import Question
    from engine.explainers.streaming import Piece
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from tui.asking.asking_services import Query
    from tui.services.services import Services

MOST_ANSWERS = 200
"""Answers to one question on one screen; a campaign is for more."""
AT_ONCE = 4
"""Questions of one explainer in flight."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A question that can be sent: the case, and its prompt as the case's own."""

    query: Query
    case: Case
    question: Question

    @property
    def prompt(self) -> str:
        """Tells prompts apart: the case and its wording."""
        return f"{self.case.id} {self.question.variant}"


@dataclass(frozen=True, slots=True)
class FormValues:
    """What the form says; texts as they were typed.

    Attributes
    ----------
    category
        Empty until it is known what can be asked.
    explainers
        At least one.
    edited, edited_for
        The system and user message that replace the case's own, and which question they were written for; None if the
        prompt was not edited.
    """

    category: str = ""
    states: str = ""
    parameter: str = ""
    explainers: tuple[str, ...] = ()
    variant: str = ""
    samples: str = "1"
    shuffle: bool = False
    edited: tuple[str, str] | None = None
    edited_for: str = ""


@dataclass(slots=True)
class AskSession:
    """What was asked about one model, and how the form stands.

    Attributes
    ----------
    oracle
        The model.
    states
        The states that were marked, or the selected one, when asking began.
    recent
        States seen before, the latest last.
    form
        The form.
    attempts
        Answers to the last case.
    shown
        The answer that is shown in full.
    draft
        A prompt that was written and is not sent, after the question that it was written for; None if there is none.
    """

    oracle: Oracle
    services: Services
    states: tuple[int, ...]
    recent: Sequence[int]
    form: FormValues
    attempts: Attempts = field(default_factory=Attempts)
    shown: int = 0
    draft: tuple[str, tuple[str, str]] | None = None
    _workers: list[Worker[None]] = field(default_factory=list)

    def ask(self, app: App[None], ready: Ready, samples: int) -> None:
        """Send a question to every explainer of the form, beside everything else.

        Answers to the same case are added to those that are there; another case replaces them.
        """
        if self.attempts.case != ready.case.id:
            self.cancel()
            self.attempts = Attempts()
        work = self._ask(ready, samples, self.form)
        number = len(self._workers)
        self._workers = [worker for worker in self._workers if not worker.is_finished]
        who = ", ".join(self.form.explainers)
        group = f"ask {id(self)} {number} {time.monotonic()}"
        self._workers.append(start_async(app, work, group=group, name=f"asking {who}"))

    def cancel(self) -> None:
        """Give up what is still running; answers that are there stay."""
        for worker in self._workers:
            worker.cancel()
        self._workers.clear()
        self.attempts = self.attempts.cancelled()

    @property
    def running(self) -> bool:
        """Whether an answer is awaited."""
        return self.attempts.running or any(not worker.is_finished for worker in self._workers)

    async def _ask(self, ready: Ready, samples: int, form: FormValues) -> None:
        wording = ready.question.variant + (EDITED if form.edited is not None else "")
        begin = self.attempts.next_sample(wording)
        numbers = range(begin, begin + samples)
        make = self.services.asking.questions
        questions = await asyncio.to_thread(make, self.oracle, ready.case, ready.query, numbers)
        if form.edited is not None:
            system, user = form.edited
            questions = [replace(question, system=system, user=user) for question in questions]
        now = time.monotonic()
        begun = [
            Attempt(who, question, now, edited=form.edited is not None, shuffled=ready.query.shuffle)
            for who in form.explainers
            for question in questions
        ]
        first = len(self.attempts.all)
        self.attempts = self.attempts.and_also(begun)
        self.shown = first
        slots = {who: asyncio.Semaphore(AT_ONCE) for who in form.explainers}
        each = (self._one(number, attempt, slots[attempt.explainer]) for number, attempt in enumerate(begun, first))
        # A question that breaks must not take the others with it; its failure is shown when they are over.
        for failure in await asyncio.gather(*each, return_exceptions=True):
            if failure is not None:
                raise failure

    async def _one(self, number: int, attempt: Attempt, slot: asyncio.Semaphore) -> None:
        """Ask one question; the answer is changed where it is kept, and whoever shows it looks there."""

        def grow(piece: Piece) -> None:
            self.attempts = self.attempts.change(number, lambda before: before.growing(piece))

        def note(text: str) -> None:
            self.attempts = self.attempts.change(number, lambda before: replace(before, note=text))

        try:
            async with slot:
                now = time.monotonic()
                self.attempts = self.attempts.change(number, lambda before: replace(before, since=now))
                asking = self.services.asking
                asked = await asking.ask(self.oracle, attempt.question, attempt.explainer, grow, note)
            marked = replace(asked, edited=attempt.edited, shuffled=attempt.shuffled)
            self.attempts = self.attempts.change(
                number, lambda before: replace(before, stage=Stage.DONE, asked=marked, note="")
            )
        finally:
            # Whatever ended it, it is over.
            self.attempts = self.attempts.change(number, lambda before: replace(before, stage=Stage.CANCELLED))
