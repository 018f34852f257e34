"""States are named as people know them, and the names reach refusals and reasons."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from reference import frozen_lake_4x4

from engine.errors import UsageError
from engine.explainers.base import Reply
from engine.queries.generation import case_for
from engine.queries.names import LONGEST, state_name, state_names
from engine.verdicts.grading import judge

LAKE = frozen_lake_4x4()
SHIFTED = replace(LAKE, mdp=replace(LAKE.mdp, valuations={"pos": np.arange(16) + 100}))
"""The same lake with tiles that cannot be mistaken for state numbers."""
BARE = replace(LAKE, mdp=replace(LAKE.mdp, valuations={}))


@pytest.mark.parametrize(
    ("category", "states", "answer", "said"),
    [
        ("subset-has-dead-end", [1, 5], "no", "answered no: state pos=105 is a dead end"),
        ("subset-has-dead-end", [5, 7], "yes", "answered yes: states pos=105; pos=107 are dead ends"),
        ("is-bottleneck", [14], "no", "answered no: state pos=114 is a bottleneck"),
        ("is-bottleneck", [1], "yes", "answered yes: state pos=101 is no bottleneck"),
    ],
)
def test_reasons_name_tiles(category: str, states: list[int], answer: str, said: str) -> None:
    """A verdict's reason names states by valuation, from the case alone."""
    case = case_for(SHIFTED, category, states)
    assert said in judge(BARE, case, Reply(text=json.dumps({"answer": answer}))).reason


@pytest.mark.parametrize(
    ("category", "states", "said"),
    [
        ("more-promising", [9, 1], "states pos=109 and pos=101 are tied"),
        ("best-action", [0], "all actions of state pos=100 are tied"),
        ("is-bottleneck", [15], "state pos=115 is a target"),
    ],
)
def test_refusals_name_tiles(category: str, states: list[int], said: str) -> None:
    """A refusal names the states as the user wrote them."""
    with pytest.raises(UsageError, match=said):
        case_for(SHIFTED, category, states)


def test_numbers_of_a_case_are_keyed_by_name() -> None:
    """The values of a subset's members are listed by valuation; without one, by number."""
    assert case_for(SHIFTED, "subset-has-dead-end", [1, 5]).numbers["V"] == {"pos=101": "14/17", "pos=105": "0"}
    assert case_for(BARE, "subset-has-dead-end", [1, 5]).numbers["V"] == {"1": "14/17", "5": "0"}


def test_names_are_short_and_never_shared() -> None:
    """Long valuations are cut, and where two states would be called the same the numbers follow."""
    wide = {f"variable{column}": np.zeros(16, dtype=np.int64) for column in range(20)}
    mdp = replace(LAKE.mdp, valuations=wide)
    names = state_names(mdp, [3, 4])
    assert len(set(names)) == len(names)
    for name, state in zip(names, (3, 4), strict=True):
        assert name.startswith("variable0=0,variable1=0,")
        assert name.endswith(f",… (number {state})")
        assert len(name) <= LONGEST + len(" (number 4)")
    equal = replace(LAKE.mdp, valuations={"on": np.array([True] * 16)})
    assert state_names(equal, [3, 4]) == ("on=true (number 3)", "on=true (number 4)")
    assert state_name(equal, 3) == "on=true"
