"""What was computed about an open model on demand, beside its facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.numbers import Numbers, compare

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
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
