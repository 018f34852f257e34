"""The options of ``run``: groups of categories, errors, the cache, probes, exports, and disks that fill up."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from cli_support import run_cli
from fake_server import FakeServer, answer, answer_first_option, error
from typer.testing import CliRunner

from engine.campaign import Planned, Spent, Waiting
from engine.campaign.spent import Cost
from engine.cli.app import app
from engine.cli.campaign_progress import plan_notes, spent_text, waiting_text
from engine.cli.categories import read_categories
from engine.errors import UsageError
from engine.explainers.base import Reply
from engine.mdp.sources import find_model
from engine.oracle.client import open_oracle
from engine.queries.generation import generate
from engine.queries.registry import PAPER, all_categories
from engine.verdicts.failures import right_answer, right_reason
from engine.verdicts.grading import judge
from engine.verdicts.store import Store
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


@pytest.fixture(autouse=True)
def _own_answer_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep answers of one test from another whose server has the same port."""
    monkeypatch.setattr("engine.cli.campaign.cache_file", lambda: tmp_path / "cache.db")


def ask(server: FakeServer, out: Path, *args: str, category: str = "best-action") -> Result:
    """Run a small campaign against a server."""
    command = ["run", "--env", "frozen_lake", "--explainer", "openai:m", "--category", category, "--budget", "2"]
    environment = {"OPENAI_BASE_URL": server.url, "STORMSCOPE_OPENAI__ATTEMPTS": "1"}
    return CliRunner(env=environment).invoke(app, [*command, "--out", str(out), *args])


# Categories


def test_categories_come_in_groups() -> None:
    """The paper's ten are the default; extensions are the rest; names and groups mix, in the taxonomy's order."""
    known = tuple(all_categories())
    assert len(PAPER) == 10
    assert set(read_categories(None)) == set(PAPER)
    assert set(read_categories(["extensions"])) == set(known) - set(PAPER)
    assert read_categories(["all"]) == read_categories(["extensions", "paper"]) == known
    assert read_categories(["safer", "satisfy"]) == ("satisfy", "safer")
    with pytest.raises(UsageError, match="papre"):
        read_categories(["papre"])


# Errors and the cache


def test_errors_are_asked_again_only_with_retry_errors(tmp_path: Path) -> None:
    """The same command leaves failed questions alone and exits with 4; the printed command asks just those."""
    out = tmp_path / "c.sqlite"
    with FakeServer(error(400), then=answer_first_option()) as server:
        first = ask(server, out, "--concurrency", "1")
        asked = len(server.questions)
        second = ask(server, out, "--concurrency", "1")
        assert len(server.questions) == asked == 2
        third = ask(server, out, "--concurrency", "1", "--retry-errors")
        assert len(server.questions) == 3
    assert (first.exit_code, second.exit_code, third.exit_code) == (4, 4, 0)
    for result in (first, second):
        assert "1 of 2 questions have no answer, 1 of them after an error" in result.stderr
        assert "--retry-errors" in result.stderr
    assert "not asked again" in second.stderr
    with Store(out, write=False) as store:
        assert len(store.answered("openai:m")) == 2


def test_a_second_file_is_filled_from_the_cache(tmp_path: Path) -> None:
    """Another campaign with the same questions sends nothing and says so; with --fresh it asks anew."""
    with FakeServer(then=answer_first_option()) as server:
        assert ask(server, tmp_path / "1.db").exit_code == 0
        asked = len(server.questions)
        again = ask(server, tmp_path / "2.db")
        assert len(server.questions) == asked == 2
        assert ask(server, tmp_path / "3.db", "--fresh").exit_code == 0
        assert len(server.questions) == 4
    assert again.exit_code == 0
    assert "2 answers came from the cache" in again.stderr


