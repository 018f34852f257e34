"""A campaign in a process of its own, to be killed: prints every question when it is asked and when it is committed."""

from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from campaign_support import TOOLS, Scripted, fake_oracle, plan, right

from engine.campaign import Answered, run_campaign
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from engine.explainers.base import Question, Reply


def say(what: str, key: tuple[str, str, int]) -> None:
    """Print one line at once."""
    sys.stdout.write(f"{what} {' '.join(map(str, key))}\n")
    sys.stdout.flush()


def answer(question: Question) -> Reply:
    """Answer rightly."""
    say("asked", (question.case.id, question.variant, question.sample))
    return right(question)


async def run(file: Path) -> None:
    """Run the campaign of the test."""
    store = Store(file, write=True)
    explainers = {"model": Scripted(answer=answer, delay=0.002)}
    grid = plan(budget=16, samples=20, concurrency=8)
    async with aclosing(run_campaign(grid, {"lake": fake_oracle()}, explainers, store, tools=TOOLS)) as events:
        async for event in events:
            if isinstance(event, Answered):
                say("committed", (event.case.id, event.variant, event.sample))
    store.close()


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1])))
