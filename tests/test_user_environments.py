"""A user's model with a user's words: saved, listed, checked and asked about like a packaged environment."""

from __future__ import annotations

import itertools
import json
import os
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from storm_support import HALF
from typer.testing import CliRunner

from engine.cli.app import app
from engine.errors import UsageError
from engine.mdp.environment import GridLayout, load_environment
from engine.mdp.sources import find_model, known_environments, user_environments_dir
from engine.mdp.user_environments import Words, delete_environment, save_environment, saved_words
from engine.oracle.client import open_oracle
from engine.prompts.rendering import render
from engine.queries.generation import generate

if TYPE_CHECKING:
    from pathlib import Path

    from engine.mdp.sources import Source
    from engine.oracle.facts import Oracle

WORDS = Words("Two doors", "You stand before two doors.", "reaching the garden")

_NUMBERS = itertools.count()

HOSTILE = (
    "{{ 1/0 }} {% include 'x' %} {# comment #} {%- endmacro -%}",
    'quotes " and \' and """ and \\ and \\" and \\n',
    "first line\nsecond line\n\n\nlast line",
    "}} -%} ]] ''' \x7f # %",
    "emoji 🐺, Zürich, \u2028 a separator, \u200b nothing, \ufeff mark",
    "{{ cycler.__init__.__globals__ }} [red]markup[/red] &lt;b&gt;",
    "\\x7b\\u0041\\N{DASH} 100 %d {0} {name}",
)


@pytest.fixture(autouse=True)
def _own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def _half(folder: Path, text: str = HALF) -> Source:
    path = folder / "half.prism"
    path.write_text(text)
    return find_model(str(path))


def _json(*args: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, [*args, "--json"])
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def _opened(name: str) -> Oracle:
    source = find_model(name)
    return open_oracle(source.request(), source.environment)


def _prompt(oracle: Oracle) -> str:
    case = generate(oracle, ["satisfy"]).cases[0]
    return render(oracle, case).user


def test_a_saved_environment_is_a_full_one(tmp_path: Path) -> None:
    """Saved with a constant, an objective and words, it is listed, checked and asked about without the original."""
    source = _half(tmp_path, HALF.replace("module", "const int aim;\nmodule", 1).replace("x=3;", "x=aim;", 1))
    request = source.request({"aim": "3"}, objective='Pmax=? [F "goal"]')
    save_environment("doors", request, WORDS, base=source.environment, danger='Pmin=? [F "unsafe"]')
    (tmp_path / "half.prism").unlink()
    listed = next(row for row in _json("envs")["environments"] if row["name"] == "doors")
    assert (listed["title"], listed["constants"]) == ("Two doors", {"aim": "3"})
    checked = _json("check", "doors")
    assert checked["initial"][0]["value"] == "1/2"
    assert checked["danger"] == 'Pmin=? [F "unsafe"]'
    asked = _json("ask", "doors", "--category", "best-action", "--state", "x=0", "--explainer", "oracle")
    assert "go" in json.dumps(asked)
    prompt = _prompt(_opened("doors"))
    assert "You stand before two doors. Constants: aim = 3." in prompt
    assert "the probability of reaching the garden" in prompt
    assert "x = 0." in prompt


@pytest.mark.parametrize("text", HOSTILE)
def test_the_users_text_is_data(tmp_path: Path, text: str) -> None:
    """Braces, quotes, escapes and line ends in the words reach the prompt as they are and do nothing."""
    request = _half(tmp_path).request()
    words = Words(text, f"before {text} after", f"going {text} on", text)
    saved = save_environment("mine", request, words, objective='Pmax=? [F "goal"]')
    again = saved_words(saved)
    cleaned = text.replace("\x7f", "")
    assert again.description == f"before {cleaned} after"
    assert again.goal == f"going {cleaned} on"
    assert saved.title == " ".join(cleaned.split())
    assert known_environments()["mine"] == saved.folder
    oracle = _opened("mine")
    prompt = _prompt(oracle)
    lines = [line.rstrip() for line in f"before {cleaned} after".split("\n") if line.strip()]
    position = 0
    for line in lines:
        position = prompt.index(line, position)
    assert f"going {cleaned}".split("\n", maxsplit=1)[0].rstrip() in prompt


@given(description=st.text(min_size=1), goal=st.text(min_size=1), title=st.text(min_size=1))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_survives_saving(tmp_path: Path, description: str, goal: str, title: str) -> None:
    """Whatever is typed, the environment that is saved can be read and gives the same printable text back."""
    source = _half(tmp_path)
    words = Words(f"t{title}", f"d{description}e", f"g{goal}e")
    # a new name each time: Jinja takes two files of one name and of the same clock tick for one
    name = f"mine{next(_NUMBERS)}"
    save_environment(name, source.request(), words)
    again = saved_words(load_environment(user_environments_dir() / name))
    for given_text, found in ((description, again.description[1:-1]), (goal, again.goal[1:-1])):
        plain = [c for c in given_text if c.isprintable() and not c.isspace()]
        assert [c for c in found if c in set(plain)] == plain


