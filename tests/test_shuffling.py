"""Shuffled prompts: another order in each sample, the same names, the same answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import pytest
from reference import frozen_lake_4x4

from engine.explainers.base import Reply
from engine.prompts.rendering import render
from engine.prompts.shuffling import Order
from engine.queries.generation import case_for, generate
from engine.queries.registry import all_categories
from engine.queries.spaces import Number, Probability
from engine.verdicts.grading import judge
from engine.verdicts.verdict import Outcome

LAKE = frozen_lake_4x4()


def actions_in(text: str) -> list[str]:
    """Return the available actions of the only state, in the order of the prompt."""
    found = re.search(r"^State: .*Available actions: (.*)\.$", text, re.MULTILINE)
    assert found is not None
    return found[1].split(", ")


def test_an_order_is_the_same_on_every_machine_and_uniform() -> None:
    """Seed, case and sample decide the order; over many samples all orders of four names occur about equally often."""
    assert Order("c0ffee", 3, 1).of(("left", "down", "right", "up")) == Order("c0ffee", 3, 1).of(
        ("up", "left", "right", "down")
    )
    drawn = Counter(Order("c0ffee", 0, sample).of("abcd") for sample in range(2400))
    assert len(drawn) == 24
    assert max(drawn.values()) < 2 * min(drawn.values())
    assert Order("c0ffee", 0, 0).of("abcdefgh") != Order("c0ffee", 1, 0).of("abcdefgh")
    assert Order("c0ffee", 0, 0).of("abcdefgh") != Order("decaf", 0, 0).of("abcdefgh")


def test_actions_are_listed_in_the_same_order_everywhere() -> None:
    """The state's actions, the answer's options and the schema agree, and differ between samples."""
    case = case_for(LAKE, "best-action", [14])
    orders = set()
    for sample in range(12):
        question = render(LAKE, case, sample=sample, shuffle=True)
        orders.add(question.shown)
        assert sorted(question.shown) == ["down", "left", "right", "up"]
        assert actions_in(question.user) == list(question.shown)
        assert question.user.endswith(f"one of: {', '.join(question.shown)}.")
        assert question.schema["properties"]["answer"]["enum"] == list(question.shown)
    assert len(orders) > 6
    assert render(LAKE, case, sample=5, shuffle=True) == render(LAKE, case, sample=5, shuffle=True)


def test_without_shuffling_the_models_own_order_stands() -> None:
    """The options are shown as the case lists them, in every sample."""
    case = case_for(LAKE, "best-action", [14])
    assert {render(LAKE, case, sample=sample).shown for sample in range(5)} == {("left", "down", "right", "up")}


def test_a_pair_keeps_its_names() -> None:
    """Either state may be listed first, but A stays the state that it was, so the accepted answer stays."""
    case = case_for(LAKE, "more-promising", [6, 14])
    places = {"A": "row 2, column 3", "B": "row 4, column 3"}
    firsts = set()
    for sample in range(12):
        question = render(LAKE, case, sample=sample, shuffle=True)
        lines = [line for line in question.user.splitlines() if line.startswith("State ")]
        assert [line[6] for line in lines] == list(question.shown)
        assert all(places[line[6]] in line for line in lines)
        firsts.add(question.shown[0])
    assert firsts == {"A", "B"}


@pytest.mark.parametrize("category", list(all_categories()))
def test_shuffling_changes_nothing_but_the_order(category: str) -> None:
    """Sorting the words of a shuffled prompt gives those of the plain one; the true answer passes in either."""
    for case in generate(LAKE, [category], budget=3).cases:
        plain, other = render(LAKE, case), render(LAKE, case, sample=1, shuffle=True)
        words = [sorted(re.findall(r"[\w/.]+", question.user.replace(".", ""))) for question in (plain, other)]
        assert words[0] == words[1]
        assert sorted(plain.shown) == sorted(other.shown)
        assert bool(plain.shown) != isinstance(case.space, Probability | Number)
        answer = case.accepted[0]
        value = json.loads(answer) if answer.startswith("[") else answer
        reply = Reply(text=json.dumps({"explanation": "e", "answer": value}), finish="stop")
        assert judge(LAKE, other.case, reply).outcome is Outcome.PASS


def test_the_case_itself_is_untouched() -> None:
    """A question carries the case as it was generated: baselines and graders do not see the order."""
    case = case_for(LAKE, "best-action", [14])
    assert render(LAKE, case, sample=3, shuffle=True).case == replace(case)
