"""Answers that name one option and say of it what was, or was not, asked for."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from campaign_support import MOVES
from hypothesis import given
from hypothesis import strategies as st

from engine.explainers.base import Reply
from engine.prompts.reading import read_answer
from engine.queries.case import Case
from engine.queries.registry import all_categories
from engine.queries.spaces import A_B, YES_NO, AnswerSpace, OneOf, Ranking
from engine.verdicts.grading import judge_with
from engine.verdicts.verdict import InvalidKind

if TYPE_CHECKING:
    from engine.prompts.reading_claims import Wanted


ACTIONS = OneOf(("left", "down", "right", "up"))
UP, NONE = "up", None

CLAIMS = [
    # text, read where the best is asked for, read where the worst is asked for
    ("up", UP, UP),
    ("**Up.**", UP, UP),
    ("go up", UP, UP),
    ("up is worst", NONE, UP),
    ("up is the worst", NONE, UP),
    ("up is the worst action", NONE, UP),
    ("`up` is clearly the very worst of all", NONE, UP),
    ("Up would be the worst choice.", NONE, UP),
    ("the action up is bad", NONE, UP),
    ("up is a bad move", NONE, UP),
    ("up is the most damaging", NONE, UP),
    ("up is more dangerous", NONE, UP),
    ("up seems risky", NONE, UP),
    ("up is worse", NONE, UP),
    ("the worst action is up", NONE, UP),
    ("The most damaging move would be to go up.", NONE, UP),
    ("worst: up", NONE, UP),
    ("Worst action = **up**", NONE, UP),
    ("it is dangerous to go up", NONE, UP),
    ("up (worst)", NONE, UP),
    ("up, the worst action", NONE, UP),
    ("up - the most damaging one", NONE, UP),
    ("up is best", UP, NONE),
    ("up is the best", UP, NONE),
    ("Up is the optimal action.", UP, NONE),
    ("up would be safest", UP, NONE),
    ("up is better", UP, NONE),
    ("up is good", UP, NONE),
    ("the best action is up", UP, NONE),
    ("It is best to go up", UP, NONE),
    ("best: up", UP, NONE),
    ("up (best)", UP, NONE),
    ("up, the best move", UP, NONE),
    ("up is the least risky", UP, NONE),
    ("up is less dangerous", UP, NONE),
    ("up is the least promising", NONE, UP),
    ("avoid up", NONE, NONE),
    ("stay away from up", NONE, NONE),
    ("steer clear of up", NONE, NONE),
    ("up should be avoided", NONE, NONE),
    ("up must always be avoided", NONE, NONE),
    ("up is to be avoided", NONE, NONE),
    ("up is best avoided", NONE, NONE),
    ("up is wrong", NONE, NONE),
    ("up would be incorrect", NONE, NONE),
    ("up is not the worst", NONE, NONE),
    ("up is not the best", NONE, NONE),
    ("not the best: up", NONE, NONE),
    ("not the worst: up", NONE, NONE),
    ("up is the second best", NONE, NONE),
    ("up is second-worst", NONE, NONE),
    ("up is hardly the best", NONE, NONE),
    ("up is far from the worst", NONE, NONE),
    ("the best action is not up", NONE, NONE),
    ("up is the correct answer", UP, UP),
    ("the answer is up", UP, UP),
    ("up, in the worst case one slips", UP, UP),
    ("In the worst case one slips, so up", UP, UP),
    ("It is bad here, so go up", UP, UP),
    ("up. All others are worse.", UP, UP),
    ("up leads to the goal", UP, UP),
    ("up, because it leads to the goal", UP, UP),
]


@pytest.mark.parametrize(("text", "best", "worst"), CLAIMS)
@pytest.mark.parametrize("form", ["prose", "json"])
def test_a_claim_of_the_opposite_is_no_answer(text: str, best: str | None, worst: str | None, form: str) -> None:
    """What is said of the only option named decides with what was asked for: never the option's name alone."""
    written = text if form == "prose" else json.dumps({"explanation": "e", "answer": text})
    expectations: list[tuple[str | None, Wanted]] = [(best, "good"), (worst, "bad")]
    for expected, wanted in expectations:
        reading = read_answer(written, "stop", ACTIONS, {}, wanted)
        assert (reading.answer, reading.invalid) == (expected, None if expected else InvalidKind.AMBIGUOUS), wanted


