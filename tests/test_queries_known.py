"""Frozen Lake 4×4: what is true there is known, and the categories must say it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from reference import Model, enclosed, frozen_lake_4x4, oracle

from engine.errors import UsageError
from engine.queries.generation import case_for, generate
from engine.queries.registry import all_categories, category_named

LAKE = frozen_lake_4x4()
BOTTLENECKS = ("is-bottleneck", "which-is-bottleneck", "bottlenecks-of-subset", "subset-has-bottleneck")


def test_values_solve_the_equations_of_the_optimal_policy() -> None:
    """V is 14/17 along the safe edge, as published, and satisfies the Bellman equation exactly everywhere."""
    value = [LAKE.facts.value.at(state) for state in range(16)]
    assert {state for state in range(16) if value[state] == Fraction(14, 17)} == {0, 1, 2, 3, 4, 8, 9}
    for state in range(15):
        if LAKE.mdp.labels["unsafe"][state]:
            assert value[state] == 0
            continue
        sums = [
            sum(Fraction(p) * Fraction(value[t] or 0) for t, p in LAKE.mdp.successors(choice))
            for choice in LAKE.mdp.choices_of(state)
        ]
        assert value[state] == max(sums)


def test_categories_are_those_of_the_taxonomy() -> None:
    """The registry finds every module of the categories package: the paper's ten, then the three extensions."""
    assert list(all_categories()) == [
        "is-bottleneck",
        "satisfy",
        "action-ranking",
        "best-action",
        "worst-action",
        "more-promising",
        "safer",
        "which-is-bottleneck",
        "subset-has-bottleneck",
        "subset-has-dead-end",
        "holds",
        "bottlenecks-of-subset",
        "dead-ends-of-subset",
    ]


@pytest.mark.parametrize(
    ("state", "best", "worst"),
    [
        (1, {"up"}, {"left", "down", "right"}),
        (6, {"left", "right"}, {"down"}),
        (14, {"down"}, {"left"}),
    ],
)
def test_action_sets(state: int, best: set[str], worst: set[str]) -> None:
    """A* and A- are those of the Q values worked out by hand from V of the neighbours, with ties."""
    assert set(case_for(LAKE, "best-action", [state]).accepted) == best
    assert set(case_for(LAKE, "worst-action", [state]).accepted) == worst


def test_only_the_tile_left_of_the_goal_is_a_bottleneck() -> None:
    """Of the 14 tiles that can be asked about, exactly tile 14 is a yes (published: one bottleneck)."""
    found = generate(LAKE, ["is-bottleneck"], budget=20)
    assert [case.states for case in found.cases if case.accepted == ("yes",)] == [(14,)]
    assert sorted(case.states[0] for case in found.cases) == list(range(1, 15))


def test_numbers_behind_a_case_are_exact() -> None:
    """A case states V, all Q values and the answers as exact text."""
    case = case_for(LAKE, "best-action", [14])
    assert case.numbers["V"] == "16/17"
    assert case.numbers["Q"] == {"left": "44/51", "down": "16/17", "right": "46/51", "up": "15/17"}
    assert case.numbers["A*"] == ["down"]
    assert case.difficulty is None
    assert case.strategy == "manual"


@pytest.mark.parametrize(
    ("category", "states", "said"),
    [
        ("best-action", [0], "all actions of state pos=0 are tied"),
        ("worst-action", [0], "all actions of state pos=0 are tied"),
        ("best-action", [5], "state pos=5 has only one action, stay"),
        ("best-action", [15], "it is a target"),
        ("is-bottleneck", [0], "state pos=0 is an initial state"),
        ("is-bottleneck", [15], "state pos=15 is a target"),
        ("more-promising", [0, 1], "states pos=0 and pos=1 are tied"),
        ("more-promising", [6, 6], "one is named twice"),
        ("more-promising", [6], "asks about two states, not 1"),
        ("satisfy", [1, 2], "asks about one state, not 2"),
        ("subset-has-dead-end", [1], "asks about two or more states, not 1"),
        ("satisfy", [16], "there is no state 16"),
        ("satisfy", [-1], "there is no state -1"),
        ("best-acton", [1], "there is no category 'best-acton'"),
    ],
)
def test_states_that_make_no_question_are_refused_with_the_reason(category: str, states: list[int], said: str) -> None:
    """A hand-picked state without a known, unique answer is a usage error that says why."""
    with pytest.raises(UsageError) as caught:
        case_for(LAKE, category, states)
    assert said in str(caught.value)


def test_a_misspelt_category_gets_a_guess() -> None:
    """The error for an unknown category names the nearest one and lists all."""
    with pytest.raises(UsageError, match="did you mean best-action") as caught:
        category_named("best-acton")
    assert all(name in str(caught.value) for name in all_categories())


def test_undecided_actions_are_refused_in_sound_mode() -> None:
    """Exactly tied actions are undecided between enclosures, and the refusal says so."""
    known = enclosed(LAKE, 1e-7)
    with pytest.raises(UsageError, match="undecided"):
        case_for(known, "best-action", [6])
    with pytest.raises(UsageError, match="undecided"):
        case_for(known, "more-promising", [0, 4])
    assert case_for(known, "best-action", [14]).accepted == ("down",)


def test_a_category_without_cases_says_why() -> None:
    """A model in which nothing varies omits categories, each with its own reason."""
    chain = Model(
        [{"go": {1: Fraction(1)}}, {"go": {2: Fraction(1)}}, {"go": {2: Fraction(1)}}], {"goal": {2}, "unsafe": set()}
    )
    found = generate(oracle(chain), list(all_categories()))
    assert found.omitted == {
        "holds": "every candidate has the answer yes",
        **dict.fromkeys(BOTTLENECKS, "every state that can be asked about is a bottleneck"),
        "action-ranking": "no state has actions that differ in value",
        "best-action": "no state has an action that is not among the best ones",
        "worst-action": "no state has an action that is not among the worst ones",
        "more-promising": "no two states have values that certainly differ",
        "safer": "no two states have dangers that certainly differ",
        "dead-ends-of-subset": "the model has no dead end",
        "subset-has-dead-end": "the model has no dead end",
    }
    assert {case.category for case in found.cases} == {"satisfy"}
    assert "only 3 candidates" in found.notes["satisfy"]

    del found.omitted["holds"]  # type: ignore[attr-defined] # asked by hand, a threshold of one answer is no obstacle
    for name, reason in found.omitted.items():
        with pytest.raises(UsageError) as caught:
            case_for(oracle(chain), name, [0, 1] if category_named(name).scope != "state" else [0])
        assert reason in str(caught.value)


def test_a_subset_larger_than_the_model_is_no_question() -> None:
    """A model with fewer states than a subset omits the subset categories and says the numbers."""
    found = generate(LAKE, ["subset-has-dead-end"], subset_size=17)
    assert found.omitted["subset-has-dead-end"] == "the model has only 16 states, fewer than a subset of 17"
    found = generate(LAKE, ["subset-has-dead-end"], subset_size=13)
    assert found.omitted["subset-has-dead-end"] == "every candidate has the answer yes"
