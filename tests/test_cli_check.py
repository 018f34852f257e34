"""``check`` and ``envs``: the JSON of the contract, exit codes, and one message for every bad input."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from cli_support import json_of, run_cli
from storm_support import HALF

if TYPE_CHECKING:
    from pathlib import Path


def test_the_json_of_the_contract() -> None:
    """The object has the contract's keys, exact numbers as texts, and V = 14/17."""
    found = json_of("check", "frozen_lake", "--limit", "1")
    assert found["schema"] == 1
    assert (found["states"], found["choices"], found["transitions"]) == (16, 49, 133)
    assert found["mode"] == "exact"
    assert found["objective"] == 'Pmax=? [F "goal"]'
    assert found["initial"] == [{"state": 0, "value": "14/17", "float": 14 / 17}]
    assert found["counts"] == {"dead_ends": 4, "bottlenecks": 1, "undecided": 0}
    (state,) = found["states_listed"]
    assert state["state"] == 0
    assert state["valuation"] == {"pos": 0}
    assert (state["value"], state["danger"], state["dead_end"], state["bottleneck"]) == ("14/17", "0", False, False)
    assert state["loss"] is None
    first = state["actions"][0]
    assert {key: first[key] for key in ("action", "choice", "q", "best", "worst", "progressing")} == {
        "action": "left",
        "choice": 0,
        "q": "14/17",
        "best": True,
        "worst": True,
        "progressing": True,
    }
    assert sorted(entry["probability"] for entry in first["successors"]) == ["1/3", "2/3"]


def test_sound_numbers_have_bounds_and_undecided_facts_say_so() -> None:
    """In sound mode numbers are enclosures and a tie is ``undecided``, never a guess."""
    found = json_of("check", "frozen_lake", "--mode", "sound", "--where", "pos=0")
    (state,) = found["states_listed"]
    assert state["value"]["lower"] <= 14 / 17 <= state["value"]["upper"]
    assert state["actions"][0]["best"] == "undecided"
    assert found["counts"]["undecided"] > 0


def test_listing_is_filtered_and_limited() -> None:
    """--where selects, --limit cuts, 0 lists none and -1 all."""
    assert [s["valuation"]["pos"] for s in json_of("check", "frozen_lake", "--where", '"unsafe"')["states_listed"]] == [
        5,
        12,
        7,
        11,
    ]
    assert len(json_of("check", "frozen_lake", "--limit", "0")["states_listed"]) == 0
    assert len(json_of("check", "frozen_lake", "--limit", "-1", "--const", "map=8")["states_listed"]) == 64


def test_properties_by_text_and_by_name(tmp_path: Path) -> None:
    """Further properties are checked as written or by their name in a file, with values at the initial states."""
    file = tmp_path / "lake.props"
    file.write_text('"fall": Pmax=? [F "unsafe"];\n"sure": P>=0.9 [F "goal"];\n')
    found = json_of(
        "check", "frozen_lake", "--limit", "0", "--properties", str(file), "--property", "fall", "--property", "sure",
        "--property", 'Pmax=? [F "goal"]',
    )  # fmt: skip
    assert [row["value"] for row in found["properties"]] == ["1", False, "14/17"]


def test_losses_and_thresholds() -> None:
    """A threshold computes losses and shows the states that cost at least that share, strict ones always."""
    strict = json_of("check", "frozen_lake", "--bottleneck-threshold", "1", "--limit", "-1")
    assert strict["counts"]["bottlenecks"] == 1
    loose = json_of("check", "frozen_lake", "--bottleneck-threshold", "0.8", "--limit", "-1")
    by_tile = {state["valuation"]["pos"]: state for state in loose["states_listed"]}
    assert by_tile[14]["loss"] == "1"
    assert by_tile[15]["loss"] is None
    shown = {tile for tile, state in by_tile.items() if state["bottleneck"] is True}
    assert shown == {tile for tile, state in by_tile.items() if state["loss"] and eval_fraction(state["loss"]) >= 0.8}


def eval_fraction(text: str) -> float:
    """Return a fraction's text as a float."""
    numerator, _, denominator = text.partition("/")
    return int(numerator) / int(denominator or 1)


def test_the_default_objective_of_a_bare_file(tmp_path: Path) -> None:
    """A bare model with the labels goal and unsafe has the default objective and danger."""
    path = tmp_path / "half.prism"
    path.write_text(HALF)
    found = json_of("check", str(path))
    assert found["objective"] == 'Pmax=? [F "goal"]'
    assert found["danger"] == 'Pmin=? [F "unsafe"]'
    assert found["initial"][0]["value"] == "1/2"
    assert found["states_listed"][0]["danger"] == "1/2"


BAD_SUM = HALF.replace("1/2 : (x'=1) + 1/2", "0.5 : (x'=1) + 0.4")
DRN = """@type: MDP
@parameters

@reward_models

@nr_states
2
@nr_choices
2
@model
state 0 init
\taction a
\t\t0 : 0.4
\t\t1 : 0.47
state 1 goal
\taction a
\t\t1 : 1
"""


