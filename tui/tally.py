"""The live verdict table as a value: a campaign's events go in, what to show comes out. Knows nothing of Textual."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from engine.campaign.events import Answered, ExplainerFailed, Finished, Planned, Waiting
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.campaign.events import Event

    News: TypeAlias = "Event | Stored"


@dataclass(frozen=True, slots=True)
class Count:
    """The verdicts of one explainer in one category.

    Attributes
    ----------
    planned
        Questions of the plan.
    outcomes
        Verdicts by outcome, those of earlier runs of the same file included.
    """

    planned: int = 0
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)

    def of(self, outcome: Outcome) -> int:
        """Return how many verdicts have the outcome."""
        return self.outcomes.get(outcome, 0)

    @property
    def judged(self) -> int:
        """Verdicts that count: pass, fail and invalid; undecided ones and errors never do."""
        return sum(number for outcome, number in self.outcomes.items() if outcome.counted)

    @property
    def answered(self) -> int:
        """Questions that have an answer: all but errors, which are asked again."""
        return sum(number for outcome, number in self.outcomes.items() if outcome is not Outcome.ERROR)

    def plus(self, outcome: Outcome) -> Count:
        """Return the count with one more verdict."""
        return replace(self, outcomes={**self.outcomes, outcome: self.of(outcome) + 1})

    def and_also(self, other: Count) -> Count:
        """Return the sum of two counts."""
        outcomes = {outcome: self.of(outcome) + other.of(outcome) for outcome in {*self.outcomes, *other.outcomes}}
        return Count(self.planned + other.planned, outcomes)


@dataclass(frozen=True, slots=True)
class Stored:
    """What earlier runs of the same campaign brought: comes right after the plan.

    Attributes
    ----------
    outcomes
        ``(explainer, category)`` → verdicts by outcome: of questions of the plan, or of the whole file.
    """

    outcomes: Mapping[tuple[str, str], Mapping[Outcome, int]]


@dataclass(frozen=True, slots=True)
class Tally:
    """What a campaign has brought so far.

    Attributes
    ----------
    counts
        ``(explainer, category)`` → count, in the order of the plan.
    done, total
        Answered questions and all questions, earlier runs included.
    eta
        Seconds left; None while unknown.
    notices
        What went differently from the plan, oldest first.
    waiting
        Why an explainer waits right now; empty if none does.
    running, stopped
        Whether it is under way; whether it ended before it was through.
    earlier
        Whether all of it was read from the file of earlier runs.
    """

    counts: Mapping[tuple[str, str], Count] = field(default_factory=dict)
    done: int = 0
    total: int = 0
    eta: float | None = None
    notices: tuple[str, ...] = ()
    waiting: str = ""
    running: bool = False
    stopped: bool = False
    earlier: bool = False

    @classmethod
    def of_file(cls, stored: Stored) -> Tally:
        """Return the tally of everything that a file holds."""
        counts = {key: Count(0, outcomes) for key, outcomes in stored.outcomes.items()}
        done = sum(count.answered for count in counts.values())
        return cls(
            {key: replace(count, planned=count.answered) for key, count in counts.items()}, done, done, earlier=True
        )

    @property
    def missing(self) -> int:
        """Questions without an answer."""
        return self.total - self.done

    @property
    def explainers(self) -> tuple[str, ...]:
        """The explainers in the order of the plan."""
        return tuple(dict.fromkeys(explainer for explainer, _ in self.counts))

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories in the order of the plan."""
        return tuple(dict.fromkeys(category for _, category in self.counts))

    def total_of(self, explainer: str) -> Count:
        """Return an explainer's count over all categories."""
        total = Count()
        for (name, _), count in self.counts.items():
            if name == explainer:
                total = total.and_also(count)
        return total

    def ending(self) -> Tally:
        """Return the tally of a run that was told to stop and has not yet ended."""
        return replace(self, waiting="stopping; what has arrived is kept")

    def end(self, *, stopped: bool) -> Tally:
        """Return the tally of a run that is over."""
        return replace(self, running=False, stopped=stopped, waiting="", eta=None)

    def add(self, event: News) -> Tally:
        """Return the tally after one event."""
        match event:
            case Planned():
                return self._planned(event)
            case Stored(outcomes):
                found = {key: replace(self.counts.get(key, Count()), outcomes=now) for key, now in outcomes.items()}
                return replace(self, counts={**self.counts, **found})
            case Answered():
                counts = dict(self.counts)
                for key in {(cell.explainer, cell.category) for cell in event.cells}:
                    counts[key] = counts.get(key, Count()).plus(event.verdict.outcome)
                return replace(self, counts=counts, done=event.done, total=event.total, eta=event.eta, waiting="")
            case Waiting(explainer, why, seconds):
                how_long = f" {seconds:.0f} s" if seconds is not None else ""
                return replace(self, waiting=f"{explainer} waits{how_long}: {why}")
            case ExplainerFailed(explainer, error):
                return replace(self, notices=(*self.notices, f"{explainer} is not asked any more: {error}"))
            case Finished(summary):
                return replace(self.end(stopped=summary.stopped), done=summary.done, total=summary.total)

    def _planned(self, event: Planned) -> Tally:
        counts: dict[tuple[str, str], Count] = {}
        for cell, planned in event.cells.items():
            key = (cell.explainer, cell.category)
            before = counts.get(key, Count())
            counts[key] = replace(before, planned=before.planned + planned)
        notices = [f"{category} is left out: {why}" for (_, category), why in event.omitted.items()]
        notices += [f"{category} has only {number} cases" for (_, category, _), number in event.short.items()]
        return replace(self, counts=counts, done=event.done, total=event.total, notices=tuple(notices))
