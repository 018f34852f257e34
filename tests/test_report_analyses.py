"""What a report says beside the verdicts, each from a campaign whose answers are written down here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from report_support import Said, right, write, wrong

from engine.explainers.base import Reply
from engine.queries.spaces import YES_NO
from engine.reports.build import build_report
from engine.reports.markdown import report_markdown
from engine.reports.page import report_html
from engine.reports.render import report_text
from engine.reports.words import decimal, money, number, probability, shares
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from engine.reports.model import Report

MOVES = ("left", "down", "right", "up")


def built(path: Path, said: Iterable[Said], grader: str = "verdict", **written: object) -> Report:
    """Write a campaign and return its report."""
    with Store(write(path / "c.sqlite", said, **written), write=False) as store:  # type: ignore[arg-type]  # as given
        return build_report(store, grader=grader)  # type: ignore[arg-type]  # as given


def said(answers: Mapping[int, str], **common: object) -> list[Said]:
    """Return an answer about each state."""
    return [Said(state, text, **common) for state, text in answers.items()]  # type: ignore[arg-type]  # as given


# The difficulty audit


def test_the_audit_is_kendalls_tau_by_hand(tmp_path: Path) -> None:
    """Of four cases the two hardest fail: 4 discordant pairs, 2 ties in the grade, tau-b = -4/sqrt(6·4)."""
    answers = said({0: right(0), 1: right(1), 2: wrong(2), 3: wrong(3)})
    (row,) = built(tmp_path, answers, difficulty={0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4}).audit
    assert (row.explainer, row.category, row.cases) == ("model", "best-action", 4)
    assert row.tau == pytest.approx(-4 / 24**0.5)
    assert row.p is not None
    assert row.p < 0.5
    assert [(each.cases, each.value) for each in row.bins] == [(1, 1), (2, 0.5), (1, 0), (0, None), (0, None)]


def test_the_audit_without_ties_has_the_exact_p(tmp_path: Path) -> None:
    """Scores that fall in the order of difficulty: tau = -1, and of the 24 orders only this one is as extreme."""
    scores = {0: 0.9, 1: 0.8, 2: 0.7, 3: 0.6}
    answers = [Said(state, wrong(state), score=score) for state, score in scores.items()]
    (row,) = built(tmp_path, answers, "score", difficulty={0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4}).audit
    assert (row.tau, row.p) == pytest.approx((-1, 1 / 24))


def test_a_case_is_one_observation_however_often_it_was_asked(tmp_path: Path) -> None:
    """Three samples a case leave four cases with their mean grades; an undecided sample is not among them."""
    grades = {0: "ppp", 1: "ppf", 2: "p?f", 3: "fff"}
    answers = [
        Said(state, {"p": right(state), "f": wrong(state), "?": "?"}[sign], sample=sample)
        for state, signs in grades.items()
        for sample, sign in enumerate(signs)
    ]
    (row,) = built(tmp_path, answers, difficulty={0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4}).audit
    assert (row.cases, row.tau, row.p) == pytest.approx((4, -1, 1 / 24))


def test_nothing_is_said_where_nothing_varies(tmp_path: Path) -> None:
    """Equal difficulties, or equal grades, have no correlation: null rather than NaN."""
    answers = said({0: right(0), 1: wrong(1)}) + said({0: "up", 1: "left"}, explainer="never")
    rows = built(tmp_path, answers).audit
    assert [(row.explainer, row.tau, row.p, row.cases) for row in rows] == [
        ("model", None, None, 2),
        ("never", None, None, 2),
    ]


# Wordings


def test_the_spread_is_over_questions_that_every_wording_answered(tmp_path: Path) -> None:
    """Of four states one was not answered in the second wording: of the other three 3 and 1 pass, two differ."""
    plain = said({0: right(0), 1: right(1), 2: right(2), 3: wrong(3)}, variant="plain")
    story = said({0: right(0), 1: wrong(1), 2: wrong(2)}, variant="story")
    (row,) = built(tmp_path, [*plain, *story, Said(3, None, variant="story")]).wordings
    assert (row.explainer, row.model, row.questions) == ("model", "lake", 3)
    assert row.values == pytest.approx({"plain": 1, "story": 1 / 3})
    assert (row.spread, row.same) == pytest.approx((2 / 3, 1 / 3))


def test_one_wording_and_baselines_have_no_spread(tmp_path: Path) -> None:
    """There is nothing to compare in one wording, and a baseline reads none."""
    first = [Said(0, right(0), explainer="first", variant=variant) for variant in ("plain", "story")]
    assert built(tmp_path, [*first, Said(0, right(0))], baselines=["first"]).wordings == []


# Positions


def test_positions_follow_the_order_that_was_shown(tmp_path: Path) -> None:
    """Whoever always takes the first option shown is seen to, under whatever name the option goes."""
    orders = [MOVES[turn:] + MOVES[:turn] for turn in range(4)]
    shuffled = [Said(state, order[0], shown=order, sample=sample)
                for state in range(5) for sample, order in enumerate(orders)]  # fmt: skip
    (row,) = built(tmp_path, shuffled).positions
    assert (row.options, row.shuffled, row.n, row.chosen) == (4, True, 20, [20, 0, 0, 0])
    assert row.right == [5, 5, 5, 5]
    assert row.p is not None
    # Chi-square with 3 degrees of freedom at (15² + 3·5²)/5 = 60.
    assert row.p == pytest.approx(5.9e-13, rel=0.02)


def test_positions_as_listed_have_no_test(tmp_path: Path) -> None:
    """Unshuffled, a position is right more often than another, so that even a perfect model is not uniform."""
    (row,) = built(tmp_path, said({0: "left", 4: "left", 1: "up", 2: ""})).positions
    assert (row.shuffled, row.n, row.chosen, row.right, row.p) == (False, 3, [2, 0, 0, 1], [2, 1, 0, 0], None)


# Usage, invalid replies, regret


def test_usage_adds_exactly_what_was_reported(tmp_path: Path) -> None:
    """Costs are added as decimals, what nobody reported stays unknown, and failures count their requests."""
    replies = [
        Reply("x", seconds=1.0, attempts=1, tokens_in=10, tokens_out=3, tokens_reasoning=2, cost="0.1"),
        Reply("x", seconds=3.0, attempts=2, tokens_in=20, tokens_out=4, cost="0.2"),
        Reply("x", seconds=2.0, attempts=1, cost="no number"),
    ]
    answers = [Said(state, right(state), reply=reply) for state, reply in enumerate(replies)]
    mute = Said(0, right(0), explainer="mute", reply=Reply("x"))
    row, silent = built(tmp_path, [*answers, Said(3, None), mute]).usage
    assert (row.questions, row.attempts) == (4, 5)
    assert (row.tokens_in, row.tokens_out, row.tokens_reasoning, row.cost) == (30, 7, 2, "0.3")
    assert (row.mean_seconds, row.median_seconds) == (2, 2)
    assert row.p95_seconds == pytest.approx(2.9)
    assert (silent.tokens_in, silent.cost, silent.median_seconds) == (None, None, 0)


def test_costs_of_two_currencies_are_never_added(tmp_path: Path) -> None:
    """Each currency has its own sum, also where an answer came from the cache; there is no sum of both."""

    def paid(cost: str, *, cached: bool = False, **details: object) -> Reply:
        return Reply("x", cost=cost, details={**details, **({"cached": True} if cached else {})})

    replies = [paid("1.5", currency="EUR"), paid("0.5", currency="EUR", cached=True), paid("2", currency="USD")]
    answers = [Said(state, right(state), reply=reply) for state, reply in enumerate(replies)]
    one = [
        Said(0, right(0), explainer="one", reply=paid("0.1", currency="GBP", cached=True)),
        Said(1, right(1), explainer="one", reply=paid("0.2", currency="GBP", cached=True)),
        Said(0, right(0), explainer="old", reply=paid("0.25")),
    ]
    report = built(tmp_path, [*answers, *one])
    both, single, old = report.usage
    assert [(each.currency, each.cost, each.cached) for each in both.costs] == [("EUR", "2", "0.5"), ("USD", "2", "0")]
    assert (both.cost, both.currency, both.cached) == (None, None, 1)
    assert (single.cost, single.currency, single.cached) == ("0.3", "GBP", 2)
    assert (old.cost, old.currency, old.cached) == ("0.25", None, 0)
    for shown in (report_markdown(report), report_html(report)):
        assert "2.00 EUR + 2.00 USD" in shown
    for shown in (report_text(report, width=120), report_markdown(report), report_html(report)):
        assert "0.300 GBP" in shown
        assert "3 answers came from the cache of earlier campaigns" in shown


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_usage_keeps_names_and_figures_at_every_width(tmp_path: Path, width: int) -> None:
    """Each currency is on a line of its own; what does not fit stands in a further table with the same whole names."""

    def paid(cost: str, currency: str) -> Reply:
        used = {"tokens_in": 123_456, "tokens_out": 23_456, "tokens_reasoning": 12_345, "seconds": 123.4}
        return Reply("x", attempts=1, cost=cost, details={"currency": currency, "cached": True}, **used)  # type: ignore[arg-type]  # as given

    replies = [paid("0.0252", "USD"), paid("0.0028", "EUR"), paid("1.25", "GBP")]
    answers = [Said(state, right(state), explainer="openai:up", reply=reply) for state, reply in enumerate(replies)]
    text = report_text(built(tmp_path, answers), width=width)
    section = text[text.index("Cost, tokens and latency") :]
    shown = section[: section.index("in, out, thinking:")]
    assert {"explainer", "asked", "tries", "in", "out", "thinking", "cost", "cached", "mean", "p50", "p95"} <= set(
        shown.split()
    )
    assert "…" not in shown
    assert "openai:up" in shown
    for amount in ("0.0252 USD", "0.00280 EUR", "1.25 GBP", "370,368", "70,368", "37,035"):
        assert amount in shown
    assert not any("USD" in line and "EUR" in line for line in shown.splitlines())
    assert max(map(len, section.splitlines())) <= width


def test_invalid_replies_are_counted_by_kind(tmp_path: Path) -> None:
    """Only explainers that have invalid replies are listed, with the kinds that occurred."""
    report = built(tmp_path, [Said(0, ""), Said(1, ""), Said(2, right(2)), Said(0, right(0), explainer="fine")])
    assert [(row.explainer, row.kinds) for row in report.invalid_kinds] == [("model", {"blank": 2})]
    assert {row.explainer: row.invalid for row in report.explainers} == {"model": 2, "fine": 0}


def test_the_costliest_action_is_in_no_mean_with_the_others(tmp_path: Path) -> None:
    """Naming the worst action is right and has a large regret: an explainer's mean leaves it out, its own row not."""
    said = [
        Said(0, right(0), category="best-action", regret="0"),
        Said(1, wrong(1), category="best-action", regret="1/2"),
        Said(2, right(2), category="worst-action", regret="1"),
    ]
    report = built(tmp_path, said)
    assert {row.category: row.mean_regret for row in report.table} == {"best-action": 1 / 4, "worst-action": 1}
    assert report.explainers[0].mean_regret == 1 / 4


