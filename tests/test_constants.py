"""The constants that a model file leaves open."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ModelError, UsageError
from engine.mdp.constants import Constant, undefined_constants
from engine.mdp.environment import bare_environment, load_environment
from environments import packaged

if TYPE_CHECKING:
    from pathlib import Path

PRISM = """
// const int commented; is none
mdp
const int N;           // side of the board
const double p ;  // chance of "slipping"
const plain;
const bool on;
const int fixed = 3;
const double half = 1/2; // not const int hidden;
formula constant = N; const rational q;
label "const int quoted;" = true;
module m x : [0..1]; // a comment const int inner;
endmodule
"""


def test_prism_constants_have_names_types_and_comments(tmp_path: Path) -> None:
    """Open constants are found wherever they stand, with PRISM's default type; defined and commented ones are not."""
    file = tmp_path / "model.nm"
    file.write_text(PRISM)
    found = undefined_constants(bare_environment(file))
    assert [(each.name, each.type, each.meaning) for each in found] == [
        ("N", "int", "side of the board"),
        ("p", "double", 'chance of "slipping"'),
        ("plain", "int", ""),
        ("on", "bool", ""),
        ("q", "double", ""),
    ]


def test_jani_constants_have_types(tmp_path: Path) -> None:
    """A bounded integer is an integer, a real is a number, and a constant with a value is not asked for."""
    constants = [
        {"name": "K", "type": {"kind": "bounded", "base": "int", "lower-bound": 0}},
        {"name": "p", "type": "real", "comment": "chance"},
        {"name": "b", "type": "bool"},
        {"name": "N", "type": "int", "value": 3},
    ]
    file = tmp_path / "model.jani"
    file.write_text(json.dumps({"jani-version": 1, "constants": constants}))
    found = undefined_constants(bare_environment(file))
    assert [(each.name, each.type, each.meaning) for each in found] == [
        ("K", "int", ""),
        ("p", "double", "chance"),
        ("b", "bool", ""),
    ]


@pytest.mark.parametrize("text", ["[1, 2", "[]", '{"constants": 3}', '{"constants": [{"name": "K"}]}'])
def test_a_broken_jani_file_is_named(text: str, tmp_path: Path) -> None:
    """What is no JANI object with constants is a model error with the file's path."""
    file = tmp_path / "broken.jani"
    file.write_text(text)
    with pytest.raises(ModelError) as caught:
        undefined_constants(bare_environment(file))
    assert caught.value.where == str(file)


def test_a_missing_file_is_a_usage_error_and_other_formats_have_none(tmp_path: Path) -> None:
    """A file that is not there is said; an explicit model takes no constants."""
    with pytest.raises(UsageError):
        undefined_constants(bare_environment(tmp_path / "none.prism"))
    assert undefined_constants(bare_environment(tmp_path / "model.drn")) == ()


@pytest.mark.parametrize("name", sorted(packaged()))
def test_packaged_environments_explain_what_they_leave_open(name: str) -> None:
    """The constants found in a packaged model are those of its environment.toml; each default is a value."""
    environment = load_environment(packaged()[name])
    found = undefined_constants(environment)
    assert {each.name for each in found} == set(environment.constants)
    for each in found:
        assert each.meaning == environment.constant_help[each.name]
        assert each.complaint(each.default or "") is None


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("int", ["3", " -2 ", "4/2"], ["", "1/2", "x", "1.5", "true", "1e400", "9" * 5000]),
        ("double", ["0.1", "1/3", "2"], ["", "1/0", "x", "nan", "inf", "1e9", "false"]),
        ("bool", ["true", "False"], ["", "1", "yes"]),
    ],
)
def test_values_are_checked_by_type(kind: str, good: list[str], bad: list[str]) -> None:
    """Each type takes its own texts, and a refusal names the constant."""
    constant = Constant("k", kind)  # type: ignore[arg-type]  # parametrize has no literals
    assert [constant.complaint(text) for text in good] == [None] * len(good)
    assert all((constant.complaint(text) or "").startswith("k is ") for text in bad)


def test_only_allowed_values_are_taken() -> None:
    """Values are compared as numbers, and the refusal lists the allowed ones."""
    constant = Constant("map", "int", values=("4", "8"))
    assert constant.complaint("8/1") is None
    assert constant.complaint("5") == "map is one of 4, 8"


@given(st.text())
def test_any_text_gets_an_answer(text: str) -> None:
    """Whatever is typed, the check answers and never raises."""
    for kind in ("int", "double", "bool"):
        answer = Constant("k", kind).complaint(text)  # type: ignore[arg-type]  # as above
        assert answer is None or answer.startswith("k is ")
