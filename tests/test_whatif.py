"""Asking the oracle more about an open model: what if, losses, sweeps, commands, and where a policy falls short."""

from __future__ import annotations

import threading
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from reference import Model, enclosed, frozen_lake_4x4, oracle
from reference_solver import reachability
from small_mdps import models, plain_model

from engine.errors import CancelledError, UsageError
from engine.oracle.again import all_losses, as_checked, commands, sweep
from engine.oracle.facts import Kind
from engine.oracle.numbers import Interval, Numbers
from engine.oracle.policy.evaluation import Evaluation, evaluate_policy
from engine.oracle.policy.policies import Policy
from engine.oracle.policy.policy_diff import Visits, shortfalls, wrong_moves
from engine.oracle.policy.whatif import Change, what_if
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.facts import Oracle

ONE = Fraction(1)


def changed(known: Oracle, change: Change) -> list[Fraction]:
    """Return V of the changed model by the reference solver: blocked states are traps, forbidden actions are gone."""
    plain, mdp = plain_model(known), known.mdp
    gone = {(int(mdp.state_of_choice[choice]), mdp.action_name(choice)) for choice in change.forbidden}
    moves = [
        {"trap": {state: ONE}}
        if state in change.blocked
        else {name: successors for name, successors in actions.items() if (state, name) not in gone}
        for state, actions in enumerate(plain.moves)
    ]
    targets = {state for state in plain.states if known.facts.target[state]} - change.blocked
    return reachability(Model(moves, {}), targets, known.facts.objective.kind, set(plain.states) - change.blocked)


@settings(
    max_examples=6,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=[
        Phase.explicit,
        Phase.reuse,
        Phase.generate,
    ],  # every example is a child process: none to spend on shrinking
)
@given(models(), st.sampled_from([Kind.PMAX, Kind.PMIN]), st.data())
def test_v_after_a_change_is_that_of_the_definition(cache: Path, model: Model, kind: Kind, data: st.DataObject) -> None:
    """For random models, blocked states and forbidden actions: Storm's values are the reference solver's."""
    known = oracle(model, kind=kind)
    blocked = frozenset(data.draw(st.sets(st.integers(0, known.mdp.states - 1), max_size=2)))
    forbidden = frozenset(data.draw(st.sets(st.integers(0, known.mdp.choices - 1), max_size=2)))
    change = Change(blocked, forbidden)
    left = [set(known.mdp.choices_of(state)) - forbidden for state in range(known.mdp.states) if state not in blocked]
    if not change or not all(left):
        with pytest.raises(UsageError, match=r"nothing is changed|no action would be left"):
            what_if(known, change)
        return
    found = what_if(known, change)
    right = changed(known, change)
    assert [found.after.at(state) for state in range(known.mdp.states)] == right
    before = [known.facts.value.at(state) for state in range(known.mdp.states)]
    assert found.changed.tolist() == [state for state, value in enumerate(right) if value != before[state]]
    assert not list((cache / "chains").glob("whatif-*"))


def test_blocking_the_only_target_leaves_no_value(cache: Path) -> None:
    """Without any state of the target left, V is 0 everywhere, though no state carries the target's label then."""
    del cache
    known = oracle(Model([{"go": {1: ONE}}, {"stay": {1: ONE}}], {"goal": {1}, "unsafe": set()}))
    found = what_if(known, Change(frozenset({1})))
    assert [found.after.at(state) for state in range(2)] == [0, 0]
    assert what_if(known, Change(frozenset({0, 1}))).after.at(0) == 0


def test_blocking_the_bottleneck_of_the_lake_leaves_nothing(cache: Path) -> None:
    """Without tile 14 V is 0 everywhere but in the goal; forbidding its best action costs something, less than all."""
    del cache
    known = frozen_lake_4x4()
    blocked = what_if(known, Change(frozenset({14})))
    assert [blocked.after.at(state) for state in range(15)] == [0] * 15
    assert blocked.after.at(15) == 1
    _, down, *_ = known.mdp.choices_of(14)
    forbidden = what_if(known, Change(forbidden=frozenset({down})))
    assert [forbidden.after.at(state) for state in range(16)] == changed(known, Change(forbidden=frozenset({down})))
    assert forbidden.largest(1) == [14]


