"""Rows of doubles as fractions that sum to 1: what a file with exact numbers must hold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.policy.rebuilt import Coded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.oracle.policy.rebuilt import Rebuilt

_LARGEST = 10**6
"""Denominators up to which a fraction is looked for that rounds to the very double."""


def exact_row(row: Sequence[Fraction | float]) -> list[Fraction]:
    """Return a distribution whose sum is 1, each number as close to that of `row` as that allows.

    A double stands for every number that rounds to it. The simplest fractions among those are taken where they sum to
    1, as 1/3 and 2/3 do; elsewhere each is divided by the sum. Fractions that sum to 1 stay as they are.
    """
    simple = [_simplest(number) for number in row]
    total = sum(simple, Fraction(0))
    return simple if total == 1 else [number / total for number in simple]


def with_exact_rows(model: Rebuilt) -> Rebuilt:
    """Return the model with `exact_row` for each of its choices."""
    code, values = model.probability
    if all(isinstance(value, Fraction) for value in values):
        return model
    place: dict[Fraction, int] = {}
    rows: dict[tuple[int, ...], list[int]] = {}
    found = np.empty_like(code)
    codes = code.tolist()
    for start, end in pairwise(model.transition_start.tolist()):
        row = tuple(codes[start:end])
        if row not in rows:
            rows[row] = [place.setdefault(number, len(place)) for number in exact_row([values[at] for at in row])]
        found[start:end] = rows[row]
    return replace(model, probability=Coded(found, list(place)))


def _simplest(number: Fraction | float) -> Fraction:
    if isinstance(number, Fraction):
        return number
    simple = Fraction(number).limit_denominator(_LARGEST)
    return simple if float(simple) == number else Fraction(repr(float(number)))