def test_a_cost_has_its_currency_and_is_spent_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two answers of 11 + 7 tokens at 0.1 each cost 3.6 CHF; a second file is told that all of it is from the cache."""
    for name, value in (("PRICE_IN", "100000"), ("PRICE_OUT", "100000"), ("CURRENCY", "CHF")):
        monkeypatch.setenv(f"STORMSCOPE_OPENAI__{name}", value)
    with FakeServer(then=answer_first_option()) as server:
        first, second = ask(server, tmp_path / "1.db"), ask(server, tmp_path / "2.db")
    assert "cost 3.6000 CHF\n" in first.stderr
    assert "cost 3.6000 CHF, of which 3.6000 CHF from the answer cache, not spent again\n" in second.stderr
    for number, cached in (("1", "0"), ("2", "3.6")):
        (row,) = json.loads(run_cli("report", str(tmp_path / f"{number}.db"), "--json").stdout)["usage"]
        assert (row["cost"], row["currency"]) == ("3.6", "CHF")
        assert row["costs"] == [{"currency": "CHF", "cost": "3.6", "cached": cached}]
    assert "3.60 CHF" in run_cli("report", str(tmp_path / "2.db")).stdout


def test_a_refused_key_ends_all_of_it(tmp_path: Path) -> None:
    """After a 401 the campaign is over at once: one question, exit code 4, the advice, and how to go on."""
    out = tmp_path / "c.sqlite"
    with FakeServer(then=error(401)) as server:
        result = ask(server, out, "--concurrency", "1", "--samples", "5")
        assert len(server.questions) == 1
    assert result.exit_code == 4
    assert "OPENAI_API_KEY" in result.stderr
    assert "the key was refused" in result.stderr
    assert f"--out {out}" in result.stderr


def test_a_resume_command_is_quoted_for_a_shell(tmp_path: Path) -> None:
    """Spaces, quotes and several values survive; options that were not given are not named."""
    out = tmp_path / "my campaign's file.db"
    with FakeServer(then=error(400)) as server:
        result = ask(
            server, out, "--objective", 'Pmax=? [F "goal"]', "--strategy", "random", "--strategy", "prioritized"
        )
    (line,) = (line.strip() for line in result.stderr.splitlines() if line.strip().startswith("stormscope run"))
    assert shlex.split(line)[1:] == [
        "run", "--env", "frozen_lake", "--explainer", "openai:m", "--category", "best-action", "--budget", "2",
        "--strategy", "random", "--strategy", "prioritized", "--objective", 'Pmax=? [F "goal"]',
        "--out", str(out), "--retry-errors",
    ]  # fmt: skip


# What comes out


def test_failed_cases_become_chats(tmp_path: Path) -> None:
    """Each failed case of a language model is one line: the prompt as it was sent, and the right answer."""
    out, path = tmp_path / "c.sqlite", tmp_path / "failures.jsonl"
    with FakeServer(then=answer("left")) as server:
        result = ask(server, out, "--explainer", "first", "--export-failures", str(path))
        sent = {json.dumps(request["messages"]) for request in server.questions}
    assert result.exit_code == 0
    chats = [json.loads(line)["messages"] for line in path.read_text().splitlines()]
    with Store(out, write=False) as store:
        failed = [answer for answer in store.answers(explainer="openai:m") if answer.verdict.outcome.value == "fail"]
        assert len(chats) == len(failed) > 0
        for chat, given in zip(chats, failed, strict=True):
            assert [message["role"] for message in chat] == ["system", "user", "assistant"]
            assert json.dumps(chat[:2]) in sent
            assert json.loads(chat[2]["content"])["answer"] in given.verdict.accepted
    assert f"{len(failed)} failed cases are in {path}" in result.stderr


@pytest.mark.parametrize(
    ("model", "objective"), [("frozen_lake", None), ("cliff_walking", 'R{"steps"}min=? [F "goal"]')]
)
def test_right_answers_have_the_form_that_is_asked_for(model: str, objective: str | None) -> None:
    """The reply in a chat is graded as a pass in every category: numbers, lists and options in the schema's form."""
    source = find_model(model)
    oracle = open_oracle(source.request(objective=objective), source.environment)
    for case in generate(oracle, list(all_categories()), budget=3).cases:
        reply = Reply(json.dumps({"explanation": right_reason(case), "answer": right_answer(case)}))
        assert judge(oracle, case, reply).outcome is Outcome.PASS, case


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    """Failures that cannot be written are one message; the campaign is kept."""
    out = tmp_path / "c.sqlite"
    with FakeServer(then=answer("left")) as server:
        result = ask(server, out, "--export-failures", str(tmp_path / "nowhere" / "f.jsonl"))
    assert (result.exit_code, "cannot be written" in result.stderr) == (2, True)
    with Store(out, write=False) as store:
        assert len(store.answered("openai:m")) == 2


