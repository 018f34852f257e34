"""Properties that are refused: what is wrong with them, and what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_support import json_of, run_cli
from storm_support import HALF

from engine.oracle.worker.refusals import operator_of, property_error
from engine.oracle.worker.storm_error import StormError

if TYPE_CHECKING:
    from pathlib import Path

REWARDS = HALF + 'rewards "a"\n x=0 : 1;\nendrewards\nrewards "b"\n x=0 : 2;\nendrewards\n'


@pytest.mark.parametrize(
    ("option", "property_", "says", "hint"),
    [
        ("--property", 'LRA=? ["goal"]', "does not say which count", "write LRAmax or LRAmin"),
        ("--property", 'R{"a"}=? [F "goal"]', "does not say which count", 'write R{"a"}max or R{"a"}min'),
        ("--property", "Rmin=? [F x>1]", "several rewards", 'rewards of this model: "a", "b"'),
        ("--objective", 'R{"c"}min=? [F x>1]', 'no reward "c"', 'rewards of this model: "a", "b"'),
        ("--danger", 'Pmin=? [F "nix"]', 'no label "nix"', '"goal", "init", "unsafe"'),
        ("--property", 'filter(min, Pmax=? [F "goal"], "nix")', 'no label "nix"', '"goal", "init", "unsafe"'),
        ("--property", 'filter(print, Pmax=? [F "goal"], x=1)', "(column 8)", "use min, max, sum or avg"),
        ("--objective", 'filter(min, Pmax=? [F "goal"], x=1)', "has no place here", 'write Pmax=? [F "goal"], and'),
        ("--danger", 'filter(min, Pmin=? [F "unsafe"], x=1)', "has no place here", "show filtered values with --prop"),
        ("--property", 'quantile(max B, Pmax>0.5 [F<=B "goal"])', "a quantile", "a property with one value"),
        ("--property", "multi(Pmax=? [F x=1], Pmax=? [F x=3])", "several objectives at once", "with one value"),
        ("--property", 'Pmax=? [F "goal"', "(column 17)", "add ] at the end"),
        ("--property", 'E [F "goal"]', "Could not parse", "write P>0 [F …] for E"),
        ("--property", "", "a property is empty", "write one"),
    ],
)
def test_a_refused_property_says_what_to_write(
    tmp_path: Path, option: str, property_: str, says: str, hint: str
) -> None:
    """Each is the user's mistake, quotes the property, and has a hint that fits it."""
    path = tmp_path / "m.prism"
    path.write_text(REWARDS)
    result = run_cli("check", str(path), option, property_)
    assert result.exit_code == 2, result.stderr
    what, _, said = result.stderr.partition("\n  → ")
    assert says in what
    assert hint in said


def test_the_only_reward_needs_no_name(tmp_path: Path) -> None:
    """With one reward model, named or not, a property may leave its name out: here each run earns 1 at x=0."""
    for name in ('"a"', ""):
        path = tmp_path / "m.prism"
        path.write_text(HALF + f"rewards {name}\n x=0 : 1;\nendrewards\n")
        found = json_of("check", str(path), "--limit", "0", "--property", "Rmin=? [F x>1]")
        assert found["properties"][0]["value"] == "1"


def test_named_filters_are_left_out_of_objectives(tmp_path: Path) -> None:
    """A file's property with a filter is an objective by its name: the facts are about every state anyway."""
    path, file = tmp_path / "m.prism", tmp_path / "m.props"
    path.write_text(HALF)
    file.write_text('"low": filter(min, Pmax=? [F "goal"], x<2);\n')
    found = json_of("check", str(path), "--limit", "0", "--properties", str(file), "--objective", "low")
    assert found["objective"] == 'Pmax=? [F "goal"]'
    assert found["initial"][0]["value"] == "1/2"


def test_a_properties_file_that_is_no_text(tmp_path: Path) -> None:
    """A binary file of properties is one message with its name."""
    path, file = tmp_path / "m.prism", tmp_path / "m.props"
    path.write_text(HALF)
    file.write_bytes(b"\xff\xfe\x00P")
    result = run_cli("check", str(path), "--properties", str(file))
    assert result.exit_code == 2
    assert "m.props: this is no text in UTF-8" in result.stderr


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("P=? [F x=1]", "P"),
        ('R{"steps"}=? [F x=1]', 'R{"steps"}'),
        ('R { "steps" } =? [F x=1]', 'R{"steps"}'),
        ('S=? ["goal"]', "LRA"),
        ("filter(min, LRA=? [x=1], true)", "LRA"),
    ],
)
def test_operators_are_named_as_they_are_written(text: str, operator: str) -> None:
    """A hint about max and min begins with the property's own operator; S is Storm's LRA."""
    assert operator_of(text) == operator


def test_labels_are_offered_where_they_are_known() -> None:
    """An unknown label's hint lists the model's, in order."""
    error = property_error(StormError("The property refers to unknown label 'nix'."), "P", ["goal", "far"])
    assert error.hint == 'the model\'s labels: "far", "goal"'
