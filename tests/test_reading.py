"""Reading answers back: forgiving about form, strict about content, and never a crash."""

from __future__ import annotations

import json
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.prompts.reading import Reading, read_answer
from engine.prompts.reading_thinking import split_reasoning
from engine.prompts.schema import reply_schema
from engine.queries.spaces import A_B, YES_NO, AnswerSpace, OneOf, Probability
from engine.verdicts.verdict import InvalidKind

ACTIONS = OneOf(("left", "down", "right", "up"))
NUMBER = Probability()
SYNONYMS = {
    "left": ("west", "l"),
    "down": ("south", "d"),
    "right": ("east", "r"),
    "up": ("north", "u"),
    "stay": ("wait",),
}
BLANK, CUT_OFF, UNPARSABLE = InvalidKind.BLANK, InvalidKind.CUT_OFF, InvalidKind.UNPARSABLE
REFUSED, AMBIGUOUS = InvalidKind.REFUSED, InvalidKind.AMBIGUOUS


def read(text: str, space: AnswerSpace = ACTIONS, finish: str = "stop") -> Reading:
    """Read with the usual synonyms."""
    return read_answer(text, finish, space, SYNONYMS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"explanation": "e", "answer": "left"}', "left"),
        ('{"answer": "LEFT", "explanation": "e"}', "left"),
        ('{"Explanation": "e", "Answer": " Left. "}', "left"),
        ('{"explanation": "two\nlines", "answer": "up"}', "up"),
        ('```json\n{"explanation": "e", "answer": "up"}\n```', "up"),
        ('Here you are: {"explanation": "not right", "answer": "up"} Good luck with right!', "up"),
        ('{"reply": {"explanation": "e", "answer": "up"}}', "up"),
        ('[{"explanation": "e", "answer": "up"}]', "up"),
        ('{"answer": ["up"]}', "up"),
        ('{"answer": {"action": "up"}}', "up"),
        ('{"answer": "up"} {"answer": "Up"}', "up"),
        ('{"answer": "west"}', "left"),
        ('{"answer": "L"}', "left"),
        ('{"answer": "go left"}', "left"),
        ('{"answer": "left (west)"}', "left"),
        ('{"properties": {"answer": {"enum": ["left", "up"]}}} {"answer": "up"}', "up"),
        ("{'explanation': 'e', 'answer': 'down'}", "down"),
        ('{"explanation": "e", "answer": "down",}', "down"),
        ("left", "left"),
        ("Left!", "left"),
        ("**left**", "left"),
        ("`left`", "left"),
        ("```\nleft\n```", "left"),
        ("I'd go left.", "left"),
        ("Moving north is best.", "up"),
        ("Left is safer than right.\nAnswer: left", "left"),
        ("**Final answer:** left", "left"),
        ("The answer is: left", "left"),
    ],
)
def test_forms_of_an_action(text: str, expected: str) -> None:
    """However an action is dressed, it is read as that action."""
    reading = read(text)
    assert (reading.answer, reading.invalid) == (expected, None)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", BLANK),
        (" \n ", BLANK),
        ('{"explanation": "e", "answer": ""}', BLANK),
        ('{"explanation": "e", "answer": null}', BLANK),
        ('{"explanation": "e", "answer": []}', BLANK),
        ('{"explanation": "e"}', UNPARSABLE),
        ('{"answer": "jump"}', UNPARSABLE),
        ('{"answer": "wait"}', UNPARSABLE),
        ('{"answer": 3}', UNPARSABLE),
        ('{"answer": true}', UNPARSABLE),
        ("leftover upside", UNPARSABLE),
        ("a left-handed downwards-up thing", UNPARSABLE),
        ('{"answer": "left or right"}', AMBIGUOUS),
        ('{"answer": "left", "answer": "right"}', AMBIGUOUS),
        ('{"answer": "left"} {"answer": "right"}', AMBIGUOUS),
        ('{"answer": ["left", "right"]}', AMBIGUOUS),
        ('{"answer": "not left"}', AMBIGUOUS),
        ("Never go left.", AMBIGUOUS),
        ("left is not the best action", AMBIGUOUS),
        ("left isn't it", AMBIGUOUS),
        ('{"answer": "left should never be taken"}', AMBIGUOUS),
        ('{"answer": "left is no good"}', AMBIGUOUS),
        ('{"answer": "anything but left"}', AMBIGUOUS),
        ("all but left", AMBIGUOUS),
        ("anything other than left", AMBIGUOUS),
        ("You shouldn't go left", AMBIGUOUS),
        ("left, because right is better", AMBIGUOUS),
        ("Answer: left\nAnswer: right", AMBIGUOUS),
        ("west or east", AMBIGUOUS),
        ("I'm sorry, but I can't help with that.", REFUSED),
        ("I cannot determine the optimal action.", REFUSED),
        ('{"explanation": "I do not know.", "answer": ""}', REFUSED),
        ("As an AI I have no preference.", REFUSED),
    ],
)  # fmt: skip
def test_texts_without_one_action(text: str, kind: InvalidKind) -> None:
    """No action, two actions, a denied action and a refusal are told apart, and none is an answer."""
    reading = read(text)
    assert (reading.answer, reading.invalid) == (None, kind)
    assert reading.detail


