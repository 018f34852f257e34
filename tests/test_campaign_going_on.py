"""Going on with a campaign: what is asked again and what is not, what ends it at once, and totals that cover all."""

from __future__ import annotations

import asyncio
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from campaign_support import TOOLS, Scripted, fake_oracle, plan, right

from engine.campaign import Answered, Control, Finished, Planned, Spent, Summary, Waiting, run_campaign
from engine.campaign.spent import Cost
from engine.errors import StoreError
from engine.explainers.base import Question, Reply
from engine.explainers.waiting import OnWait, Wait
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.campaign import Event, Plan

BAD = {"oracle-1/best-action/1", "oracle-1/worst-action/3"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give an empty campaign file."""
    with Store(tmp_path / "c.db", write=True) as opened:
        yield opened


async def run(store: Store, grid: Plan, *explainers: Scripted, **options: Any) -> list[Event]:
    """Run a campaign to its end and return its events."""
    named = {explainer.name: explainer for explainer in explainers}
    events = run_campaign(grid, {"lake": fake_oracle()}, named, store, tools=TOOLS, **options)
    return [event async for event in events]


def end(events: list[Event]) -> Summary:
    """Return how a run ended."""
    assert isinstance(events[-1], Finished)
    return events[-1].summary


def failing(**reply: Any) -> Scripted:
    """Return an explainer that fails on two questions."""
    return Scripted(answer=lambda question: Reply(**reply) if question.case.id in BAD else right(question))


# Errors of an earlier run


async def test_errors_are_left_alone_where_that_is_asked_for(store: Store) -> None:
    """Without ``retry_errors`` failed questions stay without an answer, are counted as skipped, and are missing."""
    await run(store, plan(), failing(error="the connection was cut"))
    again = Scripted()
    events = await run(store, plan(), again, retry_errors=False)
    planned = events[0]
    assert isinstance(planned, Planned)
    assert (planned.total, planned.done, planned.skipped) == (10, 8, 2)
    assert (again.asked, again.started) == ([], 0)
    summary = end(events)
    assert (summary.missing, summary.skipped, summary.totals) == (2, 2, {"pass": 8, "error": 2})


async def test_errors_are_asked_again_with_retry_errors(store: Store) -> None:
    """With ``retry_errors`` they, and only they, are asked; then nothing is missing and no error is left."""
    await run(store, plan(), failing(error="the connection was cut"))
    again = Scripted()
    summary = end(await run(store, plan(), again, retry_errors=True))
    assert {case for case, _, _ in again.asked} == BAD
    assert (summary.missing, summary.totals, summary.outcomes) == (0, {"pass": 10}, {"pass": 2})


async def test_what_was_never_asked_is_asked_in_either_case(store: Store) -> None:
    """A larger grid beside old errors asks what is new and leaves the errors alone."""
    await run(store, plan(), failing(error="the connection was cut"))
    more = Scripted()
    await run(store, plan(budget=6), more, retry_errors=False)
    assert {case for case, _, _ in more.asked} == {"oracle-1/best-action/5", "oracle-1/worst-action/5"}


async def test_a_refused_key_is_no_fault_of_the_questions(store: Store) -> None:
    """What failed because the endpoint could not be asked at all is asked again by the same command."""
    await run(store, plan(concurrency=1), Scripted(answer=lambda _: Reply(error="the key is wrong", fatal=True)))
    again = Scripted()
    summary = end(await run(store, plan(), again, retry_errors=False))
    assert (len(again.asked), summary.missing, summary.skipped) == (10, 0, 0)


# A refused key


async def test_a_refused_key_ends_the_campaign_at_once_and_keeps_all(store: Store) -> None:
    """Nothing more is asked of anybody; what is in flight at another endpoint is waited for and kept."""
    in_flight = asyncio.Event()

    class Slow(Scripted):
        async def ask(self, question: Question) -> Reply:
            in_flight.set()
            return await super().ask(question)

    class LockedOut(Scripted):
        async def ask(self, question: Question) -> Reply:
            await in_flight.wait()
            return await super().ask(question)

    refusal = Reply(error="the server refuses the key", fatal=True, key_refused=True)
    locked, slow = LockedOut("locked", answer=lambda _: refusal), Slow("slow", delay=0.1)
    summary = end(await run(store, plan(explainers=("locked", "slow"), concurrency=2), locked, slow))
    assert len(slow.asked) == len(store.answered("slow")) == 2
    assert summary.halted == "locked: the server refuses the key"
    assert (summary.stopped, list(summary.failed), summary.missing) == (False, ["locked"], 18)
    assert slow.closed == locked.closed == 1


# Totals


async def test_totals_of_a_resumed_campaign_cover_all_of_it(store: Store) -> None:
    """Outcomes, tokens and cost of an earlier run are in the totals; those of other questions and others are not."""

    def priced(question: Question) -> Reply:
        return Reply(question.case.accepted[0], tokens_in=100, tokens_out=10, tokens_reasoning=4, cost="0.1")

    await run(store, plan(budget=3), Scripted(answer=priced))
    await run(store, plan(explainers=("other",), budget=3), Scripted("other", answer=priced))
    events = await run(store, plan(categories=("best-action",)), Scripted(answer=priced))
    summary = end(events)
    assert (summary.asked, summary.totals) == (2, {"pass": 5})
    assert summary.spent == {"model": Spent(500, 50, 20, {"": Cost(Fraction(1, 2))})}
    told = [event.spent.costs[""].total for event in events if isinstance(event, Answered)]
    assert told == [Fraction(4, 10), Fraction(5, 10)]


def test_what_nobody_told_stays_unknown() -> None:
    """Sums over answers without figures are unknown, not 0; with some figures they are what is known."""
    assert Spent().plus(Spent()) == Spent()
    euros, dollars = {"EUR": Cost(Fraction(1), Fraction(1))}, {"USD": Cost(Fraction(2))}
    assert Spent(1, None, 3).plus(Spent(None, None, 2, euros)) == Spent(1, None, 5, euros)
    assert Spent(costs=euros).plus(Spent(costs=dollars)).costs == {**euros, **dollars}
    assert Spent(costs=euros).plus(Spent(costs=euros)).costs == {"EUR": Cost(Fraction(2), Fraction(2))}


# Waits


async def test_an_endpoints_waits_become_events(store: Store) -> None:
    """A wait says who, how long and why; afterwards nobody listens any more."""

    class Limited(Scripted):
        on_wait: OnWait | None = None

        async def ask(self, question: Question) -> Reply:
            if self.on_wait is not None:
                self.on_wait(Wait("endpoint", 12.5, "429: too many requests", 2))
            return await super().ask(question)

    limited = Limited()
    events = await run(store, plan(budget=1), limited, control=Control())
    assert [event for event in events if isinstance(event, Waiting)] == [
        Waiting("model", "429: too many requests", 12.5)
    ] * 2
    assert limited.on_wait is None


# What cannot be mixed


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"shuffle": True}, "shuffle off, not on"),
        ({"difficulty": "refined"}, "difficulty paper, not refined"),
        ({"frozen": "0123"}, "about other cases"),
        ({"tolerance": "0.05"}, "tolerance 1/100, not 1/20"),
    ],
)
async def test_another_way_of_asking_is_refused(store: Store, changes: dict[str, Any], told: str) -> None:
    """One file holds one way of asking and grading; the message names what is different."""
    await run(store, plan(), Scripted())
    with pytest.raises(StoreError, match=told):
        await run(store, plan(**changes), Scripted())


async def test_a_tolerance_may_be_written_in_any_way(store: Store) -> None:
    """0.01 and 1/100 are one tolerance; a resumed campaign is not refused for its spelling."""
    await run(store, plan(tolerance="0.010"), Scripted())
    await run(store, plan(tolerance="1/100"), Scripted())
    await run(store, plan(), Scripted())
