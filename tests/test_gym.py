"""Gymnasium environments as models: known answers, exact tables, what is refused."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import gymnasium
import pytest
from cli_support import json_of, run_cli
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ModelError, UsageError
from engine.mdp.gym import find_gym_model
from engine.mdp.gym_tables import COST, read_table
from engine.mdp.sources import find_model
from engine.oracle.client import open_oracle

if TYPE_CHECKING:
    from pathlib import Path


def test_frozen_lake_is_the_packaged_one() -> None:
    """V(start) = 14/17 on 4×4, four dead ends, one bottleneck, and the environment's own action names."""
    found = json_of("check", "gym:FrozenLake-v1", "--limit", "1")
    assert found["objective"] == 'Pmax=? [F "goal"]'
    assert found["danger"] == 'Pmin=? [F "unsafe"]'
    assert found["mode"] == "exact"
    assert [row["value"] for row in found["initial"]] == ["14/17"]
    assert found["counts"] == {"dead_ends": 4, "bottlenecks": 1, "undecided": 0}
    (state,) = found["states_listed"]
    assert state["valuation"] == {"row": 0, "column": 0}
    assert [row["action"] for row in state["actions"]] == ["left", "down", "right", "up"]


def test_frozen_lakes_values_are_those_of_the_packaged_model_tile_by_tile() -> None:
    """Two models that were written apart, 8×8, agree in V and Q on every tile."""
    source = find_model("gym:FrozenLake-v1").configured({"map_name": "8x8"})
    mine = open_oracle(source.request({"map_name": "8x8"}), source.environment)
    packaged = find_model("frozen_lake")
    theirs = open_oracle(packaged.request({"map": "8"}), packaged.environment)
    of_tile = {int(theirs.mdp.valuations["pos"][state]): state for state in range(theirs.mdp.states)}
    assert mine.mdp.states == theirs.mdp.states == 64
    for state in range(64):
        place = mine.mdp.valuation(state)
        other = of_tile[8 * place["row"] + place["column"]]
        assert mine.facts.value.at(state) == theirs.facts.value.at(other)
        q = {mine.mdp.action_name(choice): mine.facts.q.at(choice) for choice in mine.mdp.choices_of(state)}
        assert q == {
            theirs.mdp.action_name(choice): theirs.facts.q.at(choice) for choice in theirs.mdp.choices_of(other)
        }
    assert source.environment.layout is not None
    assert source.environment.layout.kind == "grid"
    assert (source.environment.layout.rows, source.environment.layout.columns) == ("8", "8")


def test_arguments_reach_the_environment() -> None:
    """Without slipping the goal is certain; a success rate of 1/2 is exact although the table holds floats."""
    firm = json_of("check", "gym:FrozenLake-v1", "--const", "is_slippery=false", "--limit", "0")
    assert firm["initial"][0]["value"] == "1"
    assert firm["transitions"] == firm["choices"]
    rate = json_of("check", "gym:FrozenLake-v1", "--const", "success_rate=1/2", "--where", "row=3 & column=2")
    (state,) = rate["states_listed"]
    right = next(row for row in state["actions"] if row["action"] == "right")
    assert {row["probability"] for row in right["successors"]} == {"1/2", "1/4"}


def test_cliff_walking_takes_thirteen_steps() -> None:
    """Up, eleven to the right, down (Sutton & Barto, example 6.6); a fall costs 100 and leads back to the start."""
    found = json_of("check", "gym:CliffWalking-v1", "--where", "row=3 & column=0")
    assert found["objective"] == 'R{"cost"}min=? [F "goal"]'
    assert found["initial"][0]["value"] == "13"
    (state,) = found["states_listed"]
    q = {row["action"]: row["q"] for row in state["actions"]}
    assert q == {"up": "13", "right": str(100 + 13), "down": "14", "left": "14"}


