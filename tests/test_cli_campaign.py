"""``cases``, ``ask``, ``run`` and ``report`` as a user calls them, with servers and signals that are real."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from cli_support import json_of, run_cli
from fake_server import FakeServer, answer, answer_first_option, error
from typer.testing import CliRunner

from engine.cli.app import app
from engine.queries.registry import PAPER
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from fake_server import Behaviour, Exchange


def test_cases_are_the_same_every_time() -> None:
    """The same seed gives the same object, another seed another one; every case has its truth and δ in [0, 1]."""
    first = json_of("cases", "frozen_lake", "--budget", "5", "--seed", "3")
    assert first == json_of("cases", "frozen_lake", "--budget", "5", "--seed", "3")
    assert first != json_of("cases", "frozen_lake", "--budget", "5", "--seed", "4")
    assert {case["category"] for case in first["cases"]} == {*PAPER}
    for case in first["cases"]:
        assert case["accepted"]
        assert 0 <= case["difficulty"] <= 1
        assert case["question"]


def test_case_ids_do_not_depend_on_the_process() -> None:
    """Another process with another hash seed prints the same bytes."""
    command = [sys.executable, "-m", "engine", "cases", "frozen_lake", "--budget", "3", "--json"]
    outputs = [
        subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(("explainer", "state", "verdict"), [("oracle", "pos=14", "pass"), ("first", "pos=14", "fail")])
def test_one_question_one_verdict(explainer: str, state: str, verdict: str) -> None:
    """The oracle's answer passes and the first action, left, does not: at the bottleneck down is best (16/17)."""
    found = json_of("ask", "frozen_lake", "--category", "best-action", "--state", state, "--explainer", explainer)
    assert found["verdict"] == verdict
    assert found["accepted"] == ["down"]
    assert "16/17" in found["reason"]
    assert found["regret"] == ("0" if verdict == "pass" else "4/51")


def test_asking_a_server() -> None:
    """An OpenAI-compatible server is asked with the schema, and its answer is judged."""
    with FakeServer(answer("down")) as server:
        environment = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-secret"}
        result = CliRunner(env=environment).invoke(
            app, ["ask", "frozen_lake", "--category", "best-action", "--state", "pos=14", "--explainer", "openai:m"]
        )
    assert result.exit_code == 0, result.stderr
    assert "pass" in result.stdout
    assert "sk-secret" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--category", "best-action", "--state", "pos=99"], "no state matches"),
        (["--category", "best-action", "--state", "pos<3"], "3 states match"),
        (["--category", "best-action", "--state", "pos=0"], "cannot be asked here"),
        (["--category", "more-promising", "--state", "pos=1"], "asks about two states"),
        (["--category", "best-actoin", "--state", "pos=1"], "did you mean best-action?"),
        (["--category", "best-action", "--state", "pos=1", "--explainer", "orcale"], "did you mean 'oracle'?"),
        (["--category", "best-action", "--state", "pos=1", "--variant", "poem"], "no wording 'poem'"),
        (["--category", "best-action", "--state", "pos=1", "--explainer", "openai:m"], "OPENAI_API_KEY"),
    ],
)
def test_questions_that_cannot_be_asked(args: list[str], says: str) -> None:
    """Each mistake in a question is one message and exit code 2."""
    explainer = [] if "--explainer" in args else ["--explainer", "oracle"]
    result = run_cli("ask", "frozen_lake", *args, *explainer)
    assert result.exit_code == 2, result.stderr
    assert says in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(("script", "says"), [(error(401), "OPENAI_API_KEY"), (error(404), "model-b")])
def test_a_wrong_key_and_an_unknown_model(script: Any, says: str) -> None:
    """A refused key and an unknown model are said with what to do, with exit code 4."""
    with FakeServer(script, then=script, models=("model-b",)) as server:
        environment = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-secret"}
        result = CliRunner(env=environment).invoke(
            app, ["ask", "frozen_lake", "--category", "best-action", "--state", "pos=14", "--explainer", "openai:m"]
        )
    assert result.exit_code == 4
    assert says in result.stderr
    assert "sk-secret" not in result.stdout + result.stderr


def test_an_endpoint_that_is_down() -> None:
    """Nobody listens: the URL is named, with exit code 4."""
    environment = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "STORMSCOPE_OPENAI__ATTEMPTS": "1"}
    result = CliRunner(env=environment).invoke(
        app, ["ask", "frozen_lake", "--category", "best-action", "--state", "pos=14", "--explainer", "openai:m"]
    )
    assert result.exit_code == 4
    assert "http://127.0.0.1:9/v1" in result.stderr


def _slowly(behaviour: Behaviour, seconds: float) -> Behaviour:
    def behave(exchange: Exchange) -> None:
        time.sleep(seconds)
        behaviour(exchange)

    return behave


