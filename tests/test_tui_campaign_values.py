"""The campaign screen's values: tally, cells, estimates, the list of cases, the report's lines."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from tui_support import answered, planned

from engine.campaign.board import Board
from engine.campaign.events import ExplainerFailed, Finished, Planned, Summary, Waiting
from engine.campaign.forecast import Forecast, Pace
from engine.campaign.spent import Cost, Spent
from engine.queries.case import Case
from engine.queries.spaces import OneOf
from engine.reports.sections import Section, cells
from engine.verdicts.browse import Asked
from engine.verdicts.live import Judged, LiveCell
from engine.verdicts.records import Key, OutcomeRecord, StoredCase
from engine.verdicts.verdict import Outcome
from tui.asking.case_rows import CaseView, columns_of, heading, line
from tui.campaigns.campaign_services import CampaignRequest, Estimate
from tui.campaigns.cells import CellForm, cell_sentences, cell_text, chance_text, form_of
from tui.campaigns.estimates import calls_text, duration, left_out, size_text, spent_text, upper_bound
from tui.campaigns.reporting import section_lines
from tui.campaigns.tally import Stored, Tally
from tui.widgets.lanes_panel import lane_line
from tui.widgets.verdicts_pane import status_text

MOVES = OneOf(("left", "right"))


def cell(*outcomes: Outcome, planned_: int | None = None) -> LiveCell:
    """Return a cell about as many states as there are outcomes; guessing passes half of them."""
    cases = [Case(f"{at}", "best-action", (at,), MOVES, ("left",), {}, None, {}, "") for at in range(len(outcomes))]
    found = LiveCell.of_all(
        Judged.of("lake", case, outcome, float(outcome is Outcome.PASS), None if outcome is Outcome.ERROR else "left")
        for case, outcome in zip(cases, outcomes, strict=True)
    )
    return found if planned_ is None else replace(found, planned=planned_)


def test_a_tally_counts_each_outcome_apart() -> None:
    """Errors and undecided answers are never judged, invalid ones are, and totals are sums over categories."""
    tally = Tally(running=True).add(planned(("local", "first"), ("satisfy", "best-action"), 5))
    outcomes = (Outcome.PASS, Outcome.FAIL, Outcome.INVALID, Outcome.ERROR, Outcome.UNDECIDED)
    for number, outcome in enumerate(outcomes):
        tally = tally.add(answered("local", "satisfy", outcome, number + 1, 20))
    tally = tally.add(answered("local", "best-action", Outcome.PASS, 6, 20))
    count = tally.counts()["local", "satisfy"]
    assert {outcome: count.of(outcome) for outcome in outcomes} == dict.fromkeys(outcomes, 1)
    assert (count.planned, count.judged, count.answered) == (5, 3, 4)
    assert count.share("verdict").value == Fraction(1, 3)
    total = tally.total_of("local")
    assert (total.planned, total.judged, total.share("verdict").value) == (10, 4, Fraction(1, 2))
    assert tally.planned_of("local") == (5, 10)
    assert (tally.done, tally.total, tally.explainers) == (6, 20, ("local", "first"))


def test_a_question_that_failed_before_counts_once_when_it_is_answered() -> None:
    """The error of an earlier run goes when the answer comes, and a second failure adds none."""
    event = answered("local", "satisfy", Outcome.PASS, 1, 1)
    key = Key(event.case.id, event.variant, event.sample)
    place = ("frozen_lake", "local", "satisfy")
    failed = LiveCell(1, {Outcome.ERROR: 1})
    tally = Tally(running=True).add(Stored(Board({place: failed}, frozenset({("local", key)}))))
    again = tally.add(replace(event, verdict=replace(event.verdict, outcome=Outcome.ERROR)))
    assert dict(again.counts()["local", "satisfy"].outcomes) == {Outcome.ERROR: 1}
    then = again.add(event).counts()["local", "satisfy"]
    assert (then.of(Outcome.ERROR), then.of(Outcome.PASS), then.answered) == (0, 1, 1)
    assert not again.add(event).board.failed


def test_the_table_has_the_whole_file_while_a_plan_runs() -> None:
    """Verdicts of explainers and categories outside the plan stay in the table."""
    other = ("frozen_lake", "random", "safer")
    tally = Tally(running=True).add(planned(("local",), ("satisfy",), 4))
    tally = tally.add(Stored(Board({("frozen_lake", "local", "satisfy"): LiveCell(4), other: cell(Outcome.FAIL)})))
    tally = tally.add(answered("local", "satisfy", Outcome.PASS, 1, 4))
    assert {key: count.answered for key, count in tally.counts().items()} == {
        ("local", "satisfy"): 1,
        ("random", "safer"): 1,
    }


def test_environments_are_shown_alone_or_together() -> None:
    """Each environment's cell by itself; together they add up."""
    board = Board({("a", "x", "safer"): cell(Outcome.PASS), ("b", "x", "safer"): cell(Outcome.FAIL, Outcome.FAIL)})
    tally = Tally(board)
    assert tally.models == ("a", "b")
    assert [tally.counts(model)["x", "safer"].judged for model in ("a", "b", None)] == [1, 2, 3]
    assert tally.total_of("x", "b").share("verdict").value == 0


