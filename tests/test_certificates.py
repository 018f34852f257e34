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
from cli_support import json_of, run_cli
from source_support import PLAIN_DRN, as_rationals, exchange, jani, umb_of
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


def test_what_cannot_be_verified_is_said_beside_the_table() -> None:
    """With bounds or a step bound the table is printed all the same, and a line says why nothing was verified."""
    for args, why in (
        (["--mode", "sound"], "only exact values can be verified"),
        (["--objective", 'Pmax=? [F<=3 "goal"]'], "values with a step bound have no certificate"),
    ):
        shown = run_cli("check", "frozen_lake", "--limit", "1", "--verify", *args)
        assert shown.exit_code == 0, shown.stderr
        assert "state  pos" in shown.stdout
        assert f"not verified: {why}" in shown.stdout
        verified = json_of("check", "frozen_lake", "--limit", "0", "--verify", *args)["verified"]
        assert (verified["states"], verified["conditions"]) == (0, [])
        assert why in verified["unavailable"]
    assert "unavailable" not in json_of("check", "frozen_lake", "--limit", "0", "--verify")["verified"]


def test_the_commands_name_model_constants_and_property() -> None:
    """The storm command of one state holds a property that Storm reads, whose value is that state's."""
    found = json_of("check", "frozen_lake", "--where", "pos=14", "--limit", "0", "--reproduce")["reproduce"]
    storm, prism = (shlex.split(command) for command in found)
    text = storm[storm.index("--prop") + 1]
    assert storm[:2] == ["storm", "--prism"]
    assert storm[-1] == "--exact"
    assert storm[storm.index("--constants") + 1] == prism[prism.index("-const") + 1] == "map=4,slip=1/3"
    assert prism[prism.index("-pf") + 1] == text
    again = json_of("check", "frozen_lake", "--property", text, "--limit", "0")
    assert again["properties"][0]["value"] == "16/17"


@pytest.mark.parametrize(
    ("ending", "option", "why"),
    [
        (".jani", "--jani", "PRISM reads no JANI"),
        (".drn", "--explicit-drn", "DRN"),
        (".umb", "--explicit-umb", "UMB"),
        (".tra", "--explicit-drn", "-importtrans"),
    ],
)
def test_commands_for_models_that_are_no_prism_programs(tmp_path: Path, ending: str, option: str, why: str) -> None:
    """Storm is given the file by the option of its kind, quoted for a shell; a comment says why PRISM is not.

    The file in the command, checked with the property in it, has the value at the start.
    """
    folder = tmp_path / "it's mine; $HOME"
    folder.mkdir()
    path = folder / f"m{ending}"
    match ending:
        case ".jani":
            path.write_text(json.dumps(jani()))
        case ".umb":
            exchange(umb_of(HALF, folder), path, as_rationals)
        case ".drn":
            path.write_text(PLAIN_DRN)
        case _:
            path.write_text("3 4 5\n0 0 1 1/3\n0 0 2 2/3\n0 1 2 1\n1 0 1 1\n2 0 2 1\n")
            path.with_suffix(".lab").write_text('0="init" 1="goal"\n0: 0\n1: 1\n')
    found = json_of("check", str(path), "--limit", "0", "--reproduce")
    *before, command, comment = found["reproduce"]
    assert all(line.startswith("#") for line in before)
    assert comment.startswith("# no prism command: ")
    assert why in comment
    storm = shlex.split(command)
    assert storm[:2] == ["storm", option]
    assert ending == ".tra" or storm[2] == str(path)
    again = json_of("check", storm[2], "--property", storm[storm.index("--prop") + 1], "--limit", "0")
    assert again["properties"][0]["value"] == found["initial"][0]["value"]


def test_a_state_of_an_explicit_model_has_no_expression(tmp_path: Path) -> None:
    """Storm cannot be told that state of a DRN file, even with variables beside it, and the lines say so."""
    path = tmp_path / "m.drn"
    path.write_text(PLAIN_DRN)
    path.with_suffix(".sta").write_text("(x)\n0:(5)\n1:(6)\n")
    first, command, _ = json_of("check", str(path), "--where", "x=6", "--reproduce")["reproduce"]
    assert first.startswith("# for the initial states: no expression selects state 1")
    assert "filter" not in command
    assert len(json_of("check", str(path), "--where", "x=5", "--reproduce")["reproduce"]) == 2


def test_a_sweep_is_one_row_a_value() -> None:
    """Without slipping V is 1; a third each way gives 14/17; the CSV has one line for each value."""
    args = ["check", "frozen_lake", "--const", "map=4", "--sweep", "slip=0:1/6:1/3"]
    rows = json_of(*args)["rows"]
    assert [(row["constant"], row["initial"][0]) for row in rows][::2] == [("0", "1"), ("1/3", "14/17")]
    table = list(csv.reader(io.StringIO(run_cli(*args, "--csv").stdout)))
    assert [row[0] for row in table] == ["slip", "0", "1/6", "1/3"]


def test_a_value_that_fails_is_a_row() -> None:
    """The lake has maps of 4 and 8: the values between are rows that say what is wrong, the others have V."""
    args = ["check", "frozen_lake", "--sweep", "map=4..5"]
    four, five = json_of(*args)["rows"]
    assert four["initial"] == ["14/17"]
    assert "error" not in four
    assert five == {
        "constant": "5",
        "constants": {"map": "5"},
        "states": None,
        "initial": [],
        "error": "map cannot be 5",
    }
    header, first, second = csv.reader(io.StringIO(run_cli(*args, "--csv").stdout))
    assert dict(zip(header, first, strict=True)) | {"float": ""} == {
        "map": "4", "states": "16", "state": "0", "value": "14/17", "float": "", "error": "",
    }  # fmt: skip
    assert dict(zip(header, second, strict=True))["error"] == "map cannot be 5"
    shown = run_cli(*args)
    assert shown.exit_code == 0
    assert "14/17" in shown.stdout
    assert "map cannot be 5" in shown.stdout


def test_a_sweep_without_any_value_is_a_mistake() -> None:
    """Where every value fails, or nothing could be swept, it is one message about --sweep and no output."""
    for args, says in (
        (["--sweep", "map=5..7"], "error: --sweep map=5: every value of map fails, the first because map cannot be 5"),
        (["--sweep", "map=5..5"], "error: --sweep map=5: map cannot be 5"),
        (["--sweep", "size=1..9"], "error: --sweep: size is no constant that the model leaves open"),
        (["--sweep", "map=4..8", "--json", "--csv"], "--csv and --json"),
        (["--csv"], "only a sweep is printed as CSV"),
    ):
        result = run_cli("check", "frozen_lake", *args)
        assert result.exit_code == 2
        assert says in result.stderr
        assert result.stdout == ""


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
