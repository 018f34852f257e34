"""Optimal policies for all states at once, the probability of paths, sampled runs, and decision gaps."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import Model, enclosed, frozen_lake_4x4, oracle
from reference_solver import reachability
from small_mdps import oracles, plain_model

from engine.errors import UsageError
from engine.mdp.paths import Decisions, path_probability, sample_runs
from engine.oracle.derivation.gaps import decision_gaps
from engine.oracle.derivation.optimal import optimal_choices
from engine.oracle.facts import Objective
from engine.oracle.policy.policies import Policy
from engine.oracle.policy.simulation import MAX_RUNS, simulate

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle

ONE = Fraction(1)
LOOPING = Model(
    [{"to_b": {1: ONE}, "finish": {2: ONE}}, {"to_a": {0: ONE}, "finish": {2: ONE}}, {"stay": {2: ONE}}],
    {"goal": {2}, "unsafe": set()},
)
"""All Q are 1 and every action progresses in some optimal policy, but going to and fro never finishes."""


def value_when_following(known: Oracle, choices: np.ndarray) -> list[Fraction]:
    """Return the probability of the target from each state, by the reference solver on the chosen actions alone."""
    plain = plain_model(known)
    moves = []
    for state, actions in enumerate(plain.moves):
        chosen = int(choices[state])
        name = known.mdp.action_name(chosen) if chosen >= 0 else next(iter(actions))
        moves.append({name: actions[name]})
    targets = {state for state in plain.states if known.facts.target[state]}
    return reachability(Model(moves, {}), targets, known.facts.objective.kind, set(plain.states))


@given(oracles())
def test_the_optimal_choices_together_attain_v(known: Oracle) -> None:
    """Following one choice in each state gives V everywhere, for largest and smallest probabilities."""
    found = value_when_following(known, optimal_choices(known.mdp, known.facts))
    assert found == [known.facts.value.at(state) for state in range(known.mdp.states)]


def test_optimal_choices_that_loop_only_together_are_not_taken_together() -> None:
    """Each of two states may send the other way in some optimal policy; here both finish, since that is nearer."""
    known = oracle(LOOPING)
    names = [known.mdp.action_name(choice) for choice in optimal_choices(known.mdp, known.facts)[:2]]
    assert names == ["finish", "finish"]


def test_no_memoryless_policy_is_offered_for_a_step_bound() -> None:
    """With a bound the best action depends on the steps that are left."""
    lake = frozen_lake_4x4()
    facts = replace(lake.facts, objective=Objective('Pmax=? [F<=5 "goal"]', lake.facts.objective.kind, bound=5))
    with pytest.raises(UsageError, match="step bound"):
        optimal_choices(lake.mdp, facts)
    with pytest.raises(UsageError, match="step bound"):
        simulate(replace(lake, facts=facts), 0, runs=1, seed=1)


def test_the_probability_of_a_path_is_the_product_of_its_steps() -> None:
    """Down, down, right from the start of Frozen Lake: each intended step has 1/3, staying at the wall 1/3 as well."""
    mdp = frozen_lake_4x4().mdp
    left, down, right, _ = mdp.choices_of(0)
    assert path_probability(mdp, [0], []) == 1
    assert path_probability(mdp, [0, 4], [down]) == Fraction(1, 3)
    assert path_probability(mdp, [0, 0, 1], [left, right]) == Fraction(2, 3) * Fraction(1, 3)
    assert path_probability(mdp, [0, 15], [down]) == 0


def test_the_same_seed_gives_the_same_runs() -> None:
    """Two samples with one seed are equal, and another seed gives others."""
    lake = frozen_lake_4x4()
    first, again, other = (simulate(lake, 0, runs=500, seed=seed) for seed in (7, 7, 8))
    assert first == again
    assert (first.reached, first.steps) != (other.reached, other.steps)


def test_the_share_of_sampled_runs_is_near_v() -> None:
    """Of 20,000 optimal runs, 14/17 reach the goal within five standard errors, and all others are lost, none cut."""
    runs = simulate(frozen_lake_4x4(), 0, runs=20_000, seed=1)
    share = 14 / 17
    assert abs(runs.reached / runs.runs - share) < 5 * (share * (1 - share) / runs.runs) ** 0.5
    assert runs.reached + runs.failed == runs.runs
    assert runs.cut == 0


def test_runs_follow_a_randomised_policy() -> None:
    """Half of the runs finish at once and half go to the trap, by the policy's weights."""
    model = Model([{"win": {1: ONE}, "lose": {2: ONE}}, {"stay": {1: ONE}}, {"stay": {2: ONE}}], {"goal": {1}})
    known = oracle(model, danger=None)
    win, lose = known.mdp.choices_of(0)
    policy = Policy("mixed", {0: {win: Fraction(1, 4), lose: Fraction(3, 4)}})
    runs = simulate(known, 0, runs=8000, seed=3, policy=policy)
    assert abs(runs.reached / runs.runs - 0.25) < 5 * (0.25 * 0.75 / runs.runs) ** 0.5
    assert runs.steps == 1.0