def test_taxi_by_hand() -> None:
    """From R to Y: pick up, four times south, drop off; every position of the taxi is described by its variables."""
    found = json_of("check", "gym:Taxi-v4", "--where", "row=0 & column=0 & passenger=0 & destination=2")
    (state,) = found["states_listed"]
    # the drop-off that ends the run brings a prize, so it costs nothing
    assert state["value"] == "5"
    q = {row["action"]: row["q"] for row in state["actions"]}
    assert q["pickup"] == "5"
    assert q["north"] == "6"  # a wall: one step lost
    assert q["dropoff"] == "15"  # a wrong drop-off costs 10
    assert len(found["initial"]) == 300  # 25 places, passenger at one of four, going to another
    beside = json_of("check", "gym:Taxi-v4", "--where", "row=3 & column=0 & passenger=4 & destination=2")
    assert beside["states_listed"][0]["value"] == "1"
    assert beside["states_listed"][0]["actions"][0]["action"] == "south"


def test_rain_is_exact() -> None:
    """Floats such as (1 - 0.8) / 2 become the tenth that they mean, so that rows sum to 1."""
    found = json_of(
        "check", "gym:Taxi-v4", "--const", "is_rainy=true", "--where", "row=2&column=2&passenger=4&destination=0"
    )
    probabilities = {row["probability"] for move in found["states_listed"][0]["actions"] for row in move["successors"]}
    assert probabilities == {"4/5", "1/10", "1"}
    assert found["mode"] == "exact"


