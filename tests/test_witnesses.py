"""Witnesses: paths that show why an answer is right or wrong, against enumeration of all simple paths."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from reference import arrays, frozen_lake_4x4
from small_mdps import every_candidate, models, oracles

from engine.errors import UsageError
from engine.queries.generation import case_for
from engine.witnesses.cases import witnesses
from engine.witnesses.likeliest import likeliest_after, likeliest_path
from engine.witnesses.runs import around, through, to_target

if TYPE_CHECKING:
    from reference_solver import Model

    from engine.oracle.facts import Oracle


def _best(model: Model, state: int, goal: set[int], seen: frozenset[int]) -> Fraction:
    """Return the probability of the likeliest simple path to the goal, 0 if there is none."""
    if state in goal:
        return Fraction(1)
    found = Fraction(0)
    for row in model.moves[state].values():
        for successor, chance in row.items():
            if successor not in seen:
                found = max(found, chance * _best(model, successor, goal, seen | {successor}))
    return found


@given(models())
def test_the_likeliest_path_is_the_likeliest_of_all_simple_paths(model: Model) -> None:
    """No simple path to the goal of a random MDP is likelier than the one shown, and its steps multiply to that."""
    mdp, goal = arrays(model), model.labels["goal"]
    mask = np.isin(np.arange(mdp.states), sorted(goal))
    for state in model.states:
        best = _best(model, state, goal, frozenset({state}))
        path = likeliest_path(mdp, np.array([state]), mask)
        assert (path is None) == (best == 0)
        if path is not None:
            assert path.probability == best
            assert path.states[0] == state
            assert path.states[-1] in goal
            for source, choice, successor in zip(path.states, path.choices, path.states[1:], strict=False):
                assert choice in mdp.choices_of(source)
                assert successor in dict(mdp.successors(choice))


@given(models())
def test_only_the_first_step_of_a_path_after_a_choice_is_given(model: Model) -> None:
    """The path is the likeliest successor with the likeliest way on from it, which may come back to the state."""
    mdp, goal = arrays(model), model.labels["goal"]
    mask = np.isin(np.arange(mdp.states), sorted(goal))
    for state in model.states:
        for choice in mdp.choices_of(state):
            successors = mdp.successors(choice)
            best = max(chance * _best(model, each, goal, frozenset({each})) for each, chance in successors)
            path = likeliest_after(mdp, choice, mask)
            assert (path is None) == (best == 0)
            if path is not None:
                assert path.probability == best
                assert (path.states[0], path.choices[0]) == (state, choice)
                assert path.states[-1] in goal


@pytest.fixture(scope="module")
def lake() -> Oracle:
    """Return the 4×4 lake by an independent solver."""
    return frozen_lake_4x4()


def test_the_lakes_bottleneck_cannot_be_gone_around(lake: Oracle) -> None:
    """State 14 of the lake lies on the path that is shown, and there is none without it; 9 can be gone around."""
    shown = through(lake, 14)
    assert shown.path is not None
    assert 14 in shown.path.states
    assert around(lake, 14).path is None
    other = around(lake, 9)
    assert other.path is not None
    assert 9 not in other.path.states


def test_a_wrong_action_is_followed_through_where_it_leads_back(lake: Oracle) -> None:
    """In state 8 of the lake every optimal run after left comes through 8 again, where it goes up."""
    (left,) = (choice for choice in lake.mdp.choices_of(8) if lake.mdp.action_name(choice) == "left")
    shown = to_target(lake, 8, left)
    assert shown.path is not None
    assert shown.path.choices[0] == left
    assert shown.path.states[-1] == 15


def test_a_dead_end_has_no_run_to_the_target(lake: Oracle) -> None:
    """From a hole nothing is shown but the sentence that no path reaches the target."""
    shown = to_target(lake, 5)
    assert shown.path is None
    assert "no path reaches the target" in shown.caption


@settings(max_examples=30)  # each example asks every question about a whole model
@given(oracles())
def test_every_case_has_a_witness(known: Oracle) -> None:
    """Whatever is asked about random MDPs, right and wrong answers alike have something to show, and never fail."""
    for category, states in every_candidate(known):
        try:
            case = case_for(known, category, states)
        except UsageError:
            continue  # no candidate: its answer is not unique
        for answer in (None, *case.accepted[:1], case.space.first()):
            assert witnesses(known, case, answer)