def test_a_probe_is_shown_and_stored(tmp_path: Path) -> None:
    """``--probe`` asks the endpoint first, tells what it does, keeps it in the campaign, and leaves baselines alone."""
    out = tmp_path / "c.sqlite"
    with FakeServer(then=answer_first_option()) as server:
        result = ask(server, out, "--explainer", "first", "--probe")
    assert result.exit_code == 0, result.stderr
    assert "openai:m: probing" in result.stderr
    with Store(out, write=False) as store:
        (record,) = store.probes()
        assert (record.explainer, record.result["model"]) == ("openai:m", "m")
        assert len(store.answered("openai:m")) == 2


# What is said


def test_notes_say_what_the_grid_lacks() -> None:
    """Left-out categories with the reason, small ones with their number, and skipped errors each have a sentence."""
    planned = Planned(9, 4, {}, {}, {("lake", "safer"): "nothing is unsafe"}, {("lake", "satisfy", "random"): 3}, 2)
    first, second, third = plan_notes(planned)
    assert ("safer" in first, "nothing is unsafe" in first) == (True, True)
    assert "only 3 candidates: all are used" in second
    assert ("2 questions" in third, "--retry-errors" in third) == (True, True)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Waiting("m", "429: slow down", 12.4), "m waits 12 s: 429: slow down"),
        (Waiting("m", "the server starts"), "m: the server starts"),
    ],
)
def test_waits_are_sentences(event: Waiting, text: str) -> None:
    """Who waits, how long if that is known, and why."""
    assert waiting_text(event) == text


@pytest.mark.parametrize(
    ("spent", "text"),
    [
        (Spent(), ""),
        (Spent(999, 1_000), "999 in, 1.0k out"),
        (Spent(2_500_000, None), "2.50M in, ? out"),
        (Spent(costs={"": Cost(Fraction(1, 8))}), "cost 0.1250"),
        (
            Spent(1, 2, costs={"USD": Cost(Fraction(21, 10), Fraction(21, 10))}),
            "1 in, 2 out, cost 2.1000 USD, of which 2.1000 USD from the answer cache, not spent again",
        ),
        (
            Spent(costs={"USD": Cost(Fraction(2)), "EUR": Cost(Fraction(3), Fraction(1))}),
            "cost 2.0000 USD + 3.0000 EUR, of which 1.0000 EUR from the answer cache, not spent again",
        ),
    ],
)
def test_tokens_are_short(spent: Spent, text: str) -> None:
    """Large numbers are shortened; what the server does not tell is a question mark, not 0.

    A cost has its currency, other currencies stand apart, and what was not spent again is told.
    """
    assert spent_text(spent) == text


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_disk_that_fills_up_is_one_message(tmp_path: Path) -> None:
    """When the file cannot grow any more, the run ends with a message and exit code 2; what was committed is there."""
    out = tmp_path / "c.sqlite"
    program = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from engine.cli.app import app\n"
        "from engine.campaign import run as campaign\n"
        "def limit(setup):\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (250_000, 250_000))\n"
        "    return begin(setup)\n"
        "begin = campaign._Campaign.begin\n"
        "campaign._Campaign.begin = limit\n"
        "app()\n"
    )
    args = [
        "run",
        "--env",
        "frozen_lake",
        "--explainer",
        "random",
        "--budget",
        "5",
        "--samples",
        "20",
        "--out",
        str(out),
    ]
    done = subprocess.run([sys.executable, "-c", program, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "error: " in done.stderr
    assert str(out) in done.stderr
    assert "Traceback" not in done.stderr
    with Store(out, write=False) as store:
        kept = len(store.answered("random"))
    assert 0 < kept < 20 * 50
    assert run_cli(*args).exit_code == 0
    with Store(out, write=False) as store:
        assert len(store.answered("random")) > kept
