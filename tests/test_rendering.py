"""Prompts: complete, truthful, in both wordings, and without what the oracle knows."""

from __future__ import annotations

import gc
import re
import warnings
import weakref
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from reference import LAKE_4X4, Model, frozen_lake_4x4, oracle

from engine.errors import UsageError
from engine.oracle.facts import Kind, Objective, Oracle
from engine.prompts.rendering import render
from engine.prompts.templating import Template
from engine.prompts.wording import goal_of
from engine.prompts.words import KEPT, _words, constant_values
from engine.queries.generation import case_for, generate
from engine.queries.registry import all_categories

if TYPE_CHECKING:
    from pathlib import Path

LAKE = frozen_lake_4x4()
WORDINGS = ["plain", "story"]
LETTERS = {"plain": "SFHG", "story": "s.ox"}


def drawn_map(text: str, variant: str) -> str:
    """Return the map in a prompt, in the letters S F H G and without line ends."""
    rows = re.findall(rf"^[{re.escape(LETTERS[variant])}]+$", text, re.MULTILINE)
    return "".join(rows).translate(str.maketrans(LETTERS[variant], "SFHG"))


def places(holes: str, side: int) -> set[str]:
    """Return the positions of the holes on a map in words."""
    return {f"row {tile // side + 1}, column {tile % side + 1}" for tile, kind in enumerate(holes) if kind == "H"}


@pytest.mark.parametrize("variant", WORDINGS)
def test_the_map_and_the_ice_are_described(variant: str) -> None:
    """Both wordings draw the published map, list its holes, and state the probabilities of the slipping ice."""
    text = render(LAKE, case_for(LAKE, "satisfy", [3]), variant=variant).user
    assert drawn_map(text, variant) == LAKE_4X4
    assert text.count("\n\n\n") == 0
    for place in places(LAKE_4X4, 4) | {"row 1, column 4"}:
        assert place in text
    assert text.count("probability 1/3") == 2
    assert "left, down, right" in text
    assert '"stay"' in text


