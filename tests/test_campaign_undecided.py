"""Undecided answers: kept and shown, never asked again, and in no rate, score, test or exit code."""

from __future__ import annotations

import io
import json
import sqlite3
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from campaign_support import TOOLS, Scripted, fake_oracle, plan, right
from fake_server import FakeServer, answer, error
from rich.console import Console
from typer.testing import CliRunner

from engine.campaign import Finished, run_campaign
from engine.cli.app import app
from engine.cli.ask_text import STYLES
from engine.errors import StoreError
from engine.explainers.base import Reply
from engine.reports.build import build_report, explainers_below
from engine.reports.render import report
from engine.verdicts.store import Store
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.campaign import Summary
    from engine.explainers.base import Question
    from engine.reports.model import Report


def doubtful(question: Question) -> Reply:
    """Answer rightly about even states, and about odd ones so that no bounds decide it."""
    return right(question) if question.case.states[0] % 2 == 0 else Reply("perhaps", finish="stop")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give an empty campaign file."""
    with Store(tmp_path / "c.db", write=True) as opened:
        yield opened


async def run(store: Store, *explainers: Scripted, **changes: Any) -> Summary:
    """Run a campaign of ten states to its end."""
    grid = plan(**{"explainers": tuple(e.name for e in explainers), "budget": 10, **changes})
    named = {explainer.name: explainer for explainer in explainers}
    events = [event async for event in run_campaign(grid, {"lake": fake_oracle()}, named, store, tools=TOOLS)]
    assert isinstance(events[-1], Finished)
    return events[-1].summary


async def test_an_undecided_answer_is_an_answer(store: Store) -> None:
    """It is kept with its text and reason and without a score, the question is done, and nobody asks it again."""
    summary = await run(store, Scripted(answer=doubtful))
    assert summary.outcomes == {"pass": 10, "undecided": 10}
    assert (summary.done, summary.missing, summary.failed) == (20, 0, {})
    kept = [found for found in store.answers() if found.verdict.outcome is Outcome.UNDECIDED]
    assert len(kept) == 10
    assert {(a.reply.text, a.verdict.answer, a.verdict.score, a.verdict.reason) for a in kept} == {
        ("perhaps", "perhaps", None, "the bounds overlap")
    }
    again = Scripted(answer=doubtful)
    assert (await run(store, again)).asked == 0
    assert again.asked == []


def without_undecided(built: Report) -> dict[str, Any]:
    """Return what a report says beside the undecided answers themselves."""
    data = built.model_dump(by_alias=True)
    rows = [*data["table"], *data["cells"], *data["explainers"], *data["variants"]]
    for row in rows:
        row.update(undecided=0, different=0, top=None, top_share=0)
    for part in ("run", "file", "usage"):
        data.pop(part)
    for row in data["explainers"]:
        row.update(seconds=0, tokens_in=0, tokens_out=0)
    return data


async def test_no_figure_changes_with_undecided_answers(tmp_path: Path) -> None:
    """A campaign that holds only the decided answers has the same rates, intervals, chances, scores and tests."""

    def decided(question: Question) -> Reply:
        return Reply("down") if question.case.states[0] % 3 == 0 else right(question)

    def some(question: Question) -> Reply:
        return decided(question) if question.case.states[0] % 2 == 0 else Reply("perhaps")

    def failing(question: Question) -> Reply:
        return decided(question) if question.case.states[0] % 2 == 0 else Reply(error="cut")

    reports = []
    for name, explain in (("a.db", some), ("b.db", failing)):
        with Store(tmp_path / name, write=True) as file:
            await run(file, Scripted(answer=explain), strategies=("prioritized", "random"))
            reports.append((build_report(file), build_report(file, grader="score")))
    for undecided, failed in zip(*reports, strict=True):
        assert sum(row.undecided for row in undecided.table) == sum(row.errors for row in failed.table) > 0
        assert undecided.rq1
        assert undecided.rq2
        blank = {"undecided": 0, "error": 0}
        left, right_ = without_undecided(undecided), without_undecided(failed)
        for data in (left, right_):
            for part in ("table", "cells", "explainers", "variants"):
                data[part] = [row | blank for row in data[part]]
        assert left.pop("errors") == []
        assert [row["error"] for row in right_.pop("errors")] == ["cut"]
        assert left.pop("questions") == {"answered": 24, "total": 24, "kept": 0}
        assert right_.pop("questions") == {"answered": 12, "total": 24, "kept": 0}  # an error is no answer
        assert left == right_


async def test_undecided_answers_are_shown_apart(store: Store) -> None:
    """Five of ten a category: a column of its own in the text and a field of its own in JSON, beside n = 5."""
    await run(store, Scripted(answer=doubtful))
    data = json.loads(report(store, format="json"))
    assert [(row["pass"], row["fail"], row["invalid"], row["undecided"], row["error"], row["n"], row["value"])
            for row in data["table"]] == [(5, 0, 0, 5, 0, 5, 1.0)] * 2  # fmt: skip
    assert (data["run"]["done"], data["run"]["total"]) == (20, 20)
    text = report(store, console=Console(file=io.StringIO(), width=80))
    heading, row = (next(line for line in text.splitlines() if word in line) for word in ("chance", " best-action"))
    columns = dict(zip(heading.replace("95 %", "95").split()[2:], row.split()[1:], strict=False))
    assert (columns["n"], columns["pass"], columns["und"], columns["err"]) == ("5", "5", "5", "0")
    assert "und and err never count" in text


async def test_a_threshold_ignores_undecided_answers(store: Store) -> None:
    """Five passes of five decided answers reach 1; an explainer of which nothing is decided reaches nothing."""
    await run(store, Scripted("model", doubtful), Scripted("vague", lambda _: Reply("perhaps")))
    assert [row.explainer for row in explainers_below(build_report(store), Fraction(1))] == ["vague"]


def test_the_file_holds_no_score_for_an_undecided_answer_and_one_for_each_other(tmp_path: Path) -> None:
    """The table itself refuses a score where none can be, and a verdict without one."""
    from test_store import CASES, prepare  # noqa: PLC0415 - its cases and its answers
    from test_store import answer as record  # noqa: PLC0415

    undecided = record(CASES[0], Reply("perhaps"))
    with Store(tmp_path / "c.db", write=True) as store:
        prepare(store)
        store.add_answers([undecided])
        assert next(store.answers()) == undecided
        scored = replace(record(CASES[1], Reply("perhaps")).verdict, score=0.5)
        unscored = replace(record(CASES[1]).verdict, score=None)
        for verdict in (scored, unscored):
            with pytest.raises(sqlite3.IntegrityError):
                store._database._connection.execute(
                    "UPDATE answers SET outcome = ?, score = ?", (verdict.outcome.value, verdict.score)
                )


def test_a_campaign_of_an_earlier_format_is_refused(tmp_path: Path) -> None:
    """A file whose tables have no place for undecided answers is neither read nor written."""
    file = tmp_path / "c.db"
    Store(file, write=True).close()
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    for write in (False, True):
        with pytest.raises(StoreError, match="has format 1; this stormscope reads formats 2 to 3") as caught:
            Store(file, write=write)
        assert "another file" in str(caught.value)


def test_every_outcome_has_a_colour_of_its_own() -> None:
    """No two outcomes look alike on the verdict card."""
    assert len({STYLES[outcome] for outcome in Outcome}) == len(Outcome)


SOUND = ("--mode", "sound", "--category", "satisfy")


def test_an_undecided_answer_from_a_server_is_no_failure_of_the_run(tmp_path: Path) -> None:
    """An answer at the very edge of the tolerance: exit code 0, nothing counts, nothing is asked again."""
    listed = CliRunner().invoke(app, ["cases", "frozen_lake", *SOUND, "--budget", "1", "--json"])
    bounds = json.loads(listed.stdout)["cases"][0]["numbers"]["V"]
    edge = (Fraction(bounds["lower"]) + Fraction(bounds["upper"])) / 2 + Fraction(1, 100)
    out = tmp_path / "c.sqlite"
    args = ["run", "--env", "frozen_lake", *SOUND, "--budget", "1", "--out", str(out), "--explainer", "openai:m"]
    with FakeServer(answer(str(edge)), then=error(500)) as server:
        runner = CliRunner(env={"OPENAI_BASE_URL": server.url, "STORMSCOPE_OPENAI__ATTEMPTS": "1"})
        first = runner.invoke(app, [*args, "--json"])
        again = runner.invoke(app, [*args, "--json"])
        below = runner.invoke(app, [*args, "--fail-under", "0.5"])
        assert len(server.questions) == 1
    assert (first.exit_code, again.exit_code, below.exit_code) == (0, 0, 1), first.stderr
    (row,) = json.loads(first.stdout)["explainers"]
    assert (row["undecided"], row["n"], row["pass_rate"], row["error"]) == (1, 0, None, 0)
    assert json.loads(again.stdout)["explainers"] == [row]
    with Store(out, write=False) as store:
        assert "does not decide" in next(store.answers()).verdict.reason