def test_names_are_checked_and_nothing_is_overwritten(tmp_path: Path) -> None:
    """A name that is a path, that is packaged or taken is refused; replacing is asked for and complete."""
    request = _half(tmp_path).request()
    for name in ("", "../up", "a/b", ".hidden", "1st", "a b", "x" * 65, "näh"):
        with pytest.raises(UsageError, match="no name"):
            save_environment(name, request, WORDS)
    with pytest.raises(UsageError, match="packaged"):
        save_environment("frozen_lake", request, WORDS, replace=True)
    save_environment("mine", request, WORDS)
    with pytest.raises(UsageError, match="already"):
        save_environment("mine", request, Words("Other", "other", "other"))
    assert load_environment(user_environments_dir() / "mine").title == "Two doors"
    save_environment("mine", request, Words("Other", "other", "other"), replace=True)
    assert load_environment(user_environments_dir() / "mine").title == "Other"
    assert [path.name for path in user_environments_dir().iterdir()] == ["mine"]
    delete_environment("mine")
    assert "mine" not in known_environments()
    for name in ("mine", "..", "frozen_lake"):
        with pytest.raises(UsageError, match="no environment named"):
            delete_environment(name)


def test_what_cannot_be_saved_leaves_nothing_behind(tmp_path: Path) -> None:
    """Empty words, a model that has gone and a folder that cannot be written are one message each."""
    source = _half(tmp_path)
    request = source.request()
    for words in (Words("t", " ", "g"), Words("", "d", "g"), Words("t", "d", "\n\x00")):
        with pytest.raises(UsageError, match="is empty"):
            save_environment("mine", request, words)
    save_environment("kept", request, WORDS)
    (tmp_path / "half.prism").unlink()
    for name in ("mine", "kept"):
        with pytest.raises(UsageError, match="cannot be saved"):
            save_environment(name, request, WORDS, replace=True)
    assert [path.name for path in user_environments_dir().iterdir()] == ["kept"]
    (tmp_path / "config").rename(tmp_path / "moved")
    (tmp_path / "config").write_text("")
    with pytest.raises(UsageError, match="cannot be saved"):
        save_environment("mine", request, WORDS)


def test_a_failed_replacement_keeps_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the new folder cannot be moved into place, the environment that was there is back."""
    request = _half(tmp_path).request()
    save_environment("mine", request, WORDS)
    rename = type(tmp_path).rename

    def fail(path: Path, target: Path) -> Path:
        if path.parent.name.startswith(".new-") and path.name == "mine":
            raise OSError(28, os.strerror(28))
        return rename(path, target)

    monkeypatch.setattr(type(tmp_path), "rename", fail)
    with pytest.raises(UsageError, match="No space left"):
        save_environment("mine", request, Words("Other", "other", "other"), replace=True)
    assert load_environment(user_environments_dir() / "mine").title == "Two doors"
    assert [path.name for path in user_environments_dir().iterdir()] == ["mine"]


def test_explicit_models_take_their_files_along(tmp_path: Path) -> None:
    """Labels, variables and rewards beside a transitions file are part of the saved environment."""
    for ending, text in {
        "tra": "2 2 3\n0 0 0 1/3 push\n0 0 1 2/3 push\n1 0 1 1 stay\n",
        "lab": '0="init" 1="goal"\n0: 0\n1: 1\n',
        "sta": "(door)\n0:(1)\n1:(2)\n",
        "srew": "2 1\n0 3\n",
    }.items():
        (tmp_path / f"wall.{ending}").write_text(text)
    source = find_model(str(tmp_path / "wall.tra"))
    objective = 'R{"rewards"}min=? [F "goal"]'
    save_environment("wall", source.request(), WORDS, objective=objective)
    for path in tmp_path.glob("wall.*"):
        path.unlink()
    oracle = _opened("wall")
    assert oracle.facts.value.at(0) == Fraction(9, 2)
    assert oracle.mdp.valuation(0) == {"door": 1}


def test_a_gymnasium_environment_can_be_saved() -> None:
    """Saved with its arguments, its picture and its variables, it needs Gymnasium no more."""
    source = find_model("gym:FrozenLake-v1").configured({"is_slippery": "false"})
    request = source.request({"is_slippery": "false"})
    saved = save_environment("firm_ice", request, WORDS, base=source.environment)
    assert isinstance(saved.layout, GridLayout)
    assert saved.layout.marks == {"init": "S", "goal": "G", "unsafe": "O"}
    assert saved.model.parent == user_environments_dir() / "firm_ice"
    oracle = _opened("firm_ice")
    assert oracle.facts.value.at(0) == 1
    assert oracle.mdp.valuation(5) == {"row": 1, "column": 1}


def test_a_packaged_environment_can_be_reworded() -> None:
    """Saved under a name of its own, a packaged environment keeps its constants, their meanings and its picture."""
    source = find_model("water_jug")
    saved = save_environment("jugs", source.request(), WORDS, base=source.environment)
    assert saved.constants == source.environment.constants
    assert saved.constant_help == source.environment.constant_help
    assert saved.layout == source.environment.layout
    packaged = _opened("water_jug")
    mine = _opened("jugs")
    assert mine.facts.value.at(0) == packaged.facts.value.at(0)
    assert "two doors" in _prompt(mine)
    with pytest.raises(UsageError, match="none of your own"):
        saved_words(source.environment)
