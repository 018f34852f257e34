"""Test cases from a checked model: candidates, difficulty, selection (methods.md 1.3)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from engine.errors import UsageError
from engine.queries.case import Case
from engine.queries.category import Category, Scope, Search
from engine.queries.draws import Draws
from engine.queries.limits import LARGEST_BUDGET
from engine.queries.registry import category_named
from engine.queries.selection import select
from engine.queries.setting import TOLERANCE, Setting, read_formula, setting_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import FloatArray, IntArray
    from engine.queries.setting import Formula
    from engine.queries.spaces import AnswerSpace

Strategy: TypeAlias = Literal["prioritized", "random"]
DIGITS = 9
"""Digits of δ."""
SMALLEST_SUBSET = 2


@dataclass(frozen=True, slots=True)
class Generated:
    """The cases of one model.

    Attributes
    ----------
    cases
        Category by category in the order asked for; within one the hardest first (in drawn order for ``random``).
    omitted
        Category → why it has no cases.
    notes
        Category → what else the user should know: fewer candidates than the budget.
    difficulty
        The formulas that δ was computed by.
    """

    cases: tuple[Case, ...]
    omitted: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    difficulty: Formula = "paper"


def generate(
    oracle: Oracle,
    categories: Sequence[str],
    *,
    budget: int = 20,
    strategy: Strategy = "prioritized",
    seed: int = 0,
    subset_size: int = 4,
    difficulty: Formula = "paper",
    tolerance: Fraction = TOLERANCE,
) -> Generated:
    """Choose the test cases of some categories; the same arguments give the same cases on every machine.

    Parameters
    ----------
    oracle
        The checked model.
    categories
        Names of methods.md 1.2.
    budget
        Cases for each category; all there are if there are fewer.
    strategy
        The hardest candidates, or uniformly drawn ones.
    seed
        Of the draws and of the order within ties.
    subset_size
        States of a subset question.
    difficulty
        The formulas of δ (methods.md 1.3).
    tolerance
        Of ``satisfy``.

    Raises
    ------
    UsageError
        If a category or strategy does not exist, or a number is too small.
    """
    if not 1 <= budget <= LARGEST_BUDGET:
        raise UsageError(f"the budget must be from 1 to {LARGEST_BUDGET}, not {budget}")
    if subset_size < SMALLEST_SUBSET:
        raise UsageError(f"a subset must have at least {SMALLEST_SUBSET} states, not {subset_size}")
    formula = read_formula(difficulty)
    search = Search(budget, subset_size, read_strategy(strategy) == "prioritized", formula == "refined")
    choice = _Choice(search, strategy, seed, formula)
    setting = Setting(seed=seed, tolerance=tolerance)
    cases: list[Case] = []
    omitted: dict[str, str] = {}
    notes: dict[str, str] = {}
    for category in [category_named(name).configured(setting) for name in dict.fromkeys(categories)]:
        reason = category.defined(oracle)
        if reason is None and category.scope is Scope.SUBSET and oracle.mdp.states < subset_size:
            reason = f"the model has only {oracle.mdp.states} states, fewer than a subset of {subset_size}"
        found, said = ([], reason) if reason else _choose(oracle, category, choice)
        if not found:
            omitted[category.name] = said
        elif said:
            notes[category.name] = said
        cases.extend(found)
    return Generated(tuple(cases), omitted, notes, difficulty)


def read_strategy(text: str) -> Strategy:
    """Return the strategy of that name; raises UsageError."""
    match text:
        case "prioritized" | "random":
            return text
        case _:
            raise UsageError(f"there is no strategy {text!r}", hint=f"take one of: {', '.join(get_args(Strategy))}")


def case_for(
    oracle: Oracle,
    category: str,
    states: Sequence[int],
    *,
    seed: int = 0,
    parameters: Mapping[str, str] | None = None,
) -> Case:
    """Return the case of a category about given states.

    Parameters
    ----------
    oracle, category, states
        What is asked.
    seed
        Of what the question draws beside its states, where `parameters` do not say it.
    parameters
        As in `Case.parameters`: with those of a case, its states give that case again.

    Raises
    ------
    UsageError
        If the category does not exist, the number of states is wrong, a state does not exist or occurs twice, the
        category has no cases on this model, or the question has no known, unique answer there.
    """
    kind = category_named(category).configured(setting_of(parameters or {}, seed))
    chosen = tuple(int(state) for state in states)
    _check_states(kind, chosen, oracle.mdp.states)
    reason = kind.defined(oracle)
    if reason is not None:
        raise UsageError(
            f"{kind.name} cannot be asked of this model and objective: {reason}",
            hint="stormscope cases … lists the categories that can be asked",
        )
    reason = kind.refusal(oracle, chosen)
    if reason is not None:
        raise UsageError(
            f"{kind.name} cannot be asked here: {reason}",
            hint=f"stormscope cases … --category {kind.name} lists where it can be",
        )
    return _case(oracle, kind, chosen, "manual")


def difficulties(
    oracle: Oracle, category: str, parameters: Mapping[str, str], states: Sequence[Sequence[int]], formula: Formula
) -> list[tuple[float, dict[str, float]]]:
    """Return δ and what it came from, for each of some cases of a category with the same parameters."""
    kind = category_named(category).configured(setting_of(parameters))
    delta, parts = _difficulty(oracle, kind, np.array(states, dtype=np.int64), formula)
    return [(float(value), _row(parts, row)) for row, value in enumerate(delta)]


def case_id(
    oracle: Oracle,
    category: str,
    states: tuple[int, ...],
    space: AnswerSpace,
    parameters: Mapping[str, str] | None = None,
) -> str:
    """Return the stable hash of a question, 16 hex digits: of the oracle, category, states, answers and parameters."""
    content = [oracle.identity, category, list(states), space.schema()]
    if parameters:
        content.append(dict(parameters))
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class _Choice:
    """What one category's cases are chosen by."""

    search: Search
    strategy: Strategy
    seed: int
    formula: Formula


