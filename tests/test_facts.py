"""Facts against their plain definitions: policies enumerated, states blocked one by one, no shared code."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import arrays, enclosed, frozen_lake_4x4, oracle
from reference_solver import Model, can_reach, evaluated, reachability
from small_mdps import models

from engine.oracle.derivation.bottlenecks import strict_bottlenecks
from engine.oracle.derivation.derive import Checked, derive_facts
from engine.oracle.derivation.detours import loss_candidates
from engine.oracle.derivation.expectation import expectation, row_sums
from engine.oracle.derivation.extremes import extreme_choices
from engine.oracle.derivation.progress import progressing_choices
from engine.oracle.facts import Facts, Kind, Objective
from engine.oracle.numbers import Numbers
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle


def _derived(model: Model, kind: Kind) -> tuple[Facts, Oracle]:
    """Return the derived facts beside those by definition, both from the same V."""
    known = oracle(model, kind=kind)
    value = reachability(model, model.labels["goal"], kind)
    one = np.array([v == 1 for v in value])
    checked = Checked(known.facts.value, known.facts.value, None, known.facts.phi, known.facts.target, one)
    danger = known.facts.danger
    objective = Objective(known.facts.objective.text, kind)
    return derive_facts(known.mdp, objective, checked, danger, known.facts.danger_text), known


@given(models(), st.sampled_from([Kind.PMAX, Kind.PMIN]))
def test_facts_are_those_of_the_definitions(model: Model, kind: Kind) -> None:
    """Q, A*, A-, progressing actions, dead ends and bottlenecks of random MDPs are those of the plain definitions."""
    derived, known = _derived(model, kind)
    assert [derived.q.at(choice) for choice in range(known.mdp.choices)] == [
        known.facts.q.at(choice) for choice in range(known.mdp.choices)
    ]
    for name in ("best", "worst", "progressing", "dead_end", "bottleneck"):
        assert getattr(derived, name).tolist() == getattr(known.facts, name).tolist(), name


@given(models())
def test_progressing_actions_are_those_of_optimal_memoryless_policies(model: Model) -> None:
    """An action progresses exactly if one of all memoryless policies takes it and attains V in its state."""
    derived, known = _derived(model, Kind.PMAX)
    goal = model.labels["goal"]
    value = reachability(model, goal, Kind.PMAX)
    taken: set[tuple[int, str]] = set()
    free = [state for state in model.states if state not in goal]
    if np.prod([len(model.moves[state]) for state in free]) > 300:
        return
    for actions in itertools.product(*(model.moves[state] for state in free)):
        policy = dict(zip(free, actions, strict=True))
        reached = _under(model, goal, policy)
        taken |= {(state, policy[state]) for state in free if reached[state] == value[state]}
    for state in free:
        for choice in known.mdp.choices_of(state):
            expected = Tri((state, known.mdp.action_name(choice)) in taken) if value[state] > 0 else Tri.UNDEFINED
            assert derived.progressing[choice] == expected


def _under(model: Model, goal: set[int], policy: dict[int, str]) -> list[Fraction]:
    """Return the probability of reaching the goal under a policy, states that cannot reach it having 0."""
    chain = replace(
        model, moves=[{policy[s]: model.moves[s][policy[s]]} if s in policy else model.moves[s] for s in model.states]
    )
    reaching = can_reach(chain, goal, set(model.states))
    return evaluated(model, goal, {state: name for state, name in policy.items() if state in reaching})


@given(models(), st.sets(st.integers(0, 5)), st.integers(0, 6) | st.none())
def test_strict_bottlenecks_by_blocking(model: Model, outside: set[int], bound: int | None) -> None:
    """A state is a strict bottleneck exactly if blocking it leaves no φ-path of at most k steps."""
    mdp = arrays(model)
    goal = model.labels["goal"]
    phi = np.array([state not in outside for state in model.states])
    target = np.array([state in goal for state in model.states])

    def reachable(allowed: set[int]) -> bool:
        frontier, steps = set(model.initial), 0
        seen = set(frontier)
        while frontier and (bound is None or steps <= bound):
            if frontier & goal:
                return True
            inside = frontier & allowed
            frontier = {t for s in inside for d in model.moves[s].values() for t in d} - seen
            seen |= frontier
            steps += 1
        return False

    allowed = {state for state in model.states if phi[state]}
    inner = set(model.states) - goal - set(model.initial)
    expected = {b for b in inner if not reachable(allowed - {b})} if reachable(allowed) else set()
    found = strict_bottlenecks(mdp.graph, mdp.initial, phi, target, bound)
    assert set(np.flatnonzero(found).tolist()) == expected


@given(models())
def test_states_without_loss_are_left_out_rightly(model: Model) -> None:
    """Blocking a state that is no candidate for a loss takes nothing from V at the initial state."""
    derived, known = _derived(model, Kind.PMAX)
    goal = model.labels["goal"]
    whole = reachability(model, goal, Kind.PMAX)[0]
    candidates = loss_candidates(known.mdp, derived)
    for state in model.states:
        if not candidates[state] and state != 0 and state not in goal:
            assert reachability(model, goal, Kind.PMAX, set(model.states) - {state})[0] == whole


@given(models(), st.sampled_from([1e-12, 1e-3, 0.2]))
def test_enclosed_facts_never_contradict_exact_ones(model: Model, slack: float) -> None:
    """From intervals around V, every decided Q comparison and every decided fact is the exact one."""
    derived, known = _derived(model, Kind.PMAX)
    sound = enclosed(known, slack)
    mdp = replace(known.mdp, exact_probability=None, probability_table=None)
    q = expectation(mdp, sound.facts.value, derived.q.defined)
    for choice in np.flatnonzero(derived.q.defined).tolist():
        exact = derived.q.at(choice)
        assert isinstance(exact, Fraction)
        assert Fraction(float(q.lower[choice])) <= exact <= Fraction(float(q.upper[choice]))
    best = extreme_choices(q, mdp.choice_start, largest=True)
    decided = (best == Tri.YES) | (best == Tri.NO)
    assert (best[decided] == derived.best[decided]).all()
    progressing = progressing_choices(mdp, best, known.facts.target, derived.value.lower > 0)
    decided = (progressing == Tri.YES) | (progressing == Tri.NO)
    assert (progressing[decided] == derived.progressing[decided]).all()


@given(models())
def test_rows_sum_exactly(model: Model) -> None:
    """The exact sum of every row is 1, and one that was changed by 10⁻³⁰ is not."""
    mdp = arrays(model)
    assert row_sums(mdp) == [1] * mdp.choices
    table = mdp.probability_table or ()
    spoiled = replace(mdp, probability_table=(table[0] + Fraction(1, 10**30), *table[1:]))
    assert row_sums(spoiled) != [1] * mdp.choices


def test_infinite_values_are_decided() -> None:
    """A choice that can lead to an infinite value has an infinite Q, exactly and in bounds."""
    model = Model(
        [
            {"a": {1: Fraction(1, 2), 2: Fraction(1, 2)}, "b": {1: Fraction(1)}},
            {"x": {1: Fraction(1)}},
            {"y": {2: Fraction(1)}},
        ],
        {"goal": {1}, "unsafe": set()},
    )
    mdp = arrays(model)
    value = Numbers.from_exact([Fraction(1), Fraction(0), float("inf")])
    reward = Numbers.from_exact([Fraction(1)] * mdp.choices)
    defined = np.array([True, True, False, False])
    q = expectation(mdp, value, defined, reward)
    assert [q.at(choice) for choice in range(4)] == [float("inf"), 1, None, None]
    loose = expectation(mdp, Numbers(value.lower, value.upper), defined, Numbers(reward.lower, reward.upper))
    assert loose.lower[0] == loose.upper[0] == np.inf
    assert extreme_choices(loose, mdp.choice_start, largest=False).tolist() == [
        Tri.NO,
        Tri.YES,
        Tri.UNDEFINED,
        Tri.UNDEFINED,
    ]


def test_frozen_lake_by_hand_has_the_published_facts() -> None:
    """The reference's own Frozen Lake has V = 14/17 and one bottleneck, the tile left of the goal."""
    known = frozen_lake_4x4()
    assert known.facts.value.at(0) == Fraction(14, 17)
    assert np.flatnonzero(known.facts.bottleneck == Tri.YES).tolist() == [14]


@pytest.mark.parametrize("kind", [Kind.RMAX, Kind.RMIN])
def test_facts_that_are_not_defined_say_so(kind: Kind) -> None:
    """Progressing actions and dead ends of Rmax are undefined, not false; those of Rmin are defined."""
    known = frozen_lake_4x4()
    zero = Numbers.from_exact([Fraction(0)] * known.mdp.states)
    reward = Numbers.from_exact([Fraction(1)] * known.mdp.choices)
    none = np.zeros(known.mdp.states, dtype=bool)
    checked = Checked(zero, zero, reward, known.facts.phi, known.facts.target, none)
    facts = derive_facts(known.mdp, Objective("R", kind), checked, None, None)
    undefined = kind is Kind.RMAX
    assert bool((facts.dead_end == Tri.UNDEFINED).all()) is undefined
    assert bool((facts.progressing == Tri.UNDEFINED).all()) is undefined
