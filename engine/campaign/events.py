"""What happens in a campaign, as frozen values that any front end can show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from engine.campaign.spent import Spent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.queries.case import Case
    from engine.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One cell of the grid (methods.md 1.5)."""

    model: str
    explainer: str
    category: str
    strategy: str
    variant: str


@dataclass(frozen=True, slots=True)
class Planned:
    """The cases are chosen; asking begins.

    Attributes
    ----------
    total
        Questions of the plan; one that both strategies chose is asked once and counts once.
    done
        Of these, how many an earlier run has answered.
    cells
        Questions by cell; a question that both strategies chose is in two cells.
    cells_done
        Answered questions by cell.
    omitted
        ``(model, category)`` → why it has no candidates.
    short
        ``(model, category, strategy)`` → how many cases there are, where there are fewer than the budget.
    skipped
        Questions that failed in an earlier run and are not asked again in this one.
    """

    total: int
    done: int
    cells: Mapping[Cell, int]
    cells_done: Mapping[Cell, int]
    omitted: Mapping[tuple[str, str], str]
    short: Mapping[tuple[str, str, str], int]
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer has arrived, was judged and is committed.

    An ``undecided`` verdict counts as answered; an ``error`` is committed too, but its question is still unanswered.

    Attributes
    ----------
    cells
        The cells that the question belongs to: one, or one for each strategy that chose its case.
    case, variant, sample
        The question.
    verdict
        Its verdict.
    done, total
        Answered questions and all questions of the plan, earlier runs included.
    failed
        Questions of this run that ended in an error.
    rate
        Answers a second of this explainer in this run.
    eta
        Seconds until the slowest explainer is done, None while that is unknown.
    spent
        What this explainer's answers to the plan's questions took so far, earlier runs included.
    cached
        Whether the answer came from the cache of earlier campaigns.
    took
        What this answer alone took.
    """

    cells: tuple[Cell, ...]
    case: Case
    variant: str
    sample: int
    verdict: Verdict
    done: int
    total: int
    failed: int
    rate: float
    eta: float | None
    spent: Spent = field(default_factory=Spent)
    cached: bool = False
    took: Spent = field(default_factory=Spent)

    @property
    def cell(self) -> Cell:
        """The first of the cells."""
        return self.cells[0]


@dataclass(frozen=True, slots=True)
class Waiting:
    """An explainer waits before it asks again: a rate limit, a retry, a server that starts.

    Attributes
    ----------
    explainer
        Who waits.
    why
        The reason, as a sentence.
    seconds
        How long, None if that is unknown or said in `why`.
    """

    explainer: str
    why: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ExplainerFailed:
    """An explainer is not asked again in this run; all of its answers are kept."""

    explainer: str
    error: str


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended.

    Attributes
    ----------
    total, done
        Questions of the plan, and how many of them are answered, earlier runs included.
    asked
        Questions that this run asked.
    outcomes
        Outcome → count, in this run; ``undecided`` and ``error`` for themselves.
    failed
        Explainer → why it was given up.
    stopped
        Whether the run was stopped before it was through.
    seconds
        Duration of this run.
    totals
        Outcome → count of the plan's questions, earlier runs included; of questions without an answer, ``error``
        counts those whose last attempt failed.
    spent
        Explainer → what its answers to the plan's questions took, earlier runs included.
    cached
        Answers of this run that came from the cache.
    skipped
        As in `Planned`.
    halted
        Why the whole run ended early, such as a refused key; empty if it did not.
    """

    total: int
    done: int
    asked: int
    outcomes: Mapping[str, int]
    failed: Mapping[str, str]
    stopped: bool
    seconds: float
    totals: Mapping[str, int] = field(default_factory=dict)
    spent: Mapping[str, Spent] = field(default_factory=dict)
    cached: int = 0
    skipped: int = 0
    halted: str = ""

    @property
    def missing(self) -> int:
        """Questions without an answer."""
        return self.total - self.done


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of a run that was not cancelled."""

    summary: Summary


Event: TypeAlias = Planned | Answered | Waiting | ExplainerFailed | Finished