@pytest.mark.parametrize(
    ("text", "space", "expected"),
    [
        ("A is better", A_B, "A"),
        ("State A is safer", A_B, "A"),
        ("A is worse", A_B, None),
        ("State B is riskier.", A_B, None),
        ("State B is less risky.", A_B, "B"),
        ("B is the wrong one", A_B, None),
        ("yes is wrong", YES_NO, None),
        ("yes, the worst of them is one", YES_NO, "yes"),
        ("no, it is bad but not necessary", YES_NO, "no"),
        ("state a", A_B, "A"),
        ("State b.", A_B, "B"),
        ("the state a", A_B, "A"),
        ("Option a", A_B, "A"),
        ("state a is better", A_B, "A"),
        ("I choose state b.", A_B, "B"),
        ("state a is worse", A_B, None),
        ("a state near the goal", A_B, None),
        ("state a or state b", A_B, None),
        ("not state a", A_B, None),
    ],
)
def test_claims_about_states(text: str, space: AnswerSpace, expected: str | None) -> None:
    """Of two states the worse one is never read as the better one; a letter with its title counts in any case."""
    assert read_answer(text, "stop", space, {}).answer == expected


def test_a_ranking_may_say_which_is_worst() -> None:
    """The last item of an order is the worst, and may be called so."""
    reply = json.dumps({"explanation": "e", "answer": ["up (best)", "left", "right", "down (worst)"]})
    reading = read_answer(reply, "stop", Ranking(ACTIONS.options), {})
    assert reading.answer == '["up", "left", "right", "down"]'


def test_the_category_decides_what_was_asked_for() -> None:
    """The same words pass where the worst action is asked for, and are invalid where the best one is."""
    asked = [name for name, category in all_categories().items() if category.wanted == "bad"]
    assert asked == ["worst-action"]
    outcomes = {}
    for category in ("best-action", "worst-action"):
        numbers: Any = {"V": "1", "Q": dict.fromkeys(MOVES.options, "1")}
        case = Case("1", category, (0,), MOVES, ("up",), numbers, None, {}, "")
        replies = [Reply(text, finish="stop") for text in ("up is the worst action", "up is the best action", "up")]
        outcomes[category] = [judge_with({}, case, reply).outcome.value for reply in replies]
    assert outcomes == {"best-action": ["invalid", "pass", "pass"], "worst-action": ["pass", "invalid", "pass"]}


_VOCABULARY = "up is the worst best not avoid bad least second more most and : , ( ) = it to go"
_WORDS = st.sampled_from(_VOCABULARY.split())


@given(st.lists(_WORDS, max_size=30).map(" ".join))
def test_no_text_is_both_the_best_and_a_claim_of_the_worst(text: str) -> None:
    """Whatever is written, reading it for the worst and for the best only differs where there is a claim."""
    best, worst = read_answer(text, "stop", ACTIONS, {}).answer, read_answer(text, "stop", ACTIONS, {}, "bad").answer
    if not {"best", "worst", "bad"} & set(text.split()):
        assert best == worst
    if text.strip() in {"up is the worst", "worst : up", "up is worst"}:
        assert (best, worst) == (None, "up")


@pytest.mark.parametrize("piece", ["is the ", "worst ", "the worst is ", "the least ", ": ", "very "])
def test_long_claims_are_read_at_once(piece: str) -> None:
    """Thousands of words of a claim do not slow the reading down."""
    started = time.perf_counter()
    read_answer(f"up {piece * 3000}worst {piece * 3000} up", "stop", ACTIONS, {})
    assert time.perf_counter() - started < 1