def _campaign(out: Path, *args: str) -> list[str]:
    return ["run", "--env", "frozen_lake", "--budget", "2", "--out", str(out), *args]


def test_a_campaign_and_its_report(tmp_path: Path) -> None:
    """The oracle passes everything; the report of the file is the one that the run printed."""
    out = tmp_path / "c.sqlite"
    found = json_of(*_campaign(out, "--explainer", "oracle", "--explainer", "first"))
    rates = {row["explainer"]: row["pass_rate"] for row in found["explainers"]}
    assert rates["oracle"] == 1
    assert rates["first"] < 1
    assert json_of("report", str(out)) == found
    text = run_cli("report", str(out))
    assert text.exit_code == 0
    assert "oracle (baseline)" in text.stdout


def test_the_same_command_asks_nothing_again(tmp_path: Path) -> None:
    """A finished campaign is only reported; a larger grid asks what is new."""
    out = tmp_path / "c.sqlite"
    with FakeServer(then=answer_first_option()) as server:
        environment = {"OPENAI_BASE_URL": server.url}
        runner = CliRunner(env=environment)
        args = _campaign(out, "--explainer", "openai:m", "--category", "best-action")
        assert runner.invoke(app, args).exit_code == 0
        asked = len(server.requests)
        assert runner.invoke(app, args).exit_code == 0
        assert len(server.requests) == asked == 2
        assert runner.invoke(app, [*args, "--category", "satisfy"]).exit_code == 0
        assert len(server.requests) == asked + 2


def test_fail_under_compares_language_models_only(tmp_path: Path) -> None:
    """A model below the threshold gives exit code 1; a baseline below it does not."""
    baseline = run_cli(*_campaign(tmp_path / "a.sqlite", "--explainer", "first", "--fail-under", "0.9"))
    assert baseline.exit_code == 0
    with FakeServer(then=answer("left")) as server:
        args = _campaign(tmp_path / "b.sqlite", "--explainer", "openai:m", "--category", "best-action")
        result = CliRunner(env={"OPENAI_BASE_URL": server.url}).invoke(app, [*args, "--fail-under", "0.9"])
    assert result.exit_code == 1
    assert "openai:m passes" in result.stderr


def test_a_case_without_an_answer_gives_exit_code_4(tmp_path: Path) -> None:
    """A refused key stops its explainer at once, the others go on, all is kept, and the exit code says it."""
    out = tmp_path / "c.sqlite"
    with FakeServer(then=error(401)) as server:
        args = _campaign(out, "--explainer", "openai:m", "--explainer", "oracle", "--category", "satisfy")
        result = CliRunner(env={"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-secret"}).invoke(app, args)
    assert result.exit_code == 4
    assert "OPENAI_API_KEY" in result.stderr
    assert "sk-secret" not in result.output
    with Store(out, write=False) as store:
        assert len(store.answered("oracle")) == 2


def test_an_interrupted_campaign_goes_on(tmp_path: Path) -> None:
    """Ctrl-C keeps what has arrived, says how to go on and exits with 130; the same command asks only the rest."""
    out = tmp_path / "c.sqlite"
    with FakeServer(then=_slowly(answer_first_option(), 0.15)) as server:
        args = _campaign(out, "--explainer", "openai:m", "--concurrency", "1")
        command = [sys.executable, "-m", "engine", *args]
        environment = {**os.environ, "OPENAI_BASE_URL": server.url}
        child = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        while len(server.requests) < 4:
            assert child.poll() is None
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        _, message = child.communicate(timeout=30)
        assert child.returncode == 130
        assert "Traceback" not in message
        (resume,) = (line.strip() for line in message.splitlines() if line.strip().startswith("stormscope run "))
        assert sorted(shlex.split(resume)[1:]) == sorted(args)
        with Store(out, write=False) as store:
            kept = len(store.answered("openai:m"))
        assert kept >= 3
        before = len(server.requests)
        again = [*command[:3], *shlex.split(resume)[1:]]
        assert subprocess.run(again, env=environment, capture_output=True, check=False).returncode == 0
        with Store(out, write=False) as store:
            total = len(store.answered("openai:m"))
        assert len(server.requests) - before == total - kept


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "no such campaign file"),
        (b"hello, this is no campaign at all", "not a campaign file"),
        (b"", "not a campaign file"),
    ],
)
def test_files_that_are_no_campaign(tmp_path: Path, content: bytes | None, says: str) -> None:
    """A missing file and one that is something else are told apart, with exit code 2."""
    path = tmp_path / "c.sqlite"
    if content is not None:
        path.write_bytes(content)
    result = run_cli("report", str(path))
    assert result.exit_code == 2
    assert says in result.stderr
