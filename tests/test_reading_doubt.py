"""Answers that are contradicted, doubted, bounded, or given beside another option: never a pass."""

from __future__ import annotations

import json
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.explainers.base import Reply
from engine.prompts.reading import read_answer
from engine.prompts.reading_doubt import calmed
from engine.queries.case import Case
from engine.queries.spaces import A_B, YES_NO, AnswerSpace, Number, OneOf, Probability, Ranking, SetOf
from engine.verdicts.grading import judge_with

ACTIONS = OneOf(("left", "down", "right", "up"))
RANKING = Ranking(ACTIONS.options)
REWARD = Number("0", "10")
STATES = SetOf(("State 1", "State 2", "State 3"))
SYNONYMS = {"left": ("west", "l"), "down": ("south", "d"), "right": ("east", "r"), "up": ("north", "u")}


def read_both(text: str, space: AnswerSpace) -> str | None:
    """Return what a text is read as in an answer field, which must be what it is read as by itself."""
    field = json.dumps({"explanation": "e", "answer": text})
    readings = {read_answer(form, "stop", space, SYNONYMS).answer for form in (text, field)}
    assert len(readings) == 1, readings
    return readings.pop()


PAIRS = [
    *("A over B", "a over B", "b over A", "A beats B", "a beats B", "A rather than B", "A, not B", "A's over B"),
    *("A's value exceeds B", "A > B", "A < B", "B < a", "A/B", "A or B", "A vs. B", "between A and B, B"),
    *("A; B is worse", "between a and B", "a better than B", "A better than B", "B loses to a", "a: B"),
    *("a wins, B", "A-side over B", "option a over option B", "State A near the goal, state B"),
    *("A state near the goal is better: B", "I choose A over B", "C over B", "that over B", "neither", "both"),
    *("both, but B", "Both are fine, so B", "B or the other one", "equally B", "not B", "!B", "no B", "B?"),
    *("maybe B", "B. Actually no.", "B is not it", "B comes second", "B is worse", "B. It's worse."),
    *("B. That is not better", "Neither is better, so B", "It is false that B", "There is no B", "B, no wait, A"),
    *("B falls behind", "B, I guess", "The opposite of B", "Never B", "B has less chance", "B would lose"),
    *("B is dominated", "❌ B", "B ✗", "B: wrong", "A: 0.9, B: 0.1"),
]
YES_AND_NO = [
    *("yes it is not", "yes, it isn't", "yes... actually not", "It is false that yes", "yes? I doubt it"),
    *("yes, but no", "yes - not really", "yes - not", "not yes", "yes; however it can be avoided"),
    *("yes, it can be avoided", "yes, never", "No, it is.", "no, it is a bottleneck", "no. This is a bottleneck"),
    *("It is not a bottleneck, yes", "no, it does", "This state is a bottleneck, no", "no over yes", "n over yes"),
    *("true over no", "yes, it is wrong", "I doubt that yes", "yes unless one slips", "yes/no", "yes or no"),
    *("yes and no", "no wait yes", "yes, hardly", "no? it is", "false that no", "It is not the case that no"),
    *("yes, because it is not", "yes isn't right", "yes, that is false", "no, wrong", "yes (no)", "not sure, yes"),
    *("can't say, yes", "yes, maybe", "perhaps yes", "no, actually it is", "yes, I am not certain", "yes?"),
    *("yes, although there is another way", "not no", "yes ✗", "yes would be a lie", "no, definitely is"),
]
MOVES = [
    *("up is wrong", "not sure, up?", "up?", "maybe up", "up, I doubt it", "up. No.", "up... not", "up, but not"),
    *("Don't, up", "up isn't it", "l over right", "u rather than left", "d or left", "upwards over left"),
    *("up's better than left", "no up", "up, it is bad", "up. That's the worst choice", "up; wait, no"),
    *("if not left", "up, that would be wrong", "u beats left", "scratch that: up", "anything except up"),
    *("up would be a mistake", "up, no", "anyone over up", "up loses", "~up", "ex-up, left"),
    *("on second thought up", "it depends: up", "up, or whatever", "either up", "up, because it is not the best"),
    *("There is no up", "up, I am guessing", "avoid: up", "up = bad", "up (bad)", "up: bad", "up - bad idea"),
    *("up leads to death, avoid", "refrain from up", "stay off up", "No need to go up", "up ≠"),
    *("up is what I'd avoid",),
]
NUMBERS = [
    *("0.53 or higher", "0.53 or more", "0.53 or below", "0.53 or so", "0.53+", "0.53 +", "53%+", "0.53-"),
    *("minimum 0.53", "min 0.53", "max 0.53", "maximum: 0.53", "a minimum of 0.53", "0.53 (minimum)"),
    *("0.53 maximum", "0.53 is the minimum", "up to 0.53", "at least 0.53", "at least about 0.53", "at most 0.53"),
    *("0.53 at least", "0.53 at most", "0.53, at best", "at minimum 0.53", "no less than 0.53"),
    *("not more than 0.53", "0.53 and above", "0.53 upwards", "less than 0.53", "a little less than 0.53"),
    *("slightly below 0.53", "just under 0.53", "over 0.53", "exceeds 0.53", "lower bound 0.53"),
    *("0.53 as a lower bound", "≥ 0.53", ">= 0.53", "≲0.53", "0.53 ≤ p", "0.53 <", "p < 0.53"),
    *("greater than or equal to 0.53", "almost 0.53", "nearly 0.53", "somewhere near 0.53", "0.53 give or take"),
    *("0.53 ± 0.1", "0.53 +/- 0.1", "0.53 (±0.01)", "0.5-0.6", "0.5 to 0.6", "[0.5, 0.6]", "between 0.53 and 0.53"),
    *("0.53 to one", "0.53 plus", "0.53 minus a bit", "0.53 is wrong", "0.53 is too low", "0.53 is not right"),
    *("isn't 0.53", "not 0.53", "0.53, actually not", "0.53?", "not sure, 0.53", "maybe 0.53", "0.53, I guess"),
    *("0.53 is incorrect", "never 0.53", "0.53, but I doubt it", "from 0.53", "14/17 or less", "1/2 or more"),
    *("anything but 0.53", "50/50", "0.53, likely higher", "0.53, probably less", "0.53 is an overestimate"),
    *("0.53 as minimum", "0.53 approx max", "!= 0.53", "≠0.53", "sub 0.53", "0.53 excluded"),
]
ORDERS = [
    "up > left > down > right is wrong",
    "not sure: up > left > down > right",
    "up > left > down > right?",
    "up > left > down > right, I doubt it",
    "the opposite of up > left > down > right",
    "not up > left > down > right",
    "up > left > down > right. Actually no.",
    "maybe up, left, down, right",
    "it is false that up > left > down > right",
]
SETS = [
    *(
        "State 1 and State 2 is wrong",
        "State 1, State 2?",
        "not sure: State 1",
        "State 1. Actually no",
        "I doubt State 1",
    ),
    *(
        "State 1, maybe more",
        "all but State 1",
        "State 1 is false",
        "neither State 1",
        "none, or State 1",
        "none?",
        "all?",
    ),
    *('["State 1 (wrong)"]', '["State 1?"]', "none is wrong"),
]


