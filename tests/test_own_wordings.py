"""The user's own wordings: they replace and join an environment's, in a sandbox, and their mistakes are named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from cli_support import json_of, run_cli
from reference import frozen_lake_4x4

from engine.errors import UsageError
from engine.mdp.environment import load_environment
from engine.mdp.sources import known_environments
from engine.mdp.wordings import own_templates_dir
from engine.prompts.rendering import render
from engine.queries.generation import case_for

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.facts import Oracle

LAKE = frozen_lake_4x4()
STATE = "{% macro state(values, constants) %}tile {{ values.pos }}.{% endmacro %}"
GOAL = "{% macro goal(constants) %}the far shore{% endmacro %}"
WORLD = "{% macro world(constants) %}A pond with {{ constants.map }} rows.{% endmacro %}"


@pytest.fixture(autouse=True)
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's folder of templates for Frozen Lake."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = own_templates_dir() / "frozen_lake"
    folder.mkdir(parents=True)
    return folder


def lake() -> Oracle:
    """Return Frozen Lake with its environment as it is loaded now."""
    return replace(LAKE, environment=load_environment(known_environments()["frozen_lake"]))


def prompt(variant: str | None = None) -> str:
    """Return a prompt in a wording as it is loaded now."""
    return render(lake(), case_for(LAKE, "satisfy", [3]), variant=variant).user


def test_a_wording_of_the_same_name_replaces_the_packaged_one(templates: Path) -> None:
    """The user's ``plain`` is used wherever the wording is the default; the other one stays."""
    before = prompt("story")
    (templates / "plain.j2").write_text(WORLD + GOAL + STATE, encoding="utf-8")
    text = prompt()
    assert text.startswith("A pond with 4 rows.")
    assert "State: tile 3." in text
    assert "the probability of the far shore" in text
    assert prompt("story") == before
    assert lake().environment.variants == ("plain", "story")


def test_a_wording_of_another_name_joins_them(templates: Path) -> None:
    """A new file is one more wording, after the packaged ones, for every command; helpers are none."""
    (templates / "pond.j2").write_text(WORLD + GOAL + STATE, encoding="utf-8")
    for helper in ("_names.j2", "lake.j2", "question.j2", ".hidden.j2", "notes.txt"):
        (templates / helper).write_text("", encoding="utf-8")
    assert lake().environment.variants == ("plain", "story", "pond")
    listed = {row["name"]: row["variants"] for row in json_of("envs")["environments"]}
    assert listed["frozen_lake"] == ["plain", "story", "pond"]
    assert listed["gambler"] == ["plain", "story"]


def test_the_replaced_file_can_be_imported(templates: Path) -> None:
    """A wording takes over the packaged macros of the file that it hides, which find their own neighbours."""
    (templates / "plain.j2").write_text(
        "{% import 'original/plain.j2' as plain %}"
        "{% macro world(constants) %}{{ plain.world(constants) }} Think twice.{% endmacro %}"
        "{% macro goal(constants) %}{{ plain.goal(constants) }}{% endmacro %}"
        "{% macro state(values, constants) %}{{ plain.state(values, constants) }}{% endmacro %}",
        encoding="utf-8",
    )
    packaged = render(LAKE, case_for(LAKE, "satisfy", [3]), variant="story").user
    text = prompt()
    assert "SFFF\nFHFH\nFFFH\nHFFG" in text
    assert "Think twice.\n\nObjective:" in text
    assert "Think twice." not in packaged


def test_the_layout_of_all_prompts_can_be_replaced(templates: Path) -> None:
    """``question.j2`` puts the parts together: for one environment, or one level up for all."""
    (templates.parent / "question.j2").write_text("ALL {{ question }} {{ answer_format }}", encoding="utf-8")
    assert prompt().startswith("ALL Starting in this state")
    (templates / "question.j2").write_text("LAKE {% for s in states %}{{ s.title }}{% endfor %}", encoding="utf-8")
    assert prompt() == "LAKE State"


@pytest.mark.parametrize(
    ("template", "line", "says"),
    [
        (GOAL + STATE + "\n\n{% macro world(constants) %}\n{{ constants.depth }}\n{% endmacro %}", ":4", "depth"),
        ("\n{% macro world(constants) %}", ":2", "Unexpected end"),
        (WORLD + STATE, "plain.j2", "no macro 'goal'"),
        (WORLD.replace("A pond", "{{ cycler.__init__.__globals__ }}") + GOAL + STATE, ":1", "unsafe"),
        (WORLD.replace("A pond", "{{ 1 / 0 }}") + GOAL + STATE, ":1", "division"),
        ("{% import '/etc/hostname' as x %}" + WORLD + GOAL + STATE, ":1", "no prompt template"),
        ("{% import '../../settings.toml' as x %}" + WORLD + GOAL + STATE, ":1", "no prompt template"),
    ],
    ids=["undefined", "syntax", "macro", "sandbox", "division", "absolute", "outside"],
)
def test_a_mistake_names_the_users_file_and_line(templates: Path, template: str, line: str, says: str) -> None:
    """What fails in a user's template is one message that points into it; the sandbox holds for it as well."""
    file = templates / "plain.j2"
    file.write_text(template, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        prompt()
    assert caught.value.where.startswith(str(file))
    assert line in caught.value.where
    assert says in caught.value.what


def test_a_mistake_is_a_users_mistake_on_the_command_line(templates: Path) -> None:
    """``ask`` ends with exit code 2 and the file's name, without a traceback."""
    (templates / "plain.j2").write_text(
        WORLD + GOAL + "{% macro state(values, constants) %}{{ values.x }}{% endmacro %}"
    )
    args = ["--category", "best-action", "--state", "pos=14", "--explainer", "oracle"]
    result = run_cli("ask", "frozen_lake", *args)
    assert result.exit_code == 2
    assert str(templates / "plain.j2") in result.stderr
    assert "Traceback" not in result.stderr
