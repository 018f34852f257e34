"""Reports: the figures of a campaign that is known by heart, in a form that is safe to print anywhere."""

from __future__ import annotations

import io
import json
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from campaign_support import TOOLS, Scripted, fake_oracle, plan, right
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from engine.campaign import run_campaign
from engine.explainers.base import Reply
from engine.reports.build import build_report, explainers_below
from engine.reports.model import Report, report_schema
from engine.reports.render import report, report_json, report_text
from engine.reports.words import interval, percent
from engine.text import plain, storable
from engine.verdicts.statistics import wilson
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.explainers.base import Question

EVIL = "[bold red]evil[/]\x1b[31m\x9b2J\u202egnp"


def always_up(question: Question) -> Reply:
    """Say "up", but nothing about state 0, and fail at state 1."""
    state = question.case.states[0]
    if state == 1:
        return Reply(error="cut")
    return Reply("" if state == 0 else "up", seconds=0.5, tokens_in=10, tokens_out=2)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give an empty campaign file."""
    with Store(tmp_path / "c.db", write=True) as opened:
        yield opened


async def run(store: Store, *explainers: Scripted, **changes: Any) -> None:
    """Run a campaign of eight states to its end."""
    grid = plan(**{"explainers": tuple(e.name for e in explainers), "budget": 8, **changes})
    oracles = {name: fake_oracle(f"oracle {name}", name) for name in grid.models}
    named = {explainer.name: explainer for explainer in explainers}
    async for _ in run_campaign(grid, oracles, named, store, tools=TOOLS):
        pass


async def test_the_figures_of_a_constant_answer(store: Store) -> None:
    """Of eight states "up" is right in two, one reply is blank, one fails: 2 of 7, chance 1/4, one answer only."""
    await run(store, Scripted("model", always_up), Scripted("oracle", right, baseline=True))
    built = build_report(store)
    row = next(row for row in built.table if (row.explainer, row.category) == ("model", "best-action"))
    assert (row.passed, row.failed, row.invalid, row.errors, row.n) == (2, 4, 1, 1, 7)
    assert row.value == pytest.approx(2 / 7)
    assert (row.lower, row.upper) == pytest.approx(wilson(2, 7))
    assert row.chance == 0.25
    assert (row.different, row.top, row.top_share) == (1, "up", 1)
    model, oracle = built.explainers
    assert (model.n, model.passed) == (14, 4)
    assert model.pass_rate == pytest.approx(2 / 7)
    used = next(row for row in built.usage if row.explainer == "model")
    assert (used.tokens_in, used.tokens_out, used.seconds, used.median_seconds) == (140, 28, 7, 0.5)
    assert (oracle.baseline, oracle.pass_rate, oracle.different) == (True, 1, 4)
    assert [(row.explainer, row.category) for row in built.table] == [
        (explainer, category) for explainer in ("model", "oracle") for category in ("best-action", "worst-action")
    ]
    assert built.run is not None
    assert (built.run.total, built.run.done) == (32, 30)


async def test_repeated_samples_widen_the_interval(store: Store) -> None:
    """Ten equal samples of eight states show n = 80 with the interval of about seven answers."""
    await run(store, Scripted("model", lambda _: Reply("up")), categories=("best-action",), samples=10)
    row = build_report(store).table[0]
    assert (row.n, row.passed) == (80, 20)
    assert row.effective_n == pytest.approx(7)
    assert (row.lower, row.upper) == pytest.approx(wilson(7 / 4, 7))


async def test_cells_feed_the_research_questions(store: Store) -> None:
    """With both strategies on two models there are comparable cells, and the questions are answered from them."""
    await run(
        store,
        Scripted("model", lambda _: Reply("up")),
        Scripted("oracle", right, baseline=True),
        models=("lake", "pond"),
        categories=("best-action",),
        strategies=("prioritized", "random"),
        budget=2,
    )
    built = build_report(store)
    # "prioritized" are states 0 and 1, of which "up" is right in none; "random" are 2 and 3, right in one.
    assert {(c.model, c.strategy): c.value for c in built.cells if c.explainer == "model"} == {
        ("lake", "prioritized"): 0,
        ("lake", "random"): 0.5,
        ("pond", "prioritized"): 0,
        ("pond", "random"): 0.5,
    }
    groups = {row.group: (row.lower, row.higher, row.tied) for row in built.rq1}
    assert groups["all"] == (2, 0, 2)
    assert groups["without baselines"] == (2, 0, 0)
    scores = {(row.explainer, row.strategy): row.value for row in built.rq2}
    assert scores["model", "random"] == 0.5
    assert scores["oracle", "prioritized"] == 1
    assert [(row.category, row.value) for row in built.rq3] == [("best-action", (0 + 0.5 + 1 + 1) / 4)]
    text = report_text(built)
    for part in ("RQ1", "RQ2", "RQ3", "zero method wilcox"):
        assert part in text


async def test_after_a_run_only_the_results_are_printed(store: Store) -> None:
    """The brief text has verdicts and research questions; what a report has beside them is left to ``report``."""
    await run(store, Scripted("model", always_up), strategies=("prioritized", "random"))
    built = build_report(store)
    full, brief = report_text(built), report_text(built, brief=True)
    for part in ("best-action", "RQ1", "RQ2", "RQ3"):
        assert part in brief
    for part in ("Cost, tokens and latency", "Positions", "Invalid replies by kind"):
        assert part in full
        assert part not in brief


async def test_both_graders_are_named(store: Store) -> None:
    """Verdict and score are different graders, and every output names its own."""
    await run(store, Scripted("model", always_up))
    verdict, score = report(store), report(store, grader="score")
    assert "verdict: the share of answers that pass" in verdict
    assert "score: the mean score in [0, 1]" in score
    assert json.loads(report(store, format="json", grader="score"))["grader"] == "score"


async def test_json_follows_its_schema(store: Store) -> None:
    """The JSON carries schema 1, is read back to the same report, and has every field that the schema requires."""
    await run(store, Scripted("model", always_up), strategies=("prioritized", "random"))
    built = build_report(store)
    text = report_json(built)
    assert Report.model_validate_json(text) == built
    data, schema = json.loads(text), report_schema()
    assert data["schema"] == 1
    assert {"pass", "fail", "invalid", "error", "chance"} <= set(data["table"][0])
    assert set(data) == set(schema["required"]) == set(schema["properties"])
    assert set(data["table"][0]) == set(schema["$defs"]["TableRow"]["required"])
    assert text.isascii()


async def test_a_long_campaign_fits_eighty_columns(store: Store) -> None:
    """Long names fold, wide characters count double, and no line is wider than the terminal."""
    await run(
        store,
        Scripted("openai:some-provider/a-model-with-a-very-long-name-instruct", always_up),
        Scripted("模型" * 15, lambda _: Reply("上" * 30)),
        models=("lake", "a-model-file-with-a-long-name:size=8,slip=1/3"),
        samples=3,
    )
    for width in (80, 120):
        text = report_text(build_report(store), width=width)
        assert max(cell_len(line) for line in text.splitlines()) <= width
    flat = re.sub(r"\s", "", report_text(build_report(store)))
    assert "always上上" in flat
    for word in ("rate", "95%", "chance", "pass", "fail", "inv", "err"):
        assert word in flat


async def test_hostile_text_is_printed_as_text(store: Store) -> None:
    """Markup, escape sequences and bidirectional overrides from outside never reach the terminal as such."""
    await run(store, Scripted(EVIL, lambda _: Reply(EVIL)), models=(EVIL,), categories=("best-action",))
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=300)
    coloured = report(store, console=console)
    without_styles = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert "[bold red]evil[/]" in without_styles
    assert "\x1b[31m\ufffd" not in coloured
    for text in (without_styles, report(store), report(store, format="json")):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


@given(st.text(st.characters()), st.integers(1, 20))
def test_plain_text_has_nothing_that_moves_a_cursor(text: str, limit: int) -> None:
    """Whatever comes in, one line of printable characters comes out, no longer than asked."""
    result = plain(text)
    assert all(character.isprintable() or character in "\u200c\u200d" for character in result)
    assert len(plain(text, limit=limit)) <= limit
    assert plain(result) == result
    assert storable(text).encode().decode() == storable(text)


async def test_colours_are_left_away_where_they_are_not_wanted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR and pipes get no colour; a terminal does, with the same words."""
    await run(store, Scripted("model", always_up), Scripted("oracle", right, baseline=True))
    colour = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert colour.search(
        report(store, console=Console(file=io.StringIO(), force_terminal=True, color_system="standard"))
    )
    assert "\x1b" not in report(store, console=Console(file=io.StringIO()))
    assert "\x1b" not in report(store)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colour.search(
        report(store, console=Console(file=io.StringIO(), force_terminal=True, color_system="standard"))
    )


