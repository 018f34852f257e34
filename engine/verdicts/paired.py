"""Tests between two campaigns over the cases that both have (methods.md 1.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import stats

from engine.verdicts.research import ZERO_METHOD, signed_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

SIGN_METHOD: Final = "exact McNemar test: two-sided binomial test of the cases that differ"
RANK_METHOD: Final = f"two-sided Wilcoxon signed-rank test on exact differences, zero method {ZERO_METHOD}"


def sign_test(better: int, worse: int) -> float | None:
    """Return the two-sided p of as many cases for the better as for the worse; None if no case differs.

    Where each case has one answer this is McNemar's exact test.
    """
    changed = better + worse
    return float(stats.binomtest(better, changed).pvalue) if changed else None


def rank_test(differences: Sequence[Fraction]) -> tuple[float | None, float | None]:
    """Return the statistic and the two-sided p of Wilcoxon's signed-rank test; None if no case differs."""
    ranks = signed_ranks(differences)
    if not any(ranks):
        return None, None
    result = stats.wilcoxon(np.asarray(ranks), zero_method=ZERO_METHOD)
    return float(result.statistic), float(result.pvalue)
