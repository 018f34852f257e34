"""Tables of a campaign: its questions grouped into cells, graded by a named grader (methods.md 1.5)."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

from engine.errors import UsageError
from engine.queries.registry import all_categories
from engine.verdicts.research import ScoreCell
from engine.verdicts.statistics import Share, Variety, exact_score, mean, share, variety
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping
    from pathlib import Path

    from engine.queries.category import Chance
    from engine.verdicts.records import OutcomeRecord, StoredCase
    from engine.verdicts.store import Store

Grader: TypeAlias = Literal["verdict", "score"]
GRADERS: tuple[Grader, ...] = ("verdict", "score")
BASELINES = frozenset({"random", "first", "half", "oracle"})
"""How tables made elsewhere call explainers without a language model, in lower case."""


@dataclass(frozen=True, slots=True)
class Row:
    """One question of one explainer, with all that groups it."""

    record: OutcomeRecord
    stored: StoredCase
    chance: Chance | None

    def graded(self, grader: Grader) -> Fraction:
        """Return the grade in [0, 1] of a counted outcome; an answer that is no answer has 0."""
        if grader == "verdict":
            return Fraction(self.record.outcome is Outcome.PASS)
        return exact_score(self.record.score or 0.0)

    @property
    def cluster(self) -> Hashable:
        """The states asked about: answers about the same ones are not independent."""
        return self.stored.model, tuple(sorted(self.stored.case.states))


@dataclass(frozen=True, slots=True)
class Counts:
    """Outcomes counted, each for itself."""

    passed: int
    failed: int
    invalid: int
    undecided: int
    errors: int

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Counts:
        """Count."""
        counts = Counter(outcomes)
        return cls(
            passed=counts[Outcome.PASS],
            failed=counts[Outcome.FAIL],
            invalid=counts[Outcome.INVALID],
            undecided=counts[Outcome.UNDECIDED],
            errors=counts[Outcome.ERROR],
        )

    @property
    def judged(self) -> int:
        """Answers that count: neither undecided ones nor errors."""
        return self.passed + self.failed + self.invalid

    @property
    def pass_rate(self) -> Fraction | None:
        """The share of passes, exact; None if nothing counts."""
        return Fraction(self.passed, self.judged) if self.judged else None


@dataclass(frozen=True, slots=True)
class CellStatistics:
    """What a cell of a table shows.

    Attributes
    ----------
    counts
        Its outcomes.
    share
        The mean grade with its interval; invalid answers are in it, undecided ones and errors are not.
    chance
        What uniformly drawn answers to these questions get on average from the same grader; None if it is unknown.
    variety
        Of the answers that could be read, undecided ones too.
    """

    counts: Counts
    share: Share
    chance: Fraction | None
    variety: Variety


def rows_of(store: Store) -> list[Row]:
    """Read the questions that were answered, or failed, with their cases."""
    with store.snapshot():
        cases = store.cases()
        records = store.outcomes()
    chances = {name: _chance(stored) for name, stored in cases.items()}
    return [Row(record, cases[record.key.case], chances[record.key.case]) for record in records]


def _chance(stored: StoredCase) -> Chance | None:
    category = all_categories().get(stored.case.category)
    return None if category is None else category.chance(stored.case)


def cell_statistics(rows: Iterable[Row], grader: Grader) -> CellStatistics:
    """Return the statistics of some questions taken together."""
    rows = list(rows)
    judged = [row for row in rows if row.record.outcome.counted]
    chances = [row.chance for row in judged if row.chance is not None]
    known = len(chances) == len(judged)
    return CellStatistics(
        counts=Counts.of(row.record.outcome for row in rows),
        share=share((row.cluster, row.graded(grader)) for row in judged),
        chance=mean([getattr(chance, grader) for chance in chances]) if known else None,
        variety=variety(row.record.answer for row in rows if row.record.answer is not None),
    )


def grouped(rows: Iterable[Row], key: Callable[[Row], tuple[str, ...]]) -> dict[tuple[str, ...], list[Row]]:
    """Group rows, in the order in which the groups first occur."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def by_cell(rows: Iterable[Row]) -> dict[tuple[str, str, str, str], list[Row]]:
    """Group rows by model, explainer, category and strategy; a case that both strategies chose is in two groups."""
    groups: dict[tuple[str, str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        for strategy in row.stored.strategies:
            groups[row.stored.model, row.record.explainer, row.stored.case.category, strategy].append(row)
    return dict(groups)


def score_cells(
    cells: Mapping[tuple[str, str, str, str], CellStatistics], baselines: Mapping[str, bool]
) -> list[ScoreCell]:
    """Return what the research questions are computed from; a cell in which nothing counts has no score."""
    return [
        ScoreCell(
            environment=model,
            explainer=explainer,
            category=category,
            strategy=strategy,
            score=cell.share.value,
            n=cell.share.n,
            lower=cell.share.lower,
            upper=cell.share.upper,
            baseline=baselines.get(explainer, False),
        )
        for (model, explainer, category, strategy), cell in cells.items()
        if cell.share.value is not None
    ]


def read_cells(file: Path) -> list[ScoreCell]:
    """Read a table of cells that was made elsewhere.

    Parameters
    ----------
    file
        CSV with the columns ``environment,explainer,category,prioritized,random``; scores in [0, 1], decimals or
        fractions, read exactly; an empty score is a cell that does not exist.

    Raises
    ------
    UsageError
        If the file cannot be read, a column is missing, or a score is none; with the line.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise UsageError(
                    f"the table has no column {', '.join(missing)}",
                    where=str(file),
                    hint=f"needed: {','.join(_COLUMNS)}",
                )
            return [cell for row in reader for cell in _read_row(row, f"{file}:{reader.line_num}")]
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(file)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"this is no CSV table: {error}", where=str(file)) from None


_COLUMNS = ("environment", "explainer", "category", "prioritized", "random")


def _read_row(row: Mapping[str, str | None], where: str) -> list[ScoreCell]:
    environment, explainer, category = ((row[name] or "").strip() for name in _COLUMNS[:3])
    cells = []
    for strategy in _COLUMNS[3:]:
        text = (row[strategy] or "").strip()
        if not text:
            continue
        try:
            score = Fraction(text)
        except (ValueError, ZeroDivisionError):
            raise UsageError(f"{strategy} is {text!r}, which is no number", where=where) from None
        if not 0 <= score <= 1:
            raise UsageError(f"{strategy} is {text}, which is not between 0 and 1", where=where)
        baseline = explainer.lower() in BASELINES
        cells.append(ScoreCell(environment, explainer, category, strategy, score, baseline=baseline))
    return cells
