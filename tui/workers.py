"""Background work: every worker belongs to the app, and every failure ends in one place."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from engine.errors import StormscopeError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App
    from textual.worker import Worker

T = TypeVar("T")


def start_async(app: App[Any], work: Awaitable[T], *, group: str, name: str) -> Worker[T]:
    """Run a coroutine beside the screen; it replaces what its group was doing."""
    return app.run_worker(work, name=name, group=group, exclusive=True, exit_on_error=False)


def start_thread(app: App[Any], work: Callable[[], T], *, group: str, name: str) -> Worker[T]:
    """Run a blocking function in a thread; it replaces what its group was doing.

    A thread cannot be interrupted: its result must carry what it answers, so that an outdated one can be dropped.
    """
    return app.run_worker(work, name=name, group=group, exclusive=True, exit_on_error=False, thread=True)


QUICK = 0.003
"""Seconds that work on the selected state may take to be done at once, in the frame of the key."""


class LatestOnly(Generic[T]):
    """Computes something about the state that was asked for last: at once while that is quick, else in a thread.

    The first time is in a thread. States that are passed by while one is computed there are left out, so that keys
    never queue up behind slow work.

    Parameters
    ----------
    work
        What is computed; a StormscopeError that it raises is told as its result.
    tell
        Gets the state and its result on the event loop; it posts a message.
    """

    def __init__(
        self, app: App[Any], work: Callable[[int], T], tell: Callable[[int, T | StormscopeError], object], *, name: str
    ) -> None:
        self._app = app
        self._work = work
        self._tell = tell
        self._name = name
        self._wanted: int | None = None
        self._worker: Worker[None] | None = None
        self._quick = False

    def want(self, state: int) -> None:
        """Ask for a state."""
        self._wanted = state
        if self._quick:
            self._tell(state, self._result(state))
        elif self._worker is None or self._worker.is_finished:
            self._worker = start_async(self._app, self._run(), group=self._name, name=self._name)

    async def _run(self) -> None:
        while self._wanted is not None:
            state, self._wanted = self._wanted, None
            self._tell(state, await asyncio.to_thread(self._result, state))

    def _result(self, state: int) -> T | StormscopeError:
        began = time.perf_counter()
        try:
            return self._work(state)
        except StormscopeError as error:
            return error
        finally:
            self._quick = time.perf_counter() - began < QUICK


def as_report(error: BaseException, doing: str) -> StormscopeError:
    """Return a failure as something to show; what is not ours becomes a report of a defect, with its place."""
    if isinstance(error, StormscopeError):
        return error
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{place.tb_frame.f_globals.get('__name__', '?')}:{place.tb_lineno}" if place is not None else ""
    return StormscopeError(
        f"{doing}: {type(error).__name__}: {error}",
        where=where,
        hint="this is a defect of stormscope; please report it with this message",
    )