@pytest.mark.parametrize(
    ("model", "arguments", "says"),
    [
        ("gym:Nope-v1", [], "Gymnasium has no environment Nope-v1\n  → give an ID that Gymnasium knows"),
        ("gym:FrozenLak-v1", [], "did you mean gym:FrozenLake-v1?"),
        ("gym:FrozenLake-v1", ["foo=1"], "has no argument foo\n  → it takes: desc, map_name, is_slippery"),
        ("gym:", [], "Malformed"),
        ("gym:CartPole-v1", [], "no transition table"),
        ("gym:LunarLander-v3", [], "Box2D"),
        ("gym:nowhere:Cave-v0", [], "nowhere"),
        ("gym:FrozenLake-v1", ["map_name=9x9"], "9x9"),
        ("gym:FrozenLake-v1", ["wind=1"], "has no argument wind"),
        ("gym:FrozenLake-v1", ["render_mode=human"], "does not change the transition table"),
        ("gym:Taxi-v4", ["fickle_passenger=true"], "fickle"),
    ],
)
def test_what_cannot_be_read(model: str, arguments: list[str], says: str) -> None:
    """Unknown IDs, missing packages, environments without a table and wrong arguments are the user's mistakes."""
    result = run_cli("check", model, *(["--const", ",".join(arguments)] if arguments else []))
    assert result.exit_code == 2, result.stderr
    assert says in result.stderr
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_without_gymnasium(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the extra is not installed, the message says how to install it."""
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    result = run_cli("check", "gym:FrozenLake-v1")
    assert result.exit_code == 2
    assert "pip install 'stormscope[gym]'" in result.stderr


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in the place of the cache folder is one message."""
    (tmp_path / "cache").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    result = run_cli("check", "gym:FrozenLake-v1")
    assert result.exit_code == 3
    assert "XDG_CACHE_HOME" in result.stderr


class _World:
    """An environment with a table, as Gymnasium's toy-text ones have it."""

    def __init__(self, table: Any, initial: list[float]) -> None:
        self.P = table
        self.initial_state_distrib = initial


def _read(table: Any, initial: list[float]) -> Any:
    return read_table(_World(table, initial), "gym:Test-v0", ("go", "wait"), lambda state: {"state": state})


def test_states_during_and_after_a_run_are_kept_apart() -> None:
    """A state that ends some runs and not others is three states: running, goal and unsafe, told by a variable."""
    found = _read(
        {0: {0: [(0.5, 1, 1.0, True), (0.25, 1, 0.0, True), (0.25, 1, 0.0, False)]}, 1: {0: [(1.0, 0, 0.0, False)]}},
        [1.0, 0.0],
    )
    assert found.columns == {"state": [0, 1, 1, 1], "ended": [False, False, True, True]}
    assert [found.model.labels[state] for state in range(4)] == [["init"], [], ["goal"], ["unsafe"]]
    assert found.model.states[0][0].distribution == {1: Fraction(1, 4), 2: Fraction(1, 2), 3: Fraction(1, 4)}
    assert [choice.action for choice in found.model.states[2]] == ["stay"]


def test_parallel_entries_are_added_and_unreached_states_left_out() -> None:
    """Two thirds in two parts are 2/3 exactly, and a state that no run can be in is no state of the model."""
    third = 1 / 3
    found = _read(
        {0: {0: [(third, 1, -1, True), (third, 1, -1, True), (third, 0, -2.5, False)]}, 1: {}, 2: {}}, [1.0, 0.0, 0.0]
    )
    (choice,) = found.model.states[0]
    assert choice.distribution == {0: Fraction(1, 3), 1: Fraction(2, 3)}
    assert choice.rewards == {COST: Fraction(2, 3) + Fraction(5, 6)}
    assert len(found.model.states) == 2


@pytest.mark.parametrize(("reward", "ends", "says"), [(1.0, False, "positive reward"), (1.0, True, "no step costs")])
def test_costs_that_make_no_sense_are_left_out(reward: float, ends: bool, says: str) -> None:
    """Rewards to be collected are no costs; the notes say why there are none."""
    found = _read({0: {0: [(1.0, 1, reward, ends)]}, 1: {0: [(1.0, 0, -1.0 if not ends else 0.0, True)]}}, [1.0, 0.0])
    assert found.model.reward_models == ()
    assert says in found.notes[0]


@pytest.mark.parametrize(
    ("table", "initial", "error", "says"),
    [
        ({0: {0: [(0.5, 0, 0, False)]}}, [1.0], ModelError, "sum to 1/2"),
        ({0: {0: [(1.5, 0, 0, False), (-0.5, 0, 0, True)]}}, [1.0], ModelError, "state 0, action 0"),
        ({0: {0: [(1.0, 7, 0, False)]}}, [1.0], UsageError, "state 7"),
        ({0: {0: [(1.0, 0)]}}, [1.0], UsageError, "state 0"),
        ({0: {0: [(float("nan"), 0, 0, False)]}}, [1.0], UsageError, "state 0"),
        ({0: {}}, [1.0], ModelError, "no actions"),
        ({0: {0: [(1.0, 0, 0, False)]}}, [0.0], UsageError, "initial states"),
        ("no table", [1.0], UsageError, "state 0"),
        (None, [1.0], UsageError, "no transition table"),
    ],
)
def test_tables_of_another_form(table: Any, initial: list[float], error: type[Exception], says: str) -> None:
    """Sums other than 1, missing states, short entries and numbers that are none are found by state."""
    with pytest.raises(error, match=says):
        _read(table, initial)


@given(
    weights=st.lists(st.integers(1, 50), min_size=1, max_size=5),
    targets=st.lists(st.integers(0, 3), min_size=5, max_size=5),
)
def test_floats_of_fractions_are_those_fractions(weights: list[int], targets: list[int]) -> None:
    """Any row of weights over their total, rounded to floats, comes back as exact fractions that sum to 1."""
    total = sum(weights)
    entries = [(weight / total, target, 0.0, False) for weight, target in zip(weights, targets, strict=False)]
    found = _read({state: {0: entries} for state in range(4)}, [1.0, 1.0, 1.0, 1.0])
    for choices in found.model.states:
        assert sum(choices[0].distribution.values()) == 1
        for target, probability in choices[0].distribution.items():
            parts = [weight for weight, to in zip(weights, targets, strict=False) if to == target]
            assert probability == Fraction(sum(parts), total)


def test_the_ids_of_the_documentation_exist() -> None:
    """The environments that messages and documentation name are those of the installed Gymnasium."""
    for identity in ("FrozenLake-v1", "CliffWalking-v1", "Taxi-v4"):
        assert identity in gymnasium.registry
        assert find_gym_model(identity).environment.objective is not None


def test_of_many_initial_states_some_are_listed_and_the_rest_are_counted() -> None:
    """Taxi starts in any of 300 states (25 places, 4 stands for the passenger, 3 other goals): ten have a line."""
    shown = run_cli("check", "gym:Taxi-v4", "--limit", "0").stdout
    assert shown.count(" in state ") == 10
    assert "10 of 300 initial states" in shown
    asked = ["check", "gym:Taxi-v4", "--limit", "0", "--property", 'R{"cost"}min=? [F "goal"]']
    assert "not the same in all 300 initial states" in run_cli(*asked).stdout
