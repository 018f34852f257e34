"""Generating cases from a model of 1.26 million states, against sorting its Q values in the same run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from models import DISAGREE, consensus

from engine.oracle.client import open_oracle
from engine.oracle.request import Mode, Request
from engine.queries import centrality as kept
from engine.queries.centrality import centrality
from engine.queries.generation import generate
from engine.queries.registry import all_categories

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CASES = 1_000
UNSAFE = 'Pmin=? [F "finished" & !"agree"]'


def measure(folder: Path) -> list[tuple[str, str, str]]:
    """Return rows of what was measured, the figure, and the target."""
    path = folder / "consensus6.prism"
    path.write_text(consensus(6), encoding="utf-8")
    request = Request(path=path, constants={"K": "2"}, objective=DISAGREE, danger=UNSAFE, mode=Mode.SOUND)
    oracle = open_oracle(request)
    first = _seconds(lambda: centrality(oracle))
    kept.forget()
    again = _seconds(lambda: centrality(oracle))
    rows = [
        (f"C_B of {oracle.mdp.states:,} states", f"{first:.1f} s, kept: {again:.2f} s = {again / first:.3f} ×", ""),
    ]
    total = 0.0
    for strategy in ("prioritized", "random"):
        fresh = open_oracle(request)  # it has nothing that was computed for other cases
        started, busy = time.perf_counter(), time.process_time()
        found = generate(fresh, list(all_categories()), budget=CASES, strategy=strategy)
        seconds, busy = time.perf_counter() - started, time.process_time() - busy
        total = max(total, seconds)
        rows.append((f"{len(found.cases):,} cases, {strategy}", f"{seconds:.1f} s ({busy:.1f} s of processor)", "5 s"))
    slowest = _seconds(lambda: np.sort(oracle.facts.q.floats))
    rows.append(("generating against sorting all Q once", f"{total / slowest:.0f} ×", ""))
    return rows


def _seconds(job: Callable[[], object]) -> float:
    started = time.perf_counter()
    job()
    return time.perf_counter() - started