def test_a_tally_tells_of_waits_failures_and_the_end() -> None:
    """A wait shows, and runs down, until the next answer; a failed explainer stays noted; the last event ends it."""
    tally = Tally(running=True).add(planned(("local",), ("satisfy",), 2))
    waiting = tally.add(Waiting("local", "rate limit", 30.0), now=100.0)
    assert "waits 20 s: rate limit" in lane_line(waiting, "local", now=110.0).plain
    assert not waiting.add(answered("local", "satisfy", Outcome.PASS, 1, 2)).waits
    failed = waiting.add(ExplainerFailed("local", "wrong key"))
    assert "given up: wrong key" in lane_line(failed, "local", now=110.0).plain
    assert "local is not asked any more: wrong key" in status_text(failed, "")
    over = failed.add(
        Finished(Summary(2, 1, 1, {}, {"local": "wrong key"}, stopped=True, seconds=1.0, halted="no key"))
    )
    assert (over.running, over.stopped, over.done) == (False, True, 1)
    assert "no key" in status_text(over, "")


def test_what_is_left_out_is_said_by_reason() -> None:
    """Categories that lack cases for one reason are named together; those with fewer cases say how many."""
    event = replace(
        planned(("local",), ("satisfy",), 2),
        omitted={("lake", "safer"): "no danger", ("lake", "is-bottleneck"): "no danger"},
        short={("lake", "satisfy", "prioritized"): 2},
    )
    assert isinstance(event, Planned)
    assert Tally().add(event).notices == ("without safer, is-bottleneck: no danger", "fewer cases: satisfy 2")


def test_an_incomplete_campaign_is_not_called_done() -> None:
    """It says how many answers are missing, and whose."""
    tally = Tally(running=True).add(planned(("local", "random"), ("satisfy",), 4))
    tally = tally.add(answered("local", "satisfy", Outcome.PASS, 1, 8))
    text = status_text(tally.add(Finished(Summary(8, 1, 2, {}, {}, stopped=False, seconds=1.0))), "")
    assert text.startswith("Ended: 1 of 8 answered. 7 failed or were not asked (local 3, random 4).")


def test_cells_say_less_where_there_is_less_room() -> None:
    """Share, interval, n of the questions and all marks; n is written alike in every width, the interval gives way."""
    mixed = cell(Outcome.PASS, Outcome.FAIL, Outcome.INVALID, Outcome.INVALID, Outcome.UNDECIDED, planned_=20)
    # Wilson, 95 %: 1 of 4 is 4.6 to 69.9 %.
    for width, expected in (
        (29, ["25%", "5–70", "4/20", "2i", "1≈"]),
        (23, ["25%", "5–70", "4/20", "i≈"]),
        (17, ["25%", "4/20", "i≈"]),
    ):
        assert cell_text(mixed, "verdict", form_of([mixed], width)).plain.split() == expected
    assert cell_text(LiveCell(20), "verdict", form_of([LiveCell(20)], 29)).plain.split() == ["-", "0/20"]
    assert chance_text(mixed.chances, "verdict").plain == "50%"