@pytest.mark.parametrize(
    ("text", "space", "expected"),
    [
        ('{"answer": true}', YES_NO, "yes"),
        ('{"answer": false}', YES_NO, "no"),
        ('{"answer": "False"}', YES_NO, "no"),
        ("Yes.", YES_NO, "yes"),
        ("yes, because there is no way around it", YES_NO, "yes"),
        ("No, because two ways lead there", YES_NO, "no"),
        ("yes, because there is not any other way", YES_NO, "yes"),
        ("yes. There isn't any other way", YES_NO, "yes"),
        ("This is not a bottleneck: no", YES_NO, "no"),
        ("A.", A_B, "A"),
        ("a", A_B, "A"),
        ("(B)", A_B, "B"),
        ('{"answer": "State A"}', A_B, "A"),
        ("State B has a better chance", A_B, "B"),
        ('{"answer": "B: the state at the goal"}', A_B, "B"),
    ],
)
def test_forms_of_yes_no_and_pairs(text: str, space: AnswerSpace, expected: str) -> None:
    """Yes and no also come as truth values, A and B with a point or a word around them."""
    assert read(text, space).answer == expected


@pytest.mark.parametrize(
    ("text", "space", "kind"),
    [
        ("Every run comes through here, there is no other way", YES_NO, UNPARSABLE),
        ("yes and no", YES_NO, AMBIGUOUS),
        ("A state near the goal is better", A_B, UNPARSABLE),
        ("A or B", A_B, AMBIGUOUS),
        ("not A", A_B, AMBIGUOUS),
        ("A is not better", A_B, AMBIGUOUS),
        ("State A cannot be better", A_B, AMBIGUOUS),
        ("neither A nor B", A_B, AMBIGUOUS),
        ("A > B", A_B, AMBIGUOUS),
        ("yes is not the answer", YES_NO, AMBIGUOUS),
        ('{"answer": "both"}', A_B, UNPARSABLE),
        ('{"answer": "C"}', A_B, UNPARSABLE),
    ],
)
def test_articles_and_determiners_are_no_answers(text: str, space: AnswerSpace, kind: InvalidKind) -> None:
    """The article A and the "no" of "no other way" are not taken for an answer."""
    reading = read(text, space)
    assert (reading.answer, reading.invalid) == (None, kind)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"answer": 0.1}', Fraction(1, 10)),
        ('{"answer": 0.30000000000000000000001}', Fraction("0.30000000000000000000001")),
        ('{"answer": 1}', Fraction(1)),
        ('{"answer": 1.0}', Fraction(1)),
        ('{"answer": 1e-3}', Fraction(1, 1000)),
        ('{"answer": "14/17"}', Fraction(14, 17)),
        ('{"answer": "82 %"}', Fraction(41, 50)),
        ('{"answer": "82.5%"}', Fraction(33, 40)),
        ("82 percent", Fraction(41, 50)),
        ("0,25", Fraction(1, 4)),
        (".5", Fraction(1, 2)),
        ("-0", Fraction(0)),
        ("about 0.5", Fraction(1, 2)),
        ("14 / 17", Fraction(14, 17)),
        ("14/17 ≈ 0.8235", Fraction(14, 17)),
        ("0.8235 (14/17)", Fraction(14, 17)),
        ("14/17 = 0.823 ≈ 82 %", Fraction(14, 17)),
        (r"$\frac{14}{17}$", Fraction(14, 17)),
        ("The probability is 0.5.", Fraction(1, 2)),
        ("In s12 it is 0.5", Fraction(1, 2)),
        ("- 0.5", Fraction(1, 2)),
        ("**0.5** (0.5)", Fraction(1, 2)),
        ("0.5 - because it slips", Fraction(1, 2)),
        ("0.5 — I think", Fraction(1, 2)),
        ("In s1-2 it is 0.5", Fraction(1, 2)),
        ("Answer: 0.5\nfrom state 12", Fraction(1, 2)),
    ],
)
def test_forms_of_a_probability(text: str, expected: Fraction) -> None:
    """A number is read exactly as written: decimal, fraction, percentage, exponent."""
    reading = read(text, NUMBER)
    assert reading.answer is not None
    assert Fraction(reading.answer) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"answer": 1.0000001}', UNPARSABLE),
        ('{"answer": 82}', UNPARSABLE),
        ('{"answer": -0.2}', UNPARSABLE),
        ('{"answer": "120 %"}', UNPARSABLE),
        ('{"answer": NaN}', UNPARSABLE),
        ('{"answer": Infinity}', UNPARSABLE),
        ('{"answer": true}', UNPARSABLE),
        ('{"answer": "1/0"}', UNPARSABLE),
        ('{"answer": 1e999999999}', UNPARSABLE),
        ('{"answer": 1e-999999999}', UNPARSABLE),
        ('{"answer": "likely"}', UNPARSABLE),
        ("at least 0.5", UNPARSABLE),
        ("> 0.5", UNPARSABLE),
        ("less than 1/3", UNPARSABLE),
        ("between 0.8 and 0.82", AMBIGUOUS),
        ("0.8 or 0.9", AMBIGUOUS),
        ("14/17 = 0.9", AMBIGUOUS),
        ("1 - 3/17", AMBIGUOUS),
        ('{"answer": "1-3/17"}', AMBIGUOUS),
        ('{"answer": 1-3/17}', AMBIGUOUS),
        ('{"answer": "50-50"}', AMBIGUOUS),
        ("0.4-0.6", AMBIGUOUS),
        ("0.5-0.5", AMBIGUOUS),
        ("0.5–0.5", AMBIGUOUS),
        ("0.5 to 0.5", AMBIGUOUS),
        ("0.5..0.5", AMBIGUOUS),
        ("50%-50%", AMBIGUOUS),
        ("50% of 50%", AMBIGUOUS),
        ("3/17 + 1", AMBIGUOUS),
        ("14/17 +1", AMBIGUOUS),
        ("0.5 × 0.5", AMBIGUOUS),
        ("(0.5)*(0.5)", AMBIGUOUS),
        ("0.5:0.5", AMBIGUOUS),
        ("1/2/0.5", AMBIGUOUS),
        ("1 1/2", AMBIGUOUS),
        ("0.1.2", AMBIGUOUS),
        ("0.5²", AMBIGUOUS),
        ("1½", AMBIGUOUS),
        ("√0.25", AMBIGUOUS),
        (r"\sqrt{0.25}", AMBIGUOUS),
        (r"1-\frac{3}{17}", AMBIGUOUS),
        ("±0.5", AMBIGUOUS),
        ("1-p", AMBIGUOUS),
        ("1 - ε", AMBIGUOUS),
        ("0.5 + x", AMBIGUOUS),
        ('{"answer": 0.5, "answer": 0.6}', AMBIGUOUS),
        ('{"answer": 0.5} {"answer": 50}', AMBIGUOUS),
        ('{"answer": ""}', BLANK),
    ],
)  # fmt: skip
def test_texts_without_one_probability(text: str, kind: InvalidKind) -> None:
    """Numbers outside [0, 1], bounds, formulas and several numbers are no answer."""
    reading = read(text, NUMBER)
    assert (reading.answer, reading.invalid) == (None, kind)


