"""Generation: balance, budget, seeds, and what a pool holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import frozen_lake_4x4

from engine.errors import UsageError
from engine.oracle.facts import Kind, Objective
from engine.oracle.numbers import Numbers
from engine.oracle.tri import Tri
from engine.queries import pairs, subsets
from engine.queries.draws import Draws
from engine.queries.generation import case_for, generate
from engine.queries.pairs import DistinctPairs
from engine.queries.registry import all_categories, category_named
from engine.queries.selection import select
from engine.queries.values import Scale

LAKE = frozen_lake_4x4()
EVERY = list(all_categories())
UNIT = Scale(0.0, 1.0)


def as_json(seed: int, strategy: str) -> str:
    """Return all cases of Frozen Lake as text."""
    found = generate(LAKE, EVERY, budget=5, seed=seed, strategy=strategy)  # type: ignore[arg-type] # one of the two
    return json.dumps([asdict(case) for case in found.cases], default=str)


@pytest.mark.parametrize("strategy", ["prioritized", "random"])
def test_the_same_seed_gives_the_same_cases_in_another_process(strategy: str) -> None:
    """Another interpreter with another hash seed generates the same cases, byte for byte."""
    code = f"from test_queries_generation import as_json; print(as_json(7, {strategy!r}), end='')"
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parent.parent)])
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": path}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert other.stdout == as_json(7, strategy)
    assert as_json(8, strategy) != as_json(7, strategy)


def test_yes_and_no_are_balanced() -> None:
    """Half of the subset questions have a dead end, under both strategies, and any first few of them are balanced."""
    for strategy in ("prioritized", "random"):
        cases = generate(LAKE, ["subset-has-dead-end"], budget=20, strategy=strategy).cases  # type: ignore[arg-type] # one of the two
        answers = [case.accepted[0] for case in cases]
        assert answers.count("yes") == answers.count("no") == 10
        assert answers[:6].count("yes") == 3


def test_the_hardest_come_first() -> None:
    """Prioritised cases have falling δ within a class, and no candidate that was left out is harder."""
    found = generate(LAKE, ["best-action", "satisfy"], budget=4)
    by_name = {name: [case.difficulty for case in found.cases if case.category == name] for name in EVERY}
    assert by_name["satisfy"] == [pytest.approx(16 / 17), pytest.approx(8 / 17), *[pytest.approx(6 / 17)] * 2]
    assert by_name["best-action"] == [0.75] * 4


def test_ties_are_not_broken_by_state_number() -> None:
    """Among equally hard states the seed decides, so that different seeds reach all of them."""
    seen = {generate(LAKE, ["best-action"], budget=1, seed=seed).cases[0].states[0] for seed in range(60)}
    assert seen == {1, 2, 3, 4, 8, 9, 10, 13, 14}


def test_difficulty_is_rounded_to_nine_digits() -> None:
    """δ and its parts have at most nine digits after the point."""
    for case in generate(LAKE, EVERY).cases:
        assert case.difficulty is not None
        for number in (case.difficulty, *case.parts.values()):
            assert number == round(number, 9)


def test_identities_are_stable_and_distinct() -> None:
    """A case asked for by hand has the id of the generated one, and no two questions share one."""
    cases = generate(LAKE, EVERY, budget=50).cases
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        assert case_for(LAKE, case.category, case.states).id == case.id
    other = replace(LAKE, identity="another")
    assert case_for(other, "satisfy", [6]).id != case_for(LAKE, "satisfy", [6]).id


@pytest.mark.parametrize(
    "arguments", [{"budget": 0}, {"budget": 10**9}, {"subset_size": 1}, {"strategy": "hardest"}, {"categories": ["no"]}]
)
def test_senseless_arguments_are_usage_errors(arguments: dict[str, object]) -> None:
    """Numbers out of range and unknown names are refused with a message."""
    with pytest.raises(UsageError):
        generate(LAKE, **{"categories": EVERY, **arguments})  # type: ignore[arg-type] # wrong on purpose


@given(
    st.lists(st.integers(0, 20), max_size=30),
    st.integers(1, 20),
    st.lists(st.booleans(), min_size=30, max_size=30),
)
def test_selection_is_balanced_and_takes_the_hardest_of_each_class(
    levels: list[int], budget: int, answers: list[bool]
) -> None:
    """Each class gets half of the budget or all it has, the other fills up, and no harder member of a class is left."""
    delta, classes = np.array(levels) / 20, np.array(answers[: len(levels)], dtype=bool)
    chosen = select(delta, Draws("keys").keys(len(levels)), budget, classes)
    assert len(set(chosen.tolist())) == len(chosen) == min(budget, len(levels))
    for answer in (True, False):
        members = np.flatnonzero(classes == answer)
        taken = [index for index in chosen.tolist() if classes[index] == answer]
        assert len(taken) >= min(len(members), budget // 2)
        assert [delta[index] for index in taken] == sorted(delta[members], reverse=True)[: len(taken)]


@given(st.lists(st.integers(0, 6), min_size=2, max_size=14), st.integers(1, 6), st.booleans())
def test_pairs_without_enumeration_match_all_pairs(values: list[int], count: int, exact: bool) -> None:
    """Searching and drawing pairs of a large model find what listing all pairs of a small one would."""
    if exact:
        numbers = Numbers.from_exact([Fraction(value, 6) for value in values])
    else:  # enclosures that overlap for neighbouring values only
        middle = np.array(values) / 6
        numbers = Numbers(middle - 0.1, middle + 0.1)
    least = 1 if exact else 2
    valid = {frozenset(p) for p in combinations(range(len(values)), 2) if abs(values[p[0]] - values[p[1]]) >= least}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "ENUMERATED", 0)
        found = DistinctPairs(numbers, UNIT, Draws(1))
        close, drawn = found.closest(count), found.uniform(count)
    assert found.total == len(valid)
    for chosen in (close, drawn):
        as_sets = [frozenset(pair) for pair in chosen.tolist()]
        assert len(set(as_sets)) == len(as_sets)
        assert len(as_sets) >= min(count, len(valid))
        assert set(as_sets) <= valid
        assert all(values[low] < values[high] for low, high in chosen.tolist())

    def gaps(some: list[list[int]] | set[frozenset[int]]) -> list[int]:
        return sorted(abs(values[a] - values[b]) for a, b in some)[:count]

    assert gaps(close.tolist()) == gaps(valid)


def test_uniform_pairs_are_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every valid pair is drawn about equally often: 5 of 35 pairs, 7,000 times in all."""
    monkeypatch.setattr(pairs, "ENUMERATED", 0)
    values = [0, 0, 0, 1, 2, 2, 3, 4, 4]
    numbers = Numbers.from_exact([Fraction(value) for value in values])
    counts: dict[tuple[int, ...], int] = {}
    for seed in range(1400):
        for pair in DistinctPairs(numbers, UNIT, Draws(seed)).uniform(5).tolist():
            counts[tuple(pair)] = counts.get(tuple(pair), 0) + 1
    assert len(counts) == sum(a != b for a, b in combinations(values, 2))
    mean = 7000 / len(counts)
    assert all(0.7 * mean < number < 1.3 * mean for number in counts.values())


