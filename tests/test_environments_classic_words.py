"""Wolf-goat-cabbage, water jug, gambler, cliff walking and transporter: prompts, pictures and grids."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from classic_support import NAMES, SETTINGS, label_of, opened, sample_of

from engine.mdp.environment import GridLayout, TextLayout, load_environment
from engine.mdp.expressions import evaluate, scope_of
from engine.prompts.rendering import render
from engine.prompts.templating import Template
from engine.queries.generation import case_for
from environments import packaged

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle


@pytest.mark.parametrize(("name", "constants"), SETTINGS, ids=label_of)
@pytest.mark.parametrize("variant", ["plain", "story"])
def test_states_have_words_of_their_own(name: str, constants: dict[str, str], variant: str) -> None:
    """In both wordings different states read differently, and numbers agree with their nouns."""
    known = opened(name, **constants)
    seen: Counter[str] = Counter()
    for state in sample_of(known):
        text = render(known, case_for(known, "satisfy", [state]), variant=variant).user
        line = next(line for line in text.splitlines() if line.startswith("State: "))
        seen[line] += 1
        assert not re.search(r"(?<![\d/])1 (litres|units|moves|steps|coins|parcels)\b", text), line
        assert not re.search(r"(?<![\d/])(?!1\b)\d+ (litre|unit|move|step|coin|parcel)\b", text), line
        assert not re.search(r"None(?! of)|[{}]{2}|Fraction|  ", text.split("\n\nReply with")[0])
    assert max(seen.values()) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("variant", ["plain", "story"])
def test_rules_name_every_action_and_probability(name: str, variant: str) -> None:
    """The rules mention each action by its name, and chance exactly where the constants leave something to it."""
    risky = {"slip": ("1/10", "9/10"), "fumble": ("1/10", "9/10"), "drift": ("1/10", "4/5"), "heads": ("2/5", "3/5")}
    constants = load_environment(packaged()[name]).constants
    (chance,) = set(constants) & set(risky)
    text = rules(opened(name, **{chance: risky[chance][0]}), variant)
    assert all(f"probability {number}" in text for number in risky[chance])
    actions = [action for action in opened(name).mdp.action_names if not re.fullmatch(r"stake([3-9]|\d\d)", action)]
    assert all(re.search(rf"(?<!\w){action}(?!\w)", text) for action in actions)
    if chance != "heads":
        assert "probability" not in rules(opened(name, **{chance: "0"}), variant)


@pytest.mark.parametrize(
    ("name", "constants"), [setting for setting in SETTINGS if setting[0] not in {"cliff_walking", "transporter"}]
)
def test_pictures_fit(name: str, constants: dict[str, str]) -> None:
    """A state's picture has three to eight lines of at most 34 characters, and differs between all sampled states."""
    known = opened(name, **constants)
    pictures = [picture(known, state) for state in sample_of(known)]
    for drawn in pictures:
        assert 3 <= len(drawn.split("\n")) <= 8
        assert max(map(len, drawn.split("\n"))) <= 34
        assert drawn.isprintable() or set(drawn) - {"\n"} == {c for c in drawn if c.isprintable()}
    assert len(set(pictures)) == len(pictures)


@pytest.mark.parametrize("name", ["cliff_walking", "transporter"])
def test_grids_place_every_state(name: str) -> None:
    """Every state lies on a tile of the grid, where the prompt says that it is."""
    known = opened(name)
    layout = known.environment.layout
    assert isinstance(layout, GridLayout)
    scope = scope_of(known.mdp, known.constants)
    row, column, rows, columns = (
        np.asarray(evaluate(scope, text)) for text in (layout.row, layout.column, layout.rows, layout.columns)
    )
    assert ((row >= 0) & (row < rows) & (column >= 0) & (column < columns)).all()
    for state in sample_of(known, 20):
        text = render(known, case_for(known, "satisfy", [state])).user
        assert f" at row {row[state] + 1}, column {column[state] + 1}" in text.split("State: ")[1]


@pytest.mark.parametrize("name", NAMES)
def test_synonyms_and_help_name_what_exists(name: str) -> None:
    """Synonyms belong to actions of the model and never to two of them; every constant is explained."""
    environment = load_environment(packaged()[name])
    assert set(environment.synonyms) == set(opened(name).mdp.action_names)
    words = Counter(word for action, synonyms in environment.synonyms.items() for word in {action, *synonyms})
    assert max(words.values()) == 1
    assert set(environment.constant_help) == set(environment.constants)


def rules(known: Oracle, variant: str) -> str:
    """Return the part of a prompt that describes the world."""
    return render(known, case_for(known, "satisfy", [0]), variant=variant).user.split("\n\nObjective:")[0]


def picture(known: Oracle, state: int) -> str:
    """Return the drawing of a state, as the environment's text layout makes it."""
    layout, folder = known.environment.layout, known.environment.folder
    assert isinstance(layout, TextLayout)
    assert folder is not None
    numbers = {name: Fraction(text) for name, text in known.constants.items()}
    constants = {name: int(number) if number.denominator == 1 else number for name, number in numbers.items()}
    drawn = Template(layout.template, (folder,)).render({"state": known.mdp.valuation(state), "constants": constants})
    return drawn.rstrip("\n")
