"""Background work: every worker belongs to the app, and every failure ends in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

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
