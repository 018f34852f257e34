"""The baselines answer in the form that is asked for, exactly, and the same on every machine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.explainers.base import Question
from engine.explainers.baselines import BASELINES, draw
from engine.prompts.reading import read_answer
from engine.prompts.schema import reply_schema
from engine.queries.case import Case
from engine.queries.spaces import A_B, YES_NO, AnswerSpace, Number, OneOf, Probability, Ranking, SetOf

ACTIONS = OneOf(("left", "down", "right", "up"))
BY_NAME = {baseline.name: baseline for baseline in BASELINES}


def question(space: AnswerSpace, *accepted: str, case: str = "c1", seed: int = 0, sample: int = 0) -> Question:
    """Return a question over a space."""
    made = Case(case, "category", (0,), space, accepted or (space.first(),), {}, None, {}, "manual")
    return Question(made, "", "?", reply_schema(space), "plain", sample=sample, seed=seed)


SPACES = {
    "actions": ACTIONS,
    "yes/no": YES_NO,
    "pair": A_B,
    "number": Probability(),
    "reward": Number("0", "20"),
    "ranking": Ranking(ACTIONS.options),
    "set": SetOf(("State 1", "State 2", "State 3")),
}


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("name", sorted(BY_NAME))
async def test_every_baseline_gives_a_readable_valid_answer(name: str, space: AnswerSpace) -> None:
    """Each baseline's reply reads back as a valid answer of every space."""
    baseline = BY_NAME[name]
    await baseline.start()
    reply = await baseline.ask(question(space))
    await baseline.close()
    reading = read_answer(reply.text, reply.finish, space, {})
    assert reading.invalid is None
    assert reading.explanation
    assert reading.answer is not None
    match space:
        case OneOf(options):
            assert reading.answer in options
        case Ranking(options):
            assert sorted(json.loads(reading.answer)) == sorted(options)
        case SetOf(options):
            assert set(json.loads(reading.answer)) <= set(options)
        case _:
            assert 0 <= Fraction(reading.answer) <= (20 if isinstance(space, Number) else 1)


@pytest.mark.parametrize(
    ("name", "space", "expected"),
    [
        ("first", ACTIONS, "left"),
        ("first", YES_NO, "yes"),
        ("first", Probability(), "0"),
        ("half", ACTIONS, "down"),
        ("half", YES_NO, "yes"),
        ("half", Probability(), "1/2"),
        ("half", Number("1", "20"), "21/2"),
        ("first", Ranking(("b", "a")), '["b", "a"]'),
        ("half", SetOf(("State 1", "State 2", "State 3")), '["State 1", "State 2"]'),
    ],
)
async def test_fixed_baselines_answer_as_defined(name: str, space: AnswerSpace, expected: str) -> None:
    """`first` takes the first option and `half` the middle answer (methods.md 1.4)."""
    reply = await BY_NAME[name].ask(question(space))
    value = json.loads(reply.text)["answer"]
    assert value == (json.loads(expected) if isinstance(space, Ranking | SetOf) else expected)


@given(st.fractions(min_value=0, max_value=1))
async def test_oracle_keeps_every_fraction_exact(value: Fraction) -> None:
    """The oracle's probability survives writing and reading without any rounding."""
    reply = await BY_NAME["oracle"].ask(question(Probability(), str(value)))
    reading = read_answer(reply.text, reply.finish, Probability(), {})
    assert reading.answer is not None
    assert Fraction(reading.answer) == value


async def test_oracle_gives_the_first_accepted_answer() -> None:
    """With several accepted answers the oracle gives one of them."""
    reply = await BY_NAME["oracle"].ask(question(ACTIONS, "right", "up"))
    assert json.loads(reply.text)["answer"] == "right"


def test_random_draws_depend_on_seed_case_and_sample_only() -> None:
    """The same seed, case and sample give the same draw; changing any one changes some draws."""
    space = Probability()

    def draws(seed: int, sample: int, prefix: str) -> list[str]:
        return [draw(question(space, case=f"{prefix}{i}", seed=seed, sample=sample)) for i in range(8)]

    base = draws(0, 0, "a")
    assert base == draws(0, 0, "a")
    assert all(base != other for other in (draws(1, 0, "a"), draws(0, 1, "a"), draws(0, 0, "b")))


def test_random_is_the_same_in_another_process() -> None:
    """Another interpreter with another hash seed draws the same answers."""
    here = [draw(question(ACTIONS, case=f"case {i}", seed=3)) for i in range(20)]
    root = Path(__file__).parents[1]
    code = (
        "import test_explainers_baselines as t;"
        "print(' '.join(t.draw(t.question(t.ACTIONS, case=f'case {i}', seed=3)) for i in range(20)))"
    )
    there = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": f"{root}:{root / 'tests'}", "PYTHONHASHSEED": "12345"},
    )
    assert there.stdout.split() == here


def test_random_is_close_to_uniform() -> None:
    """Over 2,000 cases each of four actions comes within five standard deviations of 500 (97 each way)."""
    counts = Counter(draw(question(ACTIONS, case=str(i))) for i in range(2000))
    assert set(counts) == set(ACTIONS.options)
    assert all(abs(count - 500) < 97 for count in counts.values())


async def test_first_and_half_go_by_the_order_that_is_shown() -> None:
    """Where the prompt lists the options in another order, the first one and the one in the middle are those of it."""
    shown = ("up", "right", "left", "down")
    asked = replace(question(ACTIONS), shown=shown)
    replies = {name: await BY_NAME[name].ask(asked) for name in ("first", "half")}
    assert {name: json.loads(reply.text)["answer"] for name, reply in replies.items()} == {
        "first": "up",
        "half": "right",
    }
