"""A campaign file at a glance: what it is about, how far it is, and how to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.verdicts.counts import counts
from engine.verdicts.last_run import last_run
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from engine.verdicts.records import ModelRecord, RunRecord


@dataclass(frozen=True, slots=True)
class Overview:
    """What a list of campaigns says about one.

    Attributes
    ----------
    models
        The checked models, in the order in which they came.
    explainers
        Names of those who answer.
    plan
        What the last run was asked to do.
    started
        UTC of the last run, ISO 8601.
    done, total, kept
        As in `engine.verdicts.counts`.
    """

    path: Path
    models: tuple[ModelRecord, ...]
    explainers: tuple[str, ...]
    plan: Mapping[str, Any]
    started: str
    done: int
    total: int
    kept: int = 0

    @property
    def only_kept(self) -> bool:
        """Whether nothing but answers kept by hand is in the file: no campaign has run."""
        return not self.started and self.total == 0

    @property
    def finished(self) -> bool:
        """Whether nothing is missing."""
        return self.done >= self.total


def overview(path: Path) -> Overview:
    """Read a campaign file; raises StoreError if it is not one. Blocks."""
    with Store(path, write=False) as store, store.snapshot():
        runs, models, explainers = store.runs(), store.models(), store.explainers()
        found = counts(store)
        plan, started = (runs[-1].plan, runs[-1].started) if runs else ({}, "")
        return Overview(path, models, tuple(explainers), plan, started, found.answered, found.total, found.kept)


def answered_of(store: Store, last: RunRecord) -> int:
    """Return how many questions of the last run are answered; raises StoreError if the file cannot be read.

    One that has not ended runs now or was killed: the file itself knows how many answers have arrived.
    """
    if last.ended is not None:
        return last.done
    answered = {name: store.answered(name) for name in last.plan.get("explainers", ())}
    plan = last_run(store, [key for keys in answered.values() for key in keys])
    return min(max(last.done, plan.answered(answered)), last.total)