@pytest.mark.parametrize(
    ("name", "content", "args", "code", "says"),
    [
        ("m.prism", HALF.replace("(x'=2);", "(x'=2;", 1), [], 3, "m.prism:4:"),
        ("m.prism", BAD_SUM, [], 3, "sum to 9/10"),
        ("m.drn", DRN, [], 3, "state 0, 'a', sum to 87/100"),
        ("m.drn", "nonsense", [], 3, "m.drn"),
        ("m.jani", '{"jani-version": 1', [], 3, "this is no JSON: unexpected end"),
        ("m.prism", HALF, ["--objective", "Pmax=? [F goal]"], 2, "(column 11): goal is a label"),
        (
            "m.prism",
            HALF,
            ["--objective", 'Pmax=? [F "nix"]'],
            2,
            'no label "nix"\n  → labels of this model: "deadlock", "goal"',
        ),
        ("m.prism", HALF, ["--objective", 'Pmax=? [G "goal"]'], 2, "no objective"),
        ("m.prism", HALF, ["--objective", 'R{"r"}max=? [F "goal"]'], 2, 'no reward "r"'),
        ("m.prism", HALF, ["--property", "P"], 2, "no property named P"),
        ("m.prism", HALF, ["--const", "k=1"], 2, "no constant k"),
        ("m.prism", HALF, ["--const", "k"], 2, "'k' is no constant"),
        ("m.prism", HALF, ["--const", "k=x"], 2, "'x' is no value for k"),
        ("m.prism", HALF.replace("module", "const int k;\nmodule", 1), [], 2, "k (int)"),
        ("m.prism", HALF.replace("module", "const int k;\nmodule", 1), ["--const", "k=1/2"], 2, "takes an integer"),
        ("m.prism", HALF.replace("module", "const int k=1;\nmodule", 1), ["--const", "k=2"], 2, "defined in the model"),
        ("m.prism", HALF, ["--where", "x="], 2, "column 3"),
        ("m.prism", HALF, ["--where", "y=1"], 2, "no variable or constant y"),
        ("m.prism", HALF, ["--mode", "fast"], 2, "use auto, exact or sound"),
        ("m.prism", HALF.replace('label "goal"', 'label "end"'), [], 2, "no objective"),
        ("m.txt", HALF, [], 2, "no model format"),
        ("m.tra", "1 1 1\n0 0 0 1\n", [], 2, "labels of this model are missing"),
    ],
)
def test_bad_input_is_one_message(
    tmp_path: Path, name: str, content: str, args: list[str], code: int, says: str
) -> None:
    """What, where and what to do: one message on standard error, the right exit code, no traceback, no output."""
    path = tmp_path / name
    path.write_text(content)
    result = run_cli("check", str(path), *args)
    assert result.exit_code == code, result.stderr
    assert says in result.stderr
    assert result.stderr.startswith("error: ")
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("model", "says"),
    [("nowhere.prism", "no such file"), ("frozen_lak", "did you mean frozen_lake?"), ("swamp", "environments: ")],
)
def test_models_that_do_not_exist(model: str, says: str) -> None:
    """A missing file and an unknown environment are mistakes of the user, with a hint."""
    result = run_cli("check", model)
    assert result.exit_code == 2
    assert says in result.stderr


def test_an_environment_knows_its_constants() -> None:
    """A lake of five by five has no map."""
    result = run_cli("check", "frozen_lake", "--const", "map=5")
    assert result.exit_code == 2
    assert "4 or 8" in result.stderr


def test_environments_are_listed() -> None:
    """Each packaged environment is there with its constants and wordings."""
    found = json_of("envs")
    lake = next(row for row in found["environments"] if row["name"] == "frozen_lake")
    assert lake["constants"] == {"map": "4", "slip": "1/3"}
    assert len(lake["variants"]) >= 2


def test_hostile_labels_do_not_reach_the_terminal(tmp_path: Path) -> None:
    """A control sequence or markup in a name is shown as text without its controls."""
    path = tmp_path / "m.drn"
    path.write_text(DRN.replace("0.47", "0.6").replace("action a", "action [red]\x1b[31mx", 1))
    result = run_cli("check", str(path))
    assert result.exit_code == 0, result.stderr
    assert "\x1b" not in result.stdout
    assert "[red]" in result.stdout


def test_a_reader_that_leaves_is_no_error() -> None:
    """``check … | head`` ends quietly."""
    command = f"{sys.executable} -m engine check frozen_lake --json --limit -1 --const map=8 | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_further_properties_are_columns() -> None:
    """What Storm checks in every state is listed for each; what it gives at the initial states only says so."""
    asked = ['P<=0.9 [F "goal"]', 'Pmax=? [F "unsafe"]', 'LRAmax=? ["goal"]', 'Pmax=? [F "goal" || F pos=14]']
    args = [part for text in asked for part in ("--property", text)]
    found = json_of("check", "frozen_lake", *args, "--where", "pos=14")
    assert [row["states"] for row in found["properties"]] == ["all", "all", "all", "initial"]
    (state,) = found["states_listed"]
    assert found["properties"][0]["value"] is True
    assert state["properties"][asked[0]] is False
    assert state["properties"][asked[1]] == "1"
    assert state["properties"][asked[2]] == {"approximate": pytest.approx(16 / 17)}
    assert asked[3] not in state["properties"]


@pytest.mark.parametrize("redirection", [">&-", "> /dev/full", "2>&-", "| head -c 1"])
@pytest.mark.parametrize("command", ["check frozen_lake", "run --env frozen_lake --explainer first --budget 1"])
def test_streams_that_cannot_be_written(tmp_path: Path, command: str, redirection: str) -> None:
    """A closed or full standard output or error is no traceback."""
    out = f" --out {tmp_path / 'c.sqlite'}" if command.startswith("run") else ""
    line = f"{sys.executable} -m engine {command}{out} {redirection}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_a_terminal_in_ascii_shows_something() -> None:
    """Where ≈ and δ cannot be shown, a replacement is, and nothing fails."""
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "engine", "check", "frozen_lake", "--mode", "sound"]
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert b"?0.82" in done.stdout