@pytest.mark.parametrize(
    ("text", "space"),
    [
        *((text, A_B) for text in PAIRS),
        *((text, YES_NO) for text in YES_AND_NO),
        *((text, ACTIONS) for text in MOVES),
        *((text, Probability()) for text in NUMBERS),
        *((text, REWARD) for text in NUMBERS),
        *((text, REWARD) for text in ("inf?", "at least inf", "inf or less", "inf is wrong", "maybe infinite")),
        *((text, RANKING) for text in ORDERS),
        *((text, STATES) for text in SETS),
    ],
)
def test_what_is_contradicted_doubted_or_bounded_is_no_answer(text: str, space: AnswerSpace) -> None:
    """Negation, doubt, a bound or a second option beside an answer make it invalid, in prose as in the field."""
    assert read_both(text, space) is None


@pytest.mark.parametrize(
    ("text", "space", "expected"),
    [
        *((text, A_B, "B") for text in ("B", "State B", "**B**", "State B has a better chance", "B is the safer one")),
        ("B is a more promising state", A_B, "B"),
        ("B, because it has a shorter way to the goal", A_B, "B"),
        ("State A is better because there is no hole beside it", A_B, "A"),
        ("B near the goal", A_B, "B"),
        ("Yes, it is a bottleneck.", YES_NO, "yes"),
        ("**Yes**", YES_NO, "yes"),
        ("yes - no path avoids it", YES_NO, "yes"),
        ("yes: both ways lead through it", YES_NO, "yes"),
        ("Yes, it cannot be avoided", YES_NO, "yes"),
        ("yes, without doubt", YES_NO, "yes"),
        ("No, it is not.", YES_NO, "no"),
        ("No, it isn't a bottleneck", YES_NO, "no"),
        ("no, there is another way", YES_NO, "no"),
        ("No - it can be avoided", YES_NO, "no"),
        ("No, because it does not lie on every path", YES_NO, "no"),
        ("up, because it does not slip", ACTIONS, "up"),
        ("up. There is no hole there", ACTIONS, "up"),
        ("The ice does not hold you. Go up.", ACTIONS, "up"),
        ("up - no risk of falling", ACTIONS, "up"),
        ("probably up", ACTIONS, "up"),
        ("up, since it never reaches a hole", ACTIONS, "up"),
        ("up > left > down > right", RANKING, '["up", "left", "down", "right"]'),
        ("State 1 because there is no other way", STATES, '["State 1"]'),
    ],
)
def test_explanations_after_a_clear_break_are_forgiven(text: str, space: AnswerSpace, expected: str) -> None:
    """A reason, a remark about ways and risks, or agreeing words beside an answer leave it as it is."""
    assert read_both(text, space) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("about 0.53", "0.53"),
        ("≈ 0.53", "0.53"),
        ("exactly 0.53", "0.53"),
        ("The maximal probability is 0.53", "0.53"),
        ("Pmax = 0.53", "0.53"),
        ("1/2, or 50 %", "1/2"),
        ("0.5, because it does not slip", "0.5"),
    ],
)
def test_numbers_with_plain_words_stay_numbers(text: str, expected: str) -> None:
    """Words that name or approximate a number, or say it twice, are no bound."""
    answer = read_both(text, Probability())
    assert answer is not None
    assert Fraction(answer) == Fraction(expected)


