"""What a run works with: the grid, what of it is answered, and the parts that were given to it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from engine.campaign.grid import build_grid, check_resumable

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
    """What a run works with; `run` is its number in the store, `answered` and `pending` are by explainer."""

    run: int
    grid: Grid
    planned: Planned
    answered: Mapping[str, set[Key]]
    pending: Mapping[str, int]
    oracles: Mapping[str, Oracle]
    explainers: Mapping[str, Explainer]
    store: Store
    tools: Tools


def prepare(
    plan: Plan, oracles: Mapping[str, Oracle], explainers: Mapping[str, Explainer], store: Store, tools: Tools
) -> Setup:
    """Choose the cases and record the run; raises as `run_campaign` does. It blocks, for seconds on a big model."""
    check_resumable(plan, store)
    grid = build_grid(plan, oracles, store, tools.generate)
    store.add_explainers({name: explainers[name].baseline for name in plan.explainers})
    answered = {name: store.answered(name) for name in plan.explainers}
    planned, pending = grid.planned(answered)
    run = store.start_run(plan.to_json(), _version(), total=planned.total, done=planned.done)
    return Setup(run, grid, planned, answered, pending, oracles, explainers, store, tools)


def _version() -> str:
    try:
        return version("stormscope")
    except PackageNotFoundError:
        return "unknown"