_NUMERALS = st.one_of(
    st.integers(0, 1000).map(str),
    st.integers(0, 1000).map(lambda number: f"{number / 1000:.3f}"),
    st.integers(0, 100).map(lambda number: f"{number}%"),
    st.tuples(st.integers(0, 99), st.integers(1, 99)).map(lambda pair: f"{pair[0]}/{pair[1]}"),
)


@given(
    _NUMERALS, st.sampled_from(["-", "−", "–", "+", "*", "×", "^", ":", " to "]), _NUMERALS, st.sampled_from(["", " "])
)
def test_two_numbers_with_a_sign_between_are_never_one(left: str, sign: str, right: str, space: str) -> None:
    """A range, sum, difference or product of any two numbers is ambiguous, even if one side is a valid answer."""
    written = f"{left}{space}{sign}{space}{right}"
    for text in (written, json.dumps({"explanation": "e", "answer": written})):
        assert read(text, NUMBER).invalid is AMBIGUOUS


@given(st.sampled_from([".", "-", "*", " .", "( ", "- "]), st.sampled_from(["", "0.5"]))
def test_long_runs_of_signs_between_numbers_are_read_at_once(sign: str, end: str) -> None:
    """Thousands of signs after a number do not slow the reading down."""
    started = time.perf_counter()
    read(f"0.5 {sign * 5000}{end}x", NUMBER)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ('{"explanation": "it goes on and', None),
        ("The best action is left", None),
        ('{"explanation": "e", "answer": "le', None),
        ('{"explanation": "e", "answer": 0.', None),
        ('{"explanation": "e", "answer": "left"}', "left"),
        ('{"explanation": "e", "answer": "left"', "left"),
        ('{"explanation": "e", "answer": "left"} and furthermore', "left"),
    ],
)
def test_cut_off_replies(text: str, expected: str | None) -> None:
    """A cut-off reply counts only if its answer field was complete; else it is invalid as cut off."""
    reading = read(text, finish="length")
    assert reading.answer == expected
    assert (reading.invalid is CUT_OFF) == (expected is None)