def test_rewards_and_step_bounds_are_kept(lake: Oracle) -> None:
    """A blocked state of another kind of objective: the same change checked by Storm on a model made for it."""
    from engine.mdp.sources import find_model  # noqa: PLC0415 - after the folders are set
    from engine.oracle.client import open_oracle  # noqa: PLC0415

    source = find_model("frozen_lake")
    bounded = open_oracle(source.request(objective='Pmax=? [F<=6 "goal"]'), source.environment)
    tile = {int(pos): state for state, pos in enumerate(bounded.mdp.valuations["pos"])}
    assert all(what_if(bounded, Change(frozenset({tile[14]}))).after.at(state) == 0 for state in bounded.mdp.initial)
    cliff = find_model("cliff_walking")
    steps = open_oracle(cliff.request({"slip": "0"}, objective="steps"), cliff.environment)
    start = int(steps.mdp.initial[0])
    names = {steps.mdp.action_name(choice): choice for choice in steps.mdp.choices_of(start)}
    assert steps.facts.value.at(start) == 1 or steps.facts.value.at(start) > 0
    best = [choice for choice in names.values() if steps.facts.best[choice] == Tri.YES]
    forced = what_if(steps, Change(forbidden=frozenset(best)))
    others = [steps.facts.q.at(choice) for choice in names.values() if choice not in best]
    assert forced.after.at(start) >= min(value for value in others if value is not None)
    assert lake.request is not None


def test_enclosed_values_may_stay_undecided(cache: Path) -> None:
    """In sound mode a change that the bounds do not show is undecided, and one that they show is certain."""
    del cache
    known = enclosed(frozen_lake_4x4(), 0.01)
    _, down, *_ = known.mdp.choices_of(14)
    found = what_if(known, Change(forbidden=frozenset({down})))
    assert 14 in found.changed.tolist()
    assert isinstance(found.after.at(0), Interval)
    certain = set(found.changed.tolist()) | set(found.undecided.tolist())
    assert certain == set(range(16)) - {5, 7, 11, 12, 15}


def test_a_check_can_be_cancelled(cache: Path) -> None:
    """The event ends the child, and no file stays behind."""
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(CancelledError):
        what_if(frozen_lake_4x4(), Change(frozenset({1})), cancel=cancel)
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_all_losses_of_the_lake(lake: Oracle) -> None:
    """Loss is 1 at the bottleneck, what blocking costs elsewhere, 0 in holes, undefined at the start and the goal."""
    found = all_losses(lake)
    known = frozen_lake_4x4()
    for state, pos in enumerate(lake.mdp.valuations["pos"].tolist()):
        if pos in {0, 15}:
            assert found.at(state) is None
            continue
        without = changed(known, Change(frozenset({pos})))[0]
        assert found.at(state) == (Fraction(14, 17) - without) / Fraction(14, 17)


def test_losses_are_refused_where_they_are_not_defined() -> None:
    """Pmin has no loss, and a model without a file cannot be asked again."""
    known = frozen_lake_4x4()
    pmin = replace(known, facts=replace(known.facts, objective=replace(known.facts.objective, kind=Kind.PMIN)))
    with pytest.raises(UsageError, match="not defined for Pmin"):
        all_losses(pmin)
    with pytest.raises(UsageError, match="no file"):
        all_losses(known)


def test_a_sweep_gives_one_row_for_each_value(lake: Oracle) -> None:
    """Without slipping the goal is certain; with 1/3 V is 14/17; a constant that is not there is named."""
    rows = list(sweep(lake, "slip", ["0", "1/3"]))
    assert [(row.constant, row.states, row.initial.at(0)) for row in rows] == [
        ("0", 16, 1),
        ("1/3", 16, Fraction(14, 17)),
    ]
    with pytest.raises(UsageError, match="no constant nope") as refused:
        list(sweep(lake, "nope", ["1"]))
    assert "slip" in refused.value.hint


def test_the_commands_name_model_constants_and_state(lake: Oracle) -> None:
    """The start needs no filter; another state is selected by its valuation."""
    storm, prism = commands(lake, lake.facts.objective.text, int(lake.mdp.initial[0]))
    assert storm.startswith("storm --prism ")
    assert "--constants map=4,slip=1/3 --prop 'Pmax=? [F \"goal\"]' --exact" in storm
    assert prism.startswith("prism ")
    state = lake.mdp.valuations["pos"].tolist().index(14)
    assert 'filter(min, Pmax=? [F "goal"], pos=14)' in commands(lake, lake.facts.objective.text, state)[0]


