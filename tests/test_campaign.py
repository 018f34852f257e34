"""A campaign: every question asked once, everything that arrives kept, no explainer slowed by another."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest
from campaign_support import CATEGORIES, TOOLS, Scripted, fake_oracle, plan, right

from engine.campaign import (
    Answered,
    Cell,
    Control,
    Event,
    ExplainerFailed,
    Finished,
    Plan,
    Planned,
    Waiting,
    run_campaign,
)
from engine.campaign.run import BACKLOG, GIVE_UP_AFTER
from engine.errors import EndpointError, StoreError, UsageError
from engine.explainers.base import Question, Reply
from engine.verdicts.store import Store
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.oracle.facts import Oracle


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give an empty campaign file."""
    with Store(tmp_path / "c.db", write=True) as opened:
        yield opened


async def run(store: Store, grid: Plan, *explainers: Scripted, oracles: dict[str, Oracle] | None = None) -> list[Event]:
    """Run a campaign to its end and return its events."""
    oracles = oracles or {"lake": fake_oracle()}
    named = {explainer.name: explainer for explainer in explainers}
    return [event async for event in run_campaign(grid, oracles, named, store, tools=TOOLS)]


def answered(events: list[Event]) -> list[Answered]:
    """Return the answers among events."""
    return [event for event in events if isinstance(event, Answered)]


def end(events: list[Event]) -> Finished:
    """Return the last event."""
    assert isinstance(events[-1], Finished)
    return events[-1]


async def test_every_question_is_asked_once_and_kept(store: Store) -> None:
    """Models × explainers × categories × wordings × samples, each once, each committed, each told."""
    grid = plan(models=("lake", "pond"), explainers=("a", "b"), variants=("all",), samples=3)
    oracles = {"lake": fake_oracle(), "pond": fake_oracle("oracle-2", "pond")}
    a, b = Scripted("a"), Scripted("b", delay=0.001)
    events = await run(store, grid, a, b, oracles=oracles)
    total = 2 * 2 * 2 * 5 * 2 * 3
    planned = events[0]
    assert isinstance(planned, Planned)
    assert (planned.total, planned.done) == (total, 0)
    assert sum(planned.cells.values()) == total
    assert planned.cells[Cell("pond", "b", "worst-action", "prioritized", "story")] == 5 * 3
    assert len(a.asked) == len(set(a.asked)) == len(b.asked) == len(set(b.asked)) == total // 2
    assert len(answered(events)) == len(list(store.answers())) == total
    summary = end(events).summary
    assert (summary.done, summary.asked, summary.missing, summary.outcomes) == (total, total, 0, {"pass": total})
    assert (a.started, a.closed, b.started, b.closed) == (1, 1, 1, 1)
    run_record = store.runs()[-1]
    assert (run_record.total, run_record.done, run_record.ended is None) == (total, total, False)


async def test_questions_come_in_the_same_order_every_time(tmp_path: Path) -> None:
    """The order is that of the plan: category by category, case by case, sample by sample."""
    orders = []
    for name in ("1.db", "2.db"):
        with Store(tmp_path / name, write=True) as store:
            explainer = Scripted()
            await run(store, plan(samples=2, concurrency=1), explainer)
            orders.append(explainer.asked)
    assert orders[0] == orders[1]
    assert orders[0] == [
        (f"oracle-1/{category}/{state}", "plain", sample)
        for category in CATEGORIES
        for state in range(5)
        for sample in range(2)
    ]


async def test_progress_counts_up_to_the_total(store: Store) -> None:
    """Every event says how many are done; at the end all are, and nothing is left to wait for."""
    events = answered(await run(store, plan(), Scripted(delay=0.001)))
    assert [event.done for event in events] == list(range(1, 11))
    assert {event.total for event in events} == {10}
    assert events[-1].eta == 0
    assert events[-1].rate > 0
    assert events[0].cell == Cell("lake", "model", "best-action", "prioritized", "plain")


async def test_a_case_of_both_strategies_is_asked_once_for_both(store: Store) -> None:
    """Strategies share cases; the question is asked once and counts in both cells."""
    grid = plan(strategies=("prioritized", "random"), categories=("best-action",))
    explainer = Scripted()
    events = await run(store, grid, explainer)
    planned = events[0]
    assert isinstance(planned, Planned)
    assert len(explainer.asked) == planned.total == 7
    assert sorted(planned.cells.values()) == [5, 5]
    assert sorted(len(event.cells) for event in answered(events)) == [1, 1, 1, 1, 2, 2, 2]
    assert sorted(stored.strategies for stored in store.cases().values()) == [
        *[("prioritized",)] * 2,
        *[("prioritized", "random")] * 3,
        *[("random",)] * 2,
    ]


