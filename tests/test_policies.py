"""A user's policy beside the optimum, its chain, and the optimal policy in the same format."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from reference_solver import Model, can_reach, evaluated, expected, reachability
from storm_support import HALF, write_drn
from typer.testing import CliRunner

from engine.cli.app import app
from engine.errors import UsageError
from engine.mdp.expressions import scope_of
from engine.mdp.sources import find_model
from engine.oracle.client import CheckedModel, check_model
from engine.oracle.facts import Kind
from engine.oracle.policy.evaluation import evaluate_policy
from engine.oracle.policy.policies import Policy, optimal_policy, policy_json, read_policy
from engine.oracle.request import Mode, Request
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def checked() -> CheckedModel:
    """Return Frozen Lake, checked exactly."""
    return check_model(find_model("frozen_lake").request())


def _read(checked: CheckedModel, tmp_path: Path, content: Any) -> Policy:
    path = tmp_path / "policy.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_policy(path, checked.mdp, scope_of(checked.mdp, {"map": "4", "slip": "1/3"}, checked.facts))


def _as_model(checked: CheckedModel) -> Model:
    mdp = checked.mdp
    moves = [
        {mdp.action_name(c): {t: Fraction(p) for t, p in mdp.successors(c)} for c in mdp.choices_of(s)}
        for s in range(mdp.states)
    ]
    goal = {state for state in range(mdp.states) if mdp.labels["goal"][state]}
    return Model(moves, {"goal": goal}, tuple(mdp.initial.tolist()))


def _chain_values(model: Model, actions: dict[int, str]) -> list[Fraction]:
    """Return the reach probabilities of a deterministic policy by linear equations."""
    goal = model.labels["goal"]
    chain = Model([{actions[s]: model.moves[s][actions[s]]} for s in model.states], model.labels)
    reaching = can_reach(chain, goal, set(model.states))
    return evaluated(model, goal, {s: a for s, a in actions.items() if s in reaching and s not in goal})


def test_values_under_a_policy_are_those_of_linear_equations(checked: CheckedModel, tmp_path: Path) -> None:
    """V, Q and gaps under a policy given by two expressions agree with equations solved in plain fractions."""
    policy = _read(checked, tmp_path, {"pos<4": "right", 'pos>=4 & !"goal" & !"unsafe"': "down"})
    found = evaluate_policy(checked, policy)
    model = _as_model(checked)
    tiles = checked.mdp.valuations["pos"].tolist()
    single = {s: next(iter(model.moves[s])) for s in model.states if len(model.moves[s]) == 1}
    actions = {s: "right" if tiles[s] < 4 else "down" for s in model.states} | single
    values = _chain_values(model, actions)
    best = reachability(model, model.labels["goal"], Kind.PMAX)
    assert checked.facts is not None
    for state in model.states:
        assert found.value.at(state) == values[state]
        assert found.gap(checked.facts, state) == best[state] - values[state]
        assert found.optimal[state] == Tri(best[state] == values[state])
        for choice in checked.mdp.choices_of(state):
            move = model.moves[state][checked.mdp.action_name(choice)]
            assert found.q.at(choice) == (None if state in model.labels["goal"] else expected(values, move))


def test_random_policies_of_random_models(tmp_path: Path) -> None:
    """On random explicit models, random policies have the values of the linear equations, in Pmax and Pmin alike."""
    rng = random.Random(11)
    for number in range(4):
        count = rng.randint(3, 6)
        moves = []
        for _ in range(count):
            actions = {}
            for action in range(rng.randint(1, 3)):
                weights = {rng.randrange(count): rng.randint(1, 4) for _ in range(2)}
                actions[f"a{action}"] = {t: Fraction(w, sum(weights.values())) for t, w in weights.items()}
            moves.append(actions)
        model = Model(moves, {"goal": {count - 1}, "unsafe": set()})
        objective = rng.choice(['Pmax=? [F "goal"]', 'Pmin=? [F "goal"]'])
        checked = check_model(Request(path=write_drn(model, tmp_path / f"m{number}.drn"), objective=objective))
        actions_taken = {s: rng.choice(sorted(model.moves[s])) for s in model.states}
        found = evaluate_policy(checked, _read(checked, tmp_path, {str(s): a for s, a in actions_taken.items()}))
        assert [found.value.at(s) for s in model.states] == _chain_values(model, actions_taken)


def test_the_optimal_policy_attains_v_and_comes_back(checked: CheckedModel, tmp_path: Path) -> None:
    """The exported optimal policy has no gap anywhere, also after being written and read again."""
    assert checked.facts is not None
    policy = optimal_policy(checked.mdp, checked.facts)
    again = _read(checked, tmp_path, policy_json(checked.mdp, policy))
    assert again.moves == policy.moves
    assert (evaluate_policy(checked, again).optimal == Tri.YES).all()


GO_ROUND = """mdp
module m
  x : [0..2] init 0;
  [round] x<2 -> (x'=1-x);
  [finish] x<2 -> (x'=2);
  [stay] x=2 -> true;
endmodule
label "goal" = x=2;
"""
"""Every action is optimal and progresses in some optimal policy, but two that go round together never finish."""

MISS = """mdp
module m
  x : [0..2] init 0;
  [try] x=0 -> 1/2 : true + 1/2 : (x'=2);
  [rest] x=0 -> (x'=1);
  [stay] x>0 -> true;
endmodule
label "goal" = x=2;
rewards "r" x<2 : 1; endrewards
"""
"""The largest reward is infinite, by resting for ever; both actions have an infinite Q, and trying earns 2."""


@pytest.mark.parametrize(
    ("text", "objective"),
    [(GO_ROUND, 'Pmax=? [F "goal"]'), (MISS, 'R{"r"}max=? [F "goal"]')],
    ids=["loop", "infinite reward"],
)
def test_optimal_actions_are_optimal_together(tmp_path: Path, text: str, objective: str) -> None:
    """The optimal policy attains V where some of the optimal actions taken together would not."""
    path = tmp_path / "m.prism"
    path.write_text(text)
    checked = check_model(Request(path=path, objective=objective, mode=Mode.EXACT))
    assert checked.facts is not None
    found = evaluate_policy(checked, optimal_policy(checked.mdp, checked.facts))
    assert set(found.optimal.tolist()) == {Tri.YES}


def test_randomised_policies_and_storms_own_format(checked: CheckedModel, tmp_path: Path) -> None:
    """Storm's scheduler JSON is read, by valuation and choice index; mixing two actions mixes their successors."""
    mdp = checked.mdp
    rows = [
        {
            "s": {"pos": int(mdp.valuations["pos"][state])},
            "c": [{"index": choice, "prob": 1 / 2, "labels": [mdp.action_name(choice)]} for choice in choices[:2]],
        }
        for state in range(mdp.states)
        if len(choices := list(mdp.choices_of(state))) > 1
    ]
    found = evaluate_policy(checked, _read(checked, tmp_path, rows))
    model = _as_model(checked)
    half = Fraction(1, 2)
    mixed = []
    for actions in model.moves:
        first, second = (list(actions.values()) * 2)[:2]
        mixed.append({"mix": {t: half * first.get(t, 0) + half * second.get(t, 0) for t in {**first, **second}}})
    values = _chain_values(Model(mixed, model.labels), dict.fromkeys(model.states, "mix"))
    assert [found.value.at(s) for s in model.states] == values


def test_silence_is_undefined_not_zero(checked: CheckedModel, tmp_path: Path) -> None:
    """Where the policy may come to a state about which it says nothing, its value is undefined, elsewhere it is not."""
    found = evaluate_policy(checked, _read(checked, tmp_path, {"pos=14": "down", "pos=13": "right", "pos=9": "down"}))
    by_tile = dict(zip(checked.mdp.valuations["pos"].tolist(), range(16), strict=True))
    assert found.value.at(by_tile[14]) is None
    assert found.optimal[by_tile[14]] == Tri.UNDEFINED
    assert found.value.at(by_tile[5]) == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "not JSON"),
        ("7", "no policy"),
        ({"pos=0": "jump"}, "no action 'jump'"),
        ({"pos=99": "left"}, "no state matches"),
        ({"x=1": "left"}, "no variable or constant x"),
        ({"99": "left"}, "no state 99"),
        ({"pos=0": "left", "0": "left"}, "given twice"),
        ([{"state": {"x": 1}, "action": "left"}], "no state of this model"),
        ([{"state": {"pos": 77}, "action": "left"}], "no reachable state has pos=77"),
        ([{"s": {"x": 9, "on": True}, "c": [{"index": 0}]}], "x=9, on=true is no state of this model"),
        ([{"action": "left"}], "needs a state and an action"),
        ([{"s": {"pos": 0}, "c": [{"index": 40}]}], "no choice 40"),
        ({"pos=0": {"left": "1/2", "up": "1/3"}}, "do not sum to 1"),
    ],
)
def test_policies_of_another_model_are_refused(checked: CheckedModel, tmp_path: Path, content: Any, says: str) -> None:
    """Whatever does not fit this model is one message that names it."""
    with pytest.raises(UsageError) as caught:
        _read(checked, tmp_path, content)
    assert says in str(caught.value)


def test_a_policy_on_the_command_line(tmp_path: Path) -> None:
    """``check --policy`` lists V under the policy and the gap beside the optimum, and exports what was asked."""
    model = tmp_path / "half.prism"
    model.write_text(HALF)
    (tmp_path / "p.json").write_text('{"x=0": "jump"}')
    args = ["check", str(model), "--policy", str(tmp_path / "p.json"), "--export-policy", str(tmp_path / "best.json")]
    result = CliRunner().invoke(app, [*args, "--export-chain", str(tmp_path / "c.drn"), "--json"])
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["policy"]["initial"] == [{"state": 0, "value": "1/3"}]
    assert found["policy"]["suboptimal_states"] == 1
    assert found["states_listed"][0]["policy"]["gap"] == "1/6"
    assert json.loads((tmp_path / "best.json").read_text())["policy"] == [{"state": {"x": 0}, "action": "go"}]
    chain = check_model(Request(path=tmp_path / "c.drn", mode=Mode.EXACT))
    assert chain.facts is not None
    assert chain.facts.value.at(0) == Fraction(1, 3)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"0": "up", "0": "down"}', "given twice"),
        ({"0": ["up"]}, "no action"),
        ([{"state": {"pos": [0]}, "action": "up"}], "pos is an integer"),
        ([{"state": {"pos": True}, "action": "left"}], "pos cannot be true"),
        ([{"state": {"pos": "0"}, "action": "left"}], 'pos cannot be "0"'),
        ([{"s": {"pos": 0}, "c": [{"index": "0"}]}], 'the choice index "0"'),
        ([{"s": {"pos": 0}, "c": [{}]}], "no choice index"),
        ({"-1": "left"}, "there is no state -1\n  → states are numbered from 0 to 15"),
        ({"schema": 2, "policy": {"pos=1": "left"}}, "schema 2, only 1 is read"),
        ({"schema": 1, "pos=1": "left"}, 'under "policy"'),
    ],
)
def test_malformed_policies_are_refused(checked: CheckedModel, tmp_path: Path, content: Any, says: str) -> None:
    """A repeated key, values of another type and another version are one message each, with what is expected."""
    with pytest.raises(UsageError) as caught:
        _read(checked, tmp_path, content)
    assert says in str(caught.value)


