"""``run`` about a policy, with frozen cases, and with one strategy only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from cli_support import json_of, run_cli

from engine.verdicts.store import Store

if TYPE_CHECKING:
    from pathlib import Path

RUN = ("run", "--env", "frozen_lake", "--explainer", "oracle", "--budget", "3")


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """Write the policy that always goes down on the 4×4 lake."""
    path = tmp_path / "down.json"
    moves = [{"state": {"pos": pos}, "action": "down"} for pos in range(16) if pos not in {5, 7, 11, 12, 15}]
    path.write_text(json.dumps({"schema": 1, "policy": moves}), encoding="utf-8")
    return path


def test_a_campaign_about_a_policy(policy: Path, tmp_path: Path) -> None:
    """The truth is the chain's: the same cases as `cases --policy` gives, and another V than under optimal play."""
    out = tmp_path / "c.sqlite"
    report = json_of(*RUN, "--policy", str(policy), "--category", "satisfy", "--out", str(out))
    assert report["explainers"][0]["pass"] == 3
    assert report["run"]["plan"]["policy"].startswith("down.json (")
    with Store(out, write=False) as store:
        asked = {name: entry.case.accepted for name, entry in store.cases().items()}
    cases = ("cases", "frozen_lake", "--category", "satisfy", "--budget", "3")
    followed = json_of(*cases, "--policy", str(policy))["cases"]
    assert asked == {case["id"]: tuple(case["accepted"]) for case in followed}
    optimal = {case["states"][0]["state"]: case["accepted"] for case in json_of(*cases[:-1], "16")["cases"]}
    assert any(optimal[case["states"][0]["state"]] != case["accepted"] for case in followed)
    assert "about the policy down.json" in run_cli("report", str(out)).stdout


def test_a_policys_campaign_goes_on_with_that_policy_only(policy: Path, tmp_path: Path) -> None:
    """The same file asks nothing twice; without the policy, or with a changed one, the file is refused and kept."""
    out = tmp_path / "c.sqlite"
    command = [*RUN, "--category", "safer", "--out", str(out)]
    assert run_cli(*command, "--policy", str(policy)).exit_code == 0
    again = run_cli(*command, "--policy", str(policy))
    assert "3 answered before" in again.stderr
    without = run_cli(*command)
    assert without.exit_code == 2
    assert "not none" in without.stderr
    policy.write_text(policy.read_text().replace('"down"', '"up"'), encoding="utf-8")
    assert run_cli(*command, "--policy", str(policy)).exit_code == 2
    with Store(out, write=False) as store:
        assert len(store.answered("oracle")) == 3


def test_a_policys_frozen_cases_are_asked(policy: Path, tmp_path: Path) -> None:
    """A case file about a policy brings its policy; naming one beside it is a mistake that is explained."""
    file = tmp_path / "cases.json"
    cases = json_of("cases", "frozen_lake", "--policy", str(policy), "--category", "satisfy", "--budget", "2")
    file.write_text(json.dumps(cases), encoding="utf-8")
    asked = json_of("run", "--cases", str(file), "--explainer", "oracle", "--out", str(tmp_path / "c.sqlite"))
    assert asked["explainers"][0]["pass"] == 2
    both = run_cli("run", "--cases", str(file), "--policy", str(policy), "--explainer", "oracle")
    assert both.exit_code == 2
    assert "--policy has no meaning with --cases" in both.stderr


def test_policies_that_cannot_be_used(policy: Path, tmp_path: Path) -> None:
    """A policy for several models, and one that is not there: one message each, and no file."""
    out = tmp_path / "c.sqlite"
    several = run_cli("run", "--env", "frozen_lake", "--env", "water_jug", "--explainer", "oracle", "--policy",
                      str(policy), "--out", str(out))  # fmt: skip
    missing = run_cli(*RUN, "--policy", str(tmp_path / "none.json"), "--out", str(out))
    assert (several.exit_code, missing.exit_code) == (2, 2)
    assert "a policy belongs to one model" in several.stderr
    assert "none.json: the policy cannot be read" in missing.stderr
    assert not out.exists()


def test_a_frozen_case_about_no_state_names_file_and_case(tmp_path: Path) -> None:
    """A state that the model does not have: which file, which case, which state."""
    cases = json_of("cases", "frozen_lake", "--category", "satisfy", "--budget", "2")
    cases["cases"][1]["states"][0]["state"] = 99
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(cases), encoding="utf-8")
    result = run_cli("run", "--cases", str(file), "--explainer", "oracle", "--out", str(tmp_path / "c.sqlite"))
    assert result.exit_code == 2
    assert f"{file}: the case {cases['cases'][1]['id']} cannot be asked: there is no state 99" in result.stderr


def test_an_empty_rq1_says_why_and_how_to_fill_it(tmp_path: Path) -> None:
    """One strategy gives no pairs: the report names the option, and with both strategies there is a test."""
    out = tmp_path / "c.sqlite"
    command = [*RUN, "--category", "satisfy", "--out", str(out)]
    assert run_cli(*command).exit_code == 0
    for form in ("text", "markdown", "html"):
        told = " ".join(run_cli("report", str(out), "--format", form).stdout.replace("\\", "").split())
        assert "empty: only prioritized cases were asked" in told
        assert "--strategy both" in told
    assert run_cli(*command, "--strategy", "prioritized", "--strategy", "random").exit_code == 0
    assert "empty: only" not in run_cli("report", str(out)).stdout
    assert len(json_of("report", str(out))["rq1"]) == 2
