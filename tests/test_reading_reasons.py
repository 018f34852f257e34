"""Claims with reasons that name other options, articles, idioms, computed numbers, second answers, and thinking."""

from __future__ import annotations

import json
import time
from fractions import Fraction

import pytest

from engine.explainers.streaming import ThinkingSplitter
from engine.prompts.reading import read_answer
from engine.prompts.reading_thinking import split_reasoning
from engine.queries.spaces import A_B, YES_NO, AnswerSpace, Number, OneOf, Probability, SetOf

ACTIONS = OneOf(("left", "down", "right", "up"))
STATES = SetOf(("State 1", "State 4"))
REWARD = Number("0", "10")
SYNONYMS = {"left": ("west", "l"), "down": ("south", "d"), "right": ("east", "r"), "up": ("north", "u")}


def read(text: str, space: AnswerSpace) -> str | None:
    """Return what a text is read as where the better option is asked for."""
    return read_answer(text, "stop", space, SYNONYMS).answer


REASONED_B = [
    "State B is more promising because its value is higher than A's.",
    "State B is safer because its danger is lower than A's",
    "Both states are close, but B is more promising.",
    "B, because from A the agent may slip into a hole.",
    "State B. From state A the risk is 1/28, whereas from B it is 0.",
    "The more promising state is State B, because it is closer to the goal than State A.",
    "State B, as A is riskier.",
    "B is safer than A.",
    "B is more promising than A.",
    "B is less risky than A",
    "State B is a better choice than state A",
    "B has a higher probability of reaching the goal than A.",
]
ARTICLES = [
    "State B, since it is not next to a hole.",
    "State B is safer; it has a danger of 0.",
    "B, as a slip cannot reach a hole.",
    "B: a shorter path to the goal",
]
REASONED_UP = [
    "Up, since down risks the hole.",
    "The optimal action is to move up because it keeps the agent away from the holes, unlike down.",
    "The best action in this state is **up** because slipping left or right keeps us on the ice.",
    "up\n\nExplanation: Going left, down, or right may lead into holes.",
    "up - it never slips into the hole",
    "Up. It's the only action that can't slip into a hole.",
    'The best action is "up", which does not risk falling into a hole.',
    "<answer>up</answer>",
    "**Answer: up**\n\nExplanation: moving left or right or down risks a hole.",
    "up is better than left",
    "go up to the goal",
]
CLEAR_YES = [
    "Yes, all successful runs must pass through it since the goal has no other safe neighbour.",
    "Yes — without it the goal cannot be reached.",
    "Yes, you cannot reach the goal without it.",
]
CLEAR_NO = ["No, sometimes runs go around it", "No, only some runs pass it", "No, not every run passes through it."]


@pytest.mark.parametrize(
    ("text", "space", "expected"),
    [
        *((text, A_B, "B") for text in [*REASONED_B, *ARTICLES]),
        *((text, ACTIONS, "up") for text in REASONED_UP),
        *((text, YES_NO, "yes") for text in CLEAR_YES),
        *((text, YES_NO, "no") for text in CLEAR_NO),
        ("left, because right is worse", ACTIONS, "left"),
        ("Only State 4 is a bottleneck; the others can be avoided.", STATES, '["State 4"]'),
    ],
)
def test_a_clear_claim_may_have_a_reason(text: str, space: AnswerSpace, expected: str) -> None:
    """A reason may name the options that were not chosen, and hold negations about ways and holes."""
    assert read(text, space) == expected


