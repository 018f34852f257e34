"""Ranges of constants: declared by environments, checked before a model is built."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from cli_support import run_cli

from engine.errors import UsageError
from engine.mdp.constants import Constant, undefined_constants
from engine.mdp.environment import load_environment
from engine.mdp.ranges import require_ranges
from engine.mdp.sources import find_model
from environments import packaged

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = """title = "T"
summary = "S."
model = "m.prism"
[constants]
top = "5"
start = "1"
[constant_ranges]
start = { least = "1", most = "MOST" }
"""


def _ends(name: str) -> list[tuple[str, str, str]]:
    """Return constant, end and the value next to it outside, for every end of an environment that is a number."""
    found = []
    for constant, declared in load_environment(packaged()[name]).constant_ranges.items():
        for end, step in ((declared.least, -1), (declared.most, 1)):
            if end is not None and end.replace("/", "").isdecimal():
                found.append((constant, end, str(Fraction(end) + Fraction(step, 100))))
    return found


@pytest.mark.parametrize("name", sorted(packaged()))
def test_every_constant_says_what_makes_sense(name: str) -> None:
    """Each constant of a packaged environment has a range or a list of values; its default is inside."""
    environment = load_environment(packaged()[name])
    assert set(environment.constants) == set(environment.constant_ranges) | set(environment.constant_values)
    require_ranges(environment, environment.constants)


@pytest.mark.parametrize("name", sorted(packaged()))
def test_ends_are_inside_and_what_is_beyond_is_not(name: str) -> None:
    """A number beyond an end is refused by the name of the option; the end itself is taken."""
    environment = load_environment(packaged()[name])
    loose = {
        "dam": {"drought": "0", "flood": "0", "start": "1"},
        "stock_market": {"rise": "0", "fall": "0"},
        "gambler": {"start": "1"},
    }.get(name, {})
    for constant, end, beyond in _ends(name):
        others = {**environment.constants, **loose}
        require_ranges(environment, {**others, constant: end})
        with pytest.raises(UsageError) as caught:
            require_ranges(environment, {**others, constant: beyond})
        assert caught.value.where == "--const"
        assert caught.value.what.startswith(f"{constant} = {beyond} is out of range")


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("dam", "flood=0.9,drought=0.9", "flood = 0.9 is out of range: it is at least 0 and at most 1 - drought / 2"),
        ("dam", "start=9", "at most top - 1 (here 8)"),
        ("gambler", "target=20", "start = 50 is out of range: it is at least 1 and at most target - 1 (here 19)"),
        ("stock_market", "rise=0.7,fall=0.7", "at most 1 - fall (here 3/10)"),
        ("frozen_lake", "slip=2/3", "at most 1/2"),
        ("transporter", "size=1", "at least 2"),
    ],
)
def test_a_constant_out_of_range_is_one_message_before_the_model_is_built(name: str, given: str, says: str) -> None:
    """It is the user's mistake (2), not the model's (3), and the hint says what the constant means."""
    result = run_cli("check", name, "--const", given)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --const: ")
    assert says in result.stderr
    assert "\n  → " in result.stderr


def test_probabilities_that_just_fit_are_taken() -> None:
    """With a flood of 0.8 and a drought of 0.4 the wet month has exactly no normal inflow left."""
    environment = find_model("dam").environment
    require_ranges(environment, {**environment.constants, "flood": "0.8", "drought": "0.4"})
    with pytest.raises(UsageError):
        require_ranges(environment, {**environment.constants, "flood": "0.8", "drought": "0.400000000000000001"})


def test_a_field_knows_the_ends_that_are_numbers() -> None:
    """Where a constant is asked for, an end is said at once; one that depends on others is left to the request."""
    found = {constant.name: constant for constant in undefined_constants(find_model("gambler").environment)}
    assert found["target"].complaint("101") == "target is at most 100"
    assert found["target"].complaint("1") == "target is at least 2"
    assert found["start"].complaint("0") == "start is at least 1"
    assert found["start"].most is None
    assert Constant("p", "double", most=Fraction(1, 3)).complaint("0.33") is None


@pytest.mark.parametrize(
    ("most", "start", "says"),
    [
        ("top - 1", "5", "at most top - 1 (here 4)"),
        ("tip - 1", "2", "no variable or constant tip"),
        ("top -", "2", "constant_ranges.start: the expression is incomplete in 'top -'"),
        ("top / 2", "3", "(here 5/2)"),
        ("top / 0", "3", "division by zero"),
    ],
)
def test_ends_may_be_expressions_and_wrong_ones_are_named(tmp_path: Path, most: str, start: str, says: str) -> None:
    """An end that cannot be computed is a mistake in environment.toml, named by its key."""
    (tmp_path / "environment.toml").write_text(FOLDER.replace("MOST", most))
    environment = load_environment(tmp_path)
    with pytest.raises(UsageError) as caught:
        require_ranges(environment, {"top": "5", "start": start})
    assert says in str(caught.value)


def test_what_is_no_number_is_left_to_the_model(tmp_path: Path) -> None:
    """The model knows the types: a text or infinity is refused there, not here."""
    (tmp_path / "environment.toml").write_text(FOLDER.replace("MOST", "top - 1"))
    environment = load_environment(tmp_path)
    for value in ("true", "inf", "x"):
        require_ranges(environment, {"top": "5", "start": value})
        require_ranges(environment, {"top": value, "start": "3"})