def test_regret_is_a_mean_of_what_is_finite(tmp_path: Path) -> None:
    """Of five answers two cost nothing, 1/4 and 1/2 are in the mean, and an infinite one is counted apart."""
    texts = ["0", "0", "1/4", "1/2", "inf"]
    answers = [Said(state, wrong(state), regret=text) for state, text in enumerate(texts)]
    report = built(tmp_path, [*answers, Said(9, "?", regret="1/3")])
    (row,) = report.regret
    assert (row.n, row.zero, row.unbounded, row.mean, row.largest) == (5, 2, 1, 3 / 16, 0.5)
    assert row.bins == [0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    assert report.table[0].mean_regret == 3 / 16


# Few data


@pytest.mark.parametrize("answers", [[], [Said(0, None)], [Said(0, "?")], [Said(0, "")], [Said(0, "left", "first")]])
@pytest.mark.parametrize("grader", ["verdict", "score"])
def test_few_data_make_no_nonsense(tmp_path: Path, answers: list[Said], grader: str) -> None:
    """An empty file, only an error, only an undecided or invalid answer, only a baseline: no NaN, nothing invented."""
    report = built(tmp_path, answers, grader, baselines=["first"], space=YES_NO)
    assert "nan" not in report.model_dump_json().lower()
    assert [row.n for row in report.explainers] == [int(each.text in {"", "left"}) for each in answers]
    assert report.rq1 == []


# Figures in words


def test_figures_are_never_rounded_to_what_they_are_not() -> None:
    """A small p or cost is not 0, no zero is negative, and what is not there is a dash."""
    assert [probability(p) for p in (None, 0.00001, 0.0372)] == ["-", "<0.0001", "0.0372"]
    assert [money(cost) for cost in (None, "0", "0.000123456", "0.05", "12.344")] == [
        "-",
        "0.00",
        "0.000123",
        "0.0500",
        "12.34",
    ]
    assert [decimal(value, 2) for value in (None, -0.001, 0.5)] == ["-", "0.00", "0.50"]
    assert [number(value) for value in (None, 7, 1234567)] == ["-", "7", "1,234,567"]
    assert (shares([1, 3]), shares([0, 0])) == ("25% 75%", "-")
