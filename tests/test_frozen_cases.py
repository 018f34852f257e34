"""Case files that were changed by hand, and models that are not the ones that cases or a campaign were made from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cli_support import json_of, run_cli

from engine.verdicts.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result


@pytest.fixture(scope="module")
def kept() -> dict[str, dict[str, Any]]:
    """Case files of all categories, by their difficulty formulas."""
    args = ["cases", "frozen_lake", "--category", "all", "--budget", "2", "--difficulty"]
    return {name: json_of(*args, name) for name in ("paper", "refined")}


def asked(data: dict[str, Any], folder: Path) -> Result:
    """Ask the cases of a file with this content."""
    file = folder / "cases.json"
    file.write_text(json.dumps(data))
    return run_cli("run", "--cases", str(file), "--explainer", "oracle", "--out", str(folder / "c.sqlite"))


@pytest.mark.parametrize("difficulty", ["paper", "refined"])
def test_cases_of_every_category_are_found_unchanged(
    kept: dict[str, dict[str, Any]], tmp_path: Path, difficulty: str
) -> None:
    """What the program has written itself is asked, by both sets of formulas, with the difficulty that it has noted."""
    result = asked(kept[difficulty], tmp_path)
    assert result.exit_code == 0, result.stderr
    with Store(tmp_path / "c.sqlite", write=False) as store:
        stored = {name: entry.case.difficulty for name, entry in store.cases().items()}
    assert stored == {case["id"]: case["difficulty"] for case in kept[difficulty]["cases"]}


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("difficulty", lambda case: case.update(difficulty=case["difficulty"] / 2 + 0.001)),
        ("parts", lambda case: case["parts"].update({next(iter(case["parts"])): 77.0})),
        ("chance", lambda case: case["chance"].update(verdict=0.999)),
        ("chance", lambda case: case["chance"].update(score=1)),
        ("accepted", lambda case: case.update(accepted=["no such answer"])),
        ("numbers", lambda case: case["numbers"].update(V="1/2")),
        ("numbers", lambda case: case["numbers"].update(more="1/2")),
        ("question", lambda case: case.update(question="Is it a nice day?")),
        ("id", lambda case: case.update(id="0123456789abcdef")),
        ("states", lambda case: case["states"][0]["valuation"].update(pos=999)),
        ("answer_schema", lambda case: case["answer_schema"].update(enum=["up"])),
        ("space", lambda case: case["space"].update(options=["up", "fly"])),
    ],
)
def test_a_changed_field_is_named(
    kept: dict[str, dict[str, Any]], tmp_path: Path, field: str, change: Callable[[dict[str, Any]], object]
) -> None:
    """Whatever follows from the model and the question is compared: a file that says otherwise is refused by name."""
    data = json.loads(json.dumps(kept["paper"]))
    case = data["cases"][0]
    change(case)
    result = asked(data, tmp_path)
    said = " ".join(result.stderr.split())
    assert result.exit_code == 2
    assert f"the case {case['id']} has been changed: its {field} is" in said
    assert "should be" in said
    assert not (tmp_path / "c.sqlite").exists()


def test_a_changed_name_of_the_formulas_is_noticed(kept: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    """Difficulties of one set of formulas do not pass under the other's name."""
    result = asked({**kept["refined"], "difficulty": "paper"}, tmp_path)
    assert (result.exit_code, "its difficulty is" in result.stderr) == (2, True)


def test_what_a_file_leaves_out_is_not_missed(kept: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    """A file needs the questions and their answers; figures that it does not state are computed."""
    data = json.loads(json.dumps(kept["paper"]))
    for case in data["cases"]:
        for name in ("difficulty", "parts", "chance", "question"):
            del case[name]
    assert asked(data, tmp_path).exit_code == 0
    with Store(tmp_path / "c.sqlite", write=False) as store:
        stored = {name: entry.case.difficulty for name, entry in store.cases().items()}
    assert stored == {case["id"]: case["difficulty"] for case in kept["paper"]["cases"]}


# Models that have changed


MODEL = """mdp
const double slip = 1/3;
module m
  s : [0..2] init 0;
  [left] s=0 -> slip : (s'=1) + 1-slip : (s'=2);
  [right] s=0 -> 1/2 : (s'=1) + 1/2 : (s'=2);
endmodule
label "goal" = s=1;
"""
RUN = ["--explainer", "oracle", "--category", "best-action"]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a model that can be changed."""
    file = tmp_path / "small.prism"
    file.write_text(MODEL)
    return file


def again(model: Path, *options: str, constants: str = "") -> str:
    """Run a campaign about the model on the same file and return what was said."""
    out = str(model.with_name("c.sqlite"))
    name = f"{model}{constants}"
    result = run_cli("run", "--env", name, *RUN, "--objective", 'Pmax=? [F "goal"]', "--out", out, *options)
    return " ".join(result.stderr.split())


def test_a_changed_text_is_told_as_what_it_is(model: Path) -> None:
    """A comment more, and nothing else, is a text that is not the same, for a campaign and for frozen cases."""
    args = ["cases", str(model), "--objective", 'Pmax=? [F "goal"]', "--category", "best-action"]
    file = model.with_name("cases.json")
    file.write_text(json.dumps(json_of(*args)))
    again(model)
    model.write_text("// a comment\n" + MODEL)
    told = "the text of the model's file is not the same"
    assert f"has changed since this campaign began: {told} →" in again(model)
    frozen = run_cli("run", "--cases", str(file), "--explainer", "oracle")
    assert f"is not the one that these cases were made from: {told} →" in " ".join(frozen.stderr.split())


def test_changed_settings_are_told_with_both_values(model: Path) -> None:
    """Objective, mode and Storm's version are told as they were and as they are; several differences all of them."""
    again(model)
    assert "the mode was auto, is exact →" in again(model, "--mode", "exact")
    assert 'the objective was Pmax=? [F "goal"], is Pmin=? [F "goal"]' in again(
        model, "--objective", 'Pmin=? [F "goal"]'
    )
    with Store(model.with_name("c.sqlite"), write=True) as store:
        (known,) = store.models()
        assert known.made_from is not None
        store.set_setting(f"model {known.name}", json.dumps({**known.made_from, "storm": "0.1"}))
    model.write_text(MODEL + "\n")
    said = again(model)
    assert "the text of the model's file is not the same; Storm (stormpy) was 0.1, is " in said
