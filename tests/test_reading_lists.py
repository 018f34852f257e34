"""Reading orders and sets of options: in any usual form, but only if the text leaves no doubt."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.prompts.reading import Reading, read_answer
from engine.queries.spaces import AnswerSpace, Ranking, SetOf, listed
from engine.verdicts.verdict import InvalidKind

MOVES = Ranking(("left", "down", "right", "up"))
TWINS = Ranking(("a", "a#1", "move a"))
COMMAS = Ranking(("north, fast", "a > b", "north"))
STATES = SetOf(("State 1", "State 2", "State 3", "State 10"))
SYNONYMS = {"left": ("west", "l"), "down": ("south", "d"), "right": ("east", "r"), "up": ("north", "u")}
BLANK, CUT_OFF, UNPARSABLE = InvalidKind.BLANK, InvalidKind.CUT_OFF, InvalidKind.UNPARSABLE
REFUSED, AMBIGUOUS = InvalidKind.REFUSED, InvalidKind.AMBIGUOUS


def read(text: str, space: AnswerSpace, finish: str = "stop") -> Reading:
    """Read with the usual synonyms."""
    return read_answer(text, finish, space, SYNONYMS)


def letters(answer: str | None) -> str:
    """Return the first letters of a list answer's options: ``uldr``."""
    return "".join(option[0] for option in json.loads(answer or "[]"))


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ('{"explanation": "e", "answer": ["up", "left", "down", "right"]}', "uldr"),
        ('{"explanation": "left is bad", "answer": ["UP", " Left ", "down.", "right"]}', "uldr"),
        ('{"answer": ["north", "west", "south", "east"]}', "uldr"),
        ('{"answer": ["u", "l", "d", "r"]}', "uldr"),
        ('{"answer": ["go up", "go left", "go down", "go right"]}', "uldr"),
        ('{"answer": "[\\"up\\", \\"left\\", \\"down\\", \\"right\\"]"}', "uldr"),
        ('{"answer": ["[\\"up\\", \\"left\\", \\"down\\", \\"right\\"]"]}', "uldr"),
        ('{"answer": "up > left > down > right"}', "uldr"),
        ('{"answer": ["up > left > down > right"]}', "uldr"),
        ('{"answer": "up, left, down, right"}', "uldr"),
        ('{"answer": {"1": "up", "2": "left", "3": "down", "4": "right"}}', "uldr"),
        ('{"answer": ["up", "left", "down", "right",]}', "uldr"),
        ("{'explanation': 'left is bad', 'answer': ['up', 'left', 'down', 'right']}", "uldr"),
        ('```json\n{"answer": ["up", "left", "down", "right"]}\n```', "uldr"),
        ('```json\n["up", "left", "down", "right"]\n```', "uldr"),
        ('["up", "left", "down", "right"]', "uldr"),
        ("['up', 'left', 'down', 'right']", "uldr"),
        ("up > left > down > right", "uldr"),
        ("up>left>down>right", "uldr"),
        ("Up → Left → Down → Right", "uldr"),
        ("up -> left -> down -> right", "uldr"),
        ("up; left; down; right.", "uldr"),
        ("up, left, down and right", "uldr"),
        ("up, left, down, and right", "uldr"),
        ("up, then left, then down, finally right", "uldr"),
        ("up, followed by left, down, and lastly right", "uldr"),
        ("up is better than left, which is better than down, then right", "uldr"),
        ("1. up\n2. left\n3. down\n4. right", "uldr"),
        ("1) **up**\n2) **left**\n3) **down**\n4) **right**", "uldr"),
        ("1. up - it avoids the hole\n2. left: slower than up\n3. down\n4. right, the worst", "uldr"),
        ("- up\n- left\n- down\n- right", "uldr"),
        ("1.up 2.left 3.down 4.right", "uldr"),
        ("The order from best to worst is: up, left, down, right.", "uldr"),
        ("Best to worst: up > left > down > right", "uldr"),
        ("up (0.8) > left (0.5) > down (0.5) > right (0.1)", "uldr"),
        ("up: 0.8, left: 0.5, down: 0.5, right: 0.1", "uldr"),
        ("up: 1, left: 2, down: 3, right: 4", "uldr"),
        ("up = 0.8 > left = 0.5 > down = 0.4 > right = 0.1", "uldr"),
        ("up is best, then left, then down, and right is last", "uldr"),
        ("I think up matters.\nAnswer: up > left > down > right", "uldr"),
        ("up > left > down > right, because up avoids the hole", "uldr"),
        ("<think>left > up</think>up > left > down > right", "uldr"),
        ("Ranking: north > west > south > east", "uldr"),
    ],
)
def test_forms_of_an_order(text: str, order: str) -> None:
    """However an order is written down, it is read as the canonical list of the options' own names."""
    reading = read(text, MOVES)
    assert (letters(reading.answer), reading.invalid) == (order, None)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", BLANK),
        ('{"answer": []}', BLANK),
        ('{"answer": null}', BLANK),
        ('{"answer": ""}', BLANK),
        ('{"answer": ["up", "left", "down"]}', UNPARSABLE),
        ('{"answer": ["up"]}', UNPARSABLE),
        ('{"answer": "up"}', UNPARSABLE),
        ('{"answer": "up > left"}', UNPARSABLE),
        ('{"answer": ["up", "left", "down", "jump"]}', UNPARSABLE),
        ('{"answer": ["up", "left", "down", 4]}', UNPARSABLE),
        ('{"answer": ["up", "left", "down", true]}', UNPARSABLE),
        ('{"answer": ["up", "left", "down", ["right"]]}', UNPARSABLE),
        ('{"answer": true}', UNPARSABLE),
        ('{"answer": 1}', UNPARSABLE),
        ('{"explanation": "up > left > down > right"}', UNPARSABLE),
        ("They are all equally good.", UNPARSABLE),
        ('{"answer": ["up", "left", "left", "right"]}', AMBIGUOUS),
        ('{"answer": ["up", "north", "down", "right"]}', AMBIGUOUS),
        ('{"answer": ["up", "left", "down", "right", "up"]}', AMBIGUOUS),
        ('{"answer": ["up", "left", "down or right", "right"]}', AMBIGUOUS),
        ('{"answer": ["up", "left", "not down", "right"]}', AMBIGUOUS),
        ('{"answer": ["up", "left", "down", "right"], "answer": ["left", "up", "down", "right"]}', AMBIGUOUS),
        ('{"answer": ["up", "left", "down", "right"]} {"answer": ["left", "up", "down", "right"]}', AMBIGUOUS),
        ("up > left > down > right or left > up > down > right", AMBIGUOUS),
        ("up > left > down > right. No: left > up.", AMBIGUOUS),
        ("up > left > down > right\nleft > up > down > right", AMBIGUOUS),
        ("up = left > down > right", AMBIGUOUS),
        ("up/left > down > right", AMBIGUOUS),
        ("up or left, down, right", AMBIGUOUS),
        ("up and left, then down, then right", AMBIGUOUS),
        ("right < down < left < up", AMBIGUOUS),
        ("From worst to best: right, down, left, up", AMBIGUOUS),
        ("Worst first: right, down, left, up", AMBIGUOUS),
        ("In ascending order: right, down, left, up", AMBIGUOUS),
        ("right, down, left, up (from worst to best)", AMBIGUOUS),
        ("right, down, left, up in increasing order", AMBIGUOUS),
        ("From lowest to highest risk: up, left, down, right", AMBIGUOUS),
        ("The worst is right, then down, left, up", AMBIGUOUS),
        ("right, down, left, up is the best", AMBIGUOUS),
        ("4. right\n3. down\n2. left\n1. up", AMBIGUOUS),
        ("up: 2, left: 1, down: 4, right: 3", AMBIGUOUS),
        ("up: 4, left: 3, down: 2, right: 1", AMBIGUOUS),
        ('{"answer": {"up": 2, "left": 1, "down": 4, "right": 3}}', AMBIGUOUS),
        ("not up > left > down > right", AMBIGUOUS),
        ("up > left > down, avoid right", AMBIGUOUS),
        ("I'm sorry, I can't rank these.", REFUSED),
        ("I cannot determine the order.", REFUSED),
    ],
)  # fmt: skip
def test_texts_without_one_order(text: str, kind: InvalidKind) -> None:
    """Options left out, repeated or tied, two orders, and an order that may begin with the worst are no answer."""
    reading = read(text, MOVES)
    assert (reading.answer, reading.invalid) == (None, kind), reading.detail
    assert reading.detail


