"""The one retry policy of all endpoints: who is asked again, when, and how long altogether."""

from __future__ import annotations

import asyncio
import email.utils
import logging
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

import stamina

from engine.explainers.failure import RequestFailed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")

# stamina logs every retry; without a handler, logging would print that over the screen.
logging.getLogger("stamina").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Transient failures are asked again with growing, jittered waits; a server's ``Retry-After`` comes first.

    Attributes
    ----------
    attempts
        Attempts at most.
    deadline
        Seconds for everything together. A wait that would pass it is not begun.
    wait_initial, wait_max
        Seconds of the first wait and of the longest one; each is shortened at random by up to a half.
    retry_after_max
        Longest wait in seconds that a server may ask for; a longer one is shortened to this.
    """

    attempts: int = 5
    deadline: float = 300.0
    wait_initial: float = 0.5
    wait_max: float = 20.0
    retry_after_max: float = 120.0

    async def run(self, send: Callable[[], Awaitable[T]], waits: Callable[[float, str, int], None]) -> T:
        """Return what `send` returns; raises the last RequestFailed, at the deadline at the latest.

        Parameters
        ----------
        send
            One attempt; raises RequestFailed.
        waits
            Called before each wait with its seconds, its reason, and the number of the attempt that follows.
        """
        begin = time.monotonic()
        failures: list[RequestFailed] = []

        def wait_before_next(error: Exception) -> bool | float:
            if not isinstance(error, RequestFailed) or not error.transient:
                return False
            failures.append(error)
            wait = self._wait(len(failures), error.retry_after)
            late = time.monotonic() - begin + wait > self.deadline
            said = error.message
            if error.retry_after is not None and (late or error.retry_after > wait):
                said = f"{said}; it asks to wait {duration(error.retry_after)}"
            if len(failures) < self.attempts and late:
                said = f"{said}; another attempt would pass the deadline of {duration(self.deadline)}"
            if len(failures) >= self.attempts or late:
                error.message = said
                return False
            waits(wait, said, len(failures) + 1)
            return wait

        try:
            async with asyncio.timeout(self.deadline):
                try:
                    return await send()
                except RequestFailed as error:
                    return await self._again(error, send, wait_before_next)
        except TimeoutError:
            last = f" (before that: {failures[-1].message})" if failures else ""
            raise RequestFailed(f"no complete answer within {self.deadline:g} s{last}") from None

    async def _again(
        self,
        first: RequestFailed,
        send: Callable[[], Awaitable[T]],
        wait_before_next: Callable[[Exception], bool | float],
    ) -> T:
        """Retry after a first failure: only then is a retrying caller made, whose cost every question would pay."""
        known: list[RequestFailed] = [first]

        async def attempt() -> T:
            if known:
                raise known.pop()
            return await send()

        caller = stamina.AsyncRetryingCaller(attempts=self.attempts, timeout=None)
        return await caller(wait_before_next, attempt)

    def _wait(self, failures: int, retry_after: float | None) -> float:
        if retry_after is not None:
            return min(max(retry_after, 0.0), self.retry_after_max)
        longest: float = min(self.wait_max, self.wait_initial * 2.0 ** min(failures - 1, 30))
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads clients in time, no secret


def duration(seconds: float) -> str:
    """Return a time as people say it: ``1.5 s``, ``2 min``, ``27.8 h``."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{seconds:g} s"


def parse_retry_after(value: str, *, now: datetime | None = None) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for, given as a number or as an HTTP date.

    Returns None for anything else. Servers send fractions of a second too.
    """
    text = value.strip()
    if text.replace(".", "", 1).isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
