"""The engine's own check that every row of probabilities sums to 1 (methods.md 1.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.errors import ModelError
from engine.oracle.derivation.expectation import row_sums

if TYPE_CHECKING:
    from engine.mdp.model import Mdp

_TOLERANCE = 1e-9


def check_rows(mdp: Mdp, where: str) -> None:
    """Raise ModelError for the first row that is no distribution.

    Every probability must be in (0, 1], and every row sum to 1: exactly in exact mode, up to rounding otherwise.
    """
    _check_probabilities(mdp, where)
    if mdp.exact_probability is not None:
        sums = row_sums(mdp)
        wrong = [choice for choice, total in enumerate(sums) if total != 1]
        found = str(sums[wrong[0]]) if wrong else ""
    else:
        totals = np.add.reduceat(mdp.probability, mdp.transition_start[:-1])
        wrong = np.flatnonzero(~(np.abs(totals - 1) <= _TOLERANCE)).tolist()
        found = f"{totals[wrong[0]]:.12g}" if wrong else ""
    if not wrong:
        return
    choice = wrong[0]
    state = int(mdp.state_of_choice[choice])
    more = f" ({len(wrong) - 1:,} more rows are wrong)" if len(wrong) > 1 else ""
    raise ModelError(
        f"the probabilities of state {state}, {mdp.action_name(choice)!r}, sum to {found} instead of 1{more}",
        where=where,
        hint="write them as fractions (1/3) or as decimals that add up",
    )


def _check_probabilities(mdp: Mdp, where: str) -> None:
    outside = np.flatnonzero(~((mdp.probability > 0) & (mdp.probability <= 1 + _TOLERANCE)))
    if mdp.exact_probability is not None and mdp.probability_table is not None:
        fits = np.array([0 < value <= 1 for value in mdp.probability_table], dtype=bool)
        outside = np.flatnonzero(~fits[mdp.exact_probability])
    if not len(outside):
        return
    transition = int(outside[0])
    choice = int(np.searchsorted(mdp.transition_start, transition, side="right")) - 1
    state = int(mdp.state_of_choice[choice])
    target = int(mdp.target[transition])
    value = dict(mdp.successors(choice))[target]
    raise ModelError(
        f"{value} is no probability: state {state}, {mdp.action_name(choice)!r}, to state {target}",
        where=where,
        hint="probabilities are above 0 and at most 1; check the constants too",
    )
