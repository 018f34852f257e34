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

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.oracle.facts import Oracle
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
    """

    cases: tuple[Case, ...]
    omitted: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)


def generate(
    oracle: Oracle,
    categories: Sequence[str],
    *,
    budget: int = 20,
    strategy: Strategy = "prioritized",
    seed: int = 0,
    subset_size: int = 4,
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

    Raises
    ------
    UsageError
        If a category or strategy does not exist, or a number is too small.
    """
    read_strategy(strategy)
    if not 1 <= budget <= LARGEST_BUDGET:
        raise UsageError(f"the budget must be from 1 to {LARGEST_BUDGET}, not {budget}")
    if subset_size < SMALLEST_SUBSET:
        raise UsageError(f"a subset must have at least {SMALLEST_SUBSET} states, not {subset_size}")
    search = Search(budget, subset_size, strategy == "prioritized")
    cases: list[Case] = []
    omitted: dict[str, str] = {}
    notes: dict[str, str] = {}
    for category in [category_named(name) for name in dict.fromkeys(categories)]:
        reason = category.defined(oracle)
        if reason is None and category.scope is Scope.SUBSET and oracle.mdp.states < subset_size:
            reason = f"the model has only {oracle.mdp.states} states, fewer than a subset of {subset_size}"
        found = [] if reason else _choose(oracle, category, search, strategy, seed)
        if isinstance(found, str):
            reason, found = found, []
        if reason:
            omitted[category.name] = reason
        elif len(found) < budget:
            notes[category.name] = f"only {len(found)} candidates for a budget of {budget}: all are used"
        cases.extend(found)
    return Generated(tuple(cases), omitted, notes)


def read_strategy(text: str) -> Strategy:
    """Return the strategy of that name; raises UsageError."""
    match text:
        case "prioritized" | "random":
            return text
        case _:
            raise UsageError(f"there is no strategy {text!r}", hint=f"take one of: {', '.join(get_args(Strategy))}")


def case_for(oracle: Oracle, category: str, states: Sequence[int]) -> Case:
    """Return the case of a category about given states.

    Raises
    ------
    UsageError
        If the category does not exist, the number of states is wrong, a state does not exist or occurs twice, the
        category has no cases on this model, or the question has no known, unique answer there.
    """
    kind = category_named(category)
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


def case_id(oracle: Oracle, category: str, states: tuple[int, ...], space: AnswerSpace) -> str:
    """Return the stable hash of a question: of the oracle, category, states and valid answers, 16 hex digits."""
    content = json.dumps([oracle.identity, category, list(states), space.schema()], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _choose(oracle: Oracle, category: Category, search: Search, strategy: str, seed: int) -> list[Case] | str:
    """Return the cases of one category, or why there are none."""
    draws = Draws(seed, category.name, strategy)
    pool = category.pool(oracle, search, draws)
    if len(pool) == 0:
        return "no states make a question with a known, unique answer"
    classes = category.classes(oracle, pool) if category.balanced else None
    if classes is not None and (classes.all() or not classes.any()):
        return f"every candidate has the answer {'yes' if classes.any() else 'no'}"
    difficulty = category.difficulty(oracle, pool)
    delta = np.round(difficulty.delta, DIGITS) + 0.0  # no negative zero
    chosen = select(delta if search.hardest else None, draws.keys(len(pool)), search.budget, classes)
    return [
        _case(
            oracle,
            category,
            tuple(pool[position].tolist()),
            strategy,
            delta=float(delta[position]),
            parts={name: float(np.round(values[position], DIGITS)) for name, values in difficulty.parts.items()},
        )
        for position in chosen.tolist()
    ]


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
    identity = case_id(oracle, category.name, states, space)
    return Case(identity, category.name, states, space, truth.accepted, truth.numbers, delta, parts or {}, strategy)


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
