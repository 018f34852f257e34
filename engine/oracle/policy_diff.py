"""Where a policy is not optimal, the costliest first: what it loses there times how likely it comes there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from engine.oracle.numbers import number_float
from engine.oracle.simulation import running_states
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from engine.oracle.evaluation import Evaluation
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, IntArray, Number

MAX_LISTED = 500


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One state where a policy is not optimal.

    Attributes
    ----------
    state
        The state.
    here
        What the policy's own move costs: abs(V(s) - the mean of Q(s, a) over what it does), playing optimally
        afterwards; None where infinite values are involved. This is 0 where only later moves are wrong.
    gap
        abs(V(s) - V of the policy in s), exact where the values are.
    visited
        The probability that the policy ever comes to the state from the initial states (uniformly chosen).
    """

    state: int
    here: float | None
    gap: Number | None
    visited: float

    @property
    def weight(self) -> float:
        """What orders the states: gap × visit probability."""
        return (number_float(self.gap) if self.gap is not None else 0.0) * self.visited


def shortfalls(oracle: Oracle, evaluation: Evaluation, most: int = MAX_LISTED) -> list[Shortfall]:
    """Return up to `most` states where a policy is certainly not optimal, ordered by gap × visit probability.

    The probabilities are doubles: they order the list, and decide nothing.
    """
    facts = oracle.facts
    states = np.flatnonzero(evaluation.optimal == Tri.NO)
    with np.errstate(invalid="ignore"):
        gap = np.abs(facts.value.floats[states] - evaluation.value.floats[states])
    gap = np.nan_to_num(gap, nan=0.0, posinf=np.inf)
    visits = Visits(oracle, evaluation)
    with np.errstate(invalid="ignore"):
        bound = np.nan_to_num(gap * visits.bound[states], nan=0.0, posinf=np.inf)
    likely = states[np.argsort(-bound, kind="stable")[:most]]
    found = [
        Shortfall(
            int(state), _cost_here(oracle, evaluation, int(state)), evaluation.gap(facts, int(state)), visits.of(state)
        )
        for state in likely.tolist()
    ]
    return sorted(found, key=lambda each: (-each.weight, each.state))


def _cost_here(oracle: Oracle, evaluation: Evaluation, state: int) -> float | None:
    moves = evaluation.policy.distribution(oracle.mdp, state)
    if moves is None:
        return None
    mean = sum(float(weight) * float(oracle.facts.q.floats[choice]) for choice, weight in moves.items())
    cost = abs(float(oracle.facts.value.floats[state]) - mean)
    return cost if np.isfinite(cost) else None


class Visits:
    """The probability that a policy ever comes to a state, from the initial states before T.

    Attributes
    ----------
    bound
        ``(states,)`` an upper bound of each: the expected number of visits, at most 1.
    """

    def __init__(self, oracle: Oracle, evaluation: Evaluation) -> None:
        mdp = oracle.mdp
        chain = _chain(oracle, evaluation)
        count, component = connected_components(chain, directed=True, connection="strong")
        leaving = chain.tocoo()
        outside = component[leaving.row] != component[leaving.col]
        open_ = np.zeros(count, dtype=bool)
        open_[component[leaving.row[outside]]] = True
        silent = np.asarray(chain.sum(axis=1)).ravel() == 0
        open_[component[silent]] = True  # a run ends there: it is visited at most once
        self._component = component
        self._transient: IntArray = np.flatnonzero(open_[component])
        self._place = np.full(mdp.states, -1, dtype=np.int64)
        self._place[self._transient] = np.arange(len(self._transient))
        begin = np.zeros(mdp.states)
        begin[mdp.initial] = 1 / max(len(mdp.initial), 1)
        inner = chain[self._transient][:, self._transient]
        size = len(self._transient)
        # Transposed: one factorisation gives the visits from the start, and with the same diagonal those from a state.
        self._solver = splu(sparse.csc_array(sparse.eye_array(size, format="csr") - inner.T)) if size else None
        visits = np.zeros(mdp.states)
        if self._solver is not None:
            visits[self._transient] = self._solver.solve(begin[self._transient])
        reached = begin + chain.T @ np.where(self._place >= 0, visits, 0.0)
        closed = np.bincount(component, weights=np.where(self._place >= 0, 0.0, reached), minlength=count)
        self._visits = np.where(self._place >= 0, visits, closed[component])
        self.bound = np.clip(self._visits, 0.0, 1.0)

    def of(self, state: int) -> float:
        """Return a state's probability: expected visits, over those that follow once one has come there."""
        place = int(self._place[state])
        if place < 0 or self._solver is None:
            return float(self.bound[state])
        one = np.zeros(len(self._transient))
        one[place] = 1.0
        return float(min(max(self._visits[state] / self._solver.solve(one)[place], 0.0), 1.0))


def _chain(oracle: Oracle, evaluation: Evaluation) -> sparse.csr_array:
    """``(states, states)`` the policy's chain in doubles; T and states about which it says nothing lead nowhere."""
    mdp = oracle.mdp
    going: BoolArray = running_states(oracle.facts)
    rows: list[int] = []
    choices: list[int] = []
    weights: list[float] = []
    for state in np.flatnonzero(going).tolist():
        for choice, weight in (evaluation.policy.distribution(mdp, state) or {}).items():
            rows.append(state)
            choices.append(choice)
            weights.append(float(weight))
    shape = (mdp.states, mdp.choices)
    return sparse.csr_array(sparse.csr_array((weights, (rows, choices)), shape=shape) @ mdp.matrix)