def test_a_truth_value_is_no_number_and_a_number_no_truth_value(tmp_path: Path) -> None:
    """In a state's valuation a boolean variable takes true or false only."""
    model = tmp_path / "switch.prism"
    model.write_text(
        "mdp\nmodule m\n on : bool init false;\n [set] !on -> (on'=true);\n [wait] !on -> true;\n"
        ' [stay] on -> true;\nendmodule\nlabel "goal" = on;\n'
    )
    for value, code in ((False, 0), (0, 2)):
        path = tmp_path / "p.json"
        path.write_text(json.dumps([{"state": {"on": value}, "action": "set"}]))
        result = CliRunner().invoke(app, ["check", str(model), "--policy", str(path)])
        assert result.exit_code == code, result.stderr
    assert "on cannot be 0\n  → on is true or false" in result.stderr


def test_a_randomised_policy_is_listed_with_its_probabilities(tmp_path: Path) -> None:
    """The text table shows how likely each of several actions is, and a single action by its name alone."""
    (tmp_path / "p.json").write_text('{"pos=0": {"left": "1/4", "up": "3/4"}, "pos=14": "down"}')
    args = ["check", "frozen_lake", "--where", "pos=0 | pos=14", "--policy", str(tmp_path / "p.json")]
    lines = CliRunner(env={"COLUMNS": "200"}).invoke(app, args).stdout.splitlines()
    assert any("left 1/4, up 3/4" in line for line in lines)
    assert not any("down 1" in line for line in lines)


def test_a_partial_policy_has_no_chain_and_says_where_it_is_silent(tmp_path: Path) -> None:
    """A policy that leaves states out is not optimal there but undefined, and its chain is not exported."""
    (tmp_path / "p.json").write_text('{"pos=14": "down"}')
    args = ["check", "frozen_lake", "--limit", "0", "--policy", str(tmp_path / "p.json")]
    shown = CliRunner().invoke(app, args)
    assert "not defined in 11 states" in shown.stdout
    refused = CliRunner().invoke(app, [*args, "--export-chain", str(tmp_path / "c.drn")])
    assert refused.exit_code == 2
    assert "says nothing about 10 states" in refused.stderr
    assert not (tmp_path / "c.drn").exists()


def test_exports_make_no_folders(tmp_path: Path) -> None:
    """A file in a folder that does not exist is a mistake, not a reason to make the folder."""
    target = tmp_path / "missing" / "p.json"
    result = CliRunner().invoke(app, ["check", "frozen_lake", "--limit", "0", "--export-policy", str(target)])
    assert result.exit_code == 2
    assert "no such folder" in result.stderr
    assert not target.parent.exists()
