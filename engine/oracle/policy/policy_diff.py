"""Where a policy is not optimal: its wrong actions, the costliest first, then what only later moves lose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from engine.oracle.derivation.graphs import levels
from engine.oracle.numbers import number_float
from engine.oracle.policy.policy_moves import moves_of
from engine.oracle.policy.simulation import running_states
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, IntArray, Number
    from engine.oracle.policy.evaluation import Evaluation
    from engine.oracle.tri import TriArray

MAX_LISTED = 500
TINY = float(np.finfo(np.float64).tiny)
"""The least probability of a state that can be reached at all."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One state where a policy is not optimal.

    Attributes
    ----------
    state
        The state.
    wrong
        Whether it takes an action that is not in A*(s): decided exactly. If not, it loses by a later move only.
    here
        What the policy's own move costs: abs(V(s) - the mean of Q(s, a) over what it does), playing optimally
        afterwards; None where infinite values are involved.
    gap
        abs(V(s) - V of the policy in s), exact where the values are.
    visited
        The probability that the policy ever comes to the state from the initial states (uniformly chosen).
    """

    state: int
    wrong: Tri
    here: float | None
    gap: Number | None
    visited: float

    @property
    def weight(self) -> float:
        """What orders the states: gap × visit probability."""
        return (number_float(self.gap) if self.gap is not None else 0.0) * self.visited


def wrong_moves(oracle: Oracle, evaluation: Evaluation) -> TriArray:
    """``(states,)`` whether a policy takes an action outside A*(s); undefined if it takes none or there is no Q."""
    mdp, best = oracle.mdp, np.asarray(oracle.facts.best)
    taken = moves_of(mdp, evaluation.policy).taken(mdp.choices, np.ones(mdp.states, dtype=bool))
    found: TriArray = np.full(mdp.states, Tri.UNDEFINED, dtype=np.int8)
    for verdict, means in ((Tri.YES, Tri.NO), (Tri.UNDECIDED, Tri.UNDECIDED), (Tri.NO, Tri.YES)):  # the worst one last
        found[mdp.state_of_choice[taken & (best == verdict)]] = means
    return found


def shortfalls(oracle: Oracle, evaluation: Evaluation, most: int = MAX_LISTED) -> list[Shortfall]:
    """Return up to `most` states where a policy is certainly not optimal.

    First those where it takes a wrong action, then those where that is undecided, then those where only later moves
    are wrong; each ordered by gap × visit probability. The probabilities are doubles: they order the list, and decide
    nothing.
    """
    facts = oracle.facts
    states = np.flatnonzero(evaluation.optimal == Tri.NO)
    wrong = wrong_moves(oracle, evaluation)
    with np.errstate(invalid="ignore"):
        gap = np.abs(facts.value.floats[states] - evaluation.value.floats[states])
    gap = np.nan_to_num(gap, nan=0.0, posinf=np.inf)
    visits = Visits(oracle, evaluation)
    with np.errstate(invalid="ignore"):
        bound = np.nan_to_num(gap * visits.bound[states], nan=0.0, posinf=np.inf)
    likely = states[np.lexsort((-bound, _order(wrong[states])))[:most]]
    found = []
    for state in likely.tolist():
        cost, loses = _cost_here(oracle, evaluation, state), evaluation.gap(facts, state)
        found.append(Shortfall(state, Tri(wrong[state]), cost, loses, visits.of(state)))
    places = _order(np.array([each.wrong for each in found], dtype=np.int8)).tolist()
    ranked = sorted(zip(places, found, strict=True), key=lambda pair: (pair[0], -pair[1].weight, pair[1].state))
    return [each for _, each in ranked]


def _order(wrong: TriArray) -> IntArray:
    return np.select([wrong == Tri.YES, wrong == Tri.UNDECIDED], [0, 1], 2)


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
        # Whether a state can be reached at all is a question of the graph: the solution is rounded.
        self._reached: BoolArray = levels(chain, np.asarray(mdp.initial)) >= 0
        self.bound = np.where(self._reached, np.clip(self._visits, TINY, 1.0), 0.0)

    def of(self, state: int) -> float:
        """Return a state's probability: expected visits, over those that follow once one has come there.

        It is 0 only where the state is never reached.
        """
        place = int(self._place[state])
        if place < 0 or self._solver is None or not self._reached[state]:
            return float(self.bound[state])
        one = np.zeros(len(self._transient))
        one[place] = 1.0
        return float(min(max(self._visits[state] / self._solver.solve(one)[place], TINY), 1.0))


def _chain(oracle: Oracle, evaluation: Evaluation) -> sparse.csr_array:
    """``(states, states)`` the policy's chain in doubles; T and states about which it says nothing lead nowhere."""
    mdp = oracle.mdp
    going: BoolArray = running_states(oracle.facts)
    moves = moves_of(mdp, evaluation.policy)
    alone = np.flatnonzero(going & (moves.single >= 0))
    several = [
        (state, choice, float(weight))
        for state, distribution in moves.mixed.items()
        if going[state]
        for choice, weight in distribution.items()
    ]
    rows = np.concatenate((alone, np.array([state for state, _, _ in several], dtype=np.int64)))
    choices = np.concatenate((moves.single[alone], np.array([choice for _, choice, _ in several], dtype=np.int64)))
    weights = np.concatenate((np.ones(len(alone)), np.array([weight for _, _, weight in several])))
    shape = (mdp.states, mdp.choices)
    return sparse.csr_array(sparse.csr_array((weights, (rows, choices)), shape=shape) @ mdp.matrix)
