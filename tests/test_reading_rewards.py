"""Reading expected rewards: numbers of any size exactly as written, infinity in its usual forms, nothing unclear."""

from __future__ import annotations

import json
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.prompts.reading import Reading, read_answer
from engine.queries.spaces import Number
from engine.verdicts.verdict import InvalidKind

SPACE = Number("0", "20")
BLANK, CUT_OFF, UNPARSABLE = InvalidKind.BLANK, InvalidKind.CUT_OFF, InvalidKind.UNPARSABLE
REFUSED, AMBIGUOUS = InvalidKind.REFUSED, InvalidKind.AMBIGUOUS


def read(text: str, finish: str = "stop") -> Reading:
    """Read an expected reward."""
    return read_answer(text, finish, SPACE, {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"answer": 13}', "13"),
        ('{"answer": 13.0}', "13"),
        ('{"answer": "13"}', "13"),
        ('{"answer": 0.1}', "1/10"),
        ('{"answer": -4.5}', "-9/2"),
        ('{"answer": "-4.5"}', "-9/2"),
        ('{"answer": "−4"}', "-4"),
        ('{"answer": 1e3}', "1000"),
        ('{"answer": "27/2"}', "27/2"),
        ('{"answer": 27/2}', "27/2"),
        ('{"answer": [13]}', "13"),
        ("27/2 = 13.5", "27/2"),
        ("40/3 ≈ 13.33", "40/3"),
        (r"$\frac{27}{2}$", "27/2"),
        ("13.", "13"),
        ("13 steps", "13"),
        ("about 13.5 steps", "27/2"),
        ("The expected number of steps is 13.", "13"),
        ("Answer: 13", "13"),
        ("**13**", "13"),
        ("+13", "13"),
        ("13,5", "27/2"),
        ("12,25 steps", "49/4"),
        ("0,125", "1/8"),
        ("1234,567", "1234567/1000"),
        ("1,234.5", "2469/2"),
        ("1,234,567", "1234567"),
        ("about 1,234,567 steps", "1234567"),
        ("1000000", "1000000"),
        ('{"answer": "inf"}', "inf"),
        ('{"answer": "Inf"}', "inf"),
        ('{"answer": Infinity}', "inf"),
        ('{"answer": "infinity"}', "inf"),
        ('{"answer": "∞"}', "inf"),
        ('{"answer": "+∞"}', "inf"),
        ("infinite", "inf"),
        ("It is infinite.", "inf"),
        ("unbounded", "inf"),
        (r"$\infty$", "inf"),
    ],
)
def test_forms_of_a_reward(text: str, expected: str) -> None:
    """A reward may be negative, large or infinite, and its commas may be either language's where that is clear."""
    reading = read(text)
    assert (reading.answer, reading.invalid) == (expected, None)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", BLANK),
        ('{"answer": null}', BLANK),
        ('{"answer": ""}', BLANK),
        ('{"answer": []}', BLANK),
        ('{"answer": true}', UNPARSABLE),
        ('{"answer": NaN}', UNPARSABLE),
        ('{"answer": -Infinity}', UNPARSABLE),
        ('{"answer": "-inf"}', UNPARSABLE),
        ('{"answer": "50%"}', UNPARSABLE),
        ("13 percent", UNPARSABLE),
        ('{"answer": "1/0"}', UNPARSABLE),
        ('{"answer": 1e999999999}', UNPARSABLE),
        ("never", UNPARSABLE),
        ("thirteen", UNPARSABLE),
        ("infer", UNPARSABLE),
        ("finite", UNPARSABLE),
        ("at least 13", UNPARSABLE),
        ("more than 13", UNPARSABLE),
        ("> 13", UNPARSABLE),
        ("not 13", UNPARSABLE),
        ("not infinite", AMBIGUOUS),
        ("It is never infinite", AMBIGUOUS),
        ("It isn't infinite", AMBIGUOUS),
        ("inf or 13", AMBIGUOUS),
        ("infinite, or 13", AMBIGUOUS),
        ("1,234", AMBIGUOUS),
        ("1,234 steps", AMBIGUOUS),
        ("12,345", AMBIGUOUS),
        ("1.234,5", AMBIGUOUS),
        ("1 234", AMBIGUOUS),
        ("13, 14", AMBIGUOUS),
        ("13 or 14", AMBIGUOUS),
        ("13-14", AMBIGUOUS),
        ("13 ± 1", AMBIGUOUS),
        ("13 1/2", AMBIGUOUS),
        ("2 * 13", AMBIGUOUS),
        ("13²", AMBIGUOUS),
        ("4 + 9 = 13", AMBIGUOUS),
        ('{"answer": [13, 14]}', AMBIGUOUS),
        ('{"answer": 13, "answer": 14}', AMBIGUOUS),
        ("I cannot determine the number.", REFUSED),
    ],
)  # fmt: skip
def test_texts_without_one_reward(text: str, kind: InvalidKind) -> None:
    """Bounds, percentages, formulas, several numbers and separators with two meanings are no answer."""
    reading = read(text)
    assert (reading.answer, reading.invalid) == (None, kind), reading.detail
    assert reading.detail


@given(st.fractions() | st.just("inf"), st.text(max_size=30))
def test_canonical_rewards_read_back(value: Fraction | str, explanation: str) -> None:
    """The exact text of any reward reads back as itself."""
    reading = read(json.dumps({"explanation": explanation, "answer": str(value)}))
    assert (reading.answer, reading.explanation) == (str(value), explanation)


@given(st.decimals(min_value=-(10**9), max_value=10**9, allow_nan=False, places=6))
def test_decimals_are_read_exactly(number: object) -> None:
    """A JSON number is the decimal number that is written, not the nearest double."""
    answer = read(f'{{"explanation": "e", "answer": {number:f}}}').answer
    assert answer is not None
    assert Fraction(answer) == Fraction(f"{number:f}")


@given(st.integers(1, 999), st.integers(0, 999))
def test_three_digits_after_one_comma_are_always_unclear(before: int, after: int) -> None:
    """``1,234`` is a thousand in one language and little more than one in another."""
    assert read(f"{before},{after:03}").invalid is AMBIGUOUS


SIGNS = ("1", "23", "0", ",", ".", "-", "−", "/", "%", " ", "inf", "∞", "not ", "e", "=", "≈", "\\infty")
PIECES = st.lists(st.sampled_from(SIGNS) | st.text(max_size=4), max_size=12).map("".join)


@given(PIECES, st.sampled_from(["stop", "length", ""]))
def test_any_text_is_read_without_a_crash(text: str, finish: str) -> None:
    """Reading never raises; what it gives is an exact number, ``inf``, or a kind with a reason."""
    reading = read(text, finish)
    assert (reading.answer is None) == (reading.invalid is not None) == bool(reading.detail)
    if reading.answer not in {None, "inf"}:
        assert str(Fraction(reading.answer or "")) == reading.answer


def test_a_number_that_breaks_off_is_cut_off() -> None:
    """13 may have become 130."""
    assert read('{"explanation": "e", "answer": 13', "length").invalid is CUT_OFF


@pytest.mark.parametrize("piece", ["1,", "1,234", "inf ", "∞", "-inf", "9", "1.2,", "not "])
def test_hostile_numbers_are_read_quickly(piece: str) -> None:
    """Long repetitions take no more than a moment (quadratic time would be minutes)."""
    begin = time.process_time()
    read(piece * (99_000 // len(piece)))
    assert time.process_time() - begin < 5
