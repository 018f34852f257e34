"""The grid of a campaign: which questions there are, in which order, and which of them are answered."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from engine.campaign.events import Cell, Planned
from engine.campaign.plan import FIXED
from engine.errors import StoreError, UsageError
from engine.verdicts.records import Key, ModelRecord, Selection

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engine.campaign.plan import Plan
    from engine.campaign.tools import Generate
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.queries.generation import Strategy
    from engine.queries.setting import Formula
    from engine.verdicts.store import Store


@dataclass(frozen=True, slots=True)
class Entry:
    """A case of the grid, with the strategies that chose it: it is asked once for all of them."""

    model: str
    case: Case
    strategies: tuple[str, ...]
    variants: tuple[str, ...]

    def cells(self, explainer: str, variant: str) -> tuple[Cell, ...]:
        """Return the cells that a question about this case belongs to."""
        return tuple(Cell(self.model, explainer, self.case.category, strategy, variant) for strategy in self.strategies)


@dataclass(frozen=True, slots=True)
class Item:
    """One question of one explainer, not yet in words."""

    entry: Entry
    variant: str
    sample: int

    @property
    def key(self) -> Key:
        """What the store knows it by."""
        return Key(self.entry.case.id, self.variant, self.sample)


@dataclass(frozen=True, slots=True)
class Grid:
    """All cases of a plan.

    Attributes
    ----------
    plan
        The plan.
    entries
        The cases: by model, category, strategy and place in the selection. The same plan gives the same order.
    omitted, short
        As in `Planned`.
    """

    plan: Plan
    entries: tuple[Entry, ...]
    omitted: Mapping[tuple[str, str], str]
    short: Mapping[tuple[str, str, str], int]

    def items(self) -> Iterator[Item]:
        """Yield the questions of any one explainer, in order."""
        for entry in self.entries:
            for variant in entry.variants:
                for sample in range(self.plan.samples):
                    yield Item(entry, variant, sample)

    def planned(
        self, answered: Mapping[str, set[Key]], skipped: Mapping[str, set[Key]]
    ) -> tuple[Planned, dict[str, int]]:
        """Count the questions.

        Parameters
        ----------
        answered
            Explainer → what it has answered.
        skipped
            Explainer → what it has not answered and is not asked.

        Returns
        -------
        The counts, and explainer → questions of this plan that it is asked now.
        """
        cells: Counter[Cell] = Counter()
        cells_done: Counter[Cell] = Counter()
        pending = dict.fromkeys(answered, 0)
        left_out = 0
        for item in self.items():
            for explainer, keys in answered.items():
                here = item.entry.cells(explainer, item.variant)
                cells.update(here)
                if item.key in keys:
                    cells_done.update(here)
                elif item.key in skipped[explainer]:
                    left_out += 1
                else:
                    pending[explainer] += 1
        total = len(answered) * self.plan.samples * sum(len(entry.variants) for entry in self.entries)
        done = total - sum(pending.values()) - left_out
        return Planned(total, done, dict(cells), dict(cells_done), self.omitted, self.short, left_out), pending


def check_resumable(plan: Plan, store: Store) -> None:
    """Raise StoreError if the file holds questions that this plan cannot be mixed with."""
    # What an older plan does not name was then as it is by default now.
    defaults = {field.name: field.default for field in fields(plan)}
    plans = [run.plan for run in store.runs() if "models" in run.plan]
    for before in plans:
        if before.get("frozen", "") != plan.frozen:
            raise StoreError(
                "this campaign is about other cases",
                where=str(store.path),
                hint="give the same files to --cases again, or none if there were none; or name another file",
            )
        for name in FIXED:
            was, now = before.get(name, defaults[name]), getattr(plan, name)
            if was != now:
                option = name.replace("_", " ")
                raise StoreError(
                    f"this campaign was made with {option} {told(was)}, not {told(now)}",
                    where=str(store.path),
                    hint=f"use {option} {told(was)} again, or name another file",
                )
    graded = store.setting("tolerance") or (str(defaults["tolerance"]) if plans else plan.tolerance)
    if graded != plan.tolerance:
        raise StoreError(
            f"the answers of this campaign are graded with tolerance {graded}, not {plan.tolerance}",
            where=str(store.path),
            hint=f"give --tolerance {graded}, or grade them again first: "
            f"stormscope grade {shlex.quote(str(store.path))} --tolerance {plan.tolerance}",
        )


def told(value: object) -> str:
    """Return a setting as a message names it."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value) or "none"


