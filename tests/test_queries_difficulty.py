"""The ``paper`` formulas of methods.md 1.3, against values worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import Model, frozen_lake_4x4, oracle
from scipy import sparse

from engine.oracle.facts import Kind, Objective
from engine.oracle.numbers import Numbers
from engine.oracle.tri import Tri
from engine.queries.centrality import centrality, exact_betweenness, sampled_betweenness
from engine.queries.registry import category_named

LAKE = frozen_lake_4x4()


@pytest.mark.parametrize(
    ("category", "states", "delta"),
    [
        ("satisfy", (6,), 16 / 17),  # 1 - 2·abs(9/17 - 1/2)
        ("satisfy", (15,), 0.0),  # V = 1
        ("satisfy", (5,), 0.0),  # V = 0
        ("best-action", (1,), 3 / 4),  # one of four is optimal
        ("best-action", (6,), 1 / 2),  # two of four
        ("worst-action", (1,), 1 / 4),  # three of four are worst
        ("more-promising", (10, 8), 16 / 17),  # 13/17 against 14/17
        ("more-promising", (15, 5), 0.0),  # 1 against 0
        ("subset-has-dead-end", (6, 0, 13, 15), 8 / 17),  # no dead end, smallest V 9/17
        ("subset-has-dead-end", (5, 0, 13, 15), 1.0),  # yes
    ],
)
def test_difficulty_by_hand(category: str, states: tuple[int, ...], delta: float) -> None:
    """Each formula gives the hand-computed δ on Frozen Lake."""
    found = category_named(category).difficulty(LAKE, np.array([states]))
    assert found.delta[0] == pytest.approx(delta, abs=1e-12)


def test_subset_difficulty_looks_at_large_values_for_pmin() -> None:
    """Under Pmin a dead end has V = 1, so that the largest V is the closest to one."""
    coin = {1: Fraction(1, 4), 2: Fraction(3, 4)}
    model = Model([{"a": coin}, {"a": {1: Fraction(1)}}, {"a": {2: Fraction(1)}}], {"goal": {1}, "unsafe": set()})
    known = oracle(model, kind=type(LAKE.facts.objective.kind).PMIN)
    found = category_named("subset-has-dead-end").difficulty(known, np.array([[0, 2]]))
    assert found.delta[0] == pytest.approx(1 / 4)


def test_infinite_expected_rewards_are_as_near_to_dead_ends_as_can_be() -> None:
    """Under Rmin a dead end has V = ∞: no gap to another ∞ (δ 1), else the place within the finite values."""
    numbers = Numbers.from_exact([Fraction(0), Fraction(1), Fraction(4), math.inf, math.inf])
    facts = replace(
        LAKE.facts,
        objective=Objective('Rmin=? [F "goal"]', Kind.RMIN, reward="steps"),
        value=numbers,
        dead_end=np.array([Tri.NO, Tri.NO, Tri.NO, Tri.NO, Tri.YES], dtype=np.int8),
    )
    subsets = np.array([[0, 1], [0, 2], [0, 3], [0, 4]])
    found = category_named("subset-has-dead-end").difficulty(replace(LAKE, facts=facts), subsets)
    assert found.delta.tolist() == [1 / 4, 1, 1, 1]


def graph_of(edges: list[tuple[int, int]], count: int) -> sparse.csr_array:
    """Return a graph in compressed rows."""
    tails, heads = zip(*edges, strict=True) if edges else ((), ())
    graph = sparse.csr_array((np.ones(len(edges), dtype=np.int8), (tails, heads)), shape=(count, count))
    graph.sum_duplicates()
    return graph


def test_betweenness_of_a_path() -> None:
    """On 0→1→2→3 the two inner nodes lie on two of the six ordered pairs of others each."""
    graph = graph_of([(0, 1), (1, 2), (2, 3)], 4)
    assert exact_betweenness(graph) == pytest.approx([0, 1 / 3, 1 / 3, 0])


def test_betweenness_of_a_diamond() -> None:
    """Where two shortest paths are equally long, each of their inner nodes counts one half."""
    graph = graph_of([(0, 1), (0, 2), (1, 3), (2, 3)], 4)
    assert exact_betweenness(graph) == pytest.approx([0, 1 / 12, 1 / 12, 0])


@given(st.integers(3, 9), st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=40))
def test_sampling_every_node_gives_the_exact_betweenness(count: int, edges: set[tuple[int, int]]) -> None:
    """The estimate from all sources equals the other library's exact result, on any graph."""
    graph = graph_of([(a, b) for a, b in edges if a < count and b < count], count)
    assert sampled_betweenness(graph, np.arange(count)) == pytest.approx(exact_betweenness(graph), abs=1e-12)


def test_more_shortest_paths_than_a_double_can_count() -> None:
    """A chain of 1,200 diamonds has 2^1200 shortest paths; every target behind a joint depends on it all the same."""
    diamonds = 1200
    edges = []
    for number in range(diamonds):
        joint = 3 * number
        edges += [(joint, joint + 1), (joint, joint + 2), (joint + 1, joint + 3), (joint + 2, joint + 3)]
    count = 3 * diamonds + 1
    found = sampled_betweenness(graph_of(edges, count), np.array([0]))
    joints = np.arange(3, count, 3)
    assert found[joints] == pytest.approx((count - 1 - joints) / (count - 2))
    assert found[joints - 1] == pytest.approx((count - joints) / 2 / (count - 2))


def test_centrality_is_computed_once_for_each_identity() -> None:
    """The same checked model gives the same array, which nobody can change."""
    first = centrality(LAKE)
    assert centrality(frozen_lake_4x4()) is first
    assert not first.flags.writeable