@pytest.mark.parametrize(
    ("text", "space", "order"),
    [
        ("a#1 > move a > a", TWINS, ["a#1", "move a", "a"]),
        ("a, a#1, move a", TWINS, ["a", "a#1", "move a"]),
        ('{"answer": ["move a", "a", "a#1"]}', TWINS, ["move a", "a", "a#1"]),
        ("1. move a\n2. a#1\n3. a", TWINS, ["move a", "a#1", "a"]),
        ("north, a > b, north, fast", COMMAS, ["north", "a > b", "north, fast"]),
        ("a > b > north, fast > north", COMMAS, ["a > b", "north, fast", "north"]),
        ('["north, fast", "a > b", "north"]', COMMAS, ["north, fast", "a > b", "north"]),
        ("action 1 > action 0", Ranking(("action 0", "action 1")), ["action 1", "action 0"]),
        ("stake10, stake1", Ranking(("stake1", "stake10")), ["stake10", "stake1"]),
        ("A then B", Ranking(("B", "A")), ["A", "B"]),
    ],
)
def test_options_that_contain_each_other_or_signs(text: str, space: AnswerSpace, order: list[str]) -> None:
    """A name inside another one, or with a comma or a ``>`` in it, is no trap: names are looked for whole."""
    assert json.loads(read(text, space).answer or "null") == order


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ('{"explanation": "e", "answer": ["State 1", "State 3"]}', [1, 3]),
        ('{"explanation": "State 2 is fine", "answer": ["State 3", "State 1"]}', [1, 3]),
        ('{"answer": ["state 1", "STATE 3."]}', [1, 3]),
        ('{"answer": ["State 1", "State 1"]}', [1]),
        ('{"answer": [1, 3]}', [1, 3]),
        ('{"answer": ["1", "10"]}', [1, 10]),
        ('{"answer": [10]}', [10]),
        ('{"answer": "State 1, State 3"}', [1, 3]),
        ('{"answer": ["State 1, State 3"]}', [1, 3]),
        ('{"answer": "States 1 and 3"}', [1, 3]),
        ('{"answer": "States 1, 2, and 10"}', [1, 2, 10]),
        ('{"answer": "1, 3"}', [1, 3]),
        ('{"answer": 3}', [3]),
        ('{"answer": "State 10"}', [10]),
        ('{"answer": "[\\"State 2\\"]"}', [2]),
        ('["State 1", "State 10"]', [1, 10]),
        ('```\n["State 2"]\n```', [2]),
        ("['State 1', 'State 2']", [1, 2]),
        ("State 1 and State 3", [1, 3]),
        ("State 1; State 2 & State 10.", [1, 2, 10]),
        ("- State 1\n- State 3", [1, 3]),
        ("1. State 2\n2. State 3", [2, 3]),
        ("States 1 and 3 are dead ends.", [1, 3]),
        ("The dead ends are State 1 and State 3.", [1, 3]),
        ("Only State 2 is a bottleneck, because every run passes it.", [2]),
        ("Answer: State 2", [2]),
        ('{"answer": []}', []),
        ('{"answer": "[]"}', []),
        ('{"answer": "none"}', []),
        ('{"answer": ["none"]}', []),
        ("[]", []),
        ("None.", []),
        ("None of them", []),
        ("There are no dead ends.", []),
        ("No state is a dead end.", []),
        ("the empty set", []),
        ("All of them.", [1, 2, 3, 10]),
        ('{"answer": "all"}', [1, 2, 3, 10]),
    ],
)
def test_forms_of_a_set(text: str, numbers: list[int]) -> None:
    """A set comes as a list, as names, as numbers of states, as none or as all; it is read in the options' order."""
    reading = read(text, STATES)
    assert (reading.answer, reading.invalid) == (listed(f"State {number}" for number in numbers), None)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", BLANK),
        ('{"answer": null}', BLANK),
        ('{"answer": ""}', BLANK),
        ('{"answer": [""]}', BLANK),
        ('{"answer": ["State 4"]}', UNPARSABLE),
        ('{"answer": ["State 1", "State 4"]}', UNPARSABLE),
        ('{"answer": [1, 4]}', UNPARSABLE),
        ('{"answer": "State 4"}', UNPARSABLE),
        ('{"answer": [true]}', UNPARSABLE),
        ('{"answer": true}', UNPARSABLE),
        ('{"answer": "no"}', UNPARSABLE),
        ('{"answer": ["State 1", ["State 2"]]}', UNPARSABLE),
        ('{"answer": ["State 1", "State 2", "State 3", "State 10", "State 1"]}', UNPARSABLE),
        ('{"answer": ["State 1"', UNPARSABLE),
        ("The first two.", UNPARSABLE),
        ("No idea.", UNPARSABLE),
        ('{"answer": ["State 1"], "answer": ["State 2"]}', AMBIGUOUS),
        ('{"answer": "State 1, State 4"}', AMBIGUOUS),
        ('{"answer": ["not State 1"]}', AMBIGUOUS),
        ('{"answer": ["State 1: not a dead end", "State 2"]}', AMBIGUOUS),
        ('{"answer": ["State 1 or State 2"]}', AMBIGUOUS),
        ("State 1 or State 2", AMBIGUOUS),
        ("State 1 and perhaps State 2", AMBIGUOUS),
        ("State 1, but not State 2", AMBIGUOUS),
        ("All but State 2", AMBIGUOUS),
        ("All except State 2", AMBIGUOUS),
        ("None of State 1 and State 2", AMBIGUOUS),
        ("State 1 is not a dead end", AMBIGUOUS),
        ("State 1 isn't a dead end", AMBIGUOUS),
        ("State 1: yes, State 2: no", AMBIGUOUS),
        ("State 1 is a dead end. State 2 leads to the goal.", AMBIGUOUS),
        ("State 1 and 4", AMBIGUOUS),
        ("States 1 to 3", AMBIGUOUS),
        ("State 1-3", UNPARSABLE),
        ("Answer: State 1\nAnswer: State 2", AMBIGUOUS),
        ("I cannot determine which.", REFUSED),
    ],
)  # fmt: skip
def test_texts_without_one_set(text: str, kind: InvalidKind) -> None:
    """Unknown members, denials, doubts and words about other states are no answer."""
    reading = read(text, STATES)
    assert (reading.answer, reading.invalid) == (None, kind), reading.detail
    assert reading.detail