@pytest.mark.parametrize("variant", WORDINGS)
def test_the_large_map_is_the_published_one(variant: str) -> None:
    """With map=8 the prompt draws Gymnasium's 8×8 map."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from gymnasium.envs.toy_text.frozen_lake import MAPS  # noqa: PLC0415 - it warns on import
    large = replace(LAKE, constants={"map": "8", "slip": "0.1"})
    text = render(large, case_for(LAKE, "satisfy", [3]), variant=variant).user
    published = "".join(MAPS["8x8"])
    assert drawn_map(text, variant) == published
    assert all(place in text for place in places(published, 8))
    assert "with probability 4/5" in text
    assert "with probability 1/10 each" in text


@pytest.mark.parametrize("variant", WORDINGS)
def test_ice_that_grips_is_not_called_slippery(variant: str) -> None:
    """Without slipping the prompt promises that moves succeed, and states no probability of slipping."""
    firm = replace(LAKE, constants={"map": "4", "slip": "0"})
    text = render(firm, case_for(LAKE, "best-action", [14]), variant=variant).user
    assert "always" in text
    assert "with probability" not in text


@pytest.mark.parametrize("variant", WORDINGS)
def test_every_state_is_described_by_its_place(variant: str) -> None:
    """Each tile has its own words, which hold its row and column, and its available actions."""
    seen = set()
    for state in range(16):
        text = render(LAKE, case_for(LAKE, "satisfy", [state]), variant=variant).user
        line = next(line for line in text.splitlines() if line.startswith("State: "))
        assert f"row {state // 4 + 1}, column {state % 4 + 1}" in line
        assert line.endswith(f"Available actions: {', '.join(LAKE.mdp.action_names_of(state))}.")
        seen.add(line)
    assert len(seen) == 16


def test_states_are_named_as_the_answer_names_them() -> None:
    """A pair is A and B in the order of the case, a subset is numbered."""
    pair = render(LAKE, case_for(LAKE, "more-promising", [6, 14])).user
    assert re.search(r"State A: .*row 2, column 3.*\nState B: .*row 4, column 3", pair)
    subset = render(LAKE, case_for(LAKE, "subset-has-dead-end", [1, 5, 14])).user
    assert [line[:8] for line in subset.splitlines() if line.startswith("State ")] == [
        "State 1:",
        "State 2:",
        "State 3:",
    ]
    assert "at least one of these 3 states" in subset


@pytest.mark.parametrize("variant", WORDINGS)
@pytest.mark.parametrize("category", list(all_categories()))
def test_a_prompt_does_not_depend_on_the_truth(category: str, variant: str) -> None:
    """Exchanging everything that the oracle knows about a case leaves its prompt as it is."""
    for case in generate(LAKE, [category], budget=6).cases:
        told = {key: value for key, value in case.numbers.items() if key == "tolerance"}
        blind = replace(case, accepted=(), numbers=told, difficulty=0.123, parts={})
        other = replace(LAKE, facts=replace(LAKE.facts, value=LAKE.facts.q, best=LAKE.facts.worst))
        asked = render(LAKE, case, variant=variant)
        assert render(other, blind, variant=variant).user == asked.user
        assert asked.user.count("14/17") == 0


def test_a_question_carries_its_schema_and_settings() -> None:
    """The schema, the sample and the wording go with the question; the first wording is the default."""
    case = case_for(LAKE, "best-action", [14])
    question = render(LAKE, case, sample=2, seed=5, explanation_length=80)
    assert (question.variant, question.sample, question.seed) == ("plain", 2, 5)
    assert question.schema["properties"]["explanation"]["maxLength"] == 80
    assert question.schema["properties"]["answer"]["enum"] == ["left", "down", "right", "up"]
    assert "at most 80 characters" in question.user


def test_an_unknown_wording_is_refused() -> None:
    """The error names the nearest wording and all that exist."""
    with pytest.raises(UsageError, match="did you mean story") as caught:
        render(LAKE, case_for(LAKE, "satisfy", [3]), variant="storey")
    assert "plain, story" in str(caught.value)


def test_another_objective_is_not_described_by_the_environments_words() -> None:
    """Asked about falling into a hole, the prompt must not speak of reaching the goal."""
    danger = replace(LAKE.facts, objective=Objective('Pmin=? [F "unsafe"]', Kind.PMIN))
    text = render(replace(LAKE, facts=danger), case_for(LAKE, "more-promising", [6, 14])).user
    objective = next(line for line in text.splitlines() if line.startswith("Objective: "))
    assert objective.endswith('the probability of reaching a state labelled "unsafe" is as low as possible.')
    assert "higher" not in text
    assert 'labelled "unsafe" lower' in text


@pytest.mark.parametrize(
    ("objective", "words"),
    [
        (Objective('Pmax=? [F "goal"]', Kind.PMAX), 'reaching a state labelled "goal"'),
        (Objective('Pmax=? [ F<=7 "goal" ]', Kind.PMAX, bound=7), 'reaching a state labelled "goal" within 7 steps'),
        (Objective("Pmin=? [F x=3 & y<2]", Kind.PMIN), "reaching a state where x=3 & y<2 holds (in PRISM's notation)"),
        (Objective('Pmax=? ["a" U "b"]', Kind.PMAX), 'following a path with "a" U "b" (in PRISM\'s notation)'),
        (Objective('R{"steps"}min=? [F "goal"]', Kind.RMIN, reward="steps"), 'reaching a state labelled "goal"'),
    ],
)
def test_objectives_in_words(objective: Objective, words: str) -> None:
    """What a property is about is read off its text, with its bound."""
    assert goal_of(objective) == words


def small(**changes: object) -> Oracle:
    """Return a small checked model without an environment."""
    half = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    model = Model(
        [{"try": half, "wait": {0: Fraction(1)}}, {"stop": {1: Fraction(1)}}],
        {"goal": {1}, "unsafe": set()},
        valuations={"x": [3, 4], "y": [0, 1]},
    )
    return replace(oracle(model), **changes)  # type: ignore[arg-type] # fields of the oracle


def test_a_bare_model_is_described_by_its_variables() -> None:
    """Without an environment the prompt names constants, variables and labels."""
    known = small(constants={"n": "3", "p": "0.5"})
    text = render(known, case_for(known, "satisfy", [0])).user
    assert "n = 3, p = 1/2" in text
    assert "State: x = 3, y = 0. Labels: init. Available actions: try, wait." in text
    assert 'reaching a state labelled "goal"' in text


def test_a_model_without_variables_numbers_its_states() -> None:
    """An explicit model has no variables; its states are told by number and label."""
    known = small()
    known = replace(known, mdp=replace(known.mdp, valuations={}))
    assert "State: state = 1. Labels: goal." in render(known, case_for(known, "satisfy", [1])).user


def test_constants_are_exact() -> None:
    """Templates compute with fractions: 0.1 is one tenth."""
    found = constant_values({"a": "0.1", "b": "4", "c": "true", "d": "fast", "e": "1/3"})
    assert found == {"a": Fraction(1, 10), "b": 4, "c": True, "d": "fast", "e": Fraction(1, 3)}


@pytest.mark.parametrize(
    ("template", "said", "line"),
    [
        ("line one\n{% macro world(constants) %}", "end of template", ":2"),
        ("{% macro world(constants) %}\n\n{{ constants.nothing }}{% endmacro %}", "nothing", ":3"),
        ("{% macro world(constants) %}\n{{ 1 // 0 }}{% endmacro %}", "ZeroDivisionError", ":2"),
        ("{% macro world(constants) %}{% endmacro %}", "has no macro 'goal'", "words.j2"),
        ("{% macro world(constants) %}\n{{ ''.__class__.__mro__ }}{% endmacro %}", "unsafe", ":2"),
        ("{% macro world() %}{% endmacro %}", "takes not more than", "words.j2"),
        ("{% import 'lost.j2' as lost %}", "lost.j2", "words.j2:1"),
    ],
)
def test_a_broken_template_is_a_usage_error_with_file_and_line(
    tmp_path: Path, template: str, said: str, line: str
) -> None:
    """Whatever is wrong with a user's template, one message says what and where; the sandbox holds."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "words.j2").write_text(template, encoding="utf-8")
    environment = LAKE.environment.model_copy(update={"folder": tmp_path, "variants": ("words",)})
    with pytest.raises(UsageError) as caught:
        render(replace(LAKE, environment=environment), case_for(LAKE, "satisfy", [3]))
    assert said in caught.value.what
    assert line in caught.value.where


