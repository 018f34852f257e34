"""What a campaign did not get: errors with their reasons, waits, replies that were cut off."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

import fake_server as fake
import pytest
from fake_server import FakeServer
from report_support import Said, right, write
from typer.testing import CliRunner

from engine.campaign import Waiting
from engine.cli.app import app
from engine.cli.shortcomings import say_shortcomings
from engine.cli.waits import AGAIN, Waits
from engine.explainers.base import Reply
from engine.reports.build import build_report
from engine.reports.render import COMPARING, report, report_text
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

    from engine.reports.render import Format


@pytest.fixture(autouse=True)
def _own_answer_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep answers of one test from another whose server has the same port."""
    monkeypatch.setattr("engine.cli.campaign.cache_file", lambda: tmp_path / "cache.db")


def run(server: FakeServer, out: Path, *args: str, attempts: int = 1, deadline: float = 60) -> Result:
    """Run a campaign of two questions against a server."""
    command = ["run", "--env", "frozen_lake", "--explainer", "openai:m", "--category", "best-action", "--budget", "2"]
    settings = {"ATTEMPTS": str(attempts), "DEADLINE": str(deadline)}
    environment = {f"STORMSCOPE_OPENAI__{name}": value for name, value in settings.items()}
    runner = CliRunner(env={"OPENAI_BASE_URL": server.url, **environment})
    return runner.invoke(app, [*command, "--concurrency", "1", "--out", str(out), *args])


def test_the_end_of_a_run_says_why_questions_have_no_answer(tmp_path: Path) -> None:
    """The server's words are on standard error once, with how many questions failed so; the report keeps them."""
    out = tmp_path / "c.sqlite"
    with FakeServer(then=fake.error(500, "the disk is full")) as server:
        ended = run(server, out)
    assert ended.exit_code == 4
    assert "openai:m: 2 questions failed: " in ended.stderr
    assert ended.stderr.count("the disk is full") == 1
    assert "--retry-errors" in ended.stderr
    shown = CliRunner().invoke(app, ["report", str(out)]).stdout
    (kept,) = json.loads(CliRunner().invoke(app, ["report", str(out), "--json"]).stdout)["errors"]
    assert kept["error"].endswith("the server answered 500: the disk is full")
    assert "2 ended in an error, which the same command asks again with --retry-errors" in " ".join(shown.split())
    assert "Errors: why questions have no answer" in shown


@pytest.mark.parametrize("form", COMPARING)
def test_every_format_with_room_has_the_errors(tmp_path: Path, form: Format) -> None:
    """Explainer, words and count are in text, JSON, Markdown and HTML; a question answered since is not."""
    said = [Said(0, None), Said(1, None), Said(2, right(2)), Said(3, None), Said(3, right(3))]
    file = write(tmp_path / "c.db", said)
    with Store(file, write=False) as store:
        text = report(store, format=form)
        (row,) = build_report(store).errors
    assert (row.explainer, row.error, row.questions) == ("model", "the connection was cut", 2)
    assert "the connection was cut" in text
    if form == "json":
        assert json.loads(text)["errors"] == [
            {"explainer": "model", "error": "the connection was cut", "questions": 2},
        ]


def test_how_a_report_says_to_go_on(tmp_path: Path) -> None:
    """Errors alone: --retry-errors; questions that were never asked: the same command; nothing missing: nothing."""
    both = [Said(0, None), Said(1, right(1))]
    for name, said, total, expected in (
        ("a", both, 2, "1 of 2 questions of the file are answered; 1 ended in an error, which the same command"),
        ("b", both, 5, "the same command goes on, but 1 ended in an error"),
        ("c", both[1:], 3, "; the same command goes on\n"),
        ("d", both[1:], 1, "1 of 1 questions of the file are answered\n"),
    ):
        file = tmp_path / f"{name}.db"
        write(file, said)
        with Store(file, write=True) as store:
            run_ = store.start_run({}, "0", total=total, done=0)
            store.end_run(run_, done=1)
            assert expected in report_text(build_report(store), width=200), name


