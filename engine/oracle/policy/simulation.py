"""Sampled runs beside V: how many reach the target under an optimal or a given policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from engine.errors import UsageError
from engine.mdp.paths import Decisions, Runs, sample_runs
from engine.oracle.derivation.graphs import levels
from engine.oracle.derivation.optimal import optimal_choices

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.oracle.facts import Facts, Oracle
    from engine.oracle.numbers import BoolArray
    from engine.oracle.policy.policies import Policy

MAX_RUNS = 10_000_000


def simulate(
    oracle: Oracle,
    start: int,
    *,
    runs: int,
    seed: int,
    policy: Policy | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Runs:
    """Sample runs from a state under a policy, or under one that attains V.

    Raises UsageError for step-bounded objectives, for no runs or too many, and where the policy says nothing.
    """
    if not 1 <= runs <= MAX_RUNS:
        raise UsageError(f"{runs:,} runs cannot be sampled", hint=f"1 to {MAX_RUNS:,}")
    facts = oracle.facts
    if facts.objective.bound is not None:
        raise UsageError("no memoryless policy attains a step bound", where=facts.objective.text)
    decisions = Decisions.certain(optimal_choices(oracle.mdp, facts)) if policy is None else _decisions(oracle, policy)
    return sample_runs(
        oracle.mdp,
        decisions,
        start,
        target=np.asarray(facts.target),
        lost=_lost(oracle, decisions),
        runs=runs,
        seed=seed,
        reward=None if facts.reward is None else facts.reward.floats,
        stopped=stopped,
    )


def _lost(oracle: Oracle, decisions: Decisions) -> BoolArray:
    """``(states,)`` from where these decisions never lead to T: a run that came there need not go on."""
    mdp = oracle.mdp
    taken = np.zeros(mdp.choices, dtype=bool)
    taken[decisions.choice] = True
    inside = np.repeat(taken, np.diff(mdp.transition_start))
    ones = np.ones(int(inside.sum()), dtype=np.int8)
    backward = sparse.csr_array((ones, (mdp.target[inside], mdp.source[inside])), shape=(mdp.states, mdp.states))
    found: BoolArray = levels(backward, np.flatnonzero(oracle.facts.target)) < 0
    return found


def _decisions(oracle: Oracle, policy: Policy) -> Decisions:
    mdp, facts = oracle.mdp, oracle.facts
    running = running_states(facts)
    counts = np.zeros(mdp.states, dtype=np.int64)
    choices: list[int] = []
    weights: list[float] = []
    for state in np.flatnonzero(running).tolist():
        moves = policy.distribution(mdp, state) or {}
        counts[state] = len(moves)
        choices += moves
        weights += map(float, moves.values())
    start = np.concatenate(([0], np.cumsum(counts)))
    return Decisions(start, np.array(choices, dtype=np.int64), np.array(weights))


def running_states(facts: Facts) -> BoolArray:
    """``(states,)`` where a run still has to choose: in φ, not in T."""
    found: BoolArray = facts.phi & ~facts.target
    return found