def test_cut_number_is_not_read_as_its_beginning() -> None:
    """0.8 that might have become 0.82 is no answer."""
    assert read('{"explanation": "e", "answer": 0.8', NUMBER, "length").invalid is CUT_OFF


@pytest.mark.parametrize("finish", ["content_filter", "refusal"])
def test_servers_refusal_is_a_refusal(finish: str) -> None:
    """A finish reason that says the reply was withheld makes a refusal, not a blank."""
    assert read("", finish=finish).invalid is REFUSED


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        ("<think>right?</think>left", "left", "right?"),
        ("<THINK>\nright\n</THINK>\n\nleft", "left", "right"),
        ("right, no</think>left", "left", "right, no"),
        ("<think>left</think><think>right</think>up", "up", "leftright"),
        ("<think>I would go left", None, "I would go left"),
        ('<think>{"answer": "left"}</think>', None, '{"answer": "left"}'),
        ('<think>x</think>{"answer": "up"}', "up", "x"),
        ('{"explanation": "a <think> tag", "answer": "up"}', "up", ""),
    ],
)
def test_thinking_is_never_the_answer(text: str, answer: str | None, reasoning: str) -> None:
    """Thinking is split off, opened or not, closed or not; an answer inside it does not count."""
    reading = read(text)
    assert (reading.answer, reading.reasoning) == (answer, reasoning)


def test_explanation_is_kept() -> None:
    """The explanation is the field where there is one, else the whole text."""
    assert read('x {"explanation": "the ice", "answer": "up"}').explanation == "the ice"
    assert read("Go up, the ice is thin.").explanation == "Go up, the ice is thin."


def test_own_text_of_an_option_wins_over_synonyms() -> None:
    """An option that is named like another one's synonym is read as itself."""
    space = OneOf(("l", "left", "a#1", "a#2", "up right", "up"))
    for option in space.options:
        assert read(json.dumps({"answer": option}), space).answer == option
    assert read("take a#2", space).answer == "a#2"
    assert read("go Up  Right", space).answer == "up right"