def test_a_policy_that_never_arrives_ends_at_once() -> None:
    """Runs that go to and fro for ever are counted as failed without being walked."""
    known = oracle(LOOPING)
    to_b, _ = known.mdp.choices_of(0)
    to_a, _ = known.mdp.choices_of(1)
    runs = simulate(known, 0, runs=10, seed=1, policy=Policy("to and fro", {0: {to_b: ONE}, 1: {to_a: ONE}}))
    assert (runs.reached, runs.failed, runs.cut, runs.steps) == (0, 10, 0, None)


def test_rewards_are_collected_on_the_way() -> None:
    """Three sure steps with reward 2 each make 6, without spread."""
    line = Model([{"go": {state + 1: ONE}} for state in range(3)] + [{"stay": {3: ONE}}], {"goal": {3}})
    mdp = oracle(line, danger=None).mdp
    target = np.array([False, False, False, True])
    decisions = Decisions.certain(np.array([0, 1, 2, -1]))
    runs = sample_runs(
        mdp, decisions, 0, target=target, lost=~target & False, runs=5, seed=1, reward=np.array([2.0, 2.0, 2.0, 0.0])
    )
    assert (runs.reached, runs.steps, runs.total, runs.spread) == (5, 3.0, 6.0, 0.0)
    cut = sample_runs(mdp, decisions, 0, target=target, lost=~target & False, runs=5, seed=1, max_steps=2)
    assert (cut.reached, cut.cut) == (0, 5)


@pytest.mark.parametrize("runs", [0, MAX_RUNS + 1])
def test_senseless_numbers_of_runs_are_refused(runs: int) -> None:
    """No runs, or more than a machine should try, are a user's mistake."""
    with pytest.raises(UsageError, match="cannot be sampled"):
        simulate(frozen_lake_4x4(), 0, runs=runs, seed=1)


@given(oracles(), st.integers(0, 2**32))
def test_a_run_that_reaches_has_probability_above_zero(known: Oracle, seed: int) -> None:
    """From a state where V is 0 no optimal run arrives, and where it is 1 under Pmax all do."""
    for state in range(known.mdp.states):
        value = known.facts.value.at(state)
        runs = simulate(known, state, runs=3, seed=seed)
        if value == 0:
            assert runs.reached == 0
        if value == 1:
            assert runs.reached + runs.cut == 3


def test_decision_gaps_are_those_of_the_definition() -> None:
    """For every state with a best and a worse action: V minus the next Q below, from the fractions."""
    known = frozen_lake_4x4()
    expected = []
    for state in range(16):
        q = [known.facts.q.at(choice) for choice in known.mdp.choices_of(state)]
        if None not in q and len(set(q)) > 1:
            best, second = sorted(set(q), reverse=True)[:2]
            expected.append(float(best - second))
    assert list(decision_gaps(known.mdp, known.facts)) == pytest.approx(expected)


def test_undecided_actions_give_no_gap() -> None:
    """With wide intervals nothing is certainly best, so there is no gap to show."""
    known = enclosed(frozen_lake_4x4(), 0.4)
    assert len(decision_gaps(known.mdp, known.facts)) == 0