def test_a_missing_or_unreadable_template_is_a_usage_error(tmp_path: Path) -> None:
    """A wording without its file, or with bytes that are no text, is named."""
    (tmp_path / "prompts").mkdir()
    environment = LAKE.environment.model_copy(update={"folder": tmp_path, "variants": ("words",)})
    known = replace(LAKE, environment=environment)
    with pytest.raises(UsageError, match=r"there is no prompt template words\.j2"):
        render(known, case_for(LAKE, "satisfy", [3]))
    (tmp_path / "prompts" / "words.j2").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="UnicodeDecodeError"):
        render(known, case_for(LAKE, "satisfy", [3]))


def edited(known: Oracle, file: Path, text: str) -> str:
    """Return the prompt after a file was written anew."""
    file.write_text(text, encoding="utf-8")
    return render(known, case_for(LAKE, "satisfy", [3])).user


def test_an_edited_template_is_read_again(tmp_path: Path) -> None:
    """A change of a wording, or of a file that it imports, shows in the next prompt of the same process."""
    (tmp_path / "prompts").mkdir()
    words, names = tmp_path / "prompts" / "words.j2", tmp_path / "prompts" / "names.j2"
    environment = LAKE.environment.model_copy(update={"folder": tmp_path, "variants": ("words",)})
    known = replace(LAKE, environment=environment)
    macros = "{% macro goal(constants) %}the end{% endmacro %}{% macro state(values, constants) %}here{% endmacro %}"
    world = "{% import 'names.j2' as names %}{% macro world(constants) %}The {{ names.place() }}.{% endmacro %}"
    names.write_text("{% macro place() %}lake{% endmacro %}", encoding="utf-8")
    assert edited(known, words, world + macros).startswith("The lake.")
    assert edited(known, words, world.replace("The", "A wide") + macros).startswith("A wide lake.")
    assert edited(known, names, "{% macro place() %}ocean{% endmacro %}").startswith("A wide ocean.")


def test_the_world_is_put_into_words_once_for_all_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """What no case changes is rendered once for each model and wording, whatever the number of questions."""
    called: list[str] = []
    original = Template.call

    def counting(self: Template, macro: str, *arguments: object) -> str:
        called.append(macro)
        return original(self, macro, *arguments)

    monkeypatch.setattr(Template, "call", counting)
    known = replace(LAKE, constants={"map": "4", "slip": "0.125"})
    for variant in WORDINGS:
        for state in range(16):
            render(known, case_for(LAKE, "satisfy", [state]), variant=variant)
    assert [called.count(macro) for macro in ("world", "goal", "state")] == [2, 2, 32]


def test_kept_words_are_bounded_and_keep_no_model_alive() -> None:
    """Models come and go in an explorer that stays open: their words are few, and their arrays are released."""
    known = small()
    for number in range(2 * KEPT):
        render(replace(known, constants={"n": str(number)}), case_for(known, "satisfy", [0]))
    assert _words.cache_info().currsize <= KEPT
    alive = weakref.ref(known.mdp)
    del known
    gc.collect()
    assert alive() is None


def test_other_objectives_about_the_same_target_keep_the_environments_words() -> None:
    """A step bound on the environment's own goal is asked in its own words, and says what a step is."""
    from engine.mdp.sources import find_model  # noqa: PLC0415  # only here a real oracle is opened
    from engine.oracle.client import open_oracle  # noqa: PLC0415

    source = find_model("transporter")
    bounded = open_oracle(source.request(objective="thirty"), source.environment)
    user = render(bounded, case_for(bounded, "satisfy", (0,))).user
    assert "within 30 steps (every action is one step)" in user
    assert "labelled" not in user
