"""Which states ``check`` selects, what it says where bounds leave that open, and numbers that are 0 for certain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_support import json_of, run_cli

from engine.figures import full
from engine.oracle.numbers import Interval

if TYPE_CHECKING:
    from pathlib import Path


def test_states_whose_selection_is_undecided_are_counted() -> None:
    """In bounds no state certainly has V = 14/17; states that may are counted, in text and JSON. Exactly they match."""
    exact = json_of("check", "frozen_lake", "--where", "V=14/17")
    assert exact["matching"] > 0
    assert exact["matching_undecided"] == 0
    found = json_of("check", "frozen_lake", "--where", "V=14/17", "--mode", "sound")
    assert found["matching"] == 0
    assert found["matching_undecided"] >= exact["matching"]
    shown = run_cli("check", "frozen_lake", "--where", "V=14/17", "--mode", "sound").stdout
    assert f"0 states match certainly, {found['matching_undecided']} undecided" in shown
    assert "undecided (" not in run_cli("check", "frozen_lake", "--where", "V=14/17").stdout


@pytest.mark.parametrize("number", ["9", "s9", " 9 "])
def test_a_lone_number_selects_a_state(number: str) -> None:
    """As for `ask --state`, a number alone is a state's; within an expression it is a number."""
    found = json_of("check", "frozen_lake", "--where", number)
    assert [row["state"] for row in found["states_listed"]] == [9]
    assert run_cli("check", "frozen_lake", "--where", "9 + 1").exit_code != 0


TOLL = """mdp
module m
  V : [0..3] init 0;
  [free] V=0 -> 1/2 : (V'=0) + 1/2 : (V'=1);
  [road] V=0 -> (V'=2);
  [path] V=0 -> 1/3 : (V'=2) + 2/3 : (V'=1);
  [on] V=2 -> (V'=1);
  [lost] V=2 -> (V'=3);
  [stay] V=1 | V=3 -> true;
endmodule
label "goal" = V=1;
rewards "toll" [lost] true : 5; endrewards
"""
"""Three ways to the goal cost nothing and tie; from V=3 it is out of reach. The variable is named as the value is."""
LEAST = 'R{"toll"}min=? [F "goal"]'


@pytest.fixture
def toll(tmp_path: Path) -> str:
    """Return the model's file."""
    path = tmp_path / "toll.prism"
    path.write_text(TOLL)
    return str(path)


@pytest.mark.parametrize("mode", ["exact", "sound"])
def test_ties_at_nothing_are_decided(toll: str, mode: str) -> None:
    """Where the graph says that nothing is earned, Q is the point 0: the three ways tie, in bounds as exactly."""
    found = json_of("check", toll, "--objective", LEAST, "--mode", mode)
    start = next(row for row in found["states_listed"] if row["valuation"]["V"] == 0)
    nothing = "0" if mode == "exact" else {"lower": 0.0, "upper": 0.0}
    assert start["value"] == nothing
    assert {row["action"]: (row["q"], row["best"]) for row in start["actions"]} == dict.fromkeys(
        ("free", "road", "path"), (nothing, True)
    )
    assert found["counts"]["undecided"] == 0


def test_a_policy_of_nothing_has_no_negative_value(toll: str, tmp_path: Path) -> None:
    """A policy that takes the free way earns nothing: 0, and not a text that goes below it."""
    policy = tmp_path / "p.json"
    policy.write_text('{"V=0": "free", "V=2": "on"}')
    shown = run_cli("check", toll, "--objective", LEAST, "--mode", "sound", "--policy", str(policy)).stdout
    assert "-0.0" not in shown
    assert ": 0 in state 0" in shown


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [(0.0, 1e-9, "0 to 0.000001"), (-1e-9, 1e-9, "-0.000001 to 0.000001"), (1e-9, 0.5, "0.000000 to 0.500000")],
)
def test_bounds_at_nothing_are_shown_as_such(lower: float, upper: float, text: str) -> None:
    """A lower bound that is 0 is written as 0; others are rounded outward."""
    assert full(Interval(lower, upper)) == text


@pytest.mark.parametrize("mode", ["exact", "sound"])
def test_states_of_infinite_value_are_selected(tmp_path: Path, mode: str) -> None:
    """``V=inf`` selects the state from which the goal is out of reach; ``inf`` is compared and no more."""
    path = tmp_path / "s.prism"
    path.write_text(TOLL.replace("V", "s"))
    asked = ["check", str(path), "--objective", LEAST, "--mode", mode]
    found = json_of(*asked, "--where", "V=inf")
    assert [row["valuation"]["s"] for row in found["states_listed"]] == [3]
    assert found["matching_undecided"] == 0
    assert [row["valuation"]["s"] for row in json_of(*asked, "--where", "V<inf")["states_listed"]] == [0, 1, 2]
    assert json_of(*asked, "--where", "s<inf")["matching"] == 4
    assert "inf can be compared only" in run_cli(*asked, "--where", "V<inf+1").stderr


def test_a_variable_of_the_values_name_has_a_heading_of_its_own(toll: str) -> None:
    """The table has the variable V and the value; ``--where V=2`` is about the variable."""
    shown = run_cli("check", toll, "--objective", LEAST, "--danger", "Pmax=? [F V=3]", "--where", "V=2").stdout
    (head,) = [line.split() for line in shown.splitlines() if line.startswith("state ")]
    assert head[:4] == ["state", "V", "value", "D"]
    assert json_of("check", toll, "--objective", LEAST, "--where", "V=2")["matching"] == 1
