"""Exported chains and neighbourhoods, read again: the same values, labels, rewards and action names."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from cli_support import json_of, run_cli
from hypothesis import given
from hypothesis import strategies as st
from reference import oracle
from reference_solver import Model

from engine.mdp.drn import drn_word, named_by
from engine.oracle.client import CheckedModel, check_model
from engine.oracle.exports import export_chain, export_neighbourhood, neighbourhood
from engine.oracle.numbers import Numbers
from engine.oracle.policy.policies import Policy, optimal_policy
from engine.oracle.request import Mode, Request

if TYPE_CHECKING:
    from pathlib import Path

GOING_ON = """mdp
module m
  s : [0..3] init 0;
  [a] s=0 -> 1/2 : (s'=1) + 1/2 : (s'=2);
  [b] s=0 -> (s'=2);
  [] s=1 -> true;
  [leave] s=1 -> (s'=0);
  [e] s=2 -> 1/3 : (s'=1) + 2/3 : (s'=2);
  [e] s=2 -> (s'=3);
  [g] s=3 -> (s'=2);
endmodule
label "aim" = s=2;
label "goal" = s=1;
rewards "cost" true : 1/3; [e] true : 1; endrewards
rewards "tolls" [b] true : 5; endrewards
rewards "nothing" s=7 : 1; endrewards
"""
"""The target can be left again by two actions, two actions have one name, one has none; `aim` is a label of its own."""

OBJECTIVES = ['Pmax=? [F "goal"]', 'Pmin=? [F "goal"]', 'R{"cost"}min=? [F "goal"]', 'R{"nothing"}min=? [F "goal"]']


def _checked(path: Path, objective: str) -> CheckedModel:
    return check_model(Request(path=path, objective=objective, mode=Mode.EXACT))


@pytest.fixture
def going_on(tmp_path: Path) -> Path:
    """Return the model's file."""
    path = tmp_path / "m.prism"
    path.write_text(GOING_ON)
    return path


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_chain_of_an_optimal_policy_has_v(going_on: Path, tmp_path: Path, objective: str) -> None:
    """In a target with two actions the chain takes the first; its values are V in every state, its names the model's.

    The same chain comes of the exported policy, which says nothing about the target.
    """
    chain, again, policy = tmp_path / "c.drn", tmp_path / "d.drn", tmp_path / "p.json"
    base = ["check", str(going_on), "--objective", objective, "--limit", "0"]
    run = run_cli(*base, "--export-chain", str(chain), "--export-policy", str(policy))
    assert run.exit_code == 0, run.stderr
    run = run_cli(*base, "--export-chain", str(again), "--policy", str(policy))
    assert run.exit_code == 0, run.stderr
    assert chain.read_text() == again.read_text()
    model, found = _checked(going_on, objective), _checked(chain, objective)
    assert model.facts is not None
    assert found.facts is not None
    states = range(model.mdp.states)
    assert [found.facts.value.at(s) for s in states] == [model.facts.value.at(s) for s in states]
    assert found.meta["kind"] == "DTMC"
    assert {name: mask.tolist() for name, mask in found.mdp.labels.items() if name != "deadlock"} == {
        name: mask.tolist() for name, mask in model.mdp.labels.items() if name != "deadlock"
    }
    assert set(found.mdp.rewards) == {"cost", "tolls", "nothing"}
    target = model.mdp.labels["goal"].tolist().index(True)
    first = model.mdp.choices_of(target)[0]
    assert found.mdp.successors(target) == model.mdp.successors(first)
    assert found.mdp.action_names_of(target) == ("action 0",)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_whole_neighbourhood_is_the_model(going_on: Path, tmp_path: Path, objective: str) -> None:
    """Exported to a depth that holds all states, the model has the same values, names, labels and exact rewards."""
    model = _checked(going_on, objective)
    path = tmp_path / "n.drn"
    start = int(model.mdp.initial[0])
    assert export_neighbourhood(path, model.mdp, model.facts, start, 9) == model.mdp.states
    found = _checked(path, objective)
    assert model.facts is not None
    assert found.facts is not None
    for number, state in enumerate(neighbourhood(model.mdp, start, 9)):
        assert found.facts.value.at(number) == model.facts.value.at(state)
        assert found.mdp.action_names_of(number) == model.mdp.action_names_of(state)
        assert set(found.mdp.labels_of(number)) - {"deadlock"} == set(model.mdp.labels_of(state)) - {"deadlock"}
        for one, other in zip(found.mdp.choices_of(number), model.mdp.choices_of(state), strict=True):
            for name in ("cost", "tolls", "nothing"):
                assert found.mdp.exact_rewards[name].at(one) == model.mdp.exact_rewards[name].at(other)
    assert found.meta["kind"] == "MDP"


def test_rewards_are_kept_exactly(going_on: Path) -> None:
    """A third for the state, and a whole for the action where it has one: of every reward model, whatever is asked."""
    mdp = _checked(going_on, 'Pmax=? [F "goal"]').mdp
    by_action = {
        mdp.action_name(choice): mdp.exact_rewards["cost"].at(choice)
        for state in range(mdp.states)
        for choice in mdp.choices_of(state)
    }
    assert by_action["a"] == Fraction(1, 3)
    assert by_action["e#1"] == by_action["e#2"] == Fraction(4, 3)


NAMES = ["my act", '"quoted"', "50%", "a%20b", "[3]", "__NOLABEL__", "tab\there", "täglich", "action 7"]


@pytest.mark.parametrize("reward", [False, True])
def test_action_names_survive_a_file(tmp_path: Path, reward: bool) -> None:
    """Names with spaces, quotes and brackets come back as they were, and with them the rewards of their lines."""
    model = Model(
        [{name: {1: Fraction(1)} for name in NAMES}, {"stay": {1: Fraction(1)}}], {"goal": {1}, "unsafe": set()}
    )
    known = oracle(model)
    rewards = {"r": Numbers.from_exact([Fraction(number, 3) for number in range(len(NAMES) + 1)])} if reward else {}
    mdp = replace(known.mdp, exact_rewards=rewards)
    export_neighbourhood(tmp_path / "n.drn", mdp, known.facts, 0, 1)
    found = check_model(Request(path=tmp_path / "n.drn", mode=Mode.EXACT)).mdp
    assert found.action_names_of(0) == tuple(NAMES)
    for choice, _ in enumerate(NAMES if reward else ()):
        assert found.exact_rewards["r"].at(choice) == Fraction(choice, 3)
    for number, name in enumerate(NAMES):
        path = tmp_path / f"c{number}.drn"
        export_chain(path, mdp, known.facts, Policy("one", {0: {number: Fraction(1)}}))
        assert check_model(Request(path=path, mode=Mode.EXACT)).mdp.action_names_of(0) == (name,)


@given(st.text(min_size=1))
def test_every_name_is_one_word_and_comes_back(name: str) -> None:
    """Whatever the name, its word has no space and stands for that name only."""
    word = drn_word(name)
    assert len(word.split()) == 1
    assert named_by(word) == name


@pytest.mark.parametrize("word", ["up", "50%", "%41", "%ff", "%FF", '"quoted"'])
def test_words_that_nobody_encoded_stay(word: str) -> None:
    """A name of another program's file that only looks encoded is not changed."""
    assert named_by(word) == word


EMPTY = """mdp
module m
  s : [0..2] init 0;
  [a] s=0 -> 1/2 : (s'=1) + 1/2 : (s'=2);
  [b] s=0 -> (s'=2);
  [c] s=1 -> true;
  [d] s=2 -> (s'=0);
  [e] s=2 -> true;
endmodule
label "goal" = s=1;
rewards "r" s=1 : 1; endrewards
"""
"""Only the target has a reward, so that every run to it earns 0; resting in s=2 never comes there."""


@pytest.mark.parametrize("objective", ['R{"r"}min=? [F "goal"]', 'R{"r"}max=? [F "goal"]'])
@pytest.mark.parametrize("moves", ['{"s=0": "a", "s=2": "d"}', '{"s=0": "a", "s=2": "e"}'])
def test_a_policy_that_earns_nothing_has_a_value(tmp_path: Path, objective: str, moves: str) -> None:
    """It earns 0 where it reaches the target, and ∞ where it may rest for ever; the gap to V follows."""
    path, policy = tmp_path / "m.prism", tmp_path / "p.json"
    path.write_text(EMPTY)
    policy.write_text(moves)
    found = json_of("check", str(path), "--objective", objective, "--policy", str(policy))
    value = "0" if '"d"' in moves else "inf"
    best = "0" if "min" in objective else "inf"
    by_place = {row["valuation"]["s"]: row for row in found["states_listed"]}
    for place in (0, 2):
        assert by_place[place]["value"] == best
        assert by_place[place]["policy"]["value"] == value
        assert by_place[place]["policy"]["gap"] == ("0" if value == best else "inf")
    assert by_place[1]["policy"]["value"] == "0"


@pytest.mark.parametrize("optimum", ["min", "max"])
def test_a_file_with_rewards_of_zero_only(tmp_path: Path, optimum: str) -> None:
    """A DRN file whose reward model holds zeros has the value 0 where the target is certain, in bounds as exactly."""
    path = tmp_path / "m.drn"
    path.write_text(
        "@type: MDP\n@parameters\n\n@reward_models\nr\n@nr_states\n2\n@nr_choices\n2\n@model\n"
        "state 0 init\n\taction a [0]\n\t\t0 : 1/2\n\t\t1 : 1/2\nstate 1 goal\n\taction b [0]\n\t\t1 : 1\n"
    )
    objective = f'R{{"r"}}{optimum}=? [F "goal"]'
    assert json_of("check", str(path), "--objective", objective)["initial"][0]["value"] == "0"
    column = json_of("check", str(path), "--limit", "0", "--property", f'R{{"r"}}{optimum}=? [C<=3]')["properties"][0]
    assert column["value"] == "0"


def test_a_check_of_ones_own_is_told_by_the_users_objective(tmp_path: Path) -> None:
    """What goes wrong with a file that was written for one check is said about the objective that the user knows."""
    path = tmp_path / "m.prism"
    path.write_text(EMPTY)
    request = Request(path=path, objective='R{"none"}min=? [F "goal"]', objective_shown="the cost")
    with pytest.raises(Exception, match="the cost") as caught:
        check_model(request)
    assert "[F" not in str(caught.value).partition("\n")[0]


def test_the_policy_is_optimal_where_only_bounds_are_known(tmp_path: Path) -> None:
    """Bounds suffice for the chain of an optimal policy where no comparison is undecided."""
    path = tmp_path / "m.prism"
    path.write_text(EMPTY)
    checked = check_model(Request(path=path, objective='Pmin=? [F "goal"]', mode=Mode.SOUND))
    assert checked.facts is not None
    export_chain(tmp_path / "c.drn", checked.mdp, checked.facts, optimal_policy(checked.mdp, checked.facts))
    found = check_model(Request(path=tmp_path / "c.drn", objective='Pmin=? [F "goal"]', mode=Mode.EXACT))
    assert found.facts is not None
    assert found.facts.value.at(0) == 0


@pytest.mark.parametrize("line", ['action "my act" [3]', "action my act", "action a  [3]"])
def test_a_name_of_two_words_is_refused(tmp_path: Path, line: str) -> None:
    """Storm would take the first word and lose the rewards: the file's line is named, and what to write."""
    path = tmp_path / "m.drn"
    text = (
        "@type: MDP\n@parameters\n\n@reward_models\nr\n@nr_states\n2\n@nr_choices\n2\n@model\n"
        "state 0 init\n\taction my%20act [3]\n\t\t1 : 1\nstate 1 goal\n\taction stay [0]\n\t\t1 : 1\n"
    )
    path.write_text(text)
    asked = ["check", str(path), "--objective", 'R{"r"}min=? [F "goal"]']
    (first, _) = json_of(*asked)["states_listed"]
    assert (first["value"], first["actions"][0]["action"]) == ("3", "my act")
    path.write_text(text.replace("action my%20act [3]", line))
    result = run_cli(*asked)
    assert result.exit_code == 3
    assert "m.drn:12: an action's name is one word" in result.stderr


def test_a_policy_that_earns_nothing_has_bounds(tmp_path: Path) -> None:
    """In bounds as well, the policy that reaches the goal for nothing has the value 0, one that rests ∞."""
    path, policy = tmp_path / "m.prism", tmp_path / "p.json"
    path.write_text(EMPTY)
    asked = ["check", str(path), "--objective", 'R{"r"}min=? [F "goal"]', "--mode", "sound", "--policy", str(policy)]
    policy.write_text('{"s=0": "a", "s=2": "d"}')
    assert json_of(*asked)["policy"]["initial"][0]["value"] == {"lower": 0.0, "upper": 0.0}
    policy.write_text('{"s=0": "a", "s=2": "e"}')
    assert json_of(*asked)["policy"]["initial"][0]["value"] == {"lower": "inf", "upper": "inf"}
