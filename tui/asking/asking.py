"""Answers to one question while they come and when they are there, as a value. Knows nothing of Textual."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from engine.cli.asking import Asked as Answered
from engine.cli.asking import spreads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.cli.asking import Spread
    from engine.explainers.base import Question
    from engine.explainers.streaming import Piece
    from tui.services.services import Asked

EDITED = ", edited"
"""Added to the name of a wording whose prompt was changed by hand."""
MOST_KEPT = 100_000
"""Characters of an answer that are shown while it is written; the reply itself is never cut."""


class Stage(Enum):
    """How far an answer is."""

    WAITING = "waiting"
    THINKING = "thinking"
    WRITING = "writing"
    DONE = "done"
    CANCELLED = "cancelled"

    @property
    def running(self) -> bool:
        """Whether the answer is still to come."""
        return self in {Stage.WAITING, Stage.THINKING, Stage.WRITING}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One question of one explainer.

    Attributes
    ----------
    explainer, question
        Who is asked what.
    since
        When it was sent, in seconds of a monotonic clock.
    edited, shuffled
        As in `tui.services.services.Asked`.
    stage
        How far it is.
    text, reasoning
        What has come so far.
    note
        What the explainer says about itself: that it waits, that it asks again.
    asked
        The answer with its verdict; None until it is there.
    """

    explainer: str
    question: Question
    since: float
    edited: bool = False
    shuffled: bool = False
    stage: Stage = Stage.WAITING
    text: str = ""
    reasoning: str = ""
    note: str = ""
    asked: Asked | None = None

    @property
    def wording(self) -> str:
        """The name of the wording, marked if its prompt was edited."""
        return self.question.variant + (EDITED if self.edited else "")

    def growing(self, piece: Piece) -> Attempt:
        """Return it with more of its answer; what came before a broken connection is void."""
        text, reasoning = ("", "") if piece.again else (self.text, self.reasoning)
        text, reasoning = (text + piece.text)[:MOST_KEPT], (reasoning + piece.reasoning)[:MOST_KEPT]
        stage = Stage.WRITING if text.strip() else Stage.THINKING if reasoning else Stage.WAITING
        return replace(self, text=text, reasoning=reasoning, stage=stage, note="" if text or reasoning else self.note)


@dataclass(frozen=True, slots=True)
class Attempts:
    """Everything that was asked about one case, in the order in which it was asked."""

    all: tuple[Attempt, ...] = ()

    @property
    def running(self) -> bool:
        """Whether an answer is still to come."""
        return any(each.stage.running for each in self.all)

    @property
    def case(self) -> str:
        """The id of the case; empty if nothing was asked."""
        return self.all[0].question.case.id if self.all else ""

    @property
    def asked(self) -> tuple[Asked, ...]:
        """The answers that are there."""
        return tuple(each.asked for each in self.all if each.asked is not None)

    def next_sample(self, wording: str) -> int:
        """Return the next sample's number: samples of one wording differ in their seeds, so none is asked twice."""
        return 1 + max((each.question.sample for each in self.all if each.wording == wording), default=-1)

    def and_also(self, attempts: Iterable[Attempt]) -> Attempts:
        """Return these and others about the same case."""
        return Attempts((*self.all, *attempts))

    def change(self, number: int, how: Callable[[Attempt], Attempt]) -> Attempts:
        """Return these with one changed, unless it is over."""
        if not self.all[number].stage.running:
            return self
        return Attempts((*self.all[:number], how(self.all[number]), *self.all[number + 1 :]))

    def cancelled(self) -> Attempts:
        """Return these with all that is still running given up."""
        return Attempts(
            tuple(replace(each, stage=Stage.CANCELLED) if each.stage.running else each for each in self.all)
        )

    def spreads(self) -> list[Spread]:
        """Return how the answers of each explainer and wording differ, where several are there."""
        answers = [
            Answered(each.explainer, replace(each.question, variant=each.wording), each.asked.reply, each.asked.verdict)
            for each in self.all
            if each.asked is not None
        ]
        return spreads(answers)