def _choose(oracle: Oracle, category: Category, choice: _Choice) -> tuple[list[Case], str]:
    """Return the cases of one category and a note about them, or none and why there are none."""
    search = choice.search
    draws = Draws(choice.seed, category.name, choice.strategy)
    pool = category.pool(oracle, search, draws)
    if len(pool) == 0:
        return [], "no states make a question with a known, unique answer"
    note = "" if len(pool) >= search.budget else _all_used(len(pool), search.budget)
    classes = category.classes(oracle, pool) if category.balanced else None
    reason = None if classes is None else category.one_sided(classes)
    if reason is not None:
        return [], reason
    keys = draws.keys(len(pool))
    if not search.hardest:
        pool = pool[select(None, keys, search.budget, classes)]
        delta, parts = _difficulty(oracle, category, pool, choice.formula)
    else:
        if choice.formula == "refined":
            kept = category.refinable(oracle, pool, search.budget)
            if len(kept) < len(pool):
                note = f"refined difficulty was computed for {len(kept)} of {len(pool)} candidates, as it takes long"
                pool, keys = pool[kept], keys[kept]
                classes = None if classes is None else classes[kept]
        delta, parts = _difficulty(oracle, category, pool, choice.formula)
        chosen = select(delta, keys, search.budget, classes)
        pool, delta, parts = pool[chosen], delta[chosen], {name: values[chosen] for name, values in parts.items()}
    made = [
        _case(oracle, category, tuple(states), choice.strategy, delta=float(delta[row]), parts=_row(parts, row))
        for row, states in enumerate(pool.tolist())
    ]
    return made, note


def _difficulty(
    oracle: Oracle, category: Category, pool: IntArray, formula: Formula
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return rounded δ of candidates and what it came from."""
    found = (category.refined if formula == "refined" else category.difficulty)(oracle, pool)
    rounded = {name: np.round(values, DIGITS) + 0.0 for name, values in found.parts.items()}  # no negative zero
    delta: FloatArray = np.asarray(np.round(np.clip(found.delta, 0.0, 1.0), DIGITS) + 0.0, dtype=np.float64)
    return delta, rounded


def _row(parts: Mapping[str, FloatArray], row: int) -> dict[str, float]:
    """Return the parts of one candidate; what is not defined there (NaN) or infinite has no place in JSON."""
    return {name: float(values[row]) for name, values in parts.items() if np.isfinite(values[row])}


def _all_used(count: int, budget: int) -> str:
    return f"only {count} candidates for a budget of {budget}: all are used"


def _case(
    oracle: Oracle,
    category: Category,
    states: tuple[int, ...],
    strategy: str,
    *,
    delta: float | None = None,
    parts: Mapping[str, float] | None = None,
) -> Case:
    space = category.space(oracle, states)
    truth = category.truth(oracle, states)
    parameters = category.parameters(oracle, states)
    identity = case_id(oracle, category.name, states, space, parameters)
    return Case(
        id=identity,
        category=category.name,
        states=states,
        space=space,
        accepted=truth.accepted,
        numbers=truth.numbers,
        difficulty=delta,
        parts=parts or {},
        strategy=strategy,
        parameters=parameters,
    )


def _check_states(category: Category, states: tuple[int, ...], count: int) -> None:
    wanted = {Scope.STATE: "one state", Scope.PAIR: "two states", Scope.SUBSET: "two or more states"}[category.scope]
    right = {
        Scope.STATE: len(states) == 1,
        Scope.PAIR: len(states) == 2,  # noqa: PLR2004 - a pair
        Scope.SUBSET: len(states) >= SMALLEST_SUBSET,
    }[category.scope]
    if not right:
        raise UsageError(f"{category.name} asks about {wanted}, not {len(states)}", hint="give --state for each state")
    outside = next((state for state in states if not 0 <= state < count), None)
    if outside is not None:
        raise UsageError(f"there is no state {outside}", hint=f"states are numbered 0 to {count - 1}")
    if len(set(states)) < len(states):
        raise UsageError(f"{category.name} needs different states, and one is named twice")
