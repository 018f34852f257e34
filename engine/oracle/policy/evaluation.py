"""A policy checked: V and Q under it beside the optimum, from Storm on the induced chain (methods.md 1.2)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from engine.errors import UsageError
from engine.folders import cache_dir
from engine.oracle.client import CheckedModel, check_model
from engine.oracle.derivation.expectation import expectation
from engine.oracle.derivation.graphs import all_successors, levels
from engine.oracle.numbers import LARGER, SMALLER, UNDECIDED_SIGN, Exact, Interval, Numbers, compare
from engine.oracle.policy.induced import induced, objective_of, write_model
from engine.oracle.policy.policy_moves import moves_of
from engine.oracle.request import Limits, Mode, Request
from engine.oracle.tri import Tri, TriArray

if TYPE_CHECKING:
    import threading

    from engine.mdp.model import Mdp
    from engine.oracle.child import Progress
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import BoolArray, Number
    from engine.oracle.policy.policies import Policy


@dataclass(frozen=True)
class Evaluation:
    """A policy's values beside the optimum.

    Attributes
    ----------
    value
        ``(states,)`` V under the policy; undefined where it may come to a state about which it says nothing.
    q
        ``(choices,)`` value of taking the choice once and following the policy then.
    optimal
        ``(states,)`` whether the policy attains V; undecided where enclosures overlap.
    """

    policy: Policy
    value: Numbers
    q: Numbers
    optimal: TriArray

    def gap(self, facts: Facts, state: int) -> Number | None:
        """Return abs(V - V under the policy), None where undefined; 0 where both are infinite."""
        best, reached = facts.value.at(state), self.value.at(state)
        if best is None or reached is None:
            return None
        if isinstance(best, Interval) or isinstance(reached, Interval):
            return _interval_gap(best, reached)
        return _exact_gap(best, reached)


def evaluate_policy(
    checked: CheckedModel,
    policy: Policy,
    limits: Limits | None = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Evaluation:
    """Check a policy on a model; errors as in `engine.oracle.client.check_model`.

    Raises UsageError for step-bounded objectives, for which a memoryless policy has no Q of this form.
    """
    mdp, facts = checked.mdp, checked.facts
    if facts is None:
        raise UsageError("the model has no objective", hint="give one with --objective")
    if facts.objective.bound is not None:
        raise UsageError("a memoryless policy is not evaluated for a step bound", where=facts.objective.text)
    if progress is not None:
        progress("preparing", policy.name)
    covered = _covered(mdp, policy, facts)
    stem = cache_dir() / "oracle" / "chains" / _digest(checked.identity, policy)
    model = induced(mdp, facts, policy, cancel)
    path = write_model(stem, model, exact=checked.exact, progress=progress, cancel=cancel)
    text = objective_of(facts.objective, np.asarray(facts.phi), np.asarray(facts.target))
    mode = Mode.EXACT if checked.exact else Mode.SOUND
    request = Request(path=path, objective=text, objective_shown=facts.objective.text, mode=mode)
    chain = check_model(request, limits, progress=progress, cancel=cancel)
    if chain.facts is None:
        raise UsageError("the induced chain has no value", where=policy.name)
    value = chain.facts.value.where(covered)
    inside = facts.q.defined & all_successors(mdp, covered)
    filled = _filled(chain.facts.value)
    q = expectation(mdp, filled, inside, facts.reward)
    sign = compare(facts.value, value)
    optimal: TriArray = np.full(mdp.states, Tri.YES, dtype=np.int8)
    optimal[(sign == SMALLER) | (sign == LARGER)] = Tri.NO
    optimal[sign == UNDECIDED_SIGN] = Tri.UNDECIDED
    optimal[~covered] = Tri.UNDEFINED
    return Evaluation(policy, value, q, optimal)


def _covered(mdp: Mdp, policy: Policy, facts: Facts) -> BoolArray:
    """``(states,)`` from where the policy never comes to a state about which it says nothing, before T."""
    moves, running = moves_of(mdp, policy), facts.phi & ~facts.target
    inside = np.repeat(moves.taken(mdp.choices, running), np.diff(mdp.transition_start))
    ones = np.ones(int(inside.sum()), dtype=np.int8)
    backward = sparse.csr_array((ones, (mdp.target[inside], mdp.source[inside])), shape=(mdp.states, mdp.states))
    return levels(backward, np.flatnonzero(moves.silent & running)) < 0


def _filled(numbers: Numbers) -> Numbers:
    """Return numbers without undefined entries, for sums whose result is only used where all terms are defined."""
    if numbers.rank is not None and numbers.table is not None:
        return Numbers.from_ranks(np.maximum(numbers.rank, 0), numbers.table)
    return Numbers(np.nan_to_num(numbers.lower, posinf=np.inf), np.nan_to_num(numbers.upper, posinf=np.inf))


def _exact_gap(best: Exact, reached: Exact) -> Exact | None:
    if best == reached:
        return Fraction(0)
    if float("inf") in {best, reached}:
        return float("inf")
    return abs(Fraction(best) - Fraction(reached))


def _interval_gap(best: Number, reached: Number) -> Interval | None:
    a, b = (side if isinstance(side, Interval) else Interval(float(side), float(side)) for side in (best, reached))
    if float("inf") in {a.lower, b.lower}:
        return Interval(0.0, 0.0) if a.lower == b.lower else Interval(float("inf"), float("inf"))
    upper = max(a.upper - b.lower, b.upper - a.lower)
    return Interval(max(0.0, a.lower - b.upper, b.lower - a.upper), upper)


def _digest(identity: str, policy: Policy) -> str:
    content = repr(sorted((state, sorted(moves.items())) for state, moves in policy.moves.items()))
    return hashlib.sha256(f"{identity} {content}".encode()).hexdigest()[:32]