@given(st.lists(st.sampled_from(list(Outcome)), max_size=30), st.integers(15, 40))
def test_cells_never_exceed_their_column(outcomes: list[Outcome], width: int) -> None:
    """Whatever came, a cell fits."""
    found = cell(*outcomes, planned_=1000)
    assert len(cell_text(found, "verdict", form_of([found], width)).plain) < width


def test_thousands_are_short_where_they_would_not_fit() -> None:
    """In 16 characters 12,345 questions are written as 12k, and 950 in the same table stay as they are."""
    form = form_of([LiveCell(950), LiveCell(12_345)], 16)
    assert form == CellForm(count=7, short=True, spread=False, marks=3)
    assert cell_text(LiveCell(12_345), "verdict", form).plain.split() == ["-", "0/12k"]
    assert cell_text(LiveCell(950), "verdict", form).plain.split() == ["-", "0/950"]


def test_a_cell_in_words_tells_it_from_chance() -> None:
    """Ten of ten are above a chance of one half, one of two is not; a constant answer is named."""
    assert "above chance (50%)" in cell_sentences(cell(*[Outcome.PASS] * 10), "verdict")
    words = cell_sentences(cell(Outcome.PASS, Outcome.FAIL), "verdict")
    assert "not to be told from chance" in words
    assert "1 pass; 1 fail; always left" in words
    assert "below chance" in cell_sentences(cell(*[Outcome.FAIL] * 10), "verdict")


def test_an_estimate_in_words() -> None:
    """Cases, questions, calls that are still to be made, their time at the concurrency, and their cost."""
    request = CampaignRequest(("local", "random"), ("satisfy", "safer"), 5, strategies=("prioritized", "random"))
    assert upper_bound(request) == 20
    forecast = Forecast(10, 40, {"local": 30, "random": 40}, {("lake", "safer"): "no danger"}, {})
    estimate = Estimate(forecast, {"local": Pace(4.0, Fraction(1, 100), measured=True)}, 2)
    assert size_text(estimate, 2) == "10 cases × 4 × 2 explainers = 80 questions"
    # 30 calls of 4 s, two at once: a minute; 30 times a hundredth.
    assert calls_text(estimate) == "10 of them answered already; 30 calls to local; about 1:00; cost about 0.3"
    assert left_out(estimate, many=False) == ["without safer: no danger"]
    unknown = Estimate(forecast, {"local": Pace()}, 2)
    assert calls_text(unknown).endswith("time unknown before the first answers; no prices are set")
    assert calls_text(Estimate(Forecast(1, 1, {"random": 1}))) == "no call to a language model"


def test_durations_and_tokens_are_short() -> None:
    """Minutes and hours; thousands and millions; what nobody told is unknown."""
    assert [duration(seconds) for seconds in (0, 59.6, 3600 + 61)] == ["0:00", "1:00", "1:01:01"]
    assert spent_text(Spent(999, 12_345)) == "999 in 12.3k out"
    assert spent_text(Spent(None, 2_500_000, costs={"": Cost(Fraction(1, 8))})) == "? in 2.50M out  cost 0.125"
    both = {"EUR": Cost(Fraction(2)), "USD": Cost(Fraction(1, 2))}
    assert spent_text(Spent(costs=both)) == "cost 2 EUR + 0.5 USD"
    again = {"USD": Cost(Fraction(1, 2), Fraction(1, 4))}
    assert spent_text(Spent(costs=again)) == "cost 0.5 USD (0.25 USD cached)"
    assert spent_text(Spent()) == ""


