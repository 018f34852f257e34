"""Exported files whose model has only doubles, labels of no state there, or rewards without a name."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from cli_support import json_of, run_cli
from hypothesis import given
from hypothesis import strategies as st

from engine.oracle.policy.exact_rows import exact_row

if TYPE_CHECKING:
    from pathlib import Path

GOAL = 'Pmax=? [F "goal"]'
LAKE = Fraction(14, 17)
"""V of the frozen lake, as its environment states it."""

REWARDS = """mdp
module m
  s : [0..2] init 0;
  [a] s=0 -> 1/2 : (s'=1) + 1/2 : (s'=2);
  [b] s=0 -> (s'=2);
  [c] s=1 -> true;
  [d] s=2 -> (s'=0);
endmodule
label "goal" = s=1;
rewards [a] true : 1/3; endrewards
"""
"""The goal takes two tries of `a` on average, a third each: 2/3."""
TWO = REWARDS + 'rewards "toll" [b] true : 5; endrewards\n'


def written(folder: Path, text: str) -> str:
    """Write a model and return its path."""
    (folder / "m.prism").write_text(text)
    return str(folder / "m.prism")


def value_of(*arguments: str) -> object:
    """Return V at the first initial state, as JSON."""
    return json_of("check", *arguments)["initial"][0]["value"]


# Doubles


@pytest.mark.parametrize("mode", ["exact", "sound"])
def test_a_lake_in_bounds_is_exported_and_read_again(tmp_path: Path, mode: str) -> None:
    """Thirds that are known as doubles only are thirds in the file: V there is 14/17, exactly or enclosed."""
    path = str(tmp_path / "lake.drn")
    asked = ["check", "frozen_lake", "--mode", "sound", "--where", "pos=0", "--depth", "20", "--limit", "0"]
    found = json_of(*asked, "--export-neighbourhood", path)
    assert any("doubles" in note for note in found["written_notes"])
    value = value_of(path, "--objective", GOAL, "--mode", mode)
    if mode == "exact":
        assert value == str(LAKE)
    else:
        assert isinstance(value, dict)
        assert Fraction(value["lower"]) <= LAKE <= Fraction(value["upper"])


def test_a_chain_in_bounds_is_exported_and_read_again(tmp_path: Path) -> None:
    """The chain of the only policy of a model in doubles: a gambler's ruin by thirds wins from 1 of 3 with 1/7."""
    ruin = """mdp
module m
  s : [0..3] init 1;
  [play] s=1 | s=2 -> 1/3 : (s'=s+1) + 2/3 : (s'=s-1);
  [stay] s=0 | s=3 -> true;
endmodule
label "goal" = s=3;
"""
    chain = str(tmp_path / "c.drn")
    asked = ["check", written(tmp_path, ruin), "--objective", GOAL, "--mode", "sound", "--limit", "0"]
    assert run_cli(*asked, "--export-chain", chain).exit_code == 0
    assert value_of(chain, "--objective", GOAL, "--mode", "exact") == "1/7"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([1 / 3, 2 / 3], [Fraction(1, 3), Fraction(2, 3)]),
        ([0.1, 0.2, 0.7], [Fraction(1, 10), Fraction(1, 5), Fraction(7, 10)]),
        ([1 / 3] * 3, [Fraction(1, 3)] * 3),
        ([Fraction(2, 7), Fraction(5, 7)], [Fraction(2, 7), Fraction(5, 7)]),
        ([1.0], [Fraction(1)]),
    ],
)
def test_doubles_become_the_simplest_fractions(row: list[float], expected: list[Fraction]) -> None:
    """Where the simplest fractions that round to the doubles sum to 1, they are taken."""
    assert exact_row(row) == expected


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=6))
def test_every_row_of_doubles_sums_to_one(weights: list[float]) -> None:
    """Whatever the doubles, the fractions sum to 1 exactly and are theirs up to rounding."""
    total = sum(weights)
    row = [weight / total for weight in weights]
    found = exact_row(row)
    assert sum(found) == 1
    assert [float(number) for number in found] == pytest.approx(row, rel=1e-12)


# Labels of no state


def test_a_label_of_no_state_is_told(tmp_path: Path) -> None:
    """The corner of the lake has neither goal nor hole: the file's head and a note say so; of all states none does."""
    path = tmp_path / "corner.drn"
    asked = ["check", "frozen_lake", "--where", "pos=0", "--limit", "0", "--export-neighbourhood", str(path)]
    run = run_cli(*asked, "--depth", "1")
    assert 'has the labels "goal", "unsafe"' in run.stdout
    assert "// labels of the model that no state here has: goal, unsafe\n" in path.read_text()
    assert value_of(str(path), "--objective", 'Pmax=? [F "init"]') == "1"
    assert json_of(*asked, "--depth", "20")["written_notes"] == []
    assert "//" not in path.read_text()


# Rewards without a name


@pytest.mark.parametrize("mode", ["exact", "sound"])
def test_rewards_without_a_name_are_exported(tmp_path: Path, mode: str) -> None:
    """They are in the file under a name that is told, beside others as well, and have the value 2/3."""
    path = str(tmp_path / "n.drn")
    for text in (REWARDS, TWO):
        model = written(tmp_path, text)
        asked = ["check", model, "--objective", GOAL, "--where", "s=0", "--mode", mode, "--limit", "0"]
        found = json_of(*asked, "--export-neighbourhood", path)
        assert any('"default"' in note for note in found["written_notes"])
        value = value_of(path, "--objective", f'R{{"default"}}min=? [{GOAL[GOAL.index("F") :]}', "--mode", "sound")
        assert isinstance(value, dict)
        assert Fraction(value["lower"]) <= Fraction(2, 3) <= Fraction(value["upper"])


@pytest.mark.parametrize("mode", ["exact", "sound"])
def test_rewards_without_a_name_are_checked(tmp_path: Path, mode: str) -> None:
    """Where they are the only ones, ``Rmin=?`` is about them, exactly and in bounds."""
    value = value_of(written(tmp_path, REWARDS), "--objective", 'Rmin=? [F "goal"]', "--mode", mode)
    if mode == "exact":
        assert value == "2/3"
    else:
        assert isinstance(value, dict)
        assert Fraction(value["lower"]) <= Fraction(2, 3) <= Fraction(value["upper"])


@pytest.mark.parametrize(
    ("text", "objective", "words"),
    [
        (TWO, 'Rmin=? [F "goal"]', ("names none", '"toll"', "without a name", 'R{"cost"}')),
        (TWO, 'R{""}min=? [F "goal"]', ("without a name are R alone", "give them one in the model")),
        (TWO.replace('"toll"', '"default"'), GOAL, ('called "default"', "give them a name")),
    ],
)
def test_rewards_that_cannot_be_addressed_are_told(
    tmp_path: Path, text: str, objective: str, words: tuple[str, ...]
) -> None:
    """One of several rewards cannot be asked about without a name: the message says what to write."""
    run = run_cli("check", written(tmp_path, text), "--objective", objective)
    assert run.exit_code in {2, 3}
    for part in words:
        assert part in run.stderr