@pytest.mark.parametrize("space", [MOVES, STATES], ids=["ranking", "set"])
@pytest.mark.parametrize(
    "text",
    ['{"explanation": "e", "answer": ["left", "do', '{"answer": ["State 1"', "State 1, ", "left > down >"],
)
def test_a_list_that_breaks_off_is_cut_off(text: str, space: AnswerSpace) -> None:
    """A list without its end is no shorter list."""
    assert read(text, space, "length").invalid is CUT_OFF


NAMES = st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6, unique=True)
HARD_NAMES = (
    "a",
    "A",
    "a#1",
    "a b",
    "b",
    "a, b",
    "a > b",
    "not a",
    "none",
    "all",
    "1",
    "State 1",
    "[a]",
    '"',
    "worst",
    ",",
)
TRICKY = st.lists(st.sampled_from(HARD_NAMES), min_size=1, max_size=6, unique=True)


@given(st.data(), NAMES | TRICKY, st.booleans(), st.text(max_size=30))
def test_canonical_lists_read_back(data: st.DataObject, names: list[str], ranking: bool, explanation: str) -> None:
    """The reply with any valid list reads back as itself, and so does the list's text, whatever options are called."""
    space = Ranking(tuple(names)) if ranking else SetOf(tuple(names))
    order = data.draw(st.permutations(names))
    size = len(names) if ranking else data.draw(st.integers(0, len(names)))
    valid = listed(order) if isinstance(space, Ranking) else space.of(order[:size])
    reply = json.dumps({"explanation": explanation, "answer": json.loads(valid)})
    for text in (reply, json.dumps({"answer": valid}), valid):
        assert read(text, space).answer == valid


