"""Exact values verified without Storm; commands that reproduce them; sweeps; neighbourhoods."""

from __future__ import annotations

import csv
import io
import json
import shlex
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from storm_support import HALF
from typer.testing import CliRunner

from engine.cli.app import app
from engine.errors import ModelError, UsageError
from engine.mdp.sources import find_model
from engine.mdp.sweeps import parse_sweep
from engine.oracle.certificate import verify
from engine.oracle.client import check_model
from engine.oracle.numbers import Numbers
from engine.oracle.request import Mode, Request

if TYPE_CHECKING:
    from pathlib import Path

OBJECTIVES = [
    'Pmax=? [F "goal"]',
    'Pmin=? [F "unsafe"]',
    'Pmin=? [F "goal" | "unsafe"]',
    'Pmax=? [!"unsafe" U pos=14]',
    'R{"steps"}min=? [F "goal" | "unsafe"]',
    'R{"steps"}max=? [F "goal" | "unsafe"]',
    'R{"steps"}min=? [F "goal"]',
    'R{"steps"}min=? [F pos=4]',
]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_values_of_storm_are_verified(objective: str) -> None:
    """Every kind of objective passes the independent check of all its states."""
    checked = check_model(find_model("frozen_lake").request(objective=objective, mode=Mode.EXACT))
    assert checked.facts is not None
    assert verify(checked.mdp, checked.facts).states == 16


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_wrong_value_is_found(objective: str) -> None:
    """Changing the value of any single state, however little, is noticed."""
    checked = check_model(find_model("frozen_lake").request(objective=objective, mode=Mode.EXACT))
    assert checked.facts is not None
    values = [checked.facts.value.at(state) for state in range(16)]
    for state in range(16):
        value = values[state]
        wrong = Fraction(1, 2) if value == float("inf") or value is None else value + Fraction(1, 10**12)  # type: ignore[operator]  # exact mode
        changed = Numbers.from_exact([*values[:state], wrong, *values[state + 1 :]])  # type: ignore[list-item]  # exact
        with pytest.raises(ModelError, match="does not hold"):
            verify(checked.mdp, replace(checked.facts, value=changed))


def test_values_that_only_satisfy_bellman_are_refused(tmp_path: Path) -> None:
    """A loop that keeps its value satisfies the Bellman equation with any value; progress tells the right one."""
    path = tmp_path / "m.prism"
    path.write_text(
        "mdp\nmodule m\n x : [0..2] init 0;\n [wait] x=0 -> true;\n [go] x=0 -> 1/2 : (x'=1) + 1/2 : (x'=2);\n"
        ' [end] x>0 -> true;\nendmodule\nlabel "goal" = x=1;\n'
    )
    checked = check_model(Request(path=path, mode=Mode.EXACT))
    assert checked.facts is not None
    assert verify(checked.mdp, checked.facts).states == 3
    values = [checked.facts.value.at(state) for state in range(3)]
    assert values[0] == Fraction(1, 2)
    inflated = Numbers.from_exact([Fraction(9, 10), *values[1:]])  # type: ignore[list-item]  # exact mode
    with pytest.raises(ModelError, match="optimal choices lead to the target"):
        verify(checked.mdp, replace(checked.facts, value=inflated))


def test_enclosures_are_not_verified() -> None:
    """Only exact values have a certificate."""
    checked = check_model(find_model("frozen_lake").request(mode=Mode.SOUND))
    assert checked.facts is not None
    with pytest.raises(UsageError, match="only exact values"):
        verify(checked.mdp, checked.facts)


def test_the_commands_name_model_constants_and_property() -> None:
    """The storm command of one state holds a property that Storm reads, whose value is that state's."""
    result = CliRunner().invoke(app, ["check", "frozen_lake", "--where", "pos=14", "--reproduce", "--json"])
    storm, prism = (shlex.split(command) for command in json.loads(result.stdout)["reproduce"])
    text = storm[storm.index("--prop") + 1]
    assert storm[storm.index("--constants") + 1] == prism[prism.index("-const") + 1] == "map=4,slip=1/3"
    assert prism[prism.index("-pf") + 1] == text
    again = CliRunner().invoke(app, ["check", "frozen_lake", "--property", text, "--limit", "0", "--json"])
    assert json.loads(again.stdout)["properties"][0]["value"] == "16/17"


def test_a_sweep_is_one_row_a_value() -> None:
    """Without slipping V is 1; a third each way gives 14/17; the CSV has one line for each value."""
    args = ["check", "frozen_lake", "--sweep", "slip=0:1/6:1/3"]
    rows = json.loads(CliRunner().invoke(app, [*args, "--json"]).stdout)["rows"]
    assert [(row["constant"], row["initial"][0]) for row in rows][::2] == [("0", "1"), ("1/3", "14/17")]
    table = list(csv.reader(io.StringIO(CliRunner().invoke(app, [*args, "--csv"]).stdout)))
    assert [row[0] for row in table] == ["slip", "0", "1/6", "1/3"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("k=1..4", ["1", "2", "3", "4"]),
        ("p=0:1/10:3/10", ["0", "1/10", "1/5", "3/10"]),
        ("p=0:0.5:1", ["0", "1/2", "1"]),
    ],
)
def test_sweeps_are_exact(text: str, values: list[str]) -> None:
    """The values of a sweep are exact steps, both ends included."""
    assert parse_sweep(text)[1] == values


@pytest.mark.parametrize("text", ["k", "k=", "k=4..1", "k=0:0:1", "k=0:1", "=1..2", "k=0:1/1000000:1", "k=a..b"])
def test_bad_sweeps_are_refused(text: str) -> None:
    """What is no sweep is one message."""
    with pytest.raises(UsageError):
        parse_sweep(text)


def test_a_neighbourhood_keeps_what_is_inside(tmp_path: Path) -> None:
    """One step around the start of a small model is itself and its successors, with exact probabilities."""
    model = tmp_path / "half.prism"
    model.write_text(HALF)
    for name in ("n.drn", "n.dot"):
        args = ["check", str(model), "--where", "x=0", "--export-neighbourhood", str(tmp_path / name), "--depth", "1"]
        assert CliRunner().invoke(app, args).exit_code == 0
    part = check_model(Request(path=tmp_path / "n.drn", mode=Mode.EXACT))
    assert part.mdp.states == 4
    assert {str(p) for choice in part.mdp.choices_of(0) for _, p in part.mdp.successors(choice)} == {
        "1/2",
        "1/3",
        "2/3",
    }
    dot = (tmp_path / "n.dot").read_text()
    assert dot.startswith("digraph")
    assert 'label="1/3"' in dot
