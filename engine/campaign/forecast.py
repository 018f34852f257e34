"""What a plan will come to before it is run: cases, questions, calls, time and cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, cast

from engine.campaign.grid import variants_of
from engine.errors import CancelledError, StoreError
from engine.verdicts.records import Key, Selection
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from engine.campaign.plan import Plan
    from engine.campaign.tools import Generate
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.queries.generation import Strategy
    from engine.queries.setting import Formula

    Stage: TypeAlias = Callable[[str, str], object]

_MILLION = 10**6
_CHARACTERS_A_TOKEN = 4
"""Of English text, about; only for estimates."""
_ANSWER_TOKENS = 20
"""Of a reply beside its explanation, about."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What one answer of an explainer takes.

    Attributes
    ----------
    seconds
        Of latency, on average; None if nothing is known.
    cost, currency
        None without prices; an empty currency is one that nobody has named.
    measured
        Whether both come from answers that it has given, rather than from the length of a prompt.
    at_once
        Questions that it takes at once, however many a plan would send; None if nothing limits them.
    """

    seconds: float | None = None
    cost: Fraction | None = None
    measured: bool = False
    at_once: int | None = None
    currency: str = ""

    def duration(self, questions: int, concurrency: int) -> float | None:
        """Return the seconds that so many questions take, of which a plan sends so many at once; None if unknown."""
        if self.seconds is None:
            return None
        together = concurrency if self.at_once is None else min(concurrency, self.at_once)
        return questions * self.seconds / max(together, 1)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a plan comes to.

    Attributes
    ----------
    cases
        Different cases of all models; one that both strategies chose counts once.
    questions
        Of each explainer: cases × wordings × samples.
    pending
        Explainer → questions that the file has no answer to.
    omitted
        ``(model, category)`` → why it has no case.
    short
        ``(model, category, strategy)`` → how many cases there are, where there are fewer than the budget.
    """

    cases: int
    questions: int
    pending: Mapping[str, int]
    omitted: Mapping[tuple[str, str], str] = field(default_factory=dict)
    short: Mapping[tuple[str, str, str], int] = field(default_factory=dict)


class Forecaster:
    """Counts plans one after the other; what one has needed is known for the next. Every method blocks."""

    def __init__(self, generate: Generate) -> None:
        self._generate = generate
        self._known: dict[tuple[object, ...], Selection] = {}

    def forecast(
        self,
        plan: Plan,
        oracles: Mapping[str, Oracle],
        file: Path | None,
        *,
        progress: Stage = lambda *_: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Forecast:
        """Choose the cases of a plan, without storing anything.

        Parameters
        ----------
        plan, oracles
            As for `engine.campaign.run_campaign`.
        file
            The campaign's file, if there is one: answers in it are not asked for again.
        progress, cancelled
            Told which category is chosen, and asked between two of them.

        Raises
        ------
        UsageError
            If an environment lacks a wording.
        StoreError
            If the file is no campaign.
        CancelledError
            Once `cancelled` says so.
        """
        omitted: dict[tuple[str, str], str] = {}
        short: dict[tuple[str, str, str], int] = {}
        cases, keys = 0, set[Key]()
        for model in plan.models:
            variants = variants_of(plan, oracles[model])
            for category in plan.categories:
                chosen: set[str] = set()
                for strategy in plan.strategies:
                    if cancelled():
                        raise CancelledError("cancelled")
                    progress("choosing cases", f"{model}, {category}")
                    selection = self._selection(plan, oracles[model], category, strategy)
                    chosen.update(case.id for case in selection.cases)
                    if selection.omitted is not None:
                        omitted[model, category] = selection.omitted
                    elif len(selection.cases) < plan.budget:
                        short[model, category, strategy] = len(selection.cases)
                cases += len(chosen)
                keys.update(Key(case, each, at) for case in chosen for each in variants for at in range(plan.samples))
        return Forecast(cases, len(keys), _pending(plan.explainers, keys, file), omitted, short)

    def examples(self, plan: Plan, oracle: Oracle) -> list[Case]:
        """Return a case of each category that has one."""
        found = (self._selection(plan, oracle, category, plan.strategies[0]) for category in plan.categories)
        return [selection.cases[0] for selection in found if selection.cases]

    def _selection(self, plan: Plan, oracle: Oracle, category: str, strategy: str) -> Selection:
        asked = plan.budget, plan.seed, plan.subset_size, plan.difficulty, plan.tolerance
        key = oracle.identity, category, strategy, *asked
        if key not in self._known:
            generated = self._generate(
                oracle,
                [category],
                budget=plan.budget,
                strategy=cast("Strategy", strategy),  # `Plan` has checked it
                seed=plan.seed,
                subset_size=plan.subset_size,
                difficulty=cast("Formula", plan.difficulty),  # as above
                tolerance=Fraction(plan.tolerance),
            )
            why = generated.omitted.get(category) or (None if generated.cases else "it has no candidates")
            self._known[key] = Selection(tuple(generated.cases), why)
        return self._known[key]


def _pending(explainers: Iterable[str], keys: set[Key], file: Path | None) -> dict[str, int]:
    if file is None or not file.is_file():
        return dict.fromkeys(explainers, len(keys))
    with Store(file, write=False) as store, store.snapshot():
        return {name: len(keys - store.answered(name)) for name in explainers}


def measured_paces(files: Iterable[Path]) -> dict[str, Pace]:
    """Return what an answer of each explainer has taken in some campaigns; earlier files go first. Blocks.

    A file that cannot be read tells nothing.
    """
    found: dict[str, Pace] = {}
    for file in files:
        try:
            with Store(file, write=False) as store:
                records = store.outcomes()
        except StoreError:
            continue
        seconds: dict[str, list[float]] = {}
        costs: dict[str, dict[str, list[Fraction]]] = {}
        for record in records:
            if record.outcome.value != "error":
                seconds.setdefault(record.explainer, []).append(record.seconds)
                if record.cost is not None:
                    own = costs.setdefault(record.explainer, {})
                    own.setdefault(record.currency, []).append(Fraction(record.cost))
        for name, took in seconds.items():
            # An endpoint whose currency was changed costs what the last one says.
            currency, paid = list(costs.get(name, {"": []}).items())[-1]
            cost = sum(paid, Fraction(0)) / len(paid) if paid else None
            found.setdefault(name, Pace(sum(took) / len(took), cost, measured=True, currency=currency))
    return found


def at_once(explainer: object) -> int:
    """Return how many questions an explainer takes at once: what its endpoint's settings say, else one.

    The embedded model has one slot; an answer's seconds are counted from when its turn comes.
    """
    return int(getattr(getattr(explainer, "endpoint", None), "concurrency", 1))


def priced(price_in: object, price_out: object, prompt: int, explanation_length: int, *, currency: str = "") -> Pace:
    """Return what an answer will cost about, from the prices of a million tokens and the lengths in characters."""
    if price_in is None and price_out is None:
        return Pace()
    tokens_in = prompt // _CHARACTERS_A_TOKEN
    tokens_out = explanation_length // _CHARACTERS_A_TOKEN + _ANSWER_TOKENS
    paid = Fraction(str(price_in or 0)) * tokens_in + Fraction(str(price_out or 0)) * tokens_out
    return Pace(cost=paid / _MILLION, currency=currency)