def asked(
    state: int, outcome: Outcome, answer: str | None, *, delta: float | None = None, regret: str | None = None
) -> Asked:
    """Return one question about a state."""
    case = Case(f"c{state}", "best-action", (state,), MOVES, ("left",), {}, delta, {}, "")
    record = OutcomeRecord(Key(case.id, "plain", 0), "local", outcome, None, answer, 0.5, None, None, regret=regret)
    return Asked(StoredCase("lake", case, ("prioritized",)), record)


CASES = [
    asked(3, Outcome.FAIL, "right", delta=0.5, regret="1/3"),
    asked(1, Outcome.PASS, "left", delta=0.25, regret="0"),
    asked(2, Outcome.ERROR, None, delta=None),
]


def test_cases_are_sorted_and_filtered() -> None:
    """By states, difficulty and regret; what has no value is last in either direction; one verdict alone."""
    columns = columns_of(CASES)
    states = lambda view: [each.stored.case.states[0] for each in view.rows(CASES, columns)]  # noqa: E731 - three uses
    assert states(CaseView()) == [3, 1, 2]
    assert states(CaseView("states")) == [1, 2, 3]
    assert states(CaseView("difficulty")) == [1, 3, 2]
    assert states(CaseView("difficulty", descending=True)) == [3, 1, 2]
    assert states(CaseView("regret")) == [1, 3, 2]
    assert states(CaseView(outcome=Outcome.PASS)) == [1]
    shown = CaseView()
    seen = []
    for _ in range(4):
        shown = shown.next_outcome(CASES)
        seen.append(shown.outcome)
    assert seen == [Outcome.PASS, Outcome.FAIL, Outcome.ERROR, None]


def test_columns_that_say_nothing_are_left_out() -> None:
    """One explainer and one wording need no columns; lines and titles stand below each other."""
    columns = columns_of(CASES)
    assert [column.key for column in columns] == [
        "states",
        "difficulty",
        "verdict",
        "answer",
        "right",
        "regret",
        "seconds",
    ]
    wide = line(CASES[0], columns, 80).plain
    titles = heading(columns, CaseView("answer"), 80).plain
    assert wide.index("right") == titles.index("▲answer")
    two = [CASES[0], replace(CASES[1], record=CASES[1].record._replace(explainer="first"))]
    assert columns_of(two)[0].key == "explainer"


def test_a_report_table_keeps_its_columns_aligned() -> None:
    """Figures stand at the right of their columns, words at the left; words give way where it is narrow."""
    rows = (cells("a-very-long-explainer-name", "5%", "12"), cells("b", "100%", "3"))
    section = Section("rq", "Title", ("explainer", "rate", "n"), rows, ("a note",))
    wide = [each.plain for each in section_lines(section, 60)]
    assert wide[0] == "Title"
    assert wide[2] == "a-very-long-explainer-name    5%  12"
    assert wide[3] == "b                           100%   3"
    narrow = [each.plain for each in section_lines(section, 24)]
    assert max(map(len, narrow)) <= 24
    assert narrow[2].startswith("a-very")
    assert narrow[2].endswith("5% 12")


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(list(Outcome)), st.sampled_from(["left", "right"]))))
def test_cells_count_one_by_one_as_they_do_together(verdicts: list[tuple[int, Outcome, str]]) -> None:
    """A cell that grew verdict by verdict equals one that was read at once, in every figure."""
    judged = [
        Judged.of("lake", Case(f"{s}", "best-action", (s,), MOVES, ("left",), {}, None, {}, ""), outcome, None, answer)
        for s, outcome, answer in verdicts
    ]
    grown = LiveCell()
    for each in judged:
        grown = grown.plus(each)
    at_once = LiveCell.of_all(judged)
    assert replace(grown, planned=at_once.planned) == at_once
    assert Counter(outcome for _, outcome, _ in verdicts) == Counter(dict(at_once.outcomes))