def build_grid(plan: Plan, oracles: Mapping[str, Oracle], store: Store, generate: Generate) -> Grid:
    """Choose the cases, or take those that an earlier run has chosen, and record them.

    Raises
    ------
    UsageError
        If the grid is empty, an environment lacks a wording, or two models are the same.
    StoreError
        If the file holds another version of a model, or fails.
    """
    _check_distinct(plan, oracles)
    variants = {model: variants_of(plan, oracles[model]) for model in plan.models}
    store.add_models([ModelRecord.of(model, oracles[model]) for model in plan.models])
    entries: list[Entry] = []
    omitted: dict[tuple[str, str], str] = {}
    short: dict[tuple[str, str, str], int] = {}
    for model in plan.models:
        chosen = {
            strategy: _choose(plan, model, oracles[model], strategy, store=store, generate=generate)
            for strategy in plan.strategies
        }
        for category in plan.categories:
            by_strategy = {strategy: chosen[strategy][category] for strategy in plan.strategies}
            entries.extend(_entries(model, by_strategy, variants[model]))
            for strategy, selection in by_strategy.items():
                if selection.omitted is not None:
                    omitted[model, category] = selection.omitted
                elif len(selection.cases) < plan.budget and not plan.frozen:
                    short[model, category, strategy] = len(selection.cases)
    if not entries:
        reasons = "; ".join(f"{model}, {category}: {why}" for (model, category), why in omitted.items())
        raise UsageError(f"there is nothing to ask: {reasons or 'no category has candidates'}")
    return Grid(plan, tuple(entries), omitted, short)


def _check_distinct(plan: Plan, oracles: Mapping[str, Oracle]) -> None:
    names: dict[str, str] = {}
    for model in plan.models:
        twin = names.setdefault(oracles[model].identity, model)
        if twin != model:
            raise UsageError(f"{model!r} and {twin!r} are the same model", hint="name it once")


def variants_of(plan: Plan, oracle: Oracle) -> tuple[str, ...]:
    """Return the wordings that a plan asks of a model; raises UsageError if the environment lacks one."""
    has = oracle.environment.variants
    if plan.variants == ("all",):
        return has
    missing = next((variant for variant in plan.variants if variant not in has), None)
    if missing is not None:
        raise UsageError(
            f"the environment {oracle.environment.name!r} has no wording {missing!r}", hint=f"it has: {', '.join(has)}"
        )
    return plan.variants or has[:1]


def _choose(
    plan: Plan, model: str, oracle: Oracle, strategy: str, *, store: Store, generate: Generate
) -> dict[str, Selection]:
    found = {category: store.selection(model, category, strategy, plan.budget) for category in plan.categories}
    lacking = [category for category, selection in found.items() if selection is None]
    chosen = {category: selection for category, selection in found.items() if selection is not None}
    if lacking:
        generated = generate(
            oracle,
            lacking,
            budget=plan.budget,
            strategy=cast("Strategy", strategy),  # `Plan` has checked it
            seed=plan.seed,
            subset_size=plan.subset_size,
            difficulty=cast("Formula", plan.difficulty),  # as above
            tolerance=Fraction(plan.tolerance),
        )
        for category in lacking:
            cases = tuple(case for case in generated.cases if case.category == category)
            why = generated.omitted.get(category) or (None if cases else "it has no candidates")
            chosen[category] = Selection(cases, why)
        store.add_selections(model, strategy, plan.budget, {category: chosen[category] for category in lacking})
    return chosen


def _entries(model: str, by_strategy: Mapping[str, Selection], variants: tuple[str, ...]) -> list[Entry]:
    cases: dict[str, Case] = {}
    strategies: dict[str, list[str]] = {}
    for strategy, selection in by_strategy.items():
        for case in selection.cases:
            cases.setdefault(case.id, case)
            strategies.setdefault(case.id, []).append(strategy)
    return [Entry(model, case, tuple(strategies[name]), variants) for name, case in cases.items()]
