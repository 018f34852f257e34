"""The questions of a campaign as columns: what all tables are computed from, without a loop over answers."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from engine.oracle.numbers import parse_exact, to_float
from engine.queries.registry import all_categories
from engine.verdicts import queries
from engine.verdicts.by_hand import picked_cases
from engine.verdicts.rows import currency_of
from engine.verdicts.verdict import InvalidKind, Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Hashable, Iterable, Sequence

    import numpy.typing as npt

    from engine.queries.category import Chance
    from engine.verdicts.records import StoredCase
    from engine.verdicts.store import Store

IntArray: TypeAlias = "npt.NDArray[np.int64]"
FloatArray: TypeAlias = "npt.NDArray[np.float64]"
BoolArray: TypeAlias = "npt.NDArray[np.bool_]"

OUTCOMES = tuple(Outcome)
INVALID_KINDS = tuple(InvalidKind)
UNKNOWN = -1
"""Stands in whole-number columns for what is not there."""
COST_DIGITS = 12
"""Costs are whole numbers of 10^-12: a price for a million tokens may have six decimals."""

_MOST_COST = 10**18


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """The cases of a campaign as columns of ``(cases,)``.

    Attributes
    ----------
    stored
        The cases themselves.
    ids
        Theirs.
    model, category
        Codes: places in `Frame.models` and `Frame.categories`.
    cluster
        Code of the states asked about: answers about the same ones are not independent.
    difficulty
        δ; NaN where it is unknown.
    chosen
        ``(cases, strategies)`` whether a strategy has chosen it.
    chances
        What uniformly drawn answers get; None where it is unknown.
    """

    stored: tuple[StoredCase, ...]
    ids: tuple[str, ...]
    model: IntArray
    category: IntArray
    cluster: IntArray
    difficulty: FloatArray
    chosen: BoolArray
    chances: tuple[Chance | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Questions as columns of ``(n,)``, one entry a question of one explainer.

    Attributes
    ----------
    models, explainers, categories, variants, strategies, answers
        The names behind the codes. Models and explainers stand as the campaign knows them, but language
        models before baselines; categories as in the taxonomy.
    cases
        What the questions are about.
    case, explainer, variant, sample
        Which question: places in `cases` and in the names; the sample's number.
    outcome
        Places in `OUTCOMES`.
    score
        Of the `score` grader in [0, 1], as stored; NaN for undecided answers and errors. See `engine.verdicts.grades`.
    answer
        Place in `answers`; `UNKNOWN` if none was read.
    regret
        Of action answers; NaN elsewhere, infinite where nothing bounds it.
    invalid
        Places in `INVALID_KINDS`; `UNKNOWN` elsewhere.
    shown
        The options as they were shown where they were shuffled (JSON list), else None.
    seconds, attempts
        Latency of all attempts together, and requests sent.
    tokens_in, tokens_out, tokens_reasoning, cost
        `UNKNOWN` where nothing was reported; costs in units of 10^-`COST_DIGITS`.
    currency
        Of the cost: place in `currencies`, where an empty name is a currency that nobody has named.
    cached
        Whether the answer came from the cache of earlier campaigns, so that its cost was not spent again.
    """

    models: tuple[str, ...]
    explainers: tuple[str, ...]
    categories: tuple[str, ...]
    variants: tuple[str, ...]
    strategies: tuple[str, ...]
    answers: tuple[str, ...]
    cases: Cases
    case: IntArray
    explainer: IntArray
    variant: IntArray
    sample: IntArray
    outcome: IntArray
    score: FloatArray
    answer: IntArray
    regret: FloatArray
    invalid: IntArray
    shown: tuple[str | None, ...]
    seconds: FloatArray
    attempts: IntArray
    tokens_in: IntArray
    tokens_out: IntArray
    tokens_reasoning: IntArray
    cost: IntArray
    currencies: tuple[str, ...]
    currency: IntArray
    cached: BoolArray

    @property
    def model(self) -> IntArray:
        """The model of each question."""
        return self.cases.model[self.case]

    @property
    def category(self) -> IntArray:
        """The category of each question."""
        return self.cases.category[self.case]

    @property
    def counted(self) -> BoolArray:
        """Whether the outcome belongs to n, rates and scores."""
        return _COUNTED[self.outcome]

    @property
    def by_hand(self) -> BoolArray:
        """Whether a person picked the question: it is in no rate of what the campaign chose."""
        picked = picked_cases({each.case.id: each.strategies for each in self.cases.stored})
        by_case = np.array([name in picked for name in self.cases.ids], dtype=np.bool_)
        kept: BoolArray = (self.sample < 0) | by_case[self.case]
        return kept

    def only(self, wanted: BoolArray) -> Frame:
        """Return some of the questions, ``(n,)`` saying which; names and cases stay."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        columns: dict[str, Any] = {
            name: value[wanted] for name, value in values.items() if isinstance(value, np.ndarray)
        }
        shown = tuple(entry for entry, kept in zip(self.shown, wanted, strict=True) if kept)
        return replace(self, **columns, shown=shown)


_COUNTED = np.array([outcome.counted for outcome in OUTCOMES])


def read_frame(store: Store) -> Frame:
    """Read the questions that were answered, or have failed, with their cases, from one state of the file."""
    with store.snapshot():
        stored, rows = store.cases(), queries.questions(store)
        models, baselines = tuple(model.name for model in store.models()), store.explainers()
    explainers = tuple(sorted(baselines, key=baselines.__getitem__))
    categories = _taxonomy(entry.case.category for entry in stored.values())
    strategies = tuple(dict.fromkeys(name for entry in stored.values() for name in entry.strategies))
    variants, variant = _coded(row["variant"] for row in rows)
    answers, answer = _coded(row["answer"] for row in rows)
    currencies, currency = _coded(currency_of(row) for row in rows)
    places = {name: place for place, name in enumerate(stored)}
    known = {name: place for place, name in enumerate(explainers)}
    kinds = {kind.value: place for place, kind in enumerate(INVALID_KINDS)}
    outcomes = {outcome.value: place for place, outcome in enumerate(OUTCOMES)}
    return Frame(
        models=models,
        explainers=explainers,
        categories=categories,
        variants=variants,
        strategies=strategies,
        answers=answers,
        cases=_cases(tuple(stored.values()), models, categories, strategies),
        case=_whole(places[row["case"]] for row in rows),
        explainer=_whole(known[row["explainer"]] for row in rows),
        variant=variant,
        sample=_whole(row["sample"] for row in rows),
        outcome=_whole(outcomes[row["outcome"]] for row in rows),
        score=np.array([np.nan if row["score"] is None else row["score"] for row in rows], dtype=np.float64),
        answer=answer,
        regret=np.array([_regret(row["regret"]) for row in rows], dtype=np.float64),
        invalid=_whole(kinds.get(row["invalid_kind"], UNKNOWN) for row in rows),
        shown=tuple(row["shown"] for row in rows),
        seconds=np.array([row["seconds"] for row in rows], dtype=np.float64),
        attempts=_whole(row["attempts"] for row in rows),
        tokens_in=_reported(rows, "tokens_in"),
        tokens_out=_reported(rows, "tokens_out"),
        tokens_reasoning=_reported(rows, "tokens_reasoning"),
        cost=_whole(_cost(row["cost"]) for row in rows),
        currencies=currencies,
        currency=currency,
        cached=np.array([bool(row["cached"]) for row in rows], dtype=np.bool_),
    )


def _cases(
    stored: tuple[StoredCase, ...], models: Sequence[str], categories: Sequence[str], strategies: Sequence[str]
) -> Cases:
    _, cluster = _coded((entry.model, tuple(sorted(entry.case.states))) for entry in stored)
    deltas = [entry.case.difficulty for entry in stored]
    chosen = [[name in entry.strategies for name in strategies] for entry in stored]
    return Cases(
        stored=stored,
        ids=tuple(entry.case.id for entry in stored),
        model=_whole(models.index(entry.model) for entry in stored),
        category=_whole(categories.index(entry.case.category) for entry in stored),
        cluster=cluster,
        difficulty=np.array([np.nan if delta is None else delta for delta in deltas], dtype=np.float64),
        chosen=np.array(chosen, dtype=np.bool_).reshape(len(stored), len(strategies)),
        chances=tuple(_chance(entry) for entry in stored),
    )


def _chance(entry: StoredCase) -> Chance | None:
    category = all_categories().get(entry.case.category)
    return None if category is None else category.chance(entry.case)


def _taxonomy(names: Iterable[str]) -> tuple[str, ...]:
    found, order = set(names), list(all_categories())
    return tuple(sorted(found, key=lambda name: (order.index(name) if name in order else len(order), name)))


def _coded(values: Iterable[Hashable]) -> tuple[tuple[str, ...], IntArray]:
    """Return the different values in their first order, and the place of each; None has none."""
    places: dict[Hashable, int] = {}
    codes = _whole(UNKNOWN if value is None else places.setdefault(value, len(places)) for value in values)
    return tuple(str(value) for value in places), codes


def _whole(values: Iterable[int]) -> IntArray:
    return np.fromiter(values, dtype=np.int64)


def _reported(rows: Iterable[sqlite3.Row], name: str) -> IntArray:
    return _whole(UNKNOWN if row[name] is None else row[name] for row in rows)


@lru_cache(maxsize=1 << 16)
def _regret(text: str | None) -> float:
    return np.nan if text is None else to_float(parse_exact(text))


@lru_cache(maxsize=1 << 16)
def _cost(text: str | None) -> int:
    """Return a cost in units; what is no number, from whatever server, is no cost."""
    if text is None:
        return UNKNOWN
    try:
        units = int(Decimal(text).scaleb(COST_DIGITS).to_integral_value())
    except (InvalidOperation, ValueError, OverflowError):
        return UNKNOWN
    return units if 0 <= units <= _MOST_COST else UNKNOWN
