"""Models whose target cannot be reached, and rewards that Storm gives without bounds: defined, or said to be not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from cli_support import json_of, run_cli

if TYPE_CHECKING:
    from pathlib import Path

BUDGET = "budget=5"
"""A water jug's budget that is one move short: V is 0 everywhere (methods.md 1.1, and the environment's page)."""

CYCLE = """mdp
module m
  s : [0..2];
  [a] s=0 -> 3/4 : (s'=1) + 1/4 : (s'=2);
  [b] s=0 -> 4/5 : (s'=0) + 1/5 : (s'=1);
  [a] s=1 -> 2/3 : (s'=0) + 1/3 : (s'=1);
  [a] s=2 -> true;
endmodule
label "goal" = s=2;
rewards "r" [a] s=0 : 5; endrewards
"""
"""A cycle without reward; a visit to the target needs 4 times ``a`` in s=0 on average, so that V(s=0) = 20."""

REST = """@parameters

@reward_models

@nr_states
1
@model
state 0 !1 init
	action 0
		0 : 1
"""


def test_a_policy_where_the_target_is_out_of_reach_has_the_value_0(tmp_path: Path) -> None:
    """The exported optimal policy comes back with V = 0 and no gap, and a question about it can be asked."""
    path = tmp_path / "optimal.json"
    json_of("check", "water_jug", "--const", BUDGET, "--export-policy", str(path))
    found = json_of("check", "water_jug", "--const", BUDGET, "--policy", str(path), "--limit", "1")
    assert found["policy"]["initial"] == [{"state": 0, "value": "0"}]
    assert found["states_listed"][0]["policy"]["gap"] == "0"
    args = ["--policy", str(path), "--category", "satisfy", "--state", "moves_left=5", "--explainer", "oracle"]
    assert json_of("ask", "water_jug", "--const", BUDGET, *args)["verdict"] == "pass"


def test_a_policys_chain_without_any_unsafe_state_has_no_danger(tmp_path: Path) -> None:
    """A danger about a label that no state has is 0 under a policy, and no unknown label."""
    model, path = tmp_path / "safe.prism", tmp_path / "p.json"
    model.write_text(CYCLE.replace("rewards", 'label "unsafe" = s>5;\nrewards', 1))
    path.write_text(json.dumps({"0": "b", "1": "a", "2": "a"}))
    args = ["--policy", str(path), "--category", "satisfy", "--state", "s=1", "--explainer", "oracle"]
    assert json_of("ask", str(model), *args)["verdict"] == "pass"


def test_without_anything_to_lose_no_loss_is_defined() -> None:
    """Where V is 0 at every initial state, every loss is undefined and no state is a bottleneck, at any threshold."""
    found = json_of("check", "water_jug", "--const", BUDGET, "--bottleneck-threshold", "0.5", "--limit", "-1")
    assert {(row["loss"], row["bottleneck"]) for row in found["states_listed"]} == {(None, False)}
    assert found["counts"]["bottlenecks"] == 0
    shown = run_cli("check", "water_jug", "--const", BUDGET, "--bottleneck-threshold", "0.5", "--limit", "3")
    assert "None" not in shown.stdout


@pytest.mark.parametrize(("mode", "value"), [("exact", "= 20 in state 0"), ("sound", "= 19.999999 to 20.000001 in")])
def test_rewards_over_a_cycle_that_earns_nothing_have_a_value(tmp_path: Path, mode: str, value: str) -> None:
    """Going round for free is no way to the target: the expected reward is 20, exactly and within bounds."""
    model = tmp_path / "cycle.prism"
    model.write_text(CYCLE)
    done = run_cli("check", str(model), "--objective", 'R{"r"}min=? [F "goal"]', "--mode", mode)
    assert value in done.stdout


def test_an_infinite_value_that_a_policy_attains_has_no_gap(tmp_path: Path) -> None:
    """Infinite against infinite is a gap of 0, with exact numbers and with bounds."""
    model, path = tmp_path / "stuck.prism", tmp_path / "p.json"
    model.write_text(
        "mdp\nmodule m\n s : [0..2];\n [go] s=0 -> 1/2:(s'=1) + 1/2:(s'=2);\n [stay] s>0 -> true;\nendmodule\n"
        'label "goal" = s=1;\nrewards "r" true : 1; endrewards\n'
    )
    path.write_text(json.dumps({"0": "go", "1": "stay", "2": "stay"}))
    for mode, zero in (("exact", "0"), ("sound", {"lower": 0.0, "upper": 0.0})):
        args = ["--objective", 'R{"r"}min=? [F "goal"]', "--mode", mode, "--policy", str(path), "--where", "s=2"]
        (row,) = json_of("check", str(model), *args)["states_listed"]
        assert row["policy"]["gap"] == zero


@pytest.mark.parametrize(
    ("kind", "reason"), [("CTMC", "time is continuous"), ("POMDP", "does not see"), ("SMG", "players")]
)
def test_a_drn_file_of_another_kind_is_refused_for_that(tmp_path: Path, kind: str, reason: str) -> None:
    """The kind that a DRN file announces is the reason, whatever else Storm's parser misses in its lines."""
    path = tmp_path / "other.drn"
    path.write_text(f"@type: {kind}\n{REST}")
    done = run_cli("check", str(path))
    assert done.exit_code == 3
    assert reason in done.stderr
