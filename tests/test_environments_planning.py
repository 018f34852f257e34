"""Stock market, job shop, dam and resource gathering: known answers, their rules written again, words and pictures."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
from planning_rules import CHART, RULES, STAY, explore

from engine.mdp.environment import load_environment
from engine.mdp.expressions import scope_of, select_one
from engine.mdp.sources import find_model
from engine.oracle.client import open_oracle
from engine.oracle.numbers import parse_exact
from engine.oracle.tri import Tri
from engine.prompts.templating import Template
from engine.prompts.words import constant_values, words_of
from engine.queries.generation import generate
from engine.queries.registry import all_categories
from environments import packaged
from tui.explorer.tiles import tiles_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planning_rules import Rules, State

    from engine.mdp.environment import KnownAnswer
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import Numbers

Opener: TypeAlias = "Callable[..., Oracle]"

NAMES = ["stock_market", "job_shop", "dam", "resource_gathering"]
SMALL = {
    "stock_market": {"days": "4", "target": "8", "savings": "6", "limit": "1", "top": "4", "bill": "1"},
    "job_shop": {"jobs": "4", "deadline": "5", "quick": "2/3", "slow": "1/3", "jam": "1/4"},
    "dam": {"months": "3", "demand": "1", "top": "6", "start": "2", "flood": "1/5", "drought": "1/2"},
    "resource_gathering": {"gold_needed": "2", "gems_needed": "1", "attack": "1/10", "dusk": "1/20"},
}
SETTINGS = [pytest.param(name, c, id=f"{name}{'-small' if c else ''}") for name in NAMES for c in ({}, SMALL[name])]
KNOWN = [
    pytest.param(name, known, id=f"{name}-{number}")
    for name in NAMES
    for number, known in enumerate(load_environment(packaged()[name]).known)
]


@pytest.fixture(scope="module")
def opened(_own_folders: None) -> Opener:
    """Return a function that checks a model once: name, constants, objective."""

    @cache
    def once(name: str, constants: tuple[tuple[str, str], ...], objective: str | None) -> Oracle:
        source = find_model(name)
        return open_oracle(source.request(dict(constants), objective=objective), source.environment)

    def opener(name: str, constants: Mapping[str, str] | None = None, objective: str | None = None) -> Oracle:
        return once(name, tuple((constants or {}).items()), objective)

    return opener


@pytest.mark.parametrize(("name", "known"), KNOWN)
def test_the_known_answer_is_the_oracles(opened: Opener, name: str, known: KnownAnswer) -> None:
    """Every answer that environment.toml states, with its source, is what the model checker finds."""
    oracle = opened(name, known.constants, known.objective)
    assert oracle.exact
    facts, mdp = oracle.facts, oracle.mdp
    state = int(mdp.initial[0]) if known.state is None else select_one(scope_of(mdp, oracle.constants), known.state)
    match known.fact:
        case "value":
            assert facts.value.at(state) == parse_exact(known.value)
        case "bottlenecks":
            assert (facts.bottleneck == Tri.YES).sum() == int(known.value)
        case "dead_ends":
            assert (facts.dead_end == Tri.YES).sum() == int(known.value)
        case "states":
            assert mdp.states == int(known.value)
    assert len(known.source) > 20


def _constants(oracle: Oracle) -> dict[str, Fraction]:
    return {name: Fraction(text) for name, text in oracle.constants.items()}


def _fractions(numbers: Numbers) -> list[Fraction]:
    assert numbers.table is not None
    assert numbers.rank is not None
    table = [Fraction(number) for number in numbers.table]
    return [table[rank] for rank in numbers.rank]


def _valuations(oracle: Oracle, rules: Rules) -> list[State]:
    """Return each state of the model as the rules write it."""
    columns = {name: np.array(column, dtype=np.int64) for name, column in oracle.mdp.valuations.items()}
    if "broke" in columns:
        columns["cash"][columns["broke"] == 1] = -1
    return [tuple(int(columns[name][state]) for name in rules.variables) for state in range(oracle.mdp.states)]


@pytest.mark.parametrize(("name", "constants"), SETTINGS)
def test_every_value_follows_from_the_rules_written_again(opened: Opener, name: str, constants: dict[str, str]) -> None:
    """States, actions, V, Q and danger satisfy Bellman's equations over rules that were written without the model.

    In these four environments every run ends with probability 1 whatever is chosen, so the equations have one
    solution, and exact fractions leave no room for another.
    """
    oracle = opened(name, constants)
    rules = RULES[name](_constants(oracle))
    facts, mdp = oracle.facts, oracle.mdp
    states = _valuations(oracle, rules)
    number = {state: index for index, state in enumerate(states)}
    explored = explore(rules)
    assert facts.danger is not None
    assert number.keys() == explored.keys()
    assert len(states) == len(number)
    assert [states[int(state)] for state in mdp.initial] == [rules.start]
    value, danger = _fractions(facts.value), _fractions(facts.danger)
    for index, state in enumerate(states):
        moves = explored[state]
        assert set(mdp.action_names_of(index)) == set(moves)
        assert mdp.labels["goal"][index] == rules.good(state)
        assert mdp.labels["unsafe"][index] == rules.bad(state)
        if moves == STAY:
            assert (value[index], danger[index]) == (Fraction(rules.good(state)), Fraction(rules.bad(state)))
            continue
        q = {
            action: sum((p * value[number[there]] for p, there in branches), Fraction(0))
            for action, branches in moves.items()
        }
        risk = [sum((p * danger[number[there]] for p, there in branches), Fraction(0)) for branches in moves.values()]
        assert {mdp.action_name(choice): facts.q.at(choice) for choice in mdp.choices_of(index)} == q
        assert value[index] == max(q.values())
        assert danger[index] == min(risk)


@pytest.mark.parametrize("name", ["stock_market", "job_shop", "dam"])
def test_backward_induction_gives_the_known_value(name: str) -> None:
    """Backward induction over the rules alone, without the model checker, gives the stated value of the defaults."""
    environment = load_environment(packaged()[name])
    rules = RULES[name]({constant: Fraction(text) for constant, text in environment.constants.items()})

    @cache
    def value(state: State) -> Fraction:
        moves = rules.moves(state)
        if moves == STAY:
            return Fraction(rules.good(state))
        return max(sum((p * value(there) for p, there in branches if p), Fraction(0)) for branches in moves.values())

    stated = [known.value for known in environment.known if not known.constants and known.objective is None]
    assert [str(value(rules.start))] == stated


@pytest.mark.parametrize("name", NAMES)
def test_the_environment_is_not_trivial(opened: Opener, name: str) -> None:
    """V and danger take many values, dead ends are some states, and most states have a best and a worse action."""
    oracle = opened(name)
    facts, mdp = oracle.facts, oracle.mdp
    assert facts.value.rank is not None
    assert facts.danger is not None
    assert facts.danger.rank is not None
    assert len(set(facts.value.rank.tolist())) >= 30
    assert len(set(facts.danger.rank[~mdp.labels["unsafe"]].tolist())) >= 10
    assert 0 < (facts.dead_end == Tri.YES).sum() < mdp.states / 2
    split = [
        any(facts.best[choice] == Tri.YES and facts.worst[choice] == Tri.NO for choice in mdp.choices_of(state))
        for state in range(mdp.states)
    ]
    assert sum(split) > mdp.states / 2
    for label in ("goal", "unsafe", "over"):
        ended = np.flatnonzero(mdp.labels[label])
        assert ended.size
        assert all(mdp.action_names_of(int(state)) == ("stay",) for state in ended)


@pytest.mark.parametrize("name", NAMES)
def test_categories_have_candidates(opened: Opener, name: str) -> None:
    """Every category has cases, those about bottlenecks where there are some, and yes/no questions both answers."""
    oracle = opened(name)
    generated = generate(oracle, list(all_categories()), budget=6)
    found = {case.category for case in generated.cases}
    bottlenecks = {category for category in all_categories() if "bottleneck" in category}
    assert found == set(all_categories()) - (set() if name == "resource_gathering" else bottlenecks)
    for category in {"is-bottleneck", "subset-has-dead-end", "subset-has-bottleneck"} & found:
        assert {case.accepted for case in generated.cases if case.category == category} == {("yes",), ("no",)}


@pytest.mark.parametrize("name", NAMES)
def test_every_further_objective_has_a_finite_value(opened: Opener, name: str) -> None:
    """Each named objective of the environment is checked exactly and is positive and finite at the start."""
    for objective in load_environment(packaged()[name]).objectives:
        oracle = opened(name, None, objective)
        value = oracle.facts.value.at(int(oracle.mdp.initial[0]))
        assert oracle.exact
        assert isinstance(value, Fraction)
        assert value > 0


NOUNS = "day|share|coin|paper|morning|hour|month|unit|barge|piece|gem|nugget"


@pytest.mark.parametrize("variant", ["plain", "story"])
@pytest.mark.parametrize(("name", "constants"), SETTINGS)
def test_every_state_has_words_of_its_own(opened: Opener, name: str, constants: dict[str, str], variant: str) -> None:
    """All states render, states that are not over differ in their words, and numbers agree with their nouns."""
    oracle = opened(name, constants)
    words = words_of(oracle, variant)
    texts = [words.state(oracle.mdp.valuation(state)) for state in range(oracle.mdp.states)]
    running = [text for text, over in zip(texts, oracle.mdp.labels["over"], strict=True) if not over]
    assert len(set(running)) == len(running)
    for text in [words.world, words.wording.goal, *texts]:
        assert not re.search(rf"(?<![\d/.])1 ({NOUNS})s\b", text), text
        assert not re.search(rf"\b(?!1\b)\d+ ({NOUNS})\b", text), text
    for action in oracle.mdp.action_names:
        assert re.search(rf"\b{action}\b", words.world)
    for constant, value in constant_values(oracle.constants).items():
        if isinstance(value, Fraction):
            assert re.search(rf"probability.*(?<![\d/]){value}(?![\d/])", words.world), constant


LARGE = {
    "stock_market": {"days": "100", "target": "1000", "savings": "700", "limit": "99", "top": "50"},
    "job_shop": {"jobs": "4", "deadline": "99"},
    "dam": {"months": "99", "demand": "99", "top": "99"},
}
JOBS = ["one", "two", "three", "four"]
EXTREMES: dict[str, dict[str, list[int]]] = {
    "stock_market": {"left": [0, 100], "price": [1, 50], "cash": [0, 1000], "shares": [0, 99], "broke": [False, True]},
    "job_shop": {"left": [0, 99], **{job: [0, 4] for job in JOBS}},
    "dam": {"left": [0, 1, 99], "level": [0, 1, 98, 99], "released": [0, 99]},
}
"""The ends of every variable's range at the large constants."""


