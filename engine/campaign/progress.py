"""Counting a run: what is done, how fast, and how long it still takes."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.campaign.spent import Spent
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True)
class Lane:
    """One explainer's progress in this run.

    Attributes
    ----------
    pending
        Questions that have no answer yet.
    answered, failed
        Questions of this run that were answered, or ended in an error.
    streak
        Transport errors since the last answer.
    began
        When the first question was asked, on the run's clock.
    given_up
        Why it is not asked again, None while it is.
    spent
        What its answers took, earlier runs included.
    """

    pending: int
    answered: int = 0
    failed: int = 0
    streak: int = 0
    began: float | None = None
    given_up: str | None = None
    spent: Spent = field(default_factory=Spent)

    def rate(self, now: float) -> float:
        """Return answers a second since the first question."""
        return 0.0 if self.began is None else self.answered / max(now - self.began, 1e-6)

    def eta(self, now: float) -> float | None:
        """Return the seconds that its pending questions will take; None if nothing is known yet."""
        left = self.pending - self.failed
        if left <= 0 or self.given_up is not None:
            return 0.0
        return left / self.rate(now) if self.answered else None


@dataclass(slots=True)
class Progress:
    """A run's counters.

    Attributes
    ----------
    total, done
        As in `Planned`; `done` grows.
    lanes
        Explainer → its progress.
    outcomes
        Outcome → count, in this run.
    totals
        Outcome → count of the plan's questions, earlier runs included.
    cached
        Answers of this run that came from the cache.
    started, held
        On the run's clock: its beginning, later by all pauses, and the beginning of a pause that lasts.
    """

    total: int
    done: int
    lanes: dict[str, Lane]
    clock: Callable[[], float] = time.monotonic
    outcomes: Counter[str] = field(default_factory=Counter)
    totals: Counter[str] = field(default_factory=Counter)
    cached: int = 0
    started: float = 0.0
    held: float | None = None

    def __post_init__(self) -> None:
        self.started = self.clock()

    def hold(self, *, paused: bool) -> None:
        """Stop the run's clock, or let it go on: a pause makes nobody slower."""
        now = self.clock()
        if paused and self.held is None:
            self.held = now
        elif not paused and self.held is not None:
            for lane in self.lanes.values():
                if lane.began is not None:
                    lane.began += now - self.held
            self.started += now - self.held
            self.held = None

    @property
    def failed(self) -> int:
        """Questions of this run that ended in an error."""
        return sum(lane.failed for lane in self.lanes.values())

    def begin(self, explainer: str) -> None:
        """Note that an explainer is asked a question."""
        lane = self.lanes[explainer]
        if lane.began is None:
            lane.began = self.clock()

    def count(self, explainer: str, outcome: Outcome, spent: Spent, *, again: bool, cached: bool) -> None:
        """Count a committed verdict.

        Parameters
        ----------
        explainer, outcome
            Whose verdict, and what it is.
        spent
            What the answer took.
        again
            Whether the question failed in an earlier run, which `totals` has counted as an error.
        cached
            Whether the answer came from the cache.
        """
        lane = self.lanes[explainer]
        lane.spent = lane.spent.plus(spent)
        self.cached += cached
        self.outcomes[outcome.value] += 1
        self.totals[outcome.value] += 1
        if again:
            self.totals[Outcome.ERROR.value] -= 1
        if outcome is Outcome.ERROR:
            lane.failed += 1
        else:
            lane.answered += 1
            lane.pending -= 1
            self.done += 1

    def rate(self, explainer: str) -> float:
        """Return the explainer's answers a second."""
        return self.lanes[explainer].rate(self._now())

    def eta(self) -> float | None:
        """Return the seconds until the slowest explainer is done; None if one has not answered yet."""
        now = self._now()
        times = [lane.eta(now) for lane in self.lanes.values()]
        known = [value for value in times if value is not None]
        return max(known, default=0.0) if len(known) == len(times) else None

    @property
    def seconds(self) -> float:
        """How long the run has taken."""
        return self._now() - self.started

    def _now(self) -> float:
        """Return the run's time, which stands still in a pause."""
        return self.clock() if self.held is None else self.held