@pytest.mark.parametrize(
    ("text", "space"),
    [
        *((text, A_B) for text in ("a over b", "b over a", "b beats a by far")),
        *((text, A_B) for text in ("A over B", "a over B", "B, A is worse")),
        *((text, A_B) for text in ("B. A has the higher value", "B. A is better")),
        *((text, A_B) for text in ("B, since A is better", "B. A.", "B\nA")),
        *((text, A_B) for text in ("B. No, A", "B. I meant A.", "B. Sorry, A", "B. The answer is A.", "B. It is not.")),
        *((text, A_B) for text in ("B is worse than A", "B is closer than A")),
        *((text, A_B) for text in ("B is riskier than A", "B. Wait, A has less risk")),
        *((text, A_B) for text in ("Both, but B",)),
        *((text, A_B) for text in ("Both are equally good, but B is more promising", "B, which is worse than A")),
        *((text, A_B) for text in ("B is safer than A, but A is better",)),
        *((text, A_B) for text in ("A is close to a hole. So B.", "B, which is not the best")),
        *((text, ACTIONS) for text in ("up. left.", "Left leads to a hole. So up.")),
        *((text, ACTIONS) for text in ("up because left", "up. No.", "up. Go left.")),
        *((text, ACTIONS) for text in ("up. Nope, left", "up, since left is better")),
        *((text, ACTIONS) for text in ("up. Left is safe.", "up. Left has no risk.")),
        *((text, ACTIONS) for text in ("Left leads to a hole. Right leads to a hole. Up is best.", "up. Left it is.")),
        *((text, ACTIONS) for text in ("up. I do not recommend it", "up. Never do that.")),
        *((text, ACTIONS) for text in ("up - left has no hole", "up: left")),
        ("The best action is up. Actually, on reflection, it's left.", ACTIONS),
        ("Up. The right answer is left, which has no risk", ACTIONS),
        *((text, ACTIONS) for text in ("I give up.", "Up to you.")),
        *((text, ACTIONS) for text in ("It is up to you", "hurry up", "The runner-up is up")),
        *((text, ACTIONS) for text in ("I'll make something up", "You end up there", "up is the runner-up")),
        *((text, YES_NO) for text in ("Mostly yes", "Probably yes", "almost always yes", "Not necessarily, yes")),
        *((text, YES_NO) for text in ("Yes, usually", "Yes, sometimes")),
        *((text, YES_NO) for text in ("Yes, only in 90 % of runs", "Mostly no", "No, usually")),
    ],
)  # fmt: skip
def test_what_is_no_clear_claim_stays_invalid(text: str, space: AnswerSpace) -> None:
    """A reason that speaks for another option, an idiom, and half a yes are no answer."""
    assert read(text, space) is None


def test_a_comparison_answers_only_its_own_question() -> None:
    """What is better than another option is the answer to what is best, and not to what is worst."""
    for text, good, bad in (("up is better than left", "up", None), ("up is worse than left", None, "up")):
        assert read_answer(text, "stop", ACTIONS, {}, "good").answer == good
        assert read_answer(text, "stop", ACTIONS, {}, "bad").answer == bad


@pytest.mark.parametrize(
    "text",
    [
        '{"answer":"up"} No: left.',
        '{"answer":"up"}\nFinal answer: left',
        '{"answer":"up"}\nThe best action is **left**.',
        '{"answer":"up"}\nThe correct action is left.',
        '{"answer":"up"}\nI meant left.',
        '{"answer":"up"}\nSorry, left.',
        '{"answer":"up"}\n\nNo, left is better.',
        '{"answer":"up"}\nNo.',
        '```json\n{"answer":"up"}\n```\nOops, the answer should be left.',
        '{"answer":"up","alternative":"left"}',
        '{"answer":["up"],"also":["left"]}',
        '{"answer":"up","is_correct":false}',
        '{"answer":"up","confidence":"none, I am guessing"}',
        "Answer: up\nNo, left.",
        "Answer: up\nOr left.",
        "<answer>up</answer> I meant left",
    ],
)
def test_a_second_answer_beside_the_first_is_invalid(text: str) -> None:
    """Words after an answer, or another field beside it, that give another one or deny it make it invalid."""
    assert read(text, ACTIONS) is None


@pytest.mark.parametrize(
    ("text", "space", "expected"),
    [
        ('{"answer":"up"}\nGood luck with right!', ACTIONS, "up"),
        ('{"answer":"up"}\nLeft is riskier.', ACTIONS, "up"),
        ('{"answer":"up"}\nGoing left may slip into a hole.', ACTIONS, "up"),
        ('{"answer":"up"}\nNo other action is as good.', ACTIONS, "up"),
        ('{"answer":"up"}\nThe best action is **up**.', ACTIONS, "up"),
        ('{"answer":"up","confidence":0.9}', ACTIONS, "up"),
        ('{"answer":"up","reasoning":"left is bad"}', ACTIONS, "up"),
        ('{"answer":"up","is_correct":true}', ACTIONS, "up"),
        ('{"answer":"yes"}\nThere is no other way.', YES_NO, "yes"),
        ('{"answer":"no"}\nNo, it can be avoided.', YES_NO, "no"),
        ('{"answer":"yes"}\nNo.', YES_NO, None),
        ('{"answer":"9/17"}\nFinal answer: 0.53', Probability(), "9/17"),
        ('{"answer":0.53}\nFinal answer: 9/17', Probability(), "53/100"),
        ('{"answer":"9/17"}\nFinal answer: 0.6', Probability(), None),
        ('{"answer":0.53,"alternative":0.6}', Probability(), None),
        ('{"answer":0.53} Sorry, 0.6', Probability(), None),
    ],
)
def test_remarks_beside_an_answer_are_told_from_another_one(
    text: str, space: AnswerSpace, expected: str | None
) -> None:
    """A remark, the same answer once more, or the same number rounded leave an answer as it is."""
    assert read(text, space) == expected


