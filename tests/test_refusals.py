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
        ("--objective", "Pmax=? [F y=3]", "(column 11): the model has no variable or constant y", "it has: x; labels"),
        ("--property", "Pmax=? [F<=K x=3]", "no variable or constant K", 'double quotes: "goal", "unsafe"'),
        ("--objective", 'Pmax=? ["unsafe" U goal]', "goal is a label", 'write labels in double quotes: "goal"'),
        ("--objective", "Pmax=? [F>=2 x=3]", "is no objective", "it has a lower bound; an objective takes steps up to"),
        ("--objective", "Pmax=? [F[1,2] x=3]", "is no objective", "it has a lower bound"),
        ("--objective", 'Pmax=? [F{"a"}<=1 x=3]', "is no objective", "its bound is on a reward"),
        ("--objective", 'Pmax=? [F{"a"}<=1,<=2 x=3]', "is no objective", "it has several bounds"),
        ("--property", "Pmax=? [F>=2 x=3]", "upper step bound", "steps up to a bound only"),
        ("--property", "filter(forall, P>=0.5 [F x=3])", 'expecting ","', "a filter names its states, true for all"),
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


@pytest.mark.parametrize("property_", ['Pmax=? [F{"a"}<=1 x=3]', 'Pmax=? [F{"a"}<=1,<=2 x=3]'])
def test_a_bound_on_a_reward_is_a_value_without_facts(tmp_path: Path, property_: str) -> None:
    """Such a property is shown and never taken as the objective: with the label goal, that is the default one.

    By going, x=3 is reached with 1/2, having earned the 1 that leaving x=0 earns.
    """
    path = tmp_path / "m.prism"
    for text, objective in ((REWARDS, 'Pmax=? [F "goal"]'), (REWARDS.replace('"goal"', '"end"'), None)):
        path.write_text(text)
        found = json_of("check", str(path), "--limit", "0", "--property", property_)
        assert found["objective"] == objective
        (row,) = found["properties"]
        assert row["value"] == {"approximate": pytest.approx(0.5)}


def test_names_of_the_environment_are_offered() -> None:
    """An unknown objective's hint has the nearest name and all others; --property knows them as well."""
    result = run_cli("check", "cliff_walking", "--objective", "step")
    assert result.exit_code == 2
    assert "no property named step\n  → did you mean steps? named properties here: steps, twenty" in result.stderr
    found = json_of("check", "cliff_walking", "--limit", "0", "--property", "steps")
    asked = json_of("check", "cliff_walking", "--limit", "0", "--objective", "steps")
    assert found["properties"][0]["value"] == asked["initial"][0]["value"]


def test_an_explicit_model_has_no_variables(tmp_path: Path) -> None:
    """A DRN file's property with a variable says that labels are all there is."""
    path = tmp_path / "m.drn"
    path.write_text(
        "@type: MDP\n@parameters\n\n@reward_models\n\n@nr_states\n1\n@nr_choices\n1\n@model\n"
        "state 0 init goal\n\taction a\n\t\t0 : 1\n"
    )
    result = run_cli("check", str(path), "--objective", "Pmax=? [F x=2]")
    assert result.exit_code == 2
    assert "cannot speak of x\n  → it knows labels only" in result.stderr


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