def test_many_reasons_are_shortened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The three most frequent reasons are told, the rest counted, and control characters never reach the terminal."""
    file = write(tmp_path / "c.db", [Said(state, None) for state in range(9)])
    texts = ["busy", "busy", "busy", "\x1b[2Jfull", "\x1b[2Jfull", "gone", "gone", "odd", "odder"]
    connection = sqlite3.connect(file)
    for number, text in enumerate(texts, start=1):
        connection.execute("UPDATE errors SET error = ? WHERE id = ?", (text, number))
    connection.commit()
    connection.close()
    say_shortcomings(file)
    told = capsys.readouterr().err
    assert "model: 3 questions failed: busy" in told
    assert "model: 2 more failed for 2 other reasons; see the report" in told
    assert "\x1b" not in told


def test_replies_that_were_cut_off_say_what_to_raise(tmp_path: Path) -> None:
    """An empty reply with the finish reason length is invalid, and the hint comes once, with the count."""
    with FakeServer(then=fake.says("", finish="length")) as server:
        ended = run(server, tmp_path / "c.sqlite")
    assert ended.exit_code == 0
    hint = "openai:m: 2 replies were cut off before an answer: raise max_tokens in its settings"
    assert ended.stderr.count(hint) == 1
    whole = FakeServer(then=fake.answer_first_option())
    with whole as server:
        assert "max_tokens" not in run(server, tmp_path / "d.sqlite").stderr


def test_thinking_that_uses_all_tokens_up_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where replies were cut off while thinking, less thinking is the other way out."""
    file = write(tmp_path / "c.db", [Said(0, ""), Said(1, "", reply=Reply("", reasoning="hm", finish="length"))])
    connection = sqlite3.connect(file)
    connection.execute("UPDATE answers SET invalid_kind = 'cut off'")
    connection.commit()
    connection.close()
    say_shortcomings(file)
    assert "2 replies were cut off before an answer (1 of them after thinking)" in capsys.readouterr().err


# Waits


def test_short_waits_are_lines_too(tmp_path: Path) -> None:
    """A server that is busy three times for a moment: one line when it begins, one with the sum, no terminal needed."""
    busy = fake.error(503, "try again in 7 ms", headers={"Retry-After": "0.05"})
    with FakeServer(busy, fake.error(503, "try again in 8 ms", headers={"Retry-After": "0.05"}), busy,
                    then=fake.answer_first_option()) as server:  # fmt: skip
        ended = run(server, tmp_path / "c.sqlite", attempts=5)
    assert ended.exit_code == 0
    lines = [line for line in ended.stderr.splitlines() if "try again" in line]
    assert lines[0].startswith("openai:m waits 0.1 s: the server answered 503: try again in 7 ms")
    assert lines[1].startswith("openai:m waited 3 times, 0.1 s in all: ") or "0.2 s in all" in lines[1]
    assert len(lines) == 2


def test_a_server_that_asks_for_hours_is_quoted(tmp_path: Path) -> None:
    """A Retry-After beyond the deadline ends the question, and the error says how long the server asked for."""
    with FakeServer(then=fake.error(429, "quota", headers={"Retry-After": "100000"})) as server:
        ended = run(server, tmp_path / "c.sqlite", attempts=3, deadline=5)
    said = "the server answered 429: quota; it asks to wait 27.8 h; another attempt would pass the deadline of 5 s"
    assert ended.stderr.count(said) == 1
    assert "2 questions failed" in ended.stderr


def test_a_reason_is_told_again_after_a_while() -> None:
    """The first wait of each endpoint and reason is told, then one every ten seconds; numbers make no new reason."""
    now = 0.0
    waits = Waits(clock=lambda: now)
    assert waits.count(Waiting("a", "429: wait 3 s", 3.0))
    assert not waits.count(Waiting("a", "429: wait 4 s", 4.0))
    assert waits.count(Waiting("b", "429: wait 4 s", 4.0))
    assert waits.count(Waiting("a", "503", 0.5))
    now = AGAIN
    assert waits.count(Waiting("a", "429: wait 5 s", 5.0))
    assert waits.totals() == ["a waited 3 times, 12.0 s in all: 429: wait 3 s"]
