"""The verdict table while it fills: cells that take one verdict at a time, with the same figures as a report's.

A report groups all rows of a file at once; a table on a screen cannot read the file anew for each answer. Both give the
same statistics (methods.md 1.5): see `engine.verdicts.tables`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np

from engine.queries.registry import all_categories
from engine.verdicts.exact_scores import exact_score
from engine.verdicts.statistics import UNIT, Share, Variety, effective_n, exact_sum, variety, wilson
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.queries.case import Case
    from engine.queries.category import Chance
    from engine.verdicts.tables import Grader

T = TypeVar("T")
Cluster: TypeAlias = tuple[str, tuple[int, ...]]
"""The model and the states that an answer is about: answers about the same states are alike."""


class Sums(NamedTuple):
    """Grades of one cluster in ``1/UNIT`` by both graders, for intervals, and their number."""

    passed: int = 0
    scored: int = 0
    n: int = 0

    def plus(self, other: Sums) -> Sums:
        """Return both together."""
        return Sums(self.passed + other.passed, self.scored + other.scored, self.n + other.n)


class Judged(NamedTuple):
    """A verdict, as a cell counts it; its score is exact, 0 where there is none."""

    cluster: Cluster
    outcome: Outcome
    score: Fraction
    answer: str | None
    chance: Chance | None

    @classmethod
    def of(cls, model: str, case: Case, outcome: Outcome, score: float | None, answer: str | None) -> Self:
        """Return the verdict on an answer to a case about a model."""
        chance = chance_of(case)
        exact = Fraction(0) if score is None else exact_score(case, answer, score)[0]
        return cls((model, tuple(sorted(case.states))), outcome, exact, answer, chance)

    @property
    def grades(self) -> Sums:
        """What it is worth to both graders."""
        passed = UNIT if self.outcome is Outcome.PASS else 0
        return Sums(passed, round(self.score * UNIT), 1)


@dataclass(frozen=True, slots=True)
class LiveCell:
    """The verdicts of one explainer in one category, so far.

    Attributes
    ----------
    planned
        Questions that have an answer or are to be asked.
    outcomes
        Verdicts by outcome; an error is a question that has only failed so far.
    clusters
        Cluster → grades of the answers that count.
    scores
        Exact score → how many counted answers have it.
    chances
        Chance level → how many counted answers have it; None where it is unknown.
    answers
        Answer as read → how often it was given.
    """

    planned: int = 0
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    clusters: Mapping[Cluster, Sums] = field(default_factory=dict)
    chances: Mapping[Chance | None, int] = field(default_factory=dict)
    answers: Mapping[str, int] = field(default_factory=dict)
    scores: Mapping[Fraction, int] = field(default_factory=dict)

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

    def plus(self, judged: Judged, *, failed_before: bool = False) -> Self:
        """Return the cell with one more verdict.

        Parameters
        ----------
        judged
            The verdict.
        failed_before
            Whether the question is in the cell already, as an error.
        """
        outcomes = {**self.outcomes, judged.outcome: self.of(judged.outcome) + 1}
        if failed_before:
            outcomes[Outcome.ERROR] -= 1
        outcomes = {outcome: number for outcome, number in outcomes.items() if number}
        answers = dict(self.answers)
        if judged.answer is not None:
            answers[judged.answer] = answers.get(judged.answer, 0) + 1
        if not judged.outcome.counted:
            return replace(self, outcomes=outcomes, answers=answers)
        clusters, chances, scores = dict(self.clusters), dict(self.chances), dict(self.scores)
        clusters[judged.cluster] = clusters.get(judged.cluster, Sums()).plus(judged.grades)
        chances[judged.chance] = chances.get(judged.chance, 0) + 1
        scores[judged.score] = scores.get(judged.score, 0) + 1
        return replace(self, outcomes=outcomes, clusters=clusters, chances=chances, answers=answers, scores=scores)

    @classmethod
    def of_all(cls, verdicts: Iterable[Judged]) -> Self:
        """Return the cell of some verdicts, each of its own question, as planned as they are answered."""
        outcomes: dict[Outcome, int] = {}
        clusters: dict[Cluster, Sums] = {}
        chances: dict[Chance | None, int] = {}
        answers: dict[str, int] = {}
        scores: dict[Fraction, int] = {}
        for judged in verdicts:
            outcomes[judged.outcome] = outcomes.get(judged.outcome, 0) + 1
            if judged.answer is not None:
                answers[judged.answer] = answers.get(judged.answer, 0) + 1
            if judged.outcome.counted:
                clusters[judged.cluster] = clusters.get(judged.cluster, Sums()).plus(judged.grades)
                chances[judged.chance] = chances.get(judged.chance, 0) + 1
                scores[judged.score] = scores.get(judged.score, 0) + 1
        return cls(sum(outcomes.values()), outcomes, clusters, chances, answers, scores)

    def share(self, grader: Grader) -> Share:
        """Return the mean grade with its interval."""
        sizes = np.fromiter((sums.n for sums in self.clusters.values()), dtype=np.int64)
        totals = np.fromiter(
            (sums.passed if grader == "verdict" else sums.scored for sums in self.clusters.values()), dtype=np.int64
        )
        n = int(sizes.sum())
        if n == 0:
            return Share(None, 0, 0.0, 0.0, 1.0)
        graded = {Fraction(1): self.of(Outcome.PASS)} if grader == "verdict" else self.scores
        mean = exact_sum(graded) / n
        effective = effective_n(totals, sizes)
        lower, upper = wilson(min(float(mean) * effective, effective), effective)
        return Share(mean, n, effective, lower, upper)

    def chance(self, grader: Grader) -> Fraction | None:
        """Return what uniformly drawn answers get on average; None if nothing counts or it is unknown."""
        return mean_chance(self.chances, grader)

    @property
    def variety(self) -> Variety:
        """How varied the answers are."""
        return variety(self.answers)


def chance_of(case: Case) -> Chance | None:
    """Return what guessing gets at a case; None for a category that does not exist any more."""
    category = all_categories().get(case.category)
    return None if category is None else category.chance(case)


def mean_chance(chances: Mapping[Chance | None, int], grader: Grader) -> Fraction | None:
    """Return the mean of chance levels, each with its number; None of none, or if one is unknown."""
    if not chances or None in chances:
        return None
    sums = [(getattr(chance, grader), number) for chance, number in chances.items()]
    return sum((level * number for level, number in sums), Fraction(0)) / sum(number for _, number in sums)


def together(cells: Iterable[LiveCell]) -> LiveCell:
    """Return the sum of some cells."""
    cells = tuple(cells)
    if len(cells) == 1:
        return cells[0]
    planned = 0
    outcomes: dict[Outcome, int] = {}
    clusters: dict[Cluster, Sums] = {}
    chances: dict[Chance | None, int] = {}
    answers: dict[str, int] = {}
    scores: dict[Fraction, int] = {}
    for cell in cells:
        planned += cell.planned
        for place, sums in cell.clusters.items():
            clusters[place] = clusters[place].plus(sums) if place in clusters else sums
        add_counts(outcomes, cell.outcomes)
        add_counts(chances, cell.chances)
        add_counts(answers, cell.answers)
        add_counts(scores, cell.scores)
    return LiveCell(planned, outcomes, clusters, chances, answers, scores)


def add_counts(sums: dict[T, int], counts: Mapping[T, int]) -> None:
    """Add numbers to those that are there."""
    for key, number in counts.items():
        sums[key] = sums.get(key, 0) + number
