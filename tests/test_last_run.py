"""What a campaign that was cut off still has to ask is known from its file alone, without checking a model."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from reference import frozen_lake_4x4

from engine.campaign import run_campaign
from engine.campaign.board import read_board
from engine.campaign.grid import build_grid
from engine.campaign.plan import Plan
from engine.explainers.registry import make_explainer
from engine.queries.generation import generate
from engine.queries.registry import category_named
from engine.reports.build import build_report
from engine.settings import Settings
from engine.verdicts.live import mean_chance, together
from engine.verdicts.overview import overview
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from pathlib import Path

LAKE = frozen_lake_4x4()
REST = "DELETE FROM answers WHERE rowid NOT IN (SELECT rowid FROM answers ORDER BY rowid LIMIT ?)"
PLAN = Plan(("frozen_lake",), ("oracle", "first"), ("satisfy", "best-action", "more-promising"), budget=5)


def cut_off(file: Path, plan: Plan, kept: int) -> None:
    """Run a campaign, and leave the file with its first answers, as a killed program does: the last run has no end."""

    async def run() -> None:
        explainers = {name: make_explainer(name, Settings()) for name in plan.explainers}
        with Store(file, write=True) as store:
            async for _ in run_campaign(plan, {"frozen_lake": LAKE}, explainers, store):
                pass

    asyncio.run(run())
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE runs SET ended = NULL, done = 0 WHERE id = (SELECT max(id) FROM runs)")
        connection.execute(REST, (kept,))


PLANS = {
    "one wording": PLAN,
    "two wordings": replace(PLAN, variants=("story", "plain")),
    "all wordings": replace(PLAN, variants=("all",)),
    "samples and strategies": replace(PLAN, samples=3, strategies=("prioritized", "random")),
    "other explainers": replace(PLAN, explainers=("half", "random", "oracle")),
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_cut_off_campaign_reads_as_its_plan(tmp_path: Path, plan: Plan) -> None:
    """Planned and answered questions, and the order of explainers, are those that the plan's own grid gives."""
    file = tmp_path / "a.sqlite"
    cut_off(file, plan, 7)
    with Store(file, write=True) as store:
        read = read_board(store)
        with_grid = read_board(store, build_grid(plan, {"frozen_lake": LAKE}, store, generate))
        total = store.runs()[-1].total
        report = build_report(store)
    assert list(read.cells) == list(with_grid.cells)
    assert read.cells == with_grid.cells
    assert sum(cell.planned for cell in read.cells.values()) == total
    assert tuple(dict.fromkeys(explainer for _, explainer, _ in read.cells)) == plan.explainers
    answered = sum(cell.answered for cell in read.cells.values())
    assert answered == 7
    found = overview(file)
    assert (found.done, found.total, found.finished) == (answered, total, False)
    assert report.run is not None
    assert (report.run.done, report.run.total, report.run.ended) == (answered, total, None)


def test_answers_of_another_plan_do_not_finish_the_last_one(tmp_path: Path) -> None:
    """A finished run of 30 and one of 20 that was cut off after one: 31 of 50, as in the table; not finished."""
    file = tmp_path / "a.sqlite"
    cut_off(file, PLAN, 30)
    cut_off(file, replace(PLAN, explainers=("oracle", "half"), categories=("safer", "worst-action")), 31)
    found = overview(file)
    assert (found.done, found.total, found.finished) == (31, 50, False)
    with Store(file, write=False) as store:
        cells = read_board(store).cells
        questions = build_report(store).questions
    assert (sum(cell.answered for cell in cells.values()), sum(cell.planned for cell in cells.values())) == (31, 50)
    assert (questions.answered, questions.total, questions.kept) == (31, 50, 0)


def test_chance_is_that_of_the_planned_cases(tmp_path: Path) -> None:
    """However far each explainer is, a category's chance is the mean over the cases that all of them are asked."""
    file = tmp_path / "a.sqlite"
    cut_off(file, PLAN, 1)
    with Store(file, write=False) as store:
        board, cases = read_board(store), store.cases()
    for category in PLAN.categories:
        levels = [
            category_named(category).chance(each.case).verdict
            for each in cases.values()
            if each.case.category == category
        ]
        assert len(levels) == 5
        assert mean_chance(board.chances["frozen_lake", category], "verdict") == sum(levels) / 5
    answered = together(cell for (_, name, _), cell in board.cells.items() if name == "first")
    assert answered.judged <= 1


def test_a_file_without_a_run_plans_nothing(tmp_path: Path) -> None:
    """A file that was only made has no cells, and is not taken for unfinished."""
    with Store(tmp_path / "a.sqlite", write=True) as store:
        assert read_board(store).cells == {}
    assert overview(tmp_path / "a.sqlite").finished