async def test_the_threshold_is_compared_exactly_and_not_for_baselines(store: Store) -> None:
    """2/7 reaches 2/7 and nothing above; baselines are never below; an explainer without answers reaches nothing."""
    dead = Scripted("dead", lambda _: Reply(error="no", fatal=True))
    await run(store, Scripted("model", always_up), Scripted("first", lambda _: Reply(""), baseline=True), dead)
    built = build_report(store)
    assert [row.explainer for row in explainers_below(built, Fraction(2, 7))] == ["dead"]
    above = Fraction(2, 7) + Fraction(1, 10**30)
    assert [row.explainer for row in explainers_below(built, above)] == ["model", "dead"]


def test_a_campaign_without_answers_has_a_report(store: Store) -> None:
    """A file in which nothing was asked yet says so, in text and in JSON."""
    assert "No question has been asked yet" in report(store)
    data = json.loads(report(store, format="json"))
    assert (data["run"], data["table"], data["rq1"]) == (None, [], [])


async def test_omitted_categories_are_told(store: Store) -> None:
    """A category without cases is named with its reason rather than silently missing."""
    await run(store, Scripted("model", right), categories=("is-bottleneck", "best-action"))
    assert "omitted: lake, is-bottleneck: the model has no bottleneck" in report(store)


def test_per_cents_are_never_rounded_to_certainty() -> None:
    """Only all and none are 100 % and 0 %."""
    assert [percent(share) for share in (0, 0.001, 0.005, 0.5, 0.999, 1, None)] == [
        "0%",
        "<1%",
        "<1%",
        "50%",
        ">99%",
        "100%",
        "-",
    ]
    assert interval(0.061, 0.172) == "6–17"
    assert interval(None, 0.5) == "-"