@pytest.mark.parametrize(
    "text",
    [
        "9" * 90_000,
        "0." + "3" * 90_000,
        "1e" + "9" * 90_000,
        "0.5" + " " * 90_000 + "x 0.6",
        "1 / " * 20_000,
        "{" * 90_000,
        '{"a":' * 18_000,
        '{"answer":' + "[" * 80_000,
        "\n" * 99_000,
        "no " * 30_000,
        'answer:"' * 12_000,
        "answer: " * 12_000,
        "not " * 24_000 + "left",
        "<think>" * 500_000,
        "</think>" * 500_000,
        "x" * 5_000_000,
        '{"answer": "' + "left " * 1_000_000 + '"}',
    ],
    ids=lambda text: f"{text[:10]}…{len(text)}",
)
@pytest.mark.parametrize("space", [ACTIONS, YES_NO, NUMBER], ids=["actions", "yes/no", "number"])
def test_hostile_texts_are_read_quickly(text: str, space: AnswerSpace) -> None:
    """Long digits, exponents, nesting and repetition take no more than a moment (quadratic time would be minutes)."""
    begin = time.process_time()
    read(text, space)
    assert time.process_time() - begin < 5


ANY_SPACE = st.one_of(
    st.just(NUMBER),
    st.just(YES_NO),
    st.just(A_B),
    st.just(ACTIONS),
    st.lists(st.text(min_size=1), min_size=1, max_size=6, unique=True).map(lambda names: OneOf(tuple(names))),
)
PIECES = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(["{", "}", '"answer"', ":", '"left"', "<think>", "</think>", "1e9", "/", "%", "0.5"]),
        st.sampled_from(["not ", "yes", "A", "\\frac{1}{", "```", "Answer: "]),
    ),
    max_size=12,
).map("".join)


@given(PIECES, st.sampled_from(["stop", "length", "", "content_filter"]), ANY_SPACE)
def test_any_text_is_read_without_a_crash(text: str, finish: str, space: AnswerSpace) -> None:
    """Reading never raises, and gives either a valid answer or a kind and a reason, never both."""
    reading = read_answer(text, finish, space, SYNONYMS)
    assert (reading.answer is None) == (reading.invalid is not None) == bool(reading.detail)
    if reading.answer is not None:
        if isinstance(space, OneOf):
            assert reading.answer in space.options
        else:
            assert 0 <= Fraction(reading.answer) <= 1


@given(st.data(), ANY_SPACE, st.text(max_size=50))
def test_canonical_reply_reads_back(data: st.DataObject, space: AnswerSpace, explanation: str) -> None:
    """The JSON of any valid answer, with any explanation, reads back as that answer and that explanation."""
    if isinstance(space, OneOf):
        valid = data.draw(st.sampled_from(space.options))
    else:
        valid = str(data.draw(st.fractions(min_value=0, max_value=1)))
    text = json.dumps({"explanation": explanation, "answer": valid}, ensure_ascii=data.draw(st.booleans()))
    reading = read_answer(text, "stop", space, SYNONYMS)
    assert (reading.answer, reading.explanation, reading.reasoning) == (valid, explanation, "")


@given(st.decimals(min_value=0, max_value=1, allow_nan=False, places=9))
def test_decimals_are_read_exactly(number: object) -> None:
    """A JSON number is the decimal number that is written, not the nearest double."""
    reading = read(f'{{"explanation": "e", "answer": {number:f}}}', NUMBER)
    assert reading.answer is not None
    assert Fraction(reading.answer) == Fraction(f"{number:f}")


@given(st.text(alphabet="<>/think x", max_size=60))
def test_visible_text_holds_no_thinking_tags(text: str) -> None:
    """After splitting, neither tag is left in what is read."""
    visible, _ = split_reasoning(text)
    assert "<think>" not in visible
    assert "</think>" not in visible


def test_schema_asks_for_the_explanation_first() -> None:
    """The reply's schema has the explanation with its limit, then the answer, and nothing else."""
    schema = reply_schema(YES_NO, explanation_length=50)
    assert list(schema["properties"].items()) == [
        ("explanation", {"type": "string", "maxLength": 50}),
        ("answer", {"type": "string", "enum": ["yes", "no"]}),
    ]
    assert schema["required"] == ["explanation", "answer"]
    assert schema["additionalProperties"] is False
