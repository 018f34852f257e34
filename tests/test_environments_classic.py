"""Wolf-goat-cabbage, water jug, gambler, cliff walking and transporter: known answers and a second source."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from classic_dynamics import (
    Game,
    bold_play,
    cliff,
    distances,
    explored,
    iterated,
    river,
    shortest_measuring,
    town,
)
from classic_support import NAMES, SECOND, TENTH, label_of, opened, states_of, value
from reference_solver import bottlenecks, reachability

from engine.mdp.environment import KnownAnswer, load_environment
from engine.mdp.expressions import scope_of, select_one
from engine.oracle.facts import Kind
from engine.oracle.numbers import parse_exact
from engine.oracle.tri import Tri
from engine.queries.generation import generate
from engine.queries.registry import all_categories
from environments import packaged

KNOWN = [(name, answer) for name in NAMES for answer in load_environment(packaged()[name]).known]


@pytest.mark.parametrize(("name", "answer"), KNOWN, ids=label_of)
def test_known_answers_hold(name: str, answer: KnownAnswer) -> None:
    """Every answer that an environment states with its source is what the real oracle finds, exactly."""
    known = opened(name, answer.objective, **answer.constants)
    assert known.exact
    match answer.fact:
        case "value":
            state = None if answer.state is None else select_one(scope_of(known.mdp, known.constants), answer.state)
            found = value(known, state)
        case "bottlenecks":
            found = int((known.facts.bottleneck == Tri.YES).sum())
        case "dead_ends":
            found = int((known.facts.dead_end == Tri.YES).sum())
        case "states":
            found = known.mdp.states
    assert found == parse_exact(answer.value)


@pytest.mark.parametrize(("name", "constants", "game"), SECOND, ids=label_of)
def test_models_follow_the_rules_written_down_again(name: str, constants: dict[str, str], game: Game) -> None:
    """States, labels, actions and exact probabilities are those of the rules in plain Python, and nothing else."""
    known = opened(name, **constants)
    states, model = explored(game)
    number = states_of(known, game.variables)
    assert set(number) == set(states)
    assert known.mdp.initial.tolist() == [number[game.initial]]
    for position, state in enumerate(states):
        mine = number[state]
        choices = known.mdp.choices_of(mine)
        found = {known.mdp.action_name(choice): dict(known.mdp.successors(choice)) for choice in choices}
        assert found == {
            action: {number[states[target]]: probability for target, probability in outcomes.items()}
            for action, outcomes in model.moves[position].items()
        }
        for label, members in model.labels.items():
            assert known.mdp.labels[label][mine] == (position in members)


@pytest.mark.parametrize(("name", "constants", "game"), SECOND, ids=label_of)
def test_facts_are_those_of_exact_policy_iteration(name: str, constants: dict[str, str], game: Game) -> None:
    """V, D and the strict bottlenecks of every state agree with a solver in plain fractions on those rules."""
    known = opened(name, **constants)
    states, model = explored(game)
    number = states_of(known, game.variables)
    order = [number[state] for state in states]
    assert known.facts.danger is not None
    best = reachability(model, model.labels["goal"], Kind.PMAX)
    least = reachability(model, model.labels["unsafe"], Kind.PMIN)
    assert [value(known, state) for state in order] == best
    assert [known.facts.danger.at(state) for state in order] == least
    narrow = bottlenecks(model, model.labels["goal"], set(model.states)) if best[0] else set()
    assert {order[state] for state in narrow} == set(np.flatnonzero(known.facts.bottleneck == Tri.YES).tolist())


def test_the_river_is_crossed_in_seven_trips_and_not_in_six() -> None:
    """A breadth-first search over the rules needs seven crossings, and the step-bounded objectives agree."""
    assert distances(river(Fraction(0)))[(1, 1, 1, 1)] == 7
    assert value(opened("wolf_goat_cabbage", "seven")) == 1
    assert value(opened("wolf_goat_cabbage", 'Pmax=? [F<=6 "goal"]')) == 0


def test_fumbled_jugs_have_a_binomial_value() -> None:
    """V(s) is the probability that enough of the moves left succeed for the shortest solution from s."""
    constants = {"budget": "9", "fumble": "1/4"}
    known = opened("water_jug", **constants)
    for state, number in states_of(known, ("in_small", "in_large", "moves_left", "served")).items():
        *content, left, served = state
        needed = 0 if served or 4 in content else shortest_measuring(tuple(content))
        chances = [
            comb(left, hits) * Fraction(3, 4) ** hits * Fraction(1, 4) ** (left - hits)
            for hits in range(needed, left + 1)
        ]
        assert value(known, number) == (1 if needed == 0 else sum(chances))


def test_bold_play_is_optimal_in_an_unfair_game() -> None:
    """For all 101 capitals V is that of bold play (Dubins and Savage), from its own equations in fractions."""
    known = opened("gambler")
    for (capital,), number in states_of(known, ("capital",)).items():
        assert value(known, number) == bold_play(capital, 100, Fraction(2, 5))


def test_the_longest_play_stakes_one() -> None:
    """The longest expected play in an unfair game is the gambler's ruin with stakes of one, a closed form."""
    heads, target = Fraction(2, 5), 20
    known = opened("gambler", "longest", target=str(target), start="10")
    ratio, drift = (1 - heads) / heads, 1 - 2 * heads
    for (capital,), number in states_of(known, ("capital",)).items():
        ruin = (1 - ratio**capital) / (1 - ratio**target)
        assert value(known, number) == capital / drift - target / drift * ruin


