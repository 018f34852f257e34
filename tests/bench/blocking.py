"""Strict bottlenecks of a transporter of some thousand states, against blocking every state in turn."""

from __future__ import annotations

import time

import numpy as np

from engine.mdp.sources import find_model
from engine.oracle.client import check_model
from engine.oracle.derivation.bottlenecks import strict_bottlenecks
from engine.oracle.derivation.graphs import levels
from engine.oracle.request import Mode


def measure(constants: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return rows of what was measured, the figure, and the target."""
    checked = check_model(find_model("transporter").request(constants, mode=Mode.SOUND))
    facts = checked.facts
    assert facts is not None
    graph, phi, target = checked.mdp.graph, np.asarray(facts.phi), np.asarray(facts.target)
    started = time.perf_counter()
    found = strict_bottlenecks(graph, checked.mdp.initial, phi, target)
    fast = time.perf_counter() - started
    started = time.perf_counter()
    plain = np.array([_blocks(graph, checked.mdp.initial, phi, target, state) for state in range(checked.mdp.states)])
    slow = time.perf_counter() - started
    assert (plain == found).all(), "the sweep and the plain definition disagree"
    return [
        (
            f"strict bottlenecks, transporter of {checked.mdp.states:,} states",
            f"{1000 * fast:.0f} ms, {slow / fast:,.0f} × faster than blocking each state ({slow:.1f} s), same result",
            "50 ms",
        )
    ]


def _blocks(graph: object, initial: np.ndarray, phi: np.ndarray, target: np.ndarray, state: int) -> bool:
    if target[state] or state in initial:
        return False
    allowed = phi | target
    allowed[state] = False
    return not (levels(graph, initial, allowed) >= 0)[target].any()  # type: ignore[arg-type]  # a sparse array
