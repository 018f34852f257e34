"""Thresholds λ for the question whether V is at least (at most) λ, such that both answers occur (methods.md 1.2)."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.numbers import to_float
from engine.queries.draws import Draws
from engine.queries.values import bounds, finite_ends

if TYPE_CHECKING:
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray, Numbers

FEWEST = 50
"""Thresholds over the range of a reward objective's finite values, at least."""
SLACK = 1e-6
"""Steps that enclosures are widened by, against rounding in the division: it only leaves out thresholds near V."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """One threshold for each state; all arrays are ``(states,)``.

    Attributes
    ----------
    step
        λ is a multiple of it.
    multiple
        Which multiple.
    usable
        Whether V is certainly at one side of λ.
    holds
        Whether V is at least λ for a maximised objective, at most λ for a minimised one.
    trivial
        Whether the answer needs no look at the model: the state is a target already, or a run there has failed already.
    """

    step: Fraction
    multiple: IntArray
    usable: BoolArray
    holds: BoolArray
    trivial: BoolArray

    def candidates(self) -> IntArray:
        """Return the states to ask about: no trivial ones, unless an answer would not occur without them."""
        found = self.usable & ~self.trivial
        for answer in (self.holds, ~self.holds):
            if not bool((found & answer).any()):
                found = found | (self.usable & answer)
        return np.flatnonzero(found)

    def at(self, state: int) -> Fraction:
        """Return one λ."""
        return int(self.multiple[state]) * self.step

    def floats(self, states: IntArray) -> FloatArray:
        """Return some λ as doubles."""
        found: FloatArray = self.multiple[states].astype(np.float64) * float(self.step)
        return found


def fixed(facts: Facts, threshold: Fraction) -> Thresholds:
    """Return the same threshold for every state."""
    value = facts.value
    if value.rank is not None and value.table is not None:
        least, most = bisect_left(value.table, threshold), bisect_right(value.table, threshold)
        above, below = value.rank >= least, value.rank < most
        usable = value.defined
    else:
        near = to_float(threshold)
        up = near if Fraction(near) >= threshold else math.nextafter(near, math.inf)
        down = near if Fraction(near) <= threshold else math.nextafter(near, -math.inf)
        above, below = value.lower >= up, value.upper <= down
        usable = value.defined & (
            (above | (value.upper < up)) if facts.objective.kind.maximises else (below | (value.lower > down))
        )
    multiple = np.full(len(value), int(threshold != 0), dtype=np.int64)
    holds = above if facts.objective.kind.maximises else below
    return Thresholds(threshold or Fraction(1), multiple, usable, holds, _trivial(facts))


def drawn(facts: Facts, seed: int) -> Thresholds:
    """Draw a threshold for each state: half of the states for which both answers are possible get each of them.

    λ is a hundredth, or of rewards a round number, drawn uniformly from those that give the answer.
    """
    step, first, last = _grid(facts)
    yes, no = _sides(facts, step, first, last)
    can_yes, can_no = yes[0] <= yes[1], no[0] <= no[1]
    both, count, trivial = can_yes & can_no, len(facts.value), _trivial(facts)
    draws = Draws(seed, "holds", "threshold")
    order = draws.order(count)
    order = order[both[order]]
    # The rarer of the answers that are given already goes first, so that both occur if only one state leaves a choice.
    settled = ~both & ~trivial
    start = int(np.count_nonzero(can_yes & settled) > np.count_nonzero(can_no & settled))
    holds = can_yes & ~both
    holds[order] = (np.arange(len(order)) + start) % 2 == 0
    low, high = np.where(holds, yes[0], no[0]), np.where(holds, yes[1], no[1])
    usable = can_yes | can_no
    multiple = low + draws.below(np.maximum(high - low + 1, 1), count)
    return Thresholds(step, multiple, usable, holds, trivial)


def _trivial(facts: Facts) -> BoolArray:
    target, running = np.asarray(facts.target, dtype=np.bool_), np.asarray(facts.phi, dtype=np.bool_)
    found: BoolArray = target | ~running
    return found


def _grid(facts: Facts) -> tuple[Fraction, int, int]:
    """Return the step of λ, and the smallest and largest multiple: no probability makes λ = 0 or 1 a question."""
    maximises = facts.objective.kind.maximises
    if not facts.objective.kind.is_reward:
        return Fraction(1, 100), int(maximises), 99 + int(maximises)
    least, most = (Fraction(bounds(end)[side]) for side, end in enumerate(finite_ends(facts)))
    step = _round_step((most - least) / FEWEST) if most > least else Fraction(1)
    # No reward makes "at least 0" a question where none is negative.
    first = math.floor(least / step) + int(maximises and least == 0)
    return step, first, max(math.ceil(most / step), first + 1)


def _round_step(largest: Fraction) -> Fraction:
    """Return the largest of 1, 2 and 5 times a power of ten that is not above the given number."""
    power = Fraction(1)
    while power > largest:
        power /= 10
    while power * 10 <= largest:
        power *= 10
    return next(power * digit for digit in (5, 2, 1) if power * digit <= largest)


def _sides(
    facts: Facts, step: Fraction, first: int, last: int
) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Return for yes and for no the smallest and largest multiple that certainly give it; empty where they cross."""
    floor_low, floor_high, ceil_low, ceil_high = _divided(facts.value, step, first, last)
    lowest, highest = np.full(len(facts.value), first), np.full(len(facts.value), last)
    if facts.objective.kind.maximises:
        yes, no = (lowest, np.minimum(floor_low, last)), (np.maximum(floor_high + 1, first), highest)
    else:
        yes, no = (np.maximum(ceil_high, first), highest), (lowest, np.minimum(ceil_low - 1, last))
    nowhere = ~facts.value.defined
    for _, high in (yes, no):
        high[nowhere] = first - 1
    no[0][nowhere] = yes[0][nowhere] = first
    return yes, no


def _divided(value: Numbers, step: Fraction, first: int, last: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return ``(states,)`` floor and ceiling of V / step: of its lower, upper, lower and upper bound.

    What lies outside the multiples that are used is cut off just beyond them.
    """
    if value.rank is not None and value.table is not None:
        floors = [
            last + 1 if v == math.inf else min(max(Fraction(v) // step, first - 1), last + 1) for v in value.table
        ]
        ceils = [
            last + 1 if v == math.inf else min(max(-(-Fraction(v) // step), first - 1), last + 1) for v in value.table
        ]
        floor, ceil = (np.array([*ends, first], dtype=np.int64)[value.rank] for ends in (floors, ceils))
        return floor, floor, ceil, ceil
    with np.errstate(invalid="ignore"):
        low, high = value.lower / float(step) - SLACK, value.upper / float(step) + SLACK
    ends = (np.floor(low), np.floor(high), np.ceil(low), np.ceil(high))
    cut = [np.clip(np.nan_to_num(end, nan=first, posinf=last + 1), first - 1, last + 1) for end in ends]
    floor_low, floor_high, ceil_low, ceil_high = (end.astype(np.int64) for end in cut)
    return floor_low, floor_high, ceil_low, ceil_high