OPTIONS = st.sampled_from(
    [("A", "B"), ("a", "b"), ("I", "J"), ("x", "y"), ("left", "right"), ("yes", "no"), ("go up", "stop"), ("1", "2")]
)
WORDS = [
    *(
        "over",
        "beats",
        "rather than",
        "instead of",
        ">",
        "<",
        "/",
        "or",
        "and",
        "vs",
        "vs.",
        "is better than",
        "nor",
        "by",
    ),
    *(
        "is safer than",
        "is preferable to",
        "before",
        "then",
        "to",
        "'s value exceeds",
        "'s better than",
        "wins against",
    ),
    *(
        "not",
        ", not",
        "and not",
        "|",
        "=",
        "≥",
        "→",
        "has more than",
        "near",
        "but",
        ",",
        "with",
        "than",
        "better than",
    ),
    *(
        "-",
        "–",
        "+",
        "&",
        "above",
        "ahead of",
        "compared to",
        "against",
        "dominates",
        "plus",
        ":",
        ";",
        ".",
        "\n",
        "(not",
    ),
]


@given(
    OPTIONS.flatmap(st.permutations),
    st.sampled_from(WORDS),
    st.sampled_from(["{} {} {}", "{}{} {}", "state {} {} state {}", "I choose {} {} {}.", "**{}** {} **{}**"]),
    st.sampled_from(["good", "bad"]),
    st.booleans(),
)
def test_the_second_of_two_joined_options_is_never_the_answer(
    pair: list[str], word: str, form: str, wanted: str, swapped: bool
) -> None:
    """However two options are joined, and in whatever case the first is written, the second is not read alone."""
    first, second = pair
    glued = form.startswith("{}{}") and (word[0].isalpha() or word == "(not")
    text = form.format(first.swapcase() if swapped else first, f" {word}" if glued else word, second)
    space = OneOf(tuple(sorted(pair)))
    assert read_answer(text, "stop", space, {}, "bad" if wanted == "bad" else "good").answer != second, text


