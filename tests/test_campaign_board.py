"""What a front end needs of a campaign beside its events: the live table, the forecast, pauses, single cases."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from campaign_support import CATEGORIES, TOOLS, Scripted, always_up, fake_oracle, plan, right
from reference import frozen_lake_4x4

from engine.campaign import Answered, Control, Finished, Planned, run_campaign
from engine.campaign.board import Board, read_board
from engine.campaign.forecast import Forecaster, Pace, at_once, measured_paces, priced
from engine.campaign.grid import build_grid
from engine.campaign.plan import Plan
from engine.campaign.progress import Lane, Progress
from engine.endpoints import Endpoint
from engine.errors import CancelledError, StoreError
from engine.explainers.base import Question, Reply
from engine.explainers.registry import make_explainer
from engine.queries.generation import generate
from engine.reports.build import build_report
from engine.settings import Settings
from engine.verdicts.browse import answer_to, duel, questions
from engine.verdicts.live import together
from engine.verdicts.records import Key
from engine.verdicts.store import Store
from engine.verdicts.tables import GRADERS
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from pathlib import Path

LAKE = fake_oracle()
REAL = Plan(
    ("frozen_lake",),
    ("random", "first", "oracle"),
    ("satisfy", "best-action", "action-ranking", "more-promising"),
    strategies=("prioritized", "random"),
    variants=("plain", "story"),
    budget=6,
    samples=2,
)


def run_real(file: Path) -> Board:
    """Run the baselines about Frozen Lake; return the board that grew with the events."""

    async def run() -> Board:
        oracles = {"frozen_lake": frozen_lake_4x4()}
        explainers = {name: make_explainer(name, Settings()) for name in REAL.explainers}
        board = Board()
        with Store(file, write=True) as store:
            async for event in run_campaign(REAL, oracles, explainers, store):
                if isinstance(event, Planned):
                    board = read_board(store, build_grid(REAL, oracles, store, generate))
                elif isinstance(event, Answered):
                    board = board.add(event)
        return board

    return asyncio.run(run())


def test_the_live_table_equals_the_report(tmp_path: Path) -> None:
    """Grown answer by answer or read at once, every figure is that of the report, by both graders."""
    file = tmp_path / "a.sqlite"
    grown = run_real(file)
    with Store(file, write=False) as store:
        read = read_board(store)
        reports = [build_report(store, grader=grader) for grader in GRADERS]
    for board in (grown, read):
        assert all(cell.answered == cell.planned for cell in board.cells.values())
        for grader, report in zip(GRADERS, reports, strict=True):
            assert len(report.table) == len(board.cells) == 12
            for row in report.table:
                cell = board.cells["frozen_lake", row.explainer, row.category]
                share, chance = cell.share(grader), cell.chance(grader)
                assert share.value is not None
                assert chance is not None
                figures = (share.n, float(share.value), share.lower, share.upper, share.effective_n, float(chance))
                assert figures == pytest.approx(
                    (row.n, row.value, row.lower, row.upper, row.effective_n, row.chance), abs=1e-12
                )
                variety = cell.variety
                assert (variety.different, variety.top) == (row.different, row.top)
            for line in report.explainers:
                cells = [cell for (_, name, _), cell in board.cells.items() if name == line.explainer]
                total = together(cells).share(grader)
                assert (total.n, total.lower, total.upper) == pytest.approx((line.n, line.lower, line.upper), abs=1e-12)


def test_a_question_of_both_strategies_is_planned_once(tmp_path: Path) -> None:
    """The strategies share 3 of 5 cases: 7 questions, not 10; what the file has beside the plan stays."""
    both = plan(strategies=("prioritized", "random"), categories=CATEGORIES[:1])
    file = tmp_path / "a.sqlite"
    with Store(file, write=True) as store:
        asyncio.run(_drain(plan(categories=CATEGORIES[1:]), store, Scripted()))
        grid = build_grid(both, {"lake": LAKE}, store, TOOLS.generate)
        board = read_board(store, grid)
    assert {place[2]: (cell.planned, cell.answered) for place, cell in board.cells.items()} == {
        CATEGORIES[0]: (7, 0),
        CATEGORIES[1]: (5, 5),
    }


async def _drain(what: Plan, store: Store, *explainers: Scripted, control: Control | None = None) -> list[object]:
    named = {each.name: each for each in explainers}
    events = run_campaign(what, {"lake": LAKE}, named, store, tools=TOOLS, control=control)
    return [event async for event in events]


def test_failures_count_until_they_are_answered(tmp_path: Path) -> None:
    """A question that failed is an error in the table; the next run's answer replaces it, on the screen and on disk."""
    replies = iter([Reply(error="no route")])
    flaky = Scripted(answer=lambda question: next(replies, None) or right(question))
    what = plan(categories=CATEGORIES[:1], budget=2)
    with Store(tmp_path / "a.sqlite", write=True) as store:
        asyncio.run(_drain(what, store, flaky))
        before = read_board(store, build_grid(what, {"lake": LAKE}, store, TOOLS.generate))
        (cell,) = before.cells.values()
        assert (cell.of(Outcome.ERROR), cell.of(Outcome.PASS), cell.planned) == (1, 1, 2)
        for event in asyncio.run(_drain(what, store, flaky)):
            if isinstance(event, Answered):
                before = before.add(event)
        assert before.cells == read_board(store).cells
        assert not before.failed