WORDS = ("left", "right", "up", "down", "State 1", "State 2", "States 1 and 2", "none", "all", "worst", "best", "0.5")
JOINTS = (
    ", ",
    " > ",
    " = ",
    " or ",
    " not ",
    " and ",
    " is ",
    ": 3",
    "\n1. ",
    '{"answer": [',
    "[",
    "]",
    '"',
    "{",
    "}",
    "(",
    ")",
)
PIECES = st.lists(st.sampled_from((*WORDS, *JOINTS)) | st.text(max_size=4), max_size=14).map("".join)


@given(PIECES, st.sampled_from([MOVES, STATES, TWINS, COMMAS]) | NAMES.map(lambda names: SetOf(tuple(names))))
def test_any_text_is_read_without_a_crash(text: str, space: Ranking | SetOf) -> None:
    """Reading never raises; what it gives is a valid answer or a kind with a reason, never both."""
    reading = read(text, space)
    assert (reading.answer is None) == (reading.invalid is not None) == bool(reading.detail)
    if reading.answer is not None:
        members = json.loads(reading.answer)
        assert len(members) == len(set(members))
        assert set(members) <= set(space.options)
        assert isinstance(space, SetOf) or len(members) == len(space.options)


@given(st.permutations(MOVES.options), st.sampled_from([" > ", ", ", "; ", " → ", "\n", ", then "]), st.data())
def test_no_order_is_read_where_an_option_is_missing_or_repeated(
    order: list[str], joint: str, data: st.DataObject
) -> None:
    """Taking one option out of an order, or writing another one in its place, always makes it unusable."""
    assert read(joint.join(order), MOVES).answer == listed(order)
    position = data.draw(st.integers(0, 3))
    other = data.draw(st.sampled_from([name for name in order if name != order[position]]))
    assert read(joint.join(order[:position] + order[position + 1 :]), MOVES).answer is None
    assert read(joint.join([*order[:position], other, *order[position + 1 :]]), MOVES).answer is None


@pytest.mark.parametrize(
    "text",
    [
        "left > " * 14_000,
        "left right up down " * 5_000,
        "1. left\n" * 10_000,
        "State 1, " * 11_000,
        "States 1 and 2 " * 6_000,
        "state " * 16_000,
        "1, " * 33_000,
        "[" * 99_000,
        '{"answer": [' + '"left", ' * 12_000 + '"up"]}',
        '{"answer": [' + "[" * 90_000,
        "answer: [" * 11_000,
        "left (" * 16_000,
        "left" + " and" * 24_000 + " right",
        "left" + "=" * 95_000 + "right",
        "```" * 33_000,
        "none of " * 12_000,
        "there is no " * 8_000,
    ],
    ids=lambda text: f"{text[:10]}…{len(text)}",
)
@pytest.mark.parametrize("space", [MOVES, STATES], ids=["ranking", "set"])
def test_hostile_lists_are_read_quickly(text: str, space: AnswerSpace) -> None:
    """Long repetitions take no more than a moment (quadratic time would be minutes)."""
    begin = time.process_time()
    read(text, space)
    assert time.process_time() - begin < 5