async def test_concurrency_is_bounded_for_each_explainer(store: Store) -> None:
    """A language model never has more questions in flight than the plan allows, and has that many if it can."""
    explainer = Scripted(delay=0.005)
    await run(store, plan(budget=16, concurrency=3), explainer)
    assert explainer.most_in_flight == 3


async def test_a_baseline_never_waits_for_a_slow_model(store: Store) -> None:
    """All answers of the baseline arrive before the first one of a slow model."""
    slow, fast = Scripted("slow", delay=0.3), Scripted("random", baseline=True)
    events = answered(await run(store, plan(explainers=("slow", "random"), concurrency=16), slow, fast))
    assert [event.cell.explainer for event in events] == ["random"] * 10 + ["slow"] * 10


async def test_a_front_end_that_does_not_listen_stops_the_questions_not_the_commits(store: Store) -> None:
    """With events unread, what has arrived is on the disk, and no more than the backlog is asked."""
    explainer = Scripted("random", baseline=True)
    grid = plan(explainers=("random",), budget=16, samples=100)
    async with aclosing(
        run_campaign(grid, {"lake": fake_oracle()}, {"random": explainer}, store, tools=TOOLS)
    ) as events:
        assert isinstance(await anext(events), Planned)
        assert isinstance(await anext(events), Answered)
        await asyncio.to_thread(wait_for_answers, store, BACKLOG)
        await asyncio.sleep(0.1)
        assert len(explainer.asked) == len(store.outcomes()) == BACKLOG + 1
        async for event in events:
            assert isinstance(event, Answered | Finished)
    assert len(explainer.asked) == 2 * 16 * 100


def wait_for_answers(store: Store, count: int) -> None:
    """Wait until the file holds so many answers."""
    end_of_patience = time.monotonic() + 20
    while len(store.outcomes()) < count and time.monotonic() < end_of_patience:
        time.sleep(0.01)


# Resuming


async def test_a_finished_campaign_asks_nothing_again(store: Store) -> None:
    """The same command on a complete file asks nothing, starts nothing, and says that all is done."""
    await run(store, plan(), Scripted())
    again = Scripted()
    events = await run(store, plan(), again)
    assert [type(event) for event in events] == [Planned, Finished]
    assert (again.asked, again.started, again.closed) == ([], 0, 1)
    assert end(events).summary.done == 10


async def test_a_larger_grid_adds_only_what_is_missing(store: Store) -> None:
    """More cases, samples, wordings and explainers are added to what is there; a smaller plan asks nothing."""
    await run(store, plan(), Scripted())
    more, other = Scripted(), Scripted("other")
    events = await run(store, plan(explainers=("model", "other"), budget=6, samples=2), more, other)
    planned = events[0]
    assert isinstance(planned, Planned)
    assert (planned.total, planned.done) == (2 * 2 * 6 * 2, 10)
    assert planned.cells_done == {Cell("lake", "model", category, "prioritized", "plain"): 5 for category in CATEGORIES}
    assert (len(more.asked), len(other.asked)) == (14, 24)
    smaller = Scripted()
    assert end(await run(store, plan(budget=3), smaller)).summary.total == 6
    assert smaller.asked == []


async def test_errors_are_asked_again(store: Store) -> None:
    """A question that failed has no answer; the next run asks it and only it."""
    bad = "oracle-1/best-action/2"

    def sometimes(question: Question) -> Reply:
        return Reply(error="the connection was cut") if question.case.id == bad else right(question)

    summary = end(await run(store, plan(), Scripted(answer=sometimes))).summary
    assert (summary.done, summary.missing, summary.outcomes) == (9, 1, {"pass": 9, "error": 1})
    again = Scripted()
    assert end(await run(store, plan(), again)).summary.done == 10
    assert again.asked == [(bad, "plain", 0)]


async def test_a_closed_campaign_goes_on_where_it_stopped(store: Store) -> None:
    """Leaving in the middle keeps what has arrived, closes the explainers, and the next run asks only the rest."""
    first = Scripted(delay=0.002)
    oracles = {"lake": fake_oracle()}
    async with aclosing(run_campaign(plan(concurrency=2), oracles, {"model": first}, store, tools=TOOLS)) as events:
        async for event in events:
            if isinstance(event, Answered) and event.done >= 4:
                break
    assert (first.closed, first.in_flight) == (1, 0)
    kept = store.answered("model")
    assert len(kept) >= 4
    assert store.runs()[-1].done == len(kept)
    second = Scripted()
    await run(store, plan(), second)
    assert {*second.asked}.isdisjoint(kept)
    assert len(second.asked) + len(kept) == 10


