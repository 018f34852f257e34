"""A campaign through the engine's own stages: real cases, prompts and grading, asked of the baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference import frozen_lake_4x4

from engine.campaign import Finished, Plan, run_campaign
from engine.explainers.baselines import BASELINES
from engine.queries.registry import all_categories
from engine.reports.build import build_report
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from pathlib import Path


async def test_the_ceiling_is_right_and_chance_is_what_random_gets(tmp_path: Path) -> None:
    """On Frozen Lake the oracle passes all, and the random baseline's chance level lies in its interval."""
    explainers = {baseline.name: baseline for baseline in BASELINES}
    plan = Plan(("frozen_lake",), tuple(explainers), tuple(all_categories()), samples=5)
    oracles = {"frozen_lake": frozen_lake_4x4()}
    with Store(tmp_path / "c.db", write=True) as store:
        events = [event async for event in run_campaign(plan, oracles, explainers, store)]
        rows = {row.explainer: row for row in build_report(store).explainers}
        prompts = {(answer.system, answer.user) for answer in store.answers(explainer="oracle")}
        cases = store.cases()
    assert isinstance(events[-1], Finished)
    assert events[-1].summary.missing == 0
    assert {stored.case.category for stored in cases.values()} == set(all_categories())
    assert len(prompts) == len(cases)
    assert (rows["oracle"].passed, rows["oracle"].n) == (5 * len(cases), 5 * len(cases))
    random = rows["random"]
    assert random.chance is not None
    assert random.lower < random.chance < random.upper
    assert random.effective_n > len(cases) / 2
    assert rows["first"].chance == random.chance
