"""Running a plan for the explorer: its models are checked, its file is opened, then its events follow."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack, aclosing, closing
from typing import TYPE_CHECKING

from engine.campaign import AnswerCache, cache_file, run_campaign
from engine.campaign.board import read_board
from engine.campaign.events import Planned, Waiting
from engine.campaign.grid import build_grid
from engine.errors import CancelledError
from engine.queries.generation import generate
from engine.recent import remember_campaign
from tui.asking.engine_asking import make_folder
from tui.campaigns.tally import Opening, Stored

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from engine.campaign.control import Control
    from engine.campaign.plan import Plan
    from engine.explainers.base import Explainer
    from engine.oracle.facts import Oracle
    from engine.verdicts.store import Store
    from tui.campaigns.campaign_services import Progress
    from tui.campaigns.open_stores import OpenStores
    from tui.campaigns.tally import News

LOOK = 0.1
"""Seconds between two looks at a model that is being checked."""


async def run_plan(
    plan: Plan,
    opened: Callable[[str, Progress, threading.Event], Oracle],
    explainers: Mapping[str, Explainer],
    file: Path,
    *,
    control: Control,
    listening: Callable[[str, Callable[[str], None]], AbstractContextManager[None]],
    stores: OpenStores,
) -> AsyncGenerator[News, None]:
    """Ask what the plan asks and the file lacks.

    Parameters
    ----------
    plan, explainers, control
        As for `run_campaign`.
    opened
        Returns a model by its name; it blocks, and tells its stages.
    file
        Made if it does not exist, with its folder.
    listening
        Lets somebody hear what an explainer tells while a block runs.
    stores
        Where the file is opened, so that answers can be kept in it meanwhile.

    Raises
    ------
    StormscopeError
        If a model cannot be checked, the file cannot be written or belongs to another campaign, or nothing is to ask.
    """
    oracles: dict[str, Oracle] = {}
    for name in plan.models:
        async with aclosing(_open(name, opened, oracles, control)) as stages:
            async for stage in stages:
                yield stage
        if control.stopped:
            return
    new, store = await asyncio.to_thread(_open_store, stores, file)
    try:
        with ExitStack() as heard:
            for name in explainers:
                heard.enter_context(listening(name, control.listener(name)))
            async with aclosing(_ask(plan, oracles, explainers, store, control)) as events:
                async for event in events:
                    yield event
    finally:
        await asyncio.to_thread(_close_store, stores, store, new=new)


async def _ask(
    plan: Plan,
    oracles: Mapping[str, Oracle],
    explainers: Mapping[str, Explainer],
    store: Store,
    control: Control,
) -> AsyncGenerator[News, None]:
    told: list[str] = []
    with closing(await asyncio.to_thread(AnswerCache, cache_file(), tell=told.append)) as cache:
        campaign = run_campaign(plan, oracles, explainers, store, control=control, cache=cache)
        async with aclosing(campaign) as events:
            async for event in events:
                yield event
                if isinstance(event, Planned):
                    await asyncio.to_thread(remember_campaign, store.path)
                    yield await asyncio.to_thread(_stored, plan, oracles, store)
                while told:
                    yield Waiting("the answer cache", told.pop())


async def _open(
    name: str,
    opened: Callable[[str, Progress, threading.Event], Oracle],
    oracles: dict[str, Oracle],
    control: Control,
) -> AsyncGenerator[Opening, None]:
    """Put a model into `oracles`, telling the stages; it is not there if the campaign was stopped meanwhile."""
    cancel = threading.Event()
    stages: list[str] = []

    def progress(stage: str, detail: str) -> None:
        stages.append(f"{stage} {detail}".strip())

    opening = asyncio.create_task(asyncio.to_thread(opened, name, progress, cancel), name=f"opening {name}")
    try:
        while not opening.done():
            await asyncio.wait({opening}, timeout=LOOK)
            if control.stopped:
                cancel.set()
            if stages and not opening.done():
                yield Opening(name, stages[-1])
        oracles[name] = opening.result()
    except CancelledError:
        if not control.stopped:
            raise
    finally:
        cancel.set()  # the thread's child must not outlive a campaign that was left


def _stored(plan: Plan, oracles: Mapping[str, Oracle], store: Store) -> Stored:
    """Return what the file holds, with what the plan adds to it; the cases are chosen and recorded already."""
    return Stored(read_board(store, build_grid(plan, oracles, store, generate)))


def _open_store(stores: OpenStores, file: Path) -> tuple[bool, Store]:
    """Return whether the file is new, and the file."""
    make_folder(file.parent)
    new = not file.exists()
    return new, stores.open(file)


def _close_store(stores: OpenStores, store: Store, *, new: bool) -> None:
    """Close the file; one that was made for a campaign that could not begin is removed."""
    empty = new and not store.runs() and not store.cases()
    stores.close(store)
    if empty:
        store.path.unlink(missing_ok=True)