async def test_a_cancelled_campaign_commits_what_has_arrived(store: Store) -> None:
    """An interrupt ends the task as cancelled, with every reply that came on the disk and nothing new asked."""
    replied: list[tuple[str, str, int]] = []
    enough = asyncio.Event()

    def answer(question: Question) -> Reply:
        replied.append((question.case.id, question.variant, question.sample))
        if len(replied) == 20:
            enough.set()
        return right(question)

    explainer = Scripted(answer=answer, delay=0.003)
    task = asyncio.create_task(run(store, plan(budget=16, samples=10), explainer))
    async with asyncio.timeout(20):
        await enough.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert store.answered("model") == {*replied}
    assert explainer.closed == 1
    asked = len(explainer.asked)
    await asyncio.sleep(0.02)
    assert len(explainer.asked) == asked


async def test_stopping_finishes_with_a_summary(store: Store) -> None:
    """A front end can stop a campaign and still hears how it ended; slow questions are not waited for."""
    control = Control()
    explainers = {"model": Scripted(delay=0.002), "slow": Scripted("slow", delay=3600)}
    grid = plan(explainers=("model", "slow"))
    events = []
    async for event in run_campaign(grid, {"lake": fake_oracle()}, explainers, store, control=control, tools=TOOLS):
        events.append(event)
        if isinstance(event, Answered) and event.done == 3:
            control.stop()
    summary = end(events).summary
    assert summary.stopped
    assert summary.done == len(store.answered("model")) < 20
    assert all(explainer.closed == 1 and explainer.in_flight == 0 for explainer in explainers.values())


@pytest.mark.parametrize(("field", "value"), [("seed", 1), ("subset_size", 3), ("explanation_length", 99)])
async def test_settings_that_change_questions_cannot_be_mixed(store: Store, field: str, value: int) -> None:
    """Another seed in one file would give other questions under the same keys, so it is refused by name."""
    await run(store, plan(), Scripted())
    with pytest.raises(StoreError, match=f"{field.replace('_', ' ')} .*, not {value}"):
        await run(store, plan(**{field: value}), Scripted())


async def test_a_changed_model_is_refused(store: Store) -> None:
    """A campaign whose model has changed since asks nothing and names the model."""
    await run(store, plan(), Scripted())
    explainer = Scripted()
    with pytest.raises(StoreError, match="'lake' has changed"):
        await run(store, plan(), explainer, oracles={"lake": fake_oracle("oracle-9")})
    assert (explainer.asked, explainer.closed) == ([], 1)


# Failures


async def test_a_wrong_key_stops_that_explainer_and_keeps_all(store: Store) -> None:
    """After a fatal reply the endpoint is not asked again; the others go on, and what came is kept."""

    def locked_out(question: Question) -> Reply:
        return right(question) if question.case.states[0] < 2 else Reply(error="the key is wrong", fatal=True)

    bad, good = Scripted("bad", answer=locked_out), Scripted("good")
    events = await run(store, plan(explainers=("bad", "good"), concurrency=1), bad, good)
    assert [event for event in events if isinstance(event, ExplainerFailed)] == [
        ExplainerFailed("bad", "the key is wrong")
    ]
    assert len(bad.asked) == 3
    assert len(store.answered("bad")) == 2
    assert len(store.answered("good")) == 10
    summary = end(events).summary
    assert (summary.failed, summary.missing) == ({"bad": "the key is wrong"}, 8)


async def test_an_endpoint_that_is_down_is_given_up(store: Store) -> None:
    """Failures in a row end in one event instead of hours of retries; a success in between starts the count anew."""
    count = 0

    def recovers_once(question: Question) -> Reply:
        nonlocal count
        count += 1
        return right(question) if count == 5 else Reply(error="connection refused")

    explainer = Scripted(answer=recovers_once)
    events = await run(store, plan(budget=16, concurrency=1), explainer)
    assert len(explainer.asked) == 5 + GIVE_UP_AFTER
    failed = end(events).summary.failed["model"]
    assert failed == "10 questions in a row failed, the last with: connection refused"


async def test_an_explainer_that_cannot_start_fails_alone(store: Store) -> None:
    """If one has no server, the others still answer."""

    class Dead(Scripted):
        async def start(self) -> None:
            raise EndpointError("there is no server", hint="start it")

    events = await run(store, plan(explainers=("dead", "model")), Dead("dead"), Scripted())
    summary = end(events).summary
    assert "start it" in summary.failed["dead"]
    assert summary.outcomes == {"pass": 10}


