"""Running a campaign: generate → ask → grade → store, as a stream of events that any front end can show.

Every explainer has a lane of its own with a bounded number of questions in flight, so a fast one never waits for a slow
one. Answers that arrive while a commit is under way are committed together next. An event comes after its commit.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from engine.campaign.asking import Arrival, ask, question_of
from engine.campaign.control import Control
from engine.campaign.events import Answered, ExplainerFailed, Finished
from engine.campaign.progress import Lane, Progress
from engine.campaign.setup import Setup, prepare
from engine.campaign.tasks import first_failure, uninterrupted
from engine.campaign.telling import count_arrival, summary_of
from engine.campaign.tools import default_tools
from engine.errors import StormscopeError, UsageError
from engine.explainers.waiting import observe_waits

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping

    from engine.campaign.cache import AnswerCache
    from engine.campaign.events import Event, Summary
    from engine.campaign.grid import Item
    from engine.campaign.plan import Plan
    from engine.campaign.tools import Tools
    from engine.explainers.base import Explainer, Reply
    from engine.oracle.facts import Oracle
    from engine.verdicts.store import Store

GIVE_UP_AFTER = 10
"""Transport errors in a row, each after all its retries, before an explainer is given up."""

BACKLOG = 512
"""Answers and events that may wait for the disk or the front end before no further question is asked."""


async def run_campaign(
    plan: Plan,
    oracles: Mapping[str, Oracle],
    explainers: Mapping[str, Explainer],
    store: Store,
    *,
    control: Control | None = None,
    tools: Tools | None = None,
    cache: AnswerCache | None = None,
    retry_errors: bool = True,
) -> AsyncGenerator[Event, None]:
    """Ask what the plan asks and the store lacks; yield what happens.

    Cancelling the consumer, or closing this generator, starts nothing new, commits what has arrived and closes the
    explainers; the same call on the same file goes on from there. A consumer that may leave its loop early closes the
    generator itself: ``async with contextlib.aclosing(run_campaign(…)) as events``.

    Parameters
    ----------
    plan
        The grid.
    oracles, explainers
        By their names in the plan. Explainers are started when they have something to answer, and closed at the end.
    store
        Open for writing; the caller closes it.
    control
        To stop the campaign, and for explainers to say that they wait.
    tools
        The stages; the engine's own by default.
    cache
        Where language models' answers are looked up and kept; the caller closes it. None asks everything.
    retry_errors
        Whether questions that failed in an earlier run are asked again. Those that failed because the endpoint could
        not be asked at all (a refused key, an unknown model) are asked again in either case.

    Raises
    ------
    UsageError
        If there is nothing to ask, or the plan names something that was not given.
    StoreError
        If the file belongs to another campaign, or fails; what was committed stays.
    """
    missing = [name for name in plan.models if name not in oracles]
    missing += [name for name in plan.explainers if name not in explainers]
    if missing:
        raise UsageError(f"the plan names {', '.join(missing)}, but it was not given")
    control = control or Control()
    tools = tools or default_tools()
    campaign: _Campaign | None = None
    try:
        setup = await uninterrupted(
            asyncio.to_thread(prepare, plan, oracles, explainers, store, tools, retry_errors=retry_errors)
        )
        campaign = _Campaign(setup, control, cache)
        for name in plan.explainers:
            control.observe(explainers[name], name)
        yield setup.planned
        campaign.begin()
        while (event := await campaign.next_event()) is not None:
            yield event
        await campaign.ended()
        yield Finished(campaign.summary())
    finally:
        try:
            if campaign is not None:
                await uninterrupted(campaign.abandon())
        finally:
            control.detach()
            for name in plan.explainers:
                observe_waits(explainers[name], None)
            closing = [explainers[name].close() for name in plan.explainers]
            await uninterrupted(asyncio.gather(*closing, return_exceptions=True))


class _Campaign:
    """One run. Lanes put arrivals into `_arrived`; the writer commits them and puts events into `_events`."""

    def __init__(self, setup: Setup, control: Control, cache: AnswerCache | None) -> None:
        self._setup = setup
        self._control = control
        self._cache = cache
        self._halted = ""
        lanes = {name: Lane(pending, spent=setup.spent[name]) for name, pending in setup.pending.items()}
        self._progress = Progress(setup.planned.total, setup.planned.done, lanes, totals=Counter(setup.totals))
        self._arrived: asyncio.Queue[Arrival | ExplainerFailed | None] = asyncio.Queue()
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._untold = 0
        self._room = asyncio.Event()
        self._update_room()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Begin to ask."""
        self._task = asyncio.create_task(self._run(), name="campaign")

    async def ended(self) -> None:
        """Wait for the end, and raise what ended the run."""
        if self._task is not None:
            await self._task

    async def abandon(self) -> None:
        """Cancel what still runs, commit what has arrived, and record the end."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
            if not self._task.cancelled():
                self._task.exception()  # `ended` raises it, where it is waited for
        await self._commit([arrival for arrival in self._take_arrived() if arrival is not None])
        await asyncio.to_thread(self._setup.store.end_run, self._setup.run, done=self._progress.done)

    async def next_event(self) -> Event | None:
        """Return the next event; None when the run is over, well or not."""
        event = await self._events.get()
        if isinstance(event, Answered | ExplainerFailed):
            self._untold -= 1
            self._update_room()
        return event

    async def _run(self) -> None:
        """Run all lanes and the writer; a failure of one ends all."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._write(), name="campaign writer")
                lanes = tasks.create_task(self._run_lanes(), name="campaign lanes")
                self._control.attach(lanes.cancel, self._events.put_nowait, self._update_room)
                if self._control.stopped:
                    lanes.cancel()
                await asyncio.wait({lanes})
                self._arrived.put_nowait(None)
        except BaseExceptionGroup as group:
            raise first_failure(group) from None
        finally:
            self._events.put_nowait(None)

    async def _run_lanes(self) -> None:
        async with asyncio.TaskGroup() as group:
            for name in self._setup.grid.plan.explainers:
                group.create_task(self._run_lane(name), name=f"campaign lane {name}")

    async def _run_lane(self, name: str) -> None:
        """Start one explainer and keep its questions in flight; an explainer with nothing to answer is not started."""
        explainer, lane = self._setup.explainers[name], self._progress.lanes[name]
        if lane.pending == 0:
            return
        try:
            await explainer.start()
        except StormscopeError as error:
            self._give_up(name, str(error))
            return
        left_out = self._setup.answered[name] | self._setup.skipped[name]
        items = (item for item in self._setup.grid.items() if item.key not in left_out)
        workers = 1 if explainer.baseline else min(self._setup.grid.plan.concurrency, lane.pending)
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._work(name, items))

    async def _work(self, name: str, items: Iterator[Item]) -> None:
        lane = self._progress.lanes[name]
        while lane.given_up is None and not self._halted:
            await self._room.wait()
            item = None if lane.given_up is not None or self._halted else next(items, None)
            if item is None:
                return
            question = question_of(self._setup, item)
            self._progress.begin(name)
            arrival = await ask(self._setup, name, item, question, self._cache)
            self._arrive(arrival)
            self._watch(name, arrival.answer.reply)
            # A baseline answers without waiting for anything; this lets all others go on in between.
            await asyncio.sleep(0)

    def _watch(self, name: str, reply: Reply) -> None:
        """Give an explainer up when asking it again is pointless."""
        lane = self._progress.lanes[name]
        lane.streak = lane.streak + 1 if reply.error else 0
        if reply.error and reply.fatal:
            if reply.key_refused:
                # What is in flight elsewhere is paid for and is waited for; nothing more is asked of anybody.
                self._halted = self._halted or f"{name}: {reply.error}"
            self._give_up(name, reply.error)
        elif lane.streak >= GIVE_UP_AFTER:
            self._give_up(name, f"{lane.streak} questions in a row failed, the last with: {reply.error}")

    def _give_up(self, name: str, error: str) -> None:
        lane = self._progress.lanes[name]
        if lane.given_up is None:
            lane.given_up = error
            self._arrive(ExplainerFailed(name, error))

    def _arrive(self, arrival: Arrival | ExplainerFailed) -> None:
        self._arrived.put_nowait(arrival)
        self._untold += 1
        self._update_room()

    def _update_room(self) -> None:
        self._progress.hold(paused=self._control.paused)
        if self._untold < BACKLOG and not self._control.paused:
            self._room.set()
        else:
            self._room.clear()

    async def _write(self) -> None:
        """Commit arrivals, all that are there at once, and tell of them."""
        while True:
            first = await self._arrived.get()
            batch = [first, *self._take_arrived()]
            await uninterrupted(self._commit([arrival for arrival in batch if arrival is not None]))
            if batch[-1] is None:
                return

    def _take_arrived(self) -> list[Arrival | ExplainerFailed | None]:
        return [self._arrived.get_nowait() for _ in range(self._arrived.qsize())]

    async def _commit(self, batch: list[Arrival | ExplainerFailed]) -> None:
        answers = [arrival for arrival in batch if isinstance(arrival, Arrival)]
        await asyncio.to_thread(self._keep, answers)
        for arrival in batch:
            self._events.put_nowait(self._told(arrival))

    def _told(self, arrival: Arrival | ExplainerFailed) -> Event:
        if isinstance(arrival, ExplainerFailed):
            return arrival
        return count_arrival(self._setup, self._progress, arrival)

    def _keep(self, arrivals: list[Arrival]) -> None:
        """Put answers on the disk, and what a model said into the cache as well."""
        self._setup.store.add_answers([arrival.answer for arrival in arrivals])
        if self._cache is not None:
            known = [(arrival.key, arrival) for arrival in arrivals if arrival.key is not None]
            self._cache.put(
                {key: arrival.answer.reply for key, arrival in known if not arrival.cached},
                [key for key, arrival in known if arrival.cached],
            )

    def summary(self) -> Summary:
        """Return how the run ended."""
        return summary_of(self._setup, self._progress, stopped=self._control.stopped, halted=self._halted)
