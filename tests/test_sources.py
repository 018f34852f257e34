"""JANI, chains and constants: names, defaults, and the kinds of models that are refused."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from source_support import (
    CHAIN,
    EVERY_RUN_ENDS,
    REFUSED,
    jani,
    opened,
    run,
    start,
)
from storm_support import HALF

from engine.errors import UsageError
from engine.mdp.sources import find_model, parse_constants
from engine.oracle.facts import Kind
from engine.oracle.request import Mode
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from pathlib import Path


def test_janis_own_properties_are_objectives_by_name(tmp_path: Path) -> None:
    """The first own property that is an objective is the default; others are taken by name, also for display."""
    path = tmp_path / "m.jani"
    path.write_text(json.dumps(jani()))
    default = opened(path, properties=("never",))
    assert start(default) == Fraction(1, 3)
    assert default.meta["objective_name"] == "arrive"
    assert default.facts is not None
    assert default.facts.objective.text.startswith("Pmax=? [F")
    assert default.meta["properties"][0]["value"] == "4/5"  # by try, which misses x=2 more often
    worst = opened(path, objective="worst")
    assert start(worst) == Fraction(1, 5)
    assert worst.facts is not None
    assert worst.facts.objective.kind is Kind.PMIN
    assert "the objective is the property arrive" in run("check", str(path)).stdout
    for option, code in (("nix", 2), ("never", 2)):
        result = run("check", str(path), "--objective", option)
        assert result.exit_code == code, result.stderr
    assert "arrive" in run("check", str(path), "--objective", "nix").stderr


@pytest.mark.parametrize(
    ("change", "says"),
    [({"type": "ctmc"}, "CTMC"), ({"type": "ma"}, "Markov automaton"), ({"type": "pta"}, "clocks")],
)
def test_other_jani_models_are_refused(tmp_path: Path, change: dict[str, str], says: str) -> None:
    """A JANI model with continuous time is refused with the reason."""
    path = tmp_path / "m.jani"
    model = jani() | change
    if change["type"] != "pta":
        for edge in model["automata"][0]["edges"]:
            edge["rate"] = {"exp": 1}
    path.write_text(json.dumps(model))
    result = run("check", str(path))
    assert result.exit_code == 3, result.stderr
    assert says in result.stderr


def test_truncated_jani_is_one_message(tmp_path: Path, cache: Path) -> None:
    """A JANI file that is cut off anywhere is one message that names the file."""
    text = json.dumps(jani(), indent=1)
    path = tmp_path / "m.jani"
    for share in (0, 0.2, 0.9):
        path.write_text(text[: int(len(text) * share)])
        result = run("check", str(path))
        assert result.exit_code == 3, result.stderr
        assert result.stderr.startswith("error: ")
        assert "m.jani" in result.stderr
    assert not list(cache.iterdir())


@pytest.mark.parametrize("property_", ['P=? [F "goal"]', 'Pmax=? [F "goal"]', 'Pmin=? [F "goal"]'])
def test_a_chain_is_an_mdp_with_one_action(tmp_path: Path, property_: str) -> None:
    """Every fact of a DTMC is defined as for an MDP: one action, best and worst at once, V = Q."""
    path = tmp_path / "m.pm"
    path.write_text(CHAIN)
    checked = opened(path, constants={"N": "3"}, objective=property_)
    assert start(checked) == Fraction(1, 4)
    mdp, facts = checked.mdp, checked.facts
    assert facts is not None
    assert facts.objective.kind is (Kind.PMIN if "min" in property_ else Kind.PMAX)
    assert np.diff(mdp.choice_start).tolist() == [1] * mdp.states
    assert mdp.action_names == ("action 0",)
    for state in np.flatnonzero(~facts.target):
        assert facts.q.at(int(state)) == facts.value.at(int(state))
        assert facts.best[state] == facts.worst[state] == Tri.YES
    if facts.objective.kind is Kind.PMAX:  # x=2; for Pmin, where V = 1 before the target
        assert facts.dead_end.tolist().count(Tri.YES) == 1


def test_rewards_and_bounds_of_chains(tmp_path: Path) -> None:
    """``R=?`` and ``P=?`` with a bound, which may be a constant, are objectives of a DTMC in both modes."""
    path = tmp_path / "m.pm"
    path.write_text(EVERY_RUN_ENDS)
    for mode in (Mode.EXACT, Mode.SOUND):
        steps = start(opened(path, constants={"N": "3"}, objective='R=? [F "goal"]', mode=mode))
        assert steps == 3 if mode is Mode.EXACT else steps.lower <= 3 <= steps.upper
    # two steps lead to x=3 by way of x=1 with 1/6 and by way of x=2 with 1/2
    for bound in ("2", "N-1"):
        checked = opened(path, constants={"N": "3"}, objective=f'P=? [F<={bound} "goal"]')
        assert start(checked) == Fraction(2, 3)
        assert checked.facts is not None
        assert checked.facts.objective.bound == 2


def test_open_optimum_is_refused_for_an_mdp(tmp_path: Path) -> None:
    """``P=?`` says nothing where there are choices: one message that names Pmax and Pmin."""
    path = tmp_path / "m.prism"
    path.write_text(HALF)
    for objective in ('P=? [F "goal"]', 'P=? [F<=2 "goal"]'):
        result = run("check", str(path), "--objective", objective)
        assert result.exit_code == 2, result.stderr
        assert "write Pmax or Pmin" in result.stderr


@pytest.mark.parametrize("name", REFUSED)
def test_other_models_are_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    """CTMC, Markov automata, POMDP, games and timed automata end with exit code 3 and say why."""
    reasons = {
        "ctmc": "rates",
        "ma": "rates",
        "pomdp": "does not see",
        "smg": "players",
        "pta": "clocks",
        "popta": "clocks",
    }
    (tmp_path / name).write_text(REFUSED[name])
    result = run("check", str(tmp_path / name), "--objective", "Pmax=? [F true]")
    assert result.exit_code == 3, result.stderr
    assert reasons[name.partition(".")[0]] in result.stderr
    assert "MDPs and DTMCs only" in result.stderr


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        ("int", "1/2", "takes an integer"),
        ("int", "true", "takes a number"),
        ("bool", "1", "true or false"),
        ("double", "false", "takes a number"),
        ("int", "inf", "takes a number"),
    ],
)
def test_constants_of_a_wrong_type(tmp_path: Path, kind: str, value: str, says: str) -> None:
    """A value that is none of its constant's type is a mistake of the user that names the constant."""
    (tmp_path / "m.prism").write_text(HALF.replace("module", f"const {kind} k;\nmodule", 1))
    result = run("check", str(tmp_path / "m.prism"), "--const", f"k={value}")
    assert result.exit_code == 2, result.stderr
    assert f"the constant k {says}" in result.stderr.replace("k is true", "k true")


def test_constants_are_split_first_and_judged_by_the_model() -> None:
    """Words are values only where the source takes them; twice and without a value is a mistake anywhere."""
    assert parse_constants(["N=3,p=1/3", "map=4x4"]) == {"N": "3", "p": "1/3", "map": "4x4"}
    with pytest.raises(UsageError, match="'4x4' is no value for map"):
        find_model("frozen_lake").request({"map": "4x4"})
    for wrong in (["N=3", "N=4"], ["N"], ["=3"]):
        with pytest.raises(UsageError):
            parse_constants(wrong)
