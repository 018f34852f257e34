"""Questions about a fixed policy: the facts of the chain that it induces."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from cli_support import json_of, run_cli
from reference import Model, oracle
from storm_support import write_drn

from engine.errors import UsageError
from engine.oracle.client import open_oracle
from engine.oracle.facts import Kind
from engine.oracle.policy.policies import Policy
from engine.oracle.request import Request
from engine.oracle.tri import Tri
from engine.prompts.rendering import render
from engine.queries.generation import case_for, generate
from engine.queries.registry import all_categories
from engine.queries.under_policy import policy_oracle

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.facts import Oracle


def random_model(rng: random.Random, count: int = 7) -> Model:
    """Return a model whose last two states are the goal and a trap, with two actions elsewhere."""
    moves = []
    for _ in range(count - 2):
        actions = {}
        for name in ("a", "b"):
            chosen = rng.sample(range(count), 3)
            actions[name] = {chosen[0]: Fraction(1, 2), chosen[1]: Fraction(1, 3), chosen[2]: Fraction(1, 6)}
        moves.append(actions)
    moves += [{"stay": {count - 2: Fraction(1)}}, {"stay": {count - 1: Fraction(1)}}]
    return Model(moves, {"goal": {count - 2}, "unsafe": {count - 1}})


def mixed(model: Model, weights: list[Fraction]) -> Model:
    """Return the chain of taking action a with these probabilities, else b."""
    moves = []
    for actions, weight in zip(model.moves, weights, strict=True):
        together: dict[int, Fraction] = {}
        for distribution, share in zip(actions.values(), (weight, 1 - weight), strict=False):
            whole = share if len(actions) > 1 else Fraction(1)
            for target, probability in distribution.items():
                together[target] = together.get(target, Fraction(0)) + whole * probability
        moves.append({"play": {target: value for target, value in together.items() if value}})
    return Model(moves, model.labels, model.initial)


@pytest.mark.parametrize("kind", [Kind.PMAX, Kind.PMIN])
@pytest.mark.parametrize("seed", [1, 2])
def test_facts_are_those_of_the_chain(tmp_path: Path, kind: Kind, seed: int) -> None:
    """V, dead ends, bottlenecks and danger equal those of the chain by the plain definitions, for a mixed policy."""
    rng = random.Random(seed)
    model = random_model(rng)
    weights = [rng.choice([Fraction(0), Fraction(1), Fraction(1, 4)]) for _ in model.states]
    path = write_drn(model, tmp_path / "model.drn")
    known = open_oracle(Request(path=path, objective=f'{kind}=? [F "goal"]', danger='Pmin=? [F "unsafe"]'))
    moves = {}
    for state in range(len(model.moves) - 2):
        first, second = known.mdp.choices_of(state)
        moves[state] = {c: w for c, w in ((first, weights[state]), (second, 1 - weights[state])) if w}
    following = policy_oracle(known, Policy("mixed", moves))
    expected = oracle(mixed(model, weights), kind=kind)
    for state in model.states:
        assert following.facts.value.at(state) == expected.facts.value.at(state)
        assert following.facts.danger is not None
        assert expected.facts.danger is not None
        assert following.facts.danger.at(state) == expected.facts.danger.at(state)
    assert following.facts.dead_end.tolist() == expected.facts.dead_end.tolist()
    assert following.facts.bottleneck.tolist() == expected.facts.bottleneck.tolist()
    assert following.identity not in {known.identity, expected.identity}
    found = generate(following, list(all_categories()))
    for name in ("best-action", "worst-action", "action-ranking"):
        assert found.omitted[name] == "a fixed policy leaves no choice between actions"
    for case in found.cases:
        if case.category == "satisfy":
            assert case.accepted == (str(expected.facts.value.at(case.states[0])),)


def always_right(lake: Oracle, *, without: set[int] = frozenset()) -> Policy:  # type: ignore[assignment] # never changed
    """Return the policy that goes right on every tile but the given ones."""
    moves = {}
    for state in range(lake.mdp.states):
        choices = {lake.mdp.action_name(choice): choice for choice in lake.mdp.choices_of(state)}
        if len(choices) > 1 and lake.mdp.valuation(state)["pos"] not in without:
            moves[state] = {choices["right"]: Fraction(1)}
    return Policy("right.json", moves)


def at(lake: Oracle, tile: int) -> int:
    """Return the state of a tile."""
    return int(np.flatnonzero(lake.mdp.valuations["pos"] == tile)[0])


def test_a_prompt_gives_the_policy_and_asks_about_it(lake: Oracle) -> None:
    """The policy's moves are in the prompt, the action is not "available", and nothing is "chosen optimally"."""
    following = policy_oracle(lake, always_right(lake))
    for name, tiles in (("satisfy", [6]), ("more-promising", [6, 14]), ("holds", [6]), ("subset-has-dead-end", [6, 5])):
        text = render(following, case_for(following, name, [at(lake, tile) for tile in tiles])).user
        assert re.search(r"^- .*row 2, column 3\b.*: right$", text, re.MULTILINE)
        assert "Available actions" not in text
        assert "optimally" not in text
        assert "policy" in text.partition("Question:")[2]


def test_a_silent_policy_leaves_facts_open(lake: Oracle) -> None:
    """From where the policy may come to a tile about which it says nothing there is no question; elsewhere there is."""
    following = policy_oracle(lake, always_right(lake, without={3}))
    value = [following.facts.value.at(at(lake, tile)) for tile in range(16)]
    assert value[3] is None
    assert value[2] is None  # right of it
    assert value[5] == 0
    assert following.facts.dead_end[at(lake, 2)] == Tri.UNDEFINED
    assert (following.facts.bottleneck == Tri.UNDEFINED).all()
    with pytest.raises(UsageError, match="no value at state pos=3"):
        case_for(following, "satisfy", [at(lake, 3)])
    with pytest.raises(UsageError, match="says nothing"):
        case_for(following, "subset-has-dead-end", [at(lake, 3), at(lake, 5)])


def test_the_command_line_asks_about_a_policy(tmp_path: Path) -> None:
    """``cases`` and ``ask`` take ``--policy``: V of going right from tile 14 is 13/21, by hand from its neighbours."""
    path = tmp_path / "right.json"
    path.write_text('{"!\\"goal\\" & !\\"unsafe\\"": "right"}')
    found = json_of("cases", "frozen_lake", "--policy", str(path), "--category", "satisfy", "--difficulty", "refined")
    assert (found["policy"], found["difficulty"]) == (str(path), "refined")
    value = {row["states"][0]["valuation"]["pos"]: Fraction(row["accepted"][0]) for row in found["cases"]}
    # Right: ahead, and to both sides, each with 1/3; the map's edge keeps the tile.
    assert value[14] == (value[15] + value[10] + value[14]) / 3
    assert value[13] == (value[14] + value[9] + value[13]) / 3
    assert value[10] == (value[11] + value[6] + value[14]) / 3
    told = run_cli(
        "ask",
        "frozen_lake",
        "--policy",
        str(path),
        "--category",
        "satisfy",
        "--state",
        "pos=14",
        "--explainer",
        "oracle",
    )
    assert told.exit_code == 0
    assert str(value[14]) in told.stdout
    refused = run_cli("ask", "frozen_lake", "--policy", str(path), "--category", "best-action", "--state", "pos=14")
    assert refused.exit_code == 2
    assert "leaves no choice" in refused.stderr