@pytest.mark.parametrize("name", LARGE)
def test_every_picture_keeps_its_size(opened: Opener, name: str) -> None:
    """The picture of every state, also at large constants, has 3 to 8 lines of at most 34 narrow characters."""
    folder = packaged()[name]
    template = Template("picture.j2", (folder,))
    large = constant_values({**load_environment(folder).constants, **LARGE[name]})
    ends = EXTREMES[name]
    scenes = [(dict(zip(ends, point, strict=True)), large) for point in product(*ends.values())]
    for oracle in (opened(name), opened(name, SMALL[name])):
        values = constant_values(oracle.constants)
        scenes += [(oracle.mdp.valuation(state), values) for state in range(oracle.mdp.states)]
    for state, constants in scenes:
        lines = template.render({"state": state, "constants": constants}).split("\n")
        assert 3 <= len(lines) <= 8, (state, lines)
        assert max(map(len, lines)) <= 34, (state, lines)
        assert all(unicodedata.category(c)[0] != "C" for line in lines for c in line)
        assert not any(unicodedata.east_asian_width(c) in "WF" for line in lines for c in line)


def test_resource_gathering_is_drawn_on_its_map(opened: Opener) -> None:
    """The grid marks home, both mines and the robbers where the prompt's map has them, and no state is on a rock."""
    oracle = opened("resource_gathering")
    tiles = tiles_of(oracle)
    assert tiles is not None
    chart = "".join(CHART)
    assert (tiles.rows, tiles.columns) == (5, 5)
    assert tiles.marks == {tile: mark for tile, mark in enumerate(chart) if mark in "H$*!"}
    assert {tile for tile, mark in enumerate(chart) if mark == "#"} == set(np.flatnonzero(tiles.count == 0).tolist())
    for variant in ("plain", "story"):
        assert "\n".join(CHART) in words_of(oracle, variant).world
