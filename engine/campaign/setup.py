"""What a run works with: the grid, what of it is answered, and the parts that were given to it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from engine.campaign.grid import build_grid, check_resumable
from engine.campaign.spent import Spent
from engine.explainers.fingerprint import fingerprint_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.campaign.events import Planned
    from engine.campaign.grid import Grid
    from engine.campaign.plan import Plan
    from engine.campaign.tools import Tools
    from engine.explainers.base import Explainer
    from engine.oracle.facts import Oracle
    from engine.verdicts.records import Key
    from engine.verdicts.store import Store


@dataclass(frozen=True, slots=True)
class Setup:
    """What a run works with.

    Attributes
    ----------
    run
        Its number in the store.
    grid, planned
        The questions, and how many there are.
    answered, failed, skipped
        Explainer → the questions that it has answered, those that failed and have no answer, and those of them that
        are not asked again.
    pending
        Explainer → how many questions it is asked in this run.
    totals
        Outcome → count of the plan's questions before this run.
    spent
        Explainer → what its answers to the plan's questions took before this run.
    fingerprints
        Explainer → what the cache knows it by; None if its answers are not to be remembered.
    """

    run: int
    grid: Grid
    planned: Planned
    answered: Mapping[str, set[Key]]
    failed: Mapping[str, set[Key]]
    skipped: Mapping[str, set[Key]]
    pending: Mapping[str, int]
    totals: Mapping[str, int]
    spent: Mapping[str, Spent]
    fingerprints: Mapping[str, str | None]
    oracles: Mapping[str, Oracle]
    explainers: Mapping[str, Explainer]
    store: Store
    tools: Tools


def prepare(
    plan: Plan,
    oracles: Mapping[str, Oracle],
    explainers: Mapping[str, Explainer],
    store: Store,
    tools: Tools,
    *,
    retry_errors: bool,
) -> Setup:
    """Choose the cases and record the run; raises as `run_campaign` does. It blocks, for seconds on a big model."""
    check_resumable(plan, store)
    grid = build_grid(plan, oracles, store, tools.generate)
    store.add_explainers({name: explainers[name].baseline for name in plan.explainers})
    store.set_setting("tolerance", plan.tolerance)
    answered = {name: store.answered(name) for name in plan.explainers}
    failed = {name: store.failed(name) for name in plan.explainers}
    skipped = {
        name: {key for key, may_skip in keys.items() if may_skip and not retry_errors} for name, keys in failed.items()
    }
    planned, pending = grid.planned(answered, skipped)
    totals, spent = _earlier(grid, store)
    run = store.start_run(plan.to_json(), _version(), total=planned.total, done=planned.done)
    return Setup(
        run=run,
        grid=grid,
        planned=planned,
        answered=answered,
        failed={name: set(keys) for name, keys in failed.items()},
        skipped=skipped,
        pending=pending,
        totals=totals,
        spent=spent,
        fingerprints={name: fingerprint_of(explainers[name]) for name in plan.explainers},
        oracles=oracles,
        explainers=explainers,
        store=store,
        tools=tools,
    )


def _earlier(grid: Grid, store: Store) -> tuple[Counter[str], dict[str, Spent]]:
    """Return what earlier runs brought of the plan's questions: outcomes, and explainer → what its answers took."""
    keys = {item.key for item in grid.items()}
    totals: Counter[str] = Counter()
    spent = dict.fromkeys(grid.plan.explainers, Spent())
    for record in store.outcomes():
        if record.explainer in spent and record.key in keys:
            totals[record.outcome.value] += 1
            spent[record.explainer] = spent[record.explainer].plus(Spent.of(record))
    return totals, spent


def _version() -> str:
    try:
        return version("stormscope")
    except PackageNotFoundError:
        return "unknown"