def line_policy(known: Oracle) -> Evaluation:
    """Return a policy that takes the first action everywhere, evaluated by the reference solver."""
    mdp, facts = known.mdp, known.facts
    first = {state: {mdp.choices_of(state)[0]: ONE} for state in range(mdp.states)}
    plain = plain_model(known)
    only = Model([dict([next(iter(actions.items()))]) for actions in plain.moves], {})
    targets = {state for state in plain.states if facts.target[state]}
    value = Numbers.from_exact(reachability(only, targets, Kind.PMAX, set(plain.states)))
    best = [Tri(value.at(state) == facts.value.at(state)) for state in range(mdp.states)]
    return Evaluation(Policy("first", first), value, facts.q, np.array(best, dtype=np.int8))


def visited(known: Oracle, evaluation: Evaluation, state: int) -> Fraction:
    """Return the probability of ever coming to a state under the policy before the target, from the definition."""
    only = [dict([next(iter(actions.items()))]) for actions in plain_model(known).moves]
    ended = {s for s in range(known.mdp.states) if known.facts.target[s]}
    moves = [{"stay": {s: ONE}} if s in ended else actions for s, actions in enumerate(only)]
    reach = reachability(Model(moves, {}), {state}, Kind.PMAX, set(range(known.mdp.states)))
    assert evaluation.policy.name == "first"
    return sum((reach[s] for s in known.mdp.initial.tolist()), Fraction(0)) / len(known.mdp.initial)


@given(models())
def test_visit_probabilities_are_those_of_the_definition(model: Model) -> None:
    """For random models, with loops and traps: the probability of ever coming to each state, up to rounding."""
    known = oracle(model)
    evaluation = line_policy(known)
    visits = Visits(known, evaluation)
    for state in range(known.mdp.states):
        right = float(visited(known, evaluation, state))
        assert visits.of(state) == pytest.approx(right, abs=1e-9)
        assert visits.bound[state] >= right - 1e-9


def test_shortfalls_come_in_the_order_of_what_they_cost() -> None:
    """Each state where the policy is not optimal, once: own mistakes first, each kind by gap × visit probability."""
    known = frozen_lake_4x4()
    evaluation = line_policy(known)
    found = shortfalls(known, evaluation)
    assert {each.state for each in found} == {s for s in range(16) if evaluation.optimal[s] == Tri.NO}
    own = {s for s in range(16) if known.facts.best[known.mdp.choices_of(s)[0]] == Tri.NO}
    assert [each.wrong for each in found] == [Tri.YES if each.state in own else Tri.NO for each in found]
    assert 0 < len(own) < len(found)
    keys = [
        (each.state not in own, -float(each.gap) * float(visited(known, evaluation, each.state)), each.state)
        for each in found
    ]
    assert keys == sorted(keys)
    for each in found:
        choice = known.mdp.choices_of(each.state)[0]
        cost = known.facts.value.at(each.state) - known.facts.q.at(choice)
        assert each.here == pytest.approx(float(cost))
        assert (each.here > 0) == (each.wrong == Tri.YES)
        assert (each.visited > 0) == (visited(known, evaluation, each.state) > 0)
    assert [each.state for each in shortfalls(known, evaluation, most=2)] == [each.state for each in found[:2]]


def test_an_undecided_move_is_no_mistake() -> None:
    """With bounds that leave the best action open, a state stands between certain mistakes and later ones."""
    known = enclosed(frozen_lake_4x4(), 0.01)
    verdicts = wrong_moves(known, line_policy(frozen_lake_4x4()))
    for state in range(16):
        best = Tri(int(known.facts.best[known.mdp.choices_of(state)[0]]))
        assert verdicts[state] == {Tri.YES: Tri.NO, Tri.NO: Tri.YES}.get(best, best)
    assert Tri.UNDECIDED in verdicts


def test_a_checked_policy_of_the_lake_falls_short_where_it_should(lake: Oracle) -> None:
    """Storm's evaluation of 'always left' goes through the same list, and a wrong action comes first."""
    left = Policy("left", {s: {lake.mdp.choices_of(s)[0]: ONE} for s in range(16)})
    evaluation = evaluate_policy(as_checked(lake), left)
    found = shortfalls(lake, evaluation)
    assert found[0].wrong == Tri.YES
    assert all(each.gap == evaluation.gap(lake.facts, each.state) for each in found)