def test_spending_adds_up_over_the_whole_file(tmp_path: Path) -> None:
    """Ten answers of 100 and 10 tokens, five of them before."""
    with Store(tmp_path / "a.sqlite", write=True) as store:
        asyncio.run(_drain(plan(categories=CATEGORIES[:1]), store, Scripted()))
        board = read_board(store)
        for event in asyncio.run(_drain(plan(categories=CATEGORIES[1:]), store, Scripted())):
            if isinstance(event, Answered):
                board = board.add(event)
    assert (board.spent["model"].tokens_in, board.spent["model"].tokens_out) == (1000, 100)


async def test_a_pause_asks_nothing_more_until_it_ends(tmp_path: Path) -> None:
    """What is in flight arrives; then nothing is asked; afterwards the campaign goes on to its end."""
    control = Control()
    slow = Scripted(delay=0.02)
    with Store(tmp_path / "a.sqlite", write=True) as store:
        seen = 0
        what = plan(concurrency=2)
        async for event in run_campaign(what, {"lake": LAKE}, {"model": slow}, store, tools=TOOLS, control=control):
            seen += isinstance(event, Answered)
            if seen == 2 and not control.paused:
                control.pause()
                await asyncio.sleep(0.1)
                asked = len(slow.asked)
                await asyncio.sleep(0.1)
                assert len(slow.asked) == asked < 10
                control.resume()
        assert isinstance(event, Finished)
        assert (event.summary.done, event.summary.stopped) == (10, False)


async def test_a_paused_campaign_can_be_stopped(tmp_path: Path) -> None:
    """Stop ends it although nothing moves; what arrived is kept."""
    control = Control()
    with Store(tmp_path / "a.sqlite", write=True) as store:
        last = None
        events = run_campaign(
            plan(), {"lake": LAKE}, {"model": Scripted(delay=0.01)}, store, tools=TOOLS, control=control
        )
        async for event in events:
            last = event
            if isinstance(event, Answered) and not control.paused:
                control.pause()
                asyncio.get_running_loop().call_later(0.05, control.stop)
        assert isinstance(last, Finished)
        assert last.summary.stopped
        assert len(store.answered("model")) == last.summary.done < 10


def test_a_pause_makes_nobody_slower() -> None:
    """Two answers in four seconds are one in two seconds, also after a pause of a minute."""
    now = [0.0]
    progress = Progress(4, 0, {"x": Lane(4)}, clock=lambda: now[0])
    progress.begin("x")
    progress.lanes["x"].answered, progress.lanes["x"].pending = 2, 2
    now[0] = 4.0
    progress.hold(paused=True)
    now[0] = 64.0
    assert progress.rate("x") == 0.5
    progress.hold(paused=False)
    assert (progress.rate("x"), progress.eta(), progress.seconds) == (0.5, 4.0, 4.0)


def test_a_forecast_is_what_the_campaign_then_plans(tmp_path: Path) -> None:
    """Cases, questions, what is left out and what is answered already are those of the run."""
    file = tmp_path / "a.sqlite"
    forecaster = Forecaster(TOOLS.generate)
    what = plan(categories=(*CATEGORIES, "is-bottleneck"), strategies=("prioritized", "random"), samples=2, budget=20)
    before = forecaster.forecast(what, {"lake": LAKE}, file)
    assert (before.cases, before.questions, before.pending) == (32, 64, {"model": 64})
    assert before.omitted == {("lake", "is-bottleneck"): "the model has no bottleneck"}
    assert before.short["lake", CATEGORIES[0], "random"] == 14
    with Store(file, write=True) as store:
        asyncio.run(_drain(replace(what, samples=1), store, Scripted()))
        events = asyncio.run(_drain(what, store, Scripted()))
    planned = events[0]
    assert isinstance(planned, Planned)
    assert (planned.total, planned.done, planned.omitted) == (before.questions, 32, before.omitted)
    assert forecaster.forecast(what, {"lake": LAKE}, file).pending == {"model": 0}


