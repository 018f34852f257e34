"""Answers that are numbers: how near they are to the true one, exactly, and how near guesses come (methods.md 1.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.oracle.numbers import Exact


@dataclass(frozen=True, slots=True)
class Target:
    """The true number and what counts as near it.

    Attributes
    ----------
    low, high
        Bounds of V, equal where it is known exactly.
    tolerance
        How far a passing answer may be; of rewards as a share of max(1, abs(V)).
    spread
        The range of finite values of a reward objective, by which the score is measured; None for probabilities.
    """

    low: Exact
    high: Exact
    tolerance: Fraction
    spread: Fraction | None = None

    def accepts(self, given: Exact) -> bool | None:
        """Return whether an answer is within the tolerance of V; None where the bounds decide neither way.

        The distance to V less what is allowed at V is smallest at the answer itself and grows from there in both
        directions, since the tolerance is below 1: the nearest and the farthest of the bounds decide.
        """
        if math.inf in {given, self.low}:
            return given == self.low
        if self.high == math.inf:
            return None
        low, high, number = Fraction(self.low), Fraction(self.high), Fraction(given)
        if all(abs(number - bound) <= self._allowed(bound) for bound in (low, high)):
            return True
        nearest = min(max(number, low), high)
        return None if abs(number - nearest) <= self._allowed(nearest) else False

    def score(self, given: Exact) -> Fraction:
        """Return 1 - distance (as a share of the range for rewards), the mean over the bounds; exact, in [0, 1]."""
        if math.inf in {given, self.low, self.high} or self.spread == 0:
            return Fraction(given == self.low)
        low, high, number = Fraction(self.low), Fraction(self.high), Fraction(given)
        nearest = max(low - number, number - high, Fraction(0))
        farthest = max(abs(number - low), abs(number - high))
        return min(Fraction(1), max(Fraction(0), 1 - (nearest + farthest) / 2 / (self.spread or 1)))

    def _allowed(self, value: Fraction) -> Fraction:
        return self.tolerance if self.spread is None else self.tolerance * max(Fraction(1), abs(value))

    def passing(self) -> tuple[Fraction, Fraction] | None:
        """Return the smallest and the largest answer that certainly pass; None if no finite one does."""
        if math.inf in {self.low, self.high}:
            return None
        low, high = Fraction(self.low), Fraction(self.high)
        least, most = high - self._allowed(high), low + self._allowed(low)
        ends = max(least, low - self._allowed(low)), min(most, high + self._allowed(high))
        return ends if ends[0] <= ends[1] else None


def passing_share(target: Target, least: Fraction, most: Fraction, grain: int) -> Fraction:
    """Return the share of ``grain + 1`` evenly spaced guesses from `least` to `most` that certainly pass."""
    ends = target.passing()
    if ends is None:
        return Fraction(0)
    if least == most:
        return Fraction(int(ends[0] <= least <= ends[1]))
    first = math.ceil((ends[0] - least) / (most - least) * grain)
    last = math.floor((ends[1] - least) / (most - least) * grain)
    return Fraction(max(0, min(last, grain) - max(first, 0) + 1), grain + 1)


def mean_score(target: Target, least: Fraction, most: Fraction, grain: int) -> Fraction:
    """Return the mean score of the same guesses; V counts as the middle of its bounds."""
    if math.inf in {target.low, target.high}:
        return Fraction(0)
    value = (Fraction(target.low) + Fraction(target.high)) / 2
    if target.spread == 0 or least == most:
        return Fraction(int(least == value))
    place = (value - least) / (most - least) * grain
    below = min(max(math.floor(place), -1), grain)
    under, over = below + 1, grain - below
    sum_under = Fraction(below * under, 2)
    sum_over = Fraction(grain * (grain + 1), 2) - sum_under
    distance = (place * under - sum_under + sum_over - place * over) / (grain + 1)
    share = distance * (most - least) / grain / (target.spread or 1)
    return max(Fraction(0), 1 - share)