COMPUTED = [
    *("half of 9/17", "twice 9/17", "ten times 0.53", "0.53 squared", "0.53 doubled", "sqrt(0.53)", "log 0.53"),
    *("minus 0.53",),
    *("negative 0.53", "the failure probability is 0.53", "0.53 is the chance of failure", "The complement is 0.53"),
    *("0.53 onwards", "3 dozen", "3 million", "3 crossings plus one", "a third of 0.53", "the square of 0.53"),
]  # fmt: skip


@pytest.mark.parametrize("text", COMPUTED)
@pytest.mark.parametrize("space", [Probability(), REWARD])
@pytest.mark.parametrize("form", ["prose", "json"])
def test_a_number_in_a_computation_is_no_answer(text: str, space: AnswerSpace, form: str) -> None:
    """Half of a number, its square, its complement, millions of it, or a chance of failing is another number."""
    assert read(text if form == "prose" else json.dumps({"answer": text}), space) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The probability of reaching the goal tile from pos=6 is 9/17.", "9/17"),
        ("From x=1,y=2 it is 0.5", "1/2"),
        ("V(pos=6) = 9/17", "9/17"),
        ("P = 9/17", "9/17"),
        ("for p=1", "1"),
    ],
)
def test_numbers_that_name_a_state_do_not_count(text: str, expected: str) -> None:
    """The number of a place beside the answer's is no second answer."""
    answer = read(text, Probability())
    assert answer is not None
    assert Fraction(answer) == Fraction(expected)


TAGS = [
    *((f"<{name}>", f"</{name}>") for name in ("think", "thinking", "thought", "reasoning", "analysis", "scratchpad")),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
]


@pytest.mark.parametrize(("opening", "closing"), TAGS)
def test_thinking_in_any_tags_is_kept_apart(opening: str, closing: str) -> None:
    """Whatever tags a model thinks in, the answer is what stands outside, also between two blocks."""
    reading = read_answer(f"{opening}left{closing}up", "stop", ACTIONS, {})
    assert (reading.answer, reading.reasoning) == ("up", "left")
    assert read(f'{opening}{{"answer":"up"}}{closing}left', ACTIONS) == "left"
    assert read(f"{opening}up{closing}", ACTIONS) is None
    assert read(f"{opening}up", ACTIONS) is None
    visible, thoughts = split_reasoning(f"{opening}a{closing} up {opening}b{closing}")
    assert (visible.strip(), thoughts.split()) == ("up", ["a", "b"])


@pytest.mark.parametrize(("opening", "closing"), TAGS)
def test_torn_tags_are_sorted_while_they_stream(opening: str, closing: str) -> None:
    """One character at a time, thinking goes to the thinking and the rest to the answer."""
    splitter = ThinkingSplitter()
    pieces = [splitter.feed(character) for character in f"a < b [c] {opening}left{closing}up <"]
    pieces.append(splitter.end())
    assert "".join(piece.text for piece in pieces) == "a < b [c] up <"
    assert "".join(piece.reasoning for piece in pieces) == "left"


def test_the_final_channel_is_the_answer() -> None:
    """Channels are told apart, and the marks around the last one do not show."""
    text = "<|channel|>analysis<|message|>left?<|end|><|start|>assistant<|channel|>final<|message|>up<|return|>"
    assert split_reasoning(text) == ("up", "left?")


@pytest.mark.parametrize("space", [ACTIONS, A_B])
@pytest.mark.parametrize(
    "piece",
    [
        "up to ",
        "a ",
        "left risks a hole, ",
        "left. ",
        "give up ",
        "<|end|>",
        "because left ",
        "half of 0.5 ",
        "x=1, ",
        "as ",
    ],
)
def test_long_reasons_are_read_in_linear_time(piece: str, space: AnswerSpace) -> None:
    """Thousands of words of a reason do not slow the reading down (quadratic time would be minutes)."""
    begin = time.process_time()
    for lead in ("up, because ", '{"answer": "up"} ', "B is safer than A. "):
        read(lead + piece * (90_000 // len(piece)), space)
    assert time.process_time() - begin < 15