def test_distinct_draws_are_uniform_sets() -> None:
    """Each of the ten 2-subsets of five is drawn about 2,000 times in 20,000."""
    rows = np.sort(Draws("sets").distinct(5, 2, 20_000), axis=1)
    found, counts = np.unique(rows, axis=0, return_counts=True)
    assert found.tolist() == [list(pair) for pair in combinations(range(5), 2)]
    assert counts.min() > 1850
    assert counts.max() < 2150


@given(st.integers(1, 4), st.integers(0, 5), st.integers(2, 4))
def test_subsets_without_enumeration_match_all_subsets(marked: int, plain: int, size: int) -> None:
    """Drawing from small sets finds every subset of both classes, and no other."""
    states = range(marked + plain)
    every = [list(subset) for subset in combinations(states, size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subsets, "ENUMERATED", 0)
        dead, live = np.arange(marked), np.arange(marked, marked + plain)
        if len(states) >= size:
            yes = subsets.with_marked(dead, live, size, 2000, Draws(3))
            assert yes.tolist() == [subset for subset in every if subset[0] < marked]
        if plain >= size:
            no = subsets.without_marked(live, size, 2000, Draws(3))
            assert no.tolist() == [subset for subset in every if subset[0] >= marked]
            near = subsets.around(live, live, size, Draws(3))
            assert all(live[row] in near[row] and len(set(near[row])) == size for row in range(plain))
            assert set(near.ravel().tolist()) <= set(live.tolist())


def test_a_large_model_is_searched_without_listing_everything() -> None:
    """With 60,000 states the hardest pairs, and subsets around the nearest misses, are still found."""
    count = 60_000
    rank = Draws("values").below(1_000_003, count)
    distinct, positions = np.unique(rank, return_inverse=True)
    table = tuple(Fraction(int(value), 1_000_003) for value in distinct)
    value = Numbers.from_ranks(positions.astype(np.int64), table)
    dead = np.where(Draws("dead").below(100, count) == 0, Tri.YES, Tri.NO).astype(np.int8)
    facts = replace(LAKE.facts, value=value, dead_end=dead)
    ends, states = np.arange(count + 1), np.arange(count)
    mdp = replace(LAKE.mdp, choice_start=ends, transition_start=ends, target=states, valuations={"x": states})
    large = replace(LAKE, mdp=mdp, facts=facts, identity="large")
    found = generate(large, ["more-promising", "subset-has-dead-end"], budget=10)
    gaps = np.diff(distinct)
    hardest = sorted((1 - np.sort(gaps)[:10] / 1_000_003).round(9), reverse=True)
    assert [case.difficulty for case in found.cases[:10]] == pytest.approx(hardest, abs=2e-9)
    smallest = value.floats[dead == Tri.NO].min()
    no = [case for case in found.cases if case.accepted == ("no",)]
    assert no[0].difficulty == pytest.approx(1 - smallest, abs=2e-9)


def test_expected_rewards_are_measured_within_their_range() -> None:
    """Reward gaps are shares of the range of finite values; infinite against finite is 1, against infinite 0."""
    scale = Scale(2.0, 4.0)
    infinite = np.inf
    gaps = scale.gaps(np.array([2.0, 2.0, 3.0, infinite]), np.array([6.0, 3.0, infinite, infinite]))
    assert gaps.tolist() == [1.0, 0.25, 1.0, 0.0]
    steps = Numbers.from_exact([Fraction(2), Fraction(3), Fraction(6), float("inf")])
    objective = Objective('Rmin=? [F "goal"]', Kind.RMIN)
    facts = replace(LAKE.facts, objective=objective, value=steps)
    assert Scale.of(facts) == scale
    known = replace(LAKE, facts=facts)
    category = category_named("more-promising")
    assert category.truth(known, (1, 3)).accepted == ("A",)
    assert category.difficulty(known, np.array([[0, 1]])).delta[0] == 0.75
