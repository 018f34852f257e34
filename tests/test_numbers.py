"""Numbers and their comparisons: exact ones as fractions, enclosed ones never guessed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.oracle.derivation.extremes import extreme_choices
from engine.oracle.numbers import (
    EQUAL,
    LARGER,
    SMALLER,
    UNDECIDED_SIGN,
    UNDEFINED_SIGN,
    Interval,
    Numbers,
    compare,
    number_json,
    number_text,
    parse_exact,
)
from engine.oracle.tri import Tri

FRACTIONS = st.fractions(max_denominator=10**12) | st.just(math.inf)


@given(st.lists(st.tuples(st.none() | FRACTIONS, st.none() | FRACTIONS), min_size=1))
def test_exact_numbers_compare_as_fractions(pairs: list[tuple[Fraction | None, Fraction | None]]) -> None:
    """Whatever two vectors hold, each comparison is that of Python's own fractions."""
    left, right = (Numbers.from_exact(side) for side in zip(*pairs, strict=True))
    expected = [
        UNDEFINED_SIGN if a is None or b is None else SMALLER if a < b else LARGER if a > b else EQUAL for a, b in pairs
    ]
    assert compare(left, right).tolist() == expected


def test_neighbouring_doubles_apart_as_fractions() -> None:
    """Two fractions with the same nearest double are still different."""
    third = Fraction(1, 3)
    numbers = Numbers.from_exact([third, third + Fraction(1, 10**40)])
    assert numbers.lower[0] == numbers.lower[1]
    assert numbers.sign(np.array([0]), np.array([1])).tolist() == [SMALLER]


def test_overlapping_intervals_are_undecided() -> None:
    """Intervals decide only where they are apart, or are the same point."""
    left = Numbers(np.array([0.1, 0.1, 0.5, 0.0, np.nan]), np.array([0.2, 0.3, 0.6, 0.0, np.nan]))
    right = Numbers(np.array([0.3, 0.2, 0.1, 0.0, 0.5]), np.array([0.4, 0.4, 0.2, 0.0, 0.5]))
    assert compare(left, right).tolist() == [SMALLER, UNDECIDED_SIGN, LARGER, EQUAL, UNDEFINED_SIGN]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=6), st.booleans(), st.data())
def test_enclosed_extremes_hold_for_every_number_inside(
    bounds: list[tuple[float, float]], largest: bool, data: st.DataObject
) -> None:
    """A decided membership in A* or A- is right for any numbers that the intervals enclose."""
    intervals = [(min(pair), max(pair)) for pair in bounds]
    lower, upper = (np.array(side) for side in zip(*intervals, strict=True))
    decided = extreme_choices(Numbers(lower, upper), np.array([0, len(intervals)]), largest=largest)
    inside = [data.draw(st.floats(low, high)) for low, high in intervals]
    extreme = max(inside) if largest else min(inside)
    for value, membership in zip(inside, decided.tolist(), strict=True):
        assert membership == Tri.UNDECIDED or bool(membership) == (value == extreme)


@given(st.lists(st.lists(st.none() | FRACTIONS, min_size=1, max_size=4), min_size=1, max_size=6), st.booleans())
def test_exact_extremes_are_all_ties(groups: list[list[Fraction | None]], largest: bool) -> None:
    """In every state exactly the choices with the extremal fraction belong, all of a tie, none that is undefined."""
    flat = [value for group in groups for value in group]
    starts = np.cumsum([0, *(len(group) for group in groups)])
    found = extreme_choices(Numbers.from_exact(flat), starts, largest=largest).tolist()
    for group, begin in zip(groups, starts.tolist(), strict=False):
        known = [value for value in group if value is not None]
        for offset, value in enumerate(group):
            expected = Tri.UNDEFINED if value is None else Tri(value == (max(known) if largest else min(known)))
            assert found[begin + offset] == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [("1/3", Fraction(1, 3)), ("0.1", Fraction(1, 10)), (" 2e-3 ", Fraction(1, 500)), ("inf", math.inf), ("-4", -4)],
)
def test_decimals_are_read_as_written(text: str, value: Fraction) -> None:
    """A decimal is the decimal number, not the nearest double."""
    assert parse_exact(text) == value


def test_numbers_as_json_are_never_nan_or_infinity() -> None:
    """Exact numbers are texts, enclosed ones have two bounds, infinity is ``inf``, undefined is null."""
    assert number_json(Fraction(14, 17)) == "14/17"
    assert number_json(Fraction(3)) == "3"
    assert number_json(math.inf) == "inf"
    assert number_json(Interval(0.25, math.inf)) == {"lower": 0.25, "upper": "inf"}
    assert number_json(None) is None


def test_enclosed_numbers_are_shown_as_such() -> None:
    """Only an enclosure that is wider than a point carries the sign of approximation."""
    assert number_text(Interval(0.25, 0.26)) == "≈0.255"
    assert number_text(Interval(1.0, 1.0)) == "1"
