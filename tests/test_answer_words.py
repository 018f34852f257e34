"""Numbers on cards and in lists: a decimal first, the exact number where it is short; what a regret is a share of."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.screen import ModalScreen

import tui.screens
from engine.figures import decimal_first
from engine.queries.case import Case
from engine.queries.categories.satisfy import CATEGORY as SATISFY
from engine.queries.spaces import Number, OneOf, Probability
from engine.verdicts.answer_words import number_words, numbers_words, regret_words, said

LONG = Fraction(10**60 + 1, 3 * 10**59)


def case_of(numbers: dict[str, Any], category: str = "best-action") -> Case:
    """Return a case with these numbers behind it."""
    space = Number("0", "100") if category == "satisfy" else OneOf(("left", "up"))
    return Case("c", category, (0,), space, ("left",), numbers, None, {}, "manual")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("14/17", "0.823529… = 14/17"),
        ("1/4", "0.25 = 1/4"),
        ("-7/2", "-3.5 = -7/2"),
        ("12", "12"),
        ("inf", "inf"),
        ("goal", "goal"),
        (str(LONG), f"3.333333… (a fraction of {len(str(LONG))} characters)"),
        ("1" * 50, "1.1111111111e49… (a number of 50 digits)"),
    ],
)
def test_numbers_have_a_decimal_first(text: str, words: str) -> None:
    """The exact number follows where it is short; a long one says how long it is."""
    assert number_words(text) == words


@given(st.fractions(max_denominator=10**50))
def test_a_decimal_comes_first_and_fits(number: Fraction) -> None:
    """Whatever the number, its text is short and begins with digits that are cut, never rounded up."""
    text = decimal_first(number)
    assert len(text) <= 80
    if number.denominator != 1 and abs(number) >= Fraction(1, 1000):
        shown = Fraction(text.split()[0].rstrip("…"))
        assert abs(shown) <= abs(number) < abs(shown) + Fraction(1, 10**6)


def test_answers_are_numbers_only_where_numbers_are_asked_for() -> None:
    """An action called 1/2 stays what it is called; lists leave the exact number away."""
    assert said("1/2", OneOf(("1/2", "2"))) == "1/2"
    assert said("1/2", Probability()) == "0.5 = 1/2"
    assert said("14/17", Probability(), brief=True) == "0.8235…"


def test_regret_of_rewards_says_what_it_is_a_share_of() -> None:
    """V = 20, Q = 25 and a range of 40: an eighth of it, 5 in reward; of a probability it is the loss itself."""
    numbers = {"V": "20", "Q": {"left": "20", "up": "25"}, "range": "40"}
    assert regret_words(case_of(numbers), "up", "1/8") == "0.125 = 1/8 of the range of finite values, 5 in reward"
    endless = {"V": "20", "Q": {"left": "20", "up": "inf"}, "range": "40"}
    assert regret_words(case_of(endless), "up", "1") == "1 of the range of finite values, infinitely much in reward"
    enclosed = {
        "V": {"lower": 20.0, "upper": 20.0},
        "Q": {"up": {"lower": 24.0, "upper": 25.0}},
        "range": "40",
    }
    assert regret_words(case_of(enclosed), "up", "0.125").endswith("at most 5 in reward")
    assert regret_words(case_of({"V": "1/2", "Q": {"up": "1/4"}}), "up", "1/4") == "0.25 = 1/4"


def test_numbers_behind_a_verdict_are_readable() -> None:
    """Exact numbers, enclosures, tables by action and by state, lists and what is not defined."""
    numbers: dict[str, Any] = {"V": "14/17", "Q": {"up": "1/3"}, "by": {"5": "1"}, "A*": ["up"], "yes": True}
    assert numbers_words(numbers).splitlines() == [
        "V = 0.823529… = 14/17",
        "Q: up = 0.333333… (1/3)",
        "by: s5 = 1",
        "A*: up",
        "yes = yes",
    ]


@pytest.mark.parametrize(("answer", "passed"), [("inf", True), ("12", False)])
def test_an_infinite_value_says_that_only_inf_is_right(answer: str, passed: bool) -> None:
    """No tolerance is spoken of where V is infinite."""
    grade = SATISFY.grade(case_of({"V": "inf", "tolerance": "1/100", "range": "10"}, "satisfy"), answer)
    assert grade.passed is passed
    assert grade.reason == f"answered {answer}, V = inf: infinite, so only inf is right"


def test_every_dialog_stands_in_the_middle() -> None:
    """Each modal screen, or a class that it is made from, has its place in the style sheets."""
    folder = Path(tui.screens.__path__[0])
    for module in folder.glob("*.py"):
        __import__(f"tui.screens.{module.stem}")
    styles = "".join(sheet.read_text() for sheet in folder.parent.glob("*.tcss"))
    placed = set(re.findall(r"\w+", " ".join(re.findall(r"^([\w, ]+)\{[^}]*align:", styles, re.MULTILINE))))
    found: list[type[ModalScreen[object]]] = [ModalScreen]
    for each in found:
        found += each.__subclasses__()
    dialogs = [each for each in found if each.__module__.startswith("tui.") and not each.__subclasses__()]
    assert len(dialogs) > 10
    assert [each.__name__ for each in dialogs if not placed & {base.__name__ for base in each.__mro__}] == []