@given(
    st.sampled_from(["yes", "no", "up", "A", "0.5"]),
    st.sampled_from(
        ["is wrong", "is not right", "? I doubt it", ", I am not sure", "... actually not", ", or maybe not"]
    ),
    st.sampled_from(["{0} {1}", "**{0}** {1}", "Answer: {0} {1}", "The answer is {0} {1}."]),
)
def test_a_doubted_answer_of_any_kind_is_invalid(answer: str, doubt: str, form: str) -> None:
    """The same words take back an option, a yes or no, and a number."""
    spaces: dict[str, AnswerSpace] = {"yes": YES_NO, "no": YES_NO, "up": ACTIONS, "A": A_B, "0.5": Probability()}
    reading = read_answer(form.format(answer, doubt), "stop", spaces[answer], SYNONYMS)
    if not (answer == "no" and "actually" not in doubt and "not" in doubt):  # a "no" and a "not" may agree
        assert reading.answer is None
    assert (reading.answer is None) == bool(reading.detail)


@pytest.mark.parametrize(
    "text",
    [
        '{"explanation": "e", "answer": "up"} Wait, that is wrong.',
        '{"explanation": "e", "answer": "up"}\nOn second thought, I am not sure.',
        "Answer: up\nActually, no.",
        "**Answer:** up\nThe answer is incorrect.",
    ],
)
def test_a_reply_may_take_its_answer_back(text: str) -> None:
    """What follows the answer field, or the line with the answer, counts if it says that the answer is wrong."""
    assert read_answer(text, "stop", ACTIONS, {}).answer is None


@pytest.mark.parametrize("space", [ACTIONS, YES_NO, A_B, Probability(), RANKING, STATES])
@pytest.mark.parametrize(
    "piece",
    ["up, because ", "yes, it is ", "no ", "A a ", "there is no ", "0.5 or ", "####,", " - ", "it's ", "State 1 "],
)
def test_long_texts_are_judged_in_linear_time(piece: str, space: AnswerSpace) -> None:
    """Thousands of clauses beside an answer do not slow the reading down (quadratic time would be minutes)."""
    begin = time.process_time()
    read_answer(f"yes, up, A, 0.5 {piece * (90_000 // len(piece))}", "stop", space, SYNONYMS)
    assert time.process_time() - begin < 5


@given(st.text(alphabet="no there is any way path avoid cannot't.", max_size=80))
def test_calming_keeps_every_place(text: str) -> None:
    """Negations about ways are blanked out, never cut out, so that places in the text stay what they are."""
    assert len(calmed(text)) == len(text)


def test_stored_thinking_in_tags_gives_the_verdict_of_thinking_apart() -> None:
    """A reply that was stored with its tags is graded as the one whose thinking is kept apart."""
    case = Case("1", "which-is-bottleneck", (0, 1), A_B, ("B",), {}, None, {}, "")
    for content in ('{"explanation": "e", "answer": "B"}', "B", "A", "not B", ""):
        old = judge_with({}, case, Reply(f"<think>A? no</think>{content}", finish="stop"))
        new = judge_with({}, case, Reply(content, reasoning="A? no", finish="stop"))
        assert old == new
