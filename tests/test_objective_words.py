"""Objectives in an environment's own words, for every wording."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from reference import frozen_lake_4x4

from engine.errors import UsageError
from engine.mdp.environment import Environment, ObjectiveWords, load_environment
from engine.mdp.sources import find_model
from engine.mdp.user_environments import Words, save_environment
from engine.oracle.facts import Kind, Objective
from engine.prompts.wording import declared_words, filled
from engine.prompts.words import words_of
from environments import packaged

if TYPE_CHECKING:
    from pathlib import Path

    from engine.queries.category import Wording

LAKE = frozen_lake_4x4()
NAMED = [
    (name, objective)
    for name, folder in sorted(packaged().items())
    for objective in load_environment(folder).objectives
]


def _objective(text: str) -> Objective:
    """Return a property of the forms ``R{"r"}max=? [F …]`` and ``Pmax=? [F<=k …]`` as an objective."""
    reward = text.partition('"')[2].partition('"')[0] if text.startswith("R") else None
    bound = int(text.partition("<=")[2].split()[0]) if "<=" in text else None
    return Objective(text, Kind(f"{text[0]}{'max' if 'max=' in text else 'min'}"), bound, reward)


def _wording(environment: Environment, text: str, variant: str = "plain", **constants: str) -> Wording:
    """Return the words for a property in an environment; what the model's states are does not matter for them."""
    facts = replace(LAKE.facts, objective=_objective(text))
    given = {**environment.constants, **constants}
    return words_of(replace(LAKE, environment=environment, constants=given, facts=facts), variant).wording


@pytest.mark.parametrize("variant", ["plain", "story"])
@pytest.mark.parametrize(("name", "objective"), NAMED)
def test_named_objectives_are_said_in_words(name: str, objective: str, variant: str) -> None:
    """No prompt of a packaged environment falls back on a label, a reward's name or PRISM's notation."""
    environment = load_environment(packaged()[name])
    text = environment.objectives[objective]
    found = _wording(environment, text, variant)
    start = "the expected " if text.startswith("R") else "the probability of "
    assert found.measure.startswith(start)
    for words in (found.goal, found.measure):
        assert not any(sign in words for sign in ('"', "{", "}", "PRISM", "label", "None"))


def test_wordings_keep_to_their_own_story() -> None:
    """The plain wording of a reward is about gold and home, the story about nuggets and a hut."""
    environment = load_environment(packaged()["resource_gathering"])
    plain, story = (_wording(environment, environment.objectives["treasure"], v).measure for v in ("plain", "story"))
    assert "stored at home" in plain
    assert "nugget" in story
    assert "nugget" not in plain


def test_goals_and_constants_are_filled_in() -> None:
    """``{goal}`` is the wording's own goal, ``{penalty}`` the constant's value as it was given."""
    jugs, cliff = (load_environment(packaged()[name]) for name in ("water_jug", "cliff_walking"))
    moves = _wording(jugs, jugs.objectives["moves"], litres="1")
    assert moves.measure == "the expected number of moves before serving exactly 1 litre"
    assert moves.goal == "serving exactly 1 litre"
    steps = _wording(cliff, cliff.objectives["steps"], penalty="7")
    assert "a fall counts as 7 more steps" in steps.measure


def test_words_serve_for_the_other_optimum_and_for_step_bounds_but_for_no_other_target() -> None:
    """What is counted stays the same with max in place of min; another target or another reward has other words."""
    dam = load_environment(packaged()["dam"])
    least = _wording(dam, 'R{"water"}min=? [F "over"]')
    assert least.measure == _wording(dam, dam.objectives["water"]).measure
    assert least.best == "lowest"
    soon = _wording(dam, 'Pmax=? [F<=3 "unsafe"]')
    assert soon.measure.startswith("the probability of breaching the bounds within 3 steps")
    other = _wording(dam, 'R{"water"}max=? [F "goal"]')
    assert other.measure.startswith('the expected total of the reward "water" before ending the season')
    assert _wording(dam, 'R{"money"}max=? [F "over"]').measure.startswith('the expected total of the reward "money"')


def test_a_gymnasium_cost_is_said_in_words() -> None:
    """The cost of a Gymnasium table is no reward's name in a prompt."""
    environment = find_model("gym:CliffWalking-v1").environment
    assert environment.objective is not None
    measure = _wording(environment, environment.objective).measure
    assert measure == 'the expected total cost before reaching a state labelled "goal"'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[objective_words.nix]\ngoal = 'x'", "objective_words.nix: there is no objective of that name"),
        ("[objective_words.far]\ngoal = { tale = 'x' }", "objective_words.far: there is no wording tale"),
        ("[objective_words.far]\nwords = 'x'", "objective_words.far.words"),
    ],
)
def test_words_of_nothing_are_refused(tmp_path: Path, text: str, says: str) -> None:
    """Words for an objective, a wording or a key that does not exist are a mistake in environment.toml."""
    head = "title = 'T'\nsummary = 'S.'\nmodel = 'm.prism'\n[objectives]\nfar = 'Pmax=? [F \"goal\"]'\n"
    (tmp_path / "environment.toml").write_text(head + text)
    with pytest.raises(UsageError) as caught:
        load_environment(tmp_path)
    assert says in str(caught.value)


def test_braces_that_name_nothing_stay() -> None:
    """Only names that have a value are replaced."""
    assert filled("a {x} in {y} {", {"x": 3}) == "a 3 in {y} {"


def test_an_environment_of_the_users_keeps_words_and_ranges(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the base says about its other objectives and its constants goes over, in its first wording."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    source = find_model("dam")
    saved = save_environment("mine", source.request(), Words("Mine", "A dam.", "winning"), base=source.environment)
    assert saved.constant_ranges == source.environment.constant_ranges
    water = _objective(saved.objectives["water"])
    assert declared_words(saved, "plain", water) == declared_words(source.environment, "plain", water)
    assert saved.objective_words["safety"] == ObjectiveWords(goal="breaching the bounds")
    assert _wording(saved, 'Pmax=? [F "goal"]').goal == "winning"
