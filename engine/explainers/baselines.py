"""Baselines: they know the form of a valid answer, and the oracle knows the answer (methods.md 1.4)."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.explainers.base import Reply
from engine.queries.spaces import OneOf, Ranking, SetOf

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.explainers.base import Question
    from engine.queries.spaces import AnswerSpace


@dataclass(frozen=True, slots=True)
class Baseline:
    """An explainer that answers from the case alone, at once and without a server.

    Attributes
    ----------
    name
        How the command line calls it.
    answer
        Question → an answer's exact text: an option, a number such as ``14/17``, or the JSON text of a list.
    explanation
        What it gives as its explanation.
    """

    name: str
    answer: Callable[[Question], str]
    explanation: str
    baseline: bool = True

    async def start(self) -> None:
        """Nothing has to be made ready."""

    async def ask(self, question: Question) -> Reply:
        """Answer in the form that a language model is asked for; a number stays exact because it is a string."""
        answer = self.answer(question)
        value = json.loads(answer) if isinstance(question.case.space, Ranking | SetOf) else answer
        text = json.dumps({"explanation": self.explanation, "answer": value}, ensure_ascii=False)
        return Reply(text=text, finish="stop", attempts=0)

    async def close(self) -> None:
        """Nothing was started."""


def draw(question: Question) -> str:
    """Return an answer drawn uniformly: the same for the same case, seed and sample on every machine."""
    # hash() differs between processes; SHA-256 does not.
    key = json.dumps([question.seed, question.case.id, question.sample])
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest())
    return question.case.space.random(random.Random(seed))  # noqa: S311 - a reproducible draw, no secret


def _as_listed(question: Question) -> AnswerSpace:
    """Return the valid answers in the order that the prompt lists them, which is what a position bias is about."""
    space = question.case.space
    return replace(space, options=question.shown) if question.shown and isinstance(space, OneOf | Ranking) else space


BASELINES = (
    Baseline("random", draw, "drawn at random from the valid answers"),
    Baseline("first", lambda question: _as_listed(question).first(), "always the first valid answer"),
    Baseline("half", lambda question: _as_listed(question).middle(), "always the answer in the middle"),
    Baseline("oracle", lambda question: question.case.accepted[0], "the model checker's own answer"),
)
