"""Answers that were kept by hand stand beside a campaign: visible, and in no rate, also where it asks the same."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from reference import frozen_lake_4x4

from engine.campaign.board import read_board
from engine.campaign.control import Control
from engine.explainers.base import Reply
from engine.reports.build import build_report
from engine.reports.render import report
from engine.verdicts.browse import duel, questions
from engine.verdicts.by_hand import kept_sample, picked_cases, question_words, told_sample
from engine.verdicts.counts import Counts, counts
from engine.verdicts.grading import judge
from engine.verdicts.live import mean_chance
from engine.verdicts.overview import overview
from engine.verdicts.store import Store
from tui.asking.asking_services import Query
from tui.campaigns.campaign_services import CampaignRequest
from tui.campaigns.tally import Stored, Tally
from tui.services.engine_services import EngineServices
from tui.services.services import Asked
from tui.widgets.preview_panel import progress_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LAKE = frozen_lake_4x4()
STATES = 11
"""States of the lake that have something to choose: 16 tiles less four holes and the goal."""
PLAN = CampaignRequest(("random", "first"), ("best-action", "safer"), 100)


def said(services: EngineServices, query: Query, samples: Sequence[int], answer: str, explainer: str) -> list[Asked]:
    """Return answers that somebody gave on the ask screen."""
    case = services.asking.case(LAKE, query)
    reply = Reply(f'{{"explanation": "", "answer": "{answer}"}}', finish="stop", tokens_out=1)
    asked = services.asking.questions(LAKE, case, query, samples)
    return [Asked(explainer, each, reply, judge(LAKE, case, reply)) for each in asked]


async def run(services: EngineServices, request: CampaignRequest = PLAN) -> None:
    """Run a campaign to its end."""
    async for _ in services.campaigns.run(LAKE, request, Control()):
        pass


async def file_of(folder: Path, *, before: bool) -> Path:
    """Keep six answers to a question that the campaign chooses too and one of another category; run the campaign."""
    services = EngineServices("random", campaign_folder=folder)
    kept = said(services, Query("best-action", (6,)), range(6), "left", "random")
    kept += said(services, Query("is-bottleneck", (1,)), [0], "no", "local")
    for now in (before, not before):
        if now:
            assert services.asking.keep(LAKE, kept).kept == 7
        else:
            await run(services)
    await services.close()
    return services.campaign_file(LAKE)


@pytest.mark.parametrize("before", [True, False], ids=["kept before the campaign", "kept after it"])
async def test_no_rate_counts_what_was_kept(tmp_path: Path, *, before: bool) -> None:
    """Both explainers have the same n in every category, as in a campaign without kept answers; RQ tables too."""
    file = await file_of(tmp_path, before=before)
    alone = EngineServices("random", campaign_folder=tmp_path / "alone")
    await run(alone)
    with Store(file, write=False) as store, Store(alone.campaign_file(LAKE), write=False) as other:
        mine, its = build_report(store), build_report(other)
        boards = read_board(store), read_board(other)
        text = report(store, format="text")
    assert mine.table == its.table
    assert mine.explainers == its.explainers
    assert (mine.rq2, mine.rq3) == (its.rq2, its.rq3)
    assert boards[0].cells == boards[1].cells
    assert boards[0].chances == boards[1].chances
    kept = {(cell.explainer, cell.category): cell.n for cell in mine.cells if cell.strategy == "manual"}
    assert kept == {("random", "best-action"): 6, ("local", "is-bottleneck"): 1}
    assert {place[1:]: cell.judged for place, cell in boards[0].kept.items()} == kept
    assert "Kept by hand" in text
    await alone.close()


async def test_every_place_counts_the_file_alike(tmp_path: Path) -> None:
    """List, table and report: the questions of the plan, and seven kept; the chance of a category is one number."""
    file = await file_of(tmp_path, before=True)
    with Store(file, write=False) as store:
        found, board, built = counts(store), read_board(store), build_report(store)
        answers = len(list(store.answers()))
    tally, seen = Tally.of_file(Stored(board)), overview(file)
    planned = built.run.total if built.run is not None else 0
    assert planned > 2 * STATES
    assert found == Counts(planned, planned, 7)
    assert (tally.done, tally.total, tally.kept) == (planned, planned, 7)
    assert (seen.done, seen.total, seen.kept, seen.finished) == (planned, planned, 7, True)
    assert (built.questions.answered, built.questions.total, built.questions.kept) == (planned, planned, 7)
    assert answers == planned + 7
    for row in built.table:
        (levels,) = (each for place, each in board.chances.items() if place[1] == row.category)
        assert float(mean_chance(levels, "verdict") or Fraction(0)) == row.chance


async def test_kept_answers_are_listed_apart(tmp_path: Path) -> None:
    """The list of a cell has the campaign's questions; the list of kept ones has the others, named as such."""
    file = await file_of(tmp_path, before=True)
    with Store(file, write=False) as store:
        campaign = questions(store, explainer="random", category="best-action")
        kept = questions(store, kept=True)
        compared = duel(store, "random", "first", category="best-action")
    assert len(campaign) == compared.both + compared.only_first + compared.only_second + compared.neither
    assert len(campaign) == len({each.record.key.case for each in campaign})
    assert not any(each.kept for each in campaign)
    words = [
        question_words(each.record.key.variant, each.record.key.sample, each.stored.strategies, kept=each.kept)
        for each in kept
        if each.record.explainer == "random"
    ]
    assert [text.partition(", ")[2] for text in words] == [f"kept by hand ({number})" for number in range(1, 7)]


async def test_a_file_of_nothing_else_has_no_rate(tmp_path: Path) -> None:
    """Before any campaign the file holds one kept answer, and nothing that is asked or missing."""
    services = EngineServices("random", campaign_folder=tmp_path)
    kept = services.asking.keep(LAKE, said(services, Query("best-action", (6,)), [0], "left", "random"))
    with Store(kept.file, write=False) as store:
        assert counts(store) == Counts(0, 0, 1)
        assert read_board(store).cells == {}
        assert "1 answer kept by hand" in report(store, format="text")
    await services.close()


def test_numbers_of_kept_samples() -> None:
    """The first sample is 1 for people wherever it stands; files of older formats tell kept ones by their cases."""
    assert [kept_sample(number) for number in (0, 1, 5)] == [-1, -2, -6]
    assert [told_sample(number) for number in (0, 5, -1, -6)] == [1, 6, 1, 6]
    assert picked_cases({"a": ("manual",), "b": ("prioritized", "manual"), "c": ("random",)}) == {"a"}
    assert picked_cases({"a": ("manual",)}) == frozenset()
    assert question_words("plain", 2, ("prioritized",), kept=False) == "plain, sample 3, prioritized"


def test_a_file_of_kept_answers_alone_is_no_finished_campaign(tmp_path: Path) -> None:
    """Nothing has run: the start list says how many are kept instead of done."""
    services = EngineServices("random", campaign_folder=tmp_path)
    services.asking.keep(LAKE, said(services, Query("best-action", (6,)), range(3), "left", "random"))
    seen = overview(services.campaign_file(LAKE))
    assert seen.only_kept
    assert progress_of(seen) == "3 kept"