def test_a_forecast_stops_when_it_is_told_to() -> None:
    """Between two categories it looks whether somebody still waits."""
    with pytest.raises(CancelledError):
        Forecaster(TOOLS.generate).forecast(plan(), {"lake": LAKE}, None, cancelled=lambda: True)


def test_paces_are_measured_or_reckoned(tmp_path: Path) -> None:
    """Half a second an answer, as scripted; 400 characters are 100 tokens; without prices nothing is known."""
    file = tmp_path / "a.sqlite"
    with Store(file, write=True) as store:
        asyncio.run(_drain(plan(), store, Scripted()))
    (tmp_path / "b.sqlite").write_text("no campaign")
    assert measured_paces([tmp_path / "b.sqlite", file]) == {"model": Pace(0.5, None, measured=True)}
    # 100 tokens in at 2 and 50 + 20 tokens out at 10, of a million each.
    assert priced(2, 10, 400, 200).cost == Fraction(100 * 2 + 70 * 10, 10**6)
    assert priced(None, None, 400, 200) == Pace()


@pytest.mark.parametrize(("at_most", "seconds"), [(None, 50.0), (1, 200.0), (2, 100.0), (8, 50.0)])
def test_time_is_reckoned_with_what_an_explainer_takes_at_once(at_most: int | None, seconds: float) -> None:
    """100 answers of 2 seconds, 4 at once by the plan: an explainer that takes fewer at once is as slow as that."""
    assert Pace(2.0, at_once=at_most).duration(100, 4) == seconds
    assert Pace(at_once=at_most).duration(100, 4) is None


def test_the_embedded_model_takes_one_question_at_once() -> None:
    """It has one slot; an endpoint takes as many as its settings say."""
    settings = Settings(openai=Endpoint(base_url="http://127.0.0.1:9", concurrency=3))
    specs = ("local", "openai:tiny", "random")
    assert [at_once(make_explainer(spec, settings)) for spec in specs] == [1, 3, 1]


def test_questions_are_found_by_cell_with_their_answers(tmp_path: Path) -> None:
    """Those of one explainer and category, each with its prompt and reply; a failure says how it failed last."""
    failing = Scripted("broken", lambda _: Reply(error="no route"))
    with Store(tmp_path / "a.sqlite", write=True) as store:
        asyncio.run(_drain(plan(explainers=("model", "broken"), budget=2), store, Scripted(), failing))
        mine = questions(store, explainer="model", category=CATEGORIES[1])
        assert [each.stored.case.states for each in mine] == [(0,), (1,)]
        assert len(questions(store)) == 8
        assert not questions(store, model="pond")
        answer = answer_to(store, mine[0])
        assert (answer.user, answer.reply.text) == ("worst-action in state 0?", "left")
        (failure, _) = questions(store, explainer="broken", category=CATEGORIES[0])
        told = answer_to(store, failure)
        assert (told.verdict.outcome, told.reply.error) == (Outcome.ERROR, "no route")
        gone = replace(failure, record=failure.record._replace(key=Key("gone", "plain", 0)))
        with pytest.raises(StoreError):
            answer_to(store, gone)


def test_two_explainers_are_compared_question_by_question(tmp_path: Path) -> None:
    """One is right eight times of eight, the other says "up", right for every fourth state: they differ in six."""

    def sometimes(question: Question) -> Reply:
        return Reply("perhaps") if question.case.states == (4,) else always_up(question)

    what = plan(explainers=("model", "up"), budget=5)
    with Store(tmp_path / "a.sqlite", write=True) as store:
        asyncio.run(_drain(what, store, Scripted(), Scripted("up", sometimes)))
        found = duel(store, "model", "up")
        again = asyncio.run(_drain(replace(what, samples=2), store, Scripted(), Scripted("up", sometimes)))
        assert isinstance(again[-1], Finished)
        repeated = duel(store, "model", "up")
    assert (found.both, found.only_first, found.only_second, found.neither) == (2, 6, 0, 0)
    # The two questions about state 4 are undecided for one of them.
    assert (found.left_out, len(found.pairs)) == (2, 6)
    # Six of six: two-sided binomial, 2 / 2**6.
    assert found.p == pytest.approx(2 / 64)
    assert repeated.p is None