@pytest.mark.parametrize("steps", [12, 13])
def test_firm_ground_needs_thirteen_steps(steps: int) -> None:
    """Without slipping the goal is reached within 13 steps and not within 12 (Sutton and Barto, example 6.6)."""
    assert value(opened("cliff_walking", f'Pmax=? [F<={steps} "goal"]', slip="0")) == int(steps == 13)
    assert distances(cliff(4, 12, Fraction(0)))[(3, 11)] == 13


@pytest.mark.parametrize("objective", [None, "steps"])
def test_the_cliff_agrees_with_value_iteration(objective: str | None) -> None:
    """On the full 4 × 12 field both objectives have the values of plain value iteration, a fall costing the penalty."""
    known, game = opened("cliff_walking", objective), cliff(4, 12, TENTH)
    if objective is None:
        found = iterated(game, lambda state: float(game.won(state)))
    else:
        found = iterated(game, lambda state: 100.0 * game.lost(state), 1.0)
    for state, number in states_of(known, game.variables).items():
        # The penalty is paid by the step that falls: a state on the cliff, reached, costs nothing any more.
        expected = 0.0 if objective and game.lost(state) else found[state]
        assert known.facts.value.floats[number] == pytest.approx(expected, abs=1e-9)


def test_the_transporter_agrees_with_value_iteration() -> None:
    """In the default town V is that of plain value iteration on the rules, in all states."""
    known, game = opened("transporter"), town(4, 8, 2, TENTH)
    found = iterated(game, lambda state: float(game.won(state)))
    numbers = states_of(known, game.variables)
    assert set(numbers) == set(found)
    assert all(
        known.facts.value.floats[number] == pytest.approx(found[state], abs=1e-9) for state, number in numbers.items()
    )


@pytest.mark.parametrize(
    ("name", "constants", "values", "dangers"),
    [
        ("wolf_goat_cabbage", {"slip": "1/10"}, 5, 2),
        ("water_jug", {"fumble": "1/10"}, 10, 3),
        ("gambler", {}, 101, 3),
        ("cliff_walking", {}, 30, 3),
        ("transporter", {}, 50, 3),
    ],
)
def test_environments_are_not_trivial(name: str, constants: dict[str, str], values: int, dangers: int) -> None:
    """V and danger take many values; with three dangers asked for, the river's page says why it has only two."""
    known = opened(name, **constants)
    assert known.facts.danger is not None
    assert len({value(known, state) for state in range(known.mdp.states)}) >= values
    safe = np.flatnonzero(~known.mdp.labels["unsafe"]).tolist()
    assert len({known.facts.danger.at(state) for state in safe}) >= dangers


@pytest.mark.parametrize("name", ["wolf_goat_cabbage", "gambler", "cliff_walking", "transporter"])
def test_best_and_worst_actions_differ_in_most_states(name: str) -> None:
    """Of the states with a choice, more than half have an action that is not among the best."""
    known = opened(name)
    spans = [list(known.mdp.choices_of(state)) for state in range(known.mdp.states)]
    chosen = [known.facts.best[span].tolist() for span in spans if len(span) > 1]
    assert 2 * sum(Tri.NO in best for best in chosen) > len(chosen)


@pytest.mark.parametrize(
    ("name", "constants", "narrow"),
    [
        ("wolf_goat_cabbage", {}, True),
        ("water_jug", {}, False),
        ("water_jug", {"budget": "6"}, True),
        ("gambler", {}, False),
        ("cliff_walking", {}, True),
        ("transporter", {}, True),
    ],
)
def test_every_category_has_cases(name: str, constants: dict[str, str], *, narrow: bool) -> None:
    """All categories have cases, yes and no among them; without a bottleneck just those about bottlenecks have none."""
    found = generate(opened(name, **constants), list(all_categories()), budget=4)
    about = {category for category in all_categories() if "bottleneck" in category}
    assert set(found.omitted) == (set() if narrow else about)
    given = {(case.category, answer) for case in found.cases for answer in case.accepted}
    for category in {case.category for case in found.cases} & {"is-bottleneck", "subset-has-dead-end"}:
        assert {(category, "yes"), (category, "no")} <= given