async def test_a_broken_explainer_is_an_error_not_a_crash(store: Store) -> None:
    """An exception from an explainer becomes an error verdict with its text."""

    def broken(question: Question) -> Reply:
        raise KeyError(question.case.id)

    events = answered(await run(store, plan(budget=1), Scripted(answer=broken)))
    assert {event.verdict.outcome for event in events} == {Outcome.ERROR}
    assert "KeyError" in events[0].verdict.reason


async def test_a_full_disk_ends_the_campaign_with_one_error(store: Store) -> None:
    """When nothing can be stored any more, asking stops, the error is raised, and the explainers are closed."""
    explainer = Scripted(answer=lambda _: Reply("up" * 3000), delay=0.001)
    connection = store._database._connection
    connection.execute("PRAGMA max_page_count = 60")
    with pytest.raises(StoreError, match="disk is full"):
        await run(store, plan(budget=16, samples=50), explainer)
    assert explainer.closed == 1
    assert len(explainer.asked) < 2 * 16 * 50
    assert 0 < len(store.answered("model")) <= len(explainer.asked)


async def test_waits_become_events(store: Store) -> None:
    """An explainer that waits for a rate limit is seen to wait."""
    control = Control()
    listen = control.listener("model")

    def answer(question: Question) -> Reply:
        listen("429, asking again in 2 s")
        return right(question)

    listen("nobody hears this")
    events = [
        event
        async for event in run_campaign(
            plan(budget=1),
            {"lake": fake_oracle()},
            {"model": Scripted(answer=answer)},
            store,
            control=control,
            tools=TOOLS,
        )
    ]
    assert [event for event in events if isinstance(event, Waiting)] == [
        Waiting("model", "429, asking again in 2 s")
    ] * 2


# Plans


async def test_an_empty_grid_says_why(store: Store) -> None:
    """When no category has candidates, the reasons are told."""
    with pytest.raises(UsageError, match="is-bottleneck: the model has no bottleneck"):
        await run(store, plan(categories=("is-bottleneck",)), Scripted())


async def test_omitted_and_short_categories_are_told(store: Store) -> None:
    """A category without candidates is omitted with its reason; one with fewer than the budget uses all and says so."""
    events = await run(
        store,
        plan(categories=("is-bottleneck", "best-action"), budget=20),
        Scripted(),
        oracles={"lake": fake_oracle(states=3)},
    )
    planned = events[0]
    assert isinstance(planned, Planned)
    assert planned.omitted == {("lake", "is-bottleneck"): "the model has no bottleneck"}
    assert planned.short == {("lake", "best-action", "prioritized"): 3}
    assert store.omitted() == planned.omitted


async def test_an_unknown_wording_names_those_that_exist(store: Store) -> None:
    """The message lists the environment's wordings."""
    with pytest.raises(UsageError, match="no wording 'rhyme'") as caught:
        await run(store, plan(variants=("rhyme",)), Scripted())
    assert "plain, story" in str(caught.value)


async def test_one_model_under_two_names_is_refused(store: Store) -> None:
    """The same questions would be asked twice."""
    with pytest.raises(UsageError, match="same model"):
        await run(
            store,
            plan(models=("lake", "pond")),
            Scripted(),
            oracles={"lake": fake_oracle(), "pond": fake_oracle()},
        )


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"budget": 0}, "budget must be at least 1"),
        ({"samples": -1}, "samples must be at least 1"),
        ({"concurrency": 0}, "concurrency must be at least 1"),
        ({"explainers": ()}, "at least one of its explainers"),
        ({"models": ("lake", "lake")}, "'lake' is named twice"),
        ({"strategies": ("hard",)}, "no strategy 'hard'"),
    ],
)
def test_a_senseless_plan_is_refused(changes: dict[str, Any], told: str) -> None:
    """A plan that cannot be carried out is a user's mistake that is told in words."""
    with pytest.raises(UsageError, match=told):
        plan(**changes)


def test_a_plan_survives_json() -> None:
    """A stored plan is the same plan, also if a later version has added a field to it."""
    grid = plan(strategies=("prioritized", "random"), variants=("plain",), samples=3, seed=7)
    assert Plan.from_json({**grid.to_json(), "added later": 1}) == grid
    with pytest.raises(StoreError, match="damaged"):
        Plan.from_json({"seed": 1})
