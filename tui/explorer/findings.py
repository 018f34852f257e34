"""What was computed about an open model on demand, beside its facts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.figures import counted
from engine.mdp.expressions import Scope, decide
from engine.oracle.numbers import Interval, Numbers, compare

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import Number
    from engine.oracle.policy.evaluation import Evaluation


@dataclass(frozen=True)
class Findings:
    """Losses and a loaded policy, as far as there are any.

    Attributes
    ----------
    loss
        ``(states,)`` loss(b).
    policy
        A policy's values beside the optimum.
    """

    loss: Numbers | None = None
    policy: Evaluation | None = None


def gaps(oracle: Oracle, evaluation: Evaluation) -> Numbers:
    """Return ``(states,)`` abs(V - V under the policy) as doubles, for sorting and drawing; exactly 0 where equal."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(oracle.facts.value.floats - evaluation.value.floats)
    gap = np.where(compare(oracle.facts.value, evaluation.value) == 0, 0.0, gap)
    return Numbers(gap, gap)


def losses_told(loss: Numbers) -> str:
    """Return how many states lose something, and in how many the bounds do not tell."""
    truth = decide(Scope(len(loss), {}, numbers={"loss": lambda: loss}), "loss > 0")
    some, undecided = int(truth.yes.sum()), int(truth.undecided.sum())
    said = f"{counted(some, 'state')} {'has' if some == 1 else 'have'} a loss above 0"
    return f"{said}, {undecided:,} undecided" if undecided else said


def numbers_of(oracle: Oracle, findings: Findings) -> dict[str, Callable[[], Numbers]]:
    """Return what a filter may name beside the facts: ``loss``, and of a policy ``Vpi`` and ``gap``."""
    found: dict[str, Callable[[], Numbers]] = {}
    loss, policy = findings.loss, findings.policy
    if loss is not None:
        found["loss"] = lambda: loss
    if policy is not None:
        found["Vpi"] = lambda: policy.value
        found["gap"] = partial(exact_gaps, oracle, policy)
    return found


def exact_gaps(oracle: Oracle, evaluation: Evaluation) -> Numbers:
    """Return ``(states,)`` abs(V - V under the policy), exact or enclosed as these are."""
    best, reached = oracle.facts.value, evaluation.value
    if best.rank is None or reached.rank is None:
        every = [evaluation.gap(oracle.facts, state) for state in range(len(best))]
        bounds = [(np.nan, np.nan) if each is None else _bounds(each) for each in every]
        lower, upper = np.array(bounds, dtype=np.float64).reshape(-1, 2).T
        return Numbers(lower, upper)
    # Few pairs of values are different: only those are subtracted.
    _, states, pair = np.unique(np.stack([best.rank, reached.rank]), axis=1, return_index=True, return_inverse=True)
    gap = Numbers.from_exact([evaluation.gap(oracle.facts, state) for state in states.tolist()])  # type: ignore[misc]  # exact, as both are
    return gap.take(pair.reshape(-1))


def _bounds(gap: Number) -> tuple[float, float]:
    return (gap.lower, gap.upper) if isinstance(gap, Interval) else (float(gap), float(gap))
