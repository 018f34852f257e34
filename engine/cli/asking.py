"""Asking a few questions of a few explainers at once, for ``ask``."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.cli.common import console
from engine.errors import EndpointError
from engine.explainers.base import Reply
from engine.explainers.streaming import ask_in_pieces
from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.live import Live

    from engine.explainers.base import Explainer, Question
    from engine.explainers.streaming import Piece
    from engine.verdicts.verdict import Verdict

SHOWN = 400
"""Characters of a growing answer that are shown."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, what came back, and the verdict.

    Attributes
    ----------
    explainer
        As the user named it.
    """

    explainer: str
    question: Question
    reply: Reply
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Spread:
    """What one explainer answered to the samples of one wording.

    Attributes
    ----------
    answered
        Samples that count: neither errors nor undecided.
    passes
        How many of these passed.
    score
        Their mean score; None if there are none.
    answers
        Answer → how often it was read, the most frequent first; those without a usable answer are left out.
    """

    explainer: str
    variant: str
    answered: int
    passes: int
    score: float | None
    answers: dict[str, int]


def ask_all(
    explainers: Sequence[tuple[str, Explainer]],
    questions: Sequence[Question],
    judge: Callable[[Question, Reply], Verdict],
    *,
    live: bool,
) -> list[Asked]:
    """Ask every explainer every question; the result is in the order of explainers, then questions.

    Parameters
    ----------
    explainers
        Name and explainer; they are started, and closed whatever happens.
    questions
        What is asked.
    judge
        Question and reply → verdict.
    live
        Whether the answer is shown on standard error while it grows: on a terminal, if only one answer is expected.

    Raises
    ------
    EndpointError
        If the only explainer cannot be started. One of several then has replies with an error.
    """
    only = len(explainers) == 1 and len(questions) == 1

    async def one(name: str, explainer: Explainer) -> list[Asked]:
        try:
            replies = await _replies(explainer, questions, show=live and only and not explainer.baseline)
        except EndpointError as error:
            if len(explainers) == 1:
                raise
            replies = [Reply(error=str(error), fatal=True) for _ in questions]
        finally:
            await explainer.close()
        return [Asked(name, *each, judge(*each)) for each in zip(questions, replies, strict=True)]

    async def run() -> list[list[Asked]]:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(one(*named)) for named in explainers]
        return [task.result() for task in running]

    try:
        return [asked for found in asyncio.run(run()) for asked in found]
    except BaseExceptionGroup as group:
        raise _first(group) from None


def spreads(asked: Sequence[Asked]) -> list[Spread]:
    """Return the spread of every explainer and wording, in the order in which they come."""
    cells: dict[tuple[str, str], list[Verdict]] = {}
    for each in asked:
        cells.setdefault((each.explainer, each.question.variant), []).append(each.verdict)
    return [_spread(explainer, variant, verdicts) for (explainer, variant), verdicts in cells.items()]


def _spread(explainer: str, variant: str, verdicts: list[Verdict]) -> Spread:
    counted = [verdict for verdict in verdicts if verdict.outcome.counted]
    answers = Counter(verdict.answer for verdict in verdicts if verdict.answer is not None)
    return Spread(
        explainer,
        variant,
        len(counted),
        sum(verdict.outcome == "pass" for verdict in counted),
        sum(verdict.score or 0.0 for verdict in counted) / len(counted) if counted else None,
        dict(answers.most_common()),
    )


async def _replies(explainer: Explainer, questions: Sequence[Question], *, show: bool) -> list[Reply]:
    await explainer.start()
    if show and sys.stderr.isatty():
        return [await _shown(explainer, questions[0])]
    return list(await asyncio.gather(*(explainer.ask(question) for question in questions)))


async def _shown(explainer: Explainer, question: Question) -> Reply:
    """Ask, and show the answer on standard error while it grows; what was shown is removed at the end."""
    from rich.live import Live  # noqa: PLC0415  # only on a terminal

    with Live(console=console(stderr=True), transient=True, refresh_per_second=8) as live:
        return await ask_in_pieces(explainer, question, _Growing(live))


class _Growing:
    """Shows the end of the answer, or of the thinking before it."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._text = ""
        self._reasoning = ""

    def __call__(self, piece: Piece) -> None:
        from rich.text import Text  # noqa: PLC0415  # as above

        if piece.again:
            self._text = self._reasoning = ""
        self._text = (self._text + piece.text)[-SHOWN:]
        self._reasoning = (self._reasoning + piece.reasoning)[-SHOWN:]
        thinking = not self._text
        self._live.update(Text(plain(self._reasoning if thinking else self._text), style="dim" if thinking else ""))


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first failure that is no cancellation of its neighbours."""
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
