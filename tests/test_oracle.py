"""The oracle with the real Storm: known answers, independent solvers, both modes, its folder."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import TYPE_CHECKING

import gymnasium
import numpy as np
import pytest
from reference import frozen_lake_4x4, oracle
from reference_solver import Model, reachability
from storm_support import HALF, write_drn

from engine.errors import ModelError, UsageError
from engine.mdp.expressions import scope_of, select, select_one
from engine.mdp.sources import find_model
from engine.oracle.client import check_model, losses, open_oracle
from engine.oracle.facts import Kind, Oracle
from engine.oracle.numbers import Interval
from engine.oracle.request import Mode, Request
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from pathlib import Path


def _tile(lake: Oracle, pos: int) -> int:
    return select_one(scope_of(lake.mdp, lake.constants), f"pos={pos}")


def test_frozen_lake_has_its_known_answers(lake: Oracle) -> None:
    """V at the start is 14/17 exactly, four tiles are dead ends, the tile left of the goal is the bottleneck."""
    assert lake.exact
    assert lake.facts.value.at(int(lake.mdp.initial[0])) == Fraction(14, 17)
    assert (lake.mdp.states, lake.mdp.choices, lake.mdp.transitions) == (16, 49, 133)
    dead = np.flatnonzero(lake.facts.dead_end == Tri.YES)
    assert {int(lake.mdp.valuations["pos"][state]) for state in dead} == {5, 7, 11, 12}
    assert np.flatnonzero(lake.facts.bottleneck == Tri.YES).tolist() == [_tile(lake, 14)]


def test_every_fact_of_frozen_lake_is_that_of_the_plain_definitions(lake: Oracle) -> None:
    """Values, Q, A*, A-, progressing actions, dead ends, bottlenecks and danger agree with a solver without Storm."""
    known = frozen_lake_4x4()
    for pos in range(16):
        state = _tile(lake, pos)
        assert lake.facts.value.at(state) == known.facts.value.at(pos)
        assert lake.facts.danger is not None
        assert known.facts.danger is not None
        assert lake.facts.danger.at(state) == known.facts.danger.at(pos)
        assert lake.facts.dead_end[state] == known.facts.dead_end[pos]
        assert lake.facts.bottleneck[state] == known.facts.bottleneck[pos]
        assert lake.mdp.action_names_of(state) == known.mdp.action_names_of(pos)
        for mine, theirs in zip(lake.mdp.choices_of(state), known.mdp.choices_of(pos), strict=True):
            assert lake.facts.q.at(mine) == known.facts.q.at(theirs)
            for name in ("best", "worst", "progressing"):
                assert getattr(lake.facts, name)[mine] == getattr(known.facts, name)[theirs], (pos, name)


@pytest.mark.parametrize(("size", "name"), [("4", "4x4"), ("8", "8x8")])
def test_values_agree_with_value_iteration_on_gymnasium(size: str, name: str) -> None:
    """Plain value iteration on the transition table of Gymnasium's FrozenLake-v1 gives the same V in every tile."""
    environment = gymnasium.make("FrozenLake-v1", map_name=name, is_slippery=True).unwrapped
    table = environment.P  # type: ignore[attr-defined]  # toy-text environments have it
    goes_on = np.zeros((len(table), 4, len(table)))
    reward = np.zeros((len(table), 4))
    for s, moves in table.items():
        for a, outcomes in moves.items():
            for probability, successor, gain, ended in outcomes:
                goes_on[s, a, successor] += probability * (not ended)
                reward[s, a] += probability * gain
    value = np.zeros(len(table))
    for _ in range(20_000):
        value = (reward + goes_on @ value).max(axis=1)
    source = find_model("frozen_lake")
    checked = open_oracle(source.request({"map": size}), source.environment)
    for state in range(checked.mdp.states):
        pos = int(checked.mdp.valuations["pos"][state])
        if not checked.facts.target[state]:
            assert checked.facts.value.lower[state] == pytest.approx(value[pos], abs=1e-9)


def test_sound_mode_encloses_the_exact_values_and_guesses_nothing(lake: Oracle) -> None:
    """Every exact number lies in its enclosure, every decided fact is the exact one, ties are undecided."""
    source = find_model("frozen_lake")
    sound = open_oracle(source.request(mode=Mode.SOUND), source.environment)
    assert not sound.exact
    for numbers, exact in ((sound.facts.value, lake.facts.value), (sound.facts.q, lake.facts.q)):
        for index in range(len(numbers)):
            found, true = numbers.at(index), exact.at(index)
            assert (found is None) == (true is None)
            if isinstance(found, Interval) and true is not None:
                assert Fraction(found.lower) <= true <= Fraction(found.upper)
    for name in ("best", "worst", "progressing", "dead_end", "bottleneck"):
        mine, theirs = getattr(sound.facts, name), getattr(lake.facts, name)
        decided = mine != Tri.UNDECIDED
        assert (mine[decided] == theirs[decided]).all(), name
    start = sound.mdp.choices_of(int(sound.mdp.initial[0]))
    assert [sound.facts.best[choice] for choice in start] == [Tri.UNDECIDED] * 4


def test_random_models_have_the_values_of_an_independent_solver(tmp_path: Path) -> None:
    """V, Q and progressing actions of random explicit models are those of policy iteration in plain fractions."""
    rng = random.Random(7)
    for number in range(6):
        model = _random_model(rng)
        path = write_drn(model, tmp_path / f"m{number}.drn")
        kind = rng.choice([Kind.PMAX, Kind.PMIN])
        checked = open_oracle(Request(path=path, objective=f'{kind.value}=? [F "goal"]', mode=Mode.EXACT))
        known = oracle(model, kind=kind)
        states = range(len(model.moves))
        assert [checked.facts.value.at(s) for s in states] == reachability(model, model.labels["goal"], kind)
        for name in ("best", "worst", "progressing", "dead_end", "bottleneck"):
            assert getattr(checked.facts, name).tolist() == getattr(known.facts, name).tolist(), name


def _random_model(rng: random.Random) -> Model:
    count = rng.randint(3, 7)
    moves = []
    for _ in range(count):
        actions = {}
        for number in range(rng.randint(1, 3)):
            weights = {rng.randrange(count): rng.randint(1, 5) for _ in range(rng.randint(1, 3))}
            total = sum(weights.values())
            actions[f"a{number}"] = {target: Fraction(weight, total) for target, weight in weights.items()}
        moves.append(actions)
    return Model(moves, {"goal": {count - 1}, "unsafe": {count - 2}})


def test_losses_are_those_of_blocking(lake: Oracle) -> None:
    """loss(b) from Storm is (V - V_b) / V by the reference solver for every tile, 1 at the bottleneck."""
    known = frozen_lake_4x4()
    tiles = range(1, 15)
    found = losses(find_model("frozen_lake").request(), tuple(_tile(lake, pos) for pos in tiles))
    model = _as_model(known)
    whole = reachability(model, {15}, Kind.PMAX)[0]
    for pos in tiles:
        without = reachability(model, {15}, Kind.PMAX, set(range(16)) - {pos})[0]
        assert Fraction(found[_tile(lake, pos)]) == (whole - without) / whole
    assert found[_tile(lake, 14)] == "1"


def _as_model(known: Oracle) -> Model:
    mdp = known.mdp
    moves = [
        {mdp.action_name(c): {t: Fraction(p) for t, p in mdp.successors(c)} for c in mdp.choices_of(s)}
        for s in range(mdp.states)
    ]
    return Model(moves, {"goal": {15}})


def test_step_bounds_use_one_step_less_on_the_right() -> None:
    """Q for F<=k is the expectation of V for F<=k-1, by dynamic programming in fractions; k = 0 has no Q."""
    model = _as_model(frozen_lake_4x4())
    values = [[Fraction(int(s == 15)) for s in range(16)]]
    for _ in range(6):
        last = values[-1]
        values.append(
            [
                Fraction(1)
                if s == 15
                else max(sum((p * last[t] for t, p in d.items()), Fraction(0)) for d in model.moves[s].values())
                for s in range(16)
            ]
        )
    source = find_model("frozen_lake")
    bounded = open_oracle(source.request(objective='Pmax=? [F<=6 "goal"]'), source.environment)
    for state in range(16):
        pos = int(bounded.mdp.valuations["pos"][state])
        assert bounded.facts.value.at(state) == values[6][pos]
        for choice in bounded.mdp.choices_of(state):
            distribution = model.moves[pos][bounded.mdp.action_name(choice)]
            expected = sum((p * values[5][t] for t, p in distribution.items()), Fraction(0))
            assert bounded.facts.q.at(choice) == (None if pos == 15 else expected)
    none = open_oracle(source.request(objective='Pmax=? [F<=0 "goal"]'), source.environment)
    assert not none.facts.q.defined.any()


def test_rewards_have_infinite_values_and_exact_gaps() -> None:
    """Without slipping the goal is six steps away; with holes in reach of every policy the expectation is infinite."""
    source = find_model("frozen_lake")
    firm = open_oracle(source.request({"slip": "0"}, objective='R{"steps"}min=? [F "goal"]'), source.environment)
    start = int(firm.mdp.initial[0])
    assert firm.facts.value.at(start) == 6
    q = {firm.mdp.action_name(choice): firm.facts.q.at(choice) for choice in firm.mdp.choices_of(start)}
    assert q == {"left": 7, "down": 6, "right": 6, "up": 7}
    icy = open_oracle(source.request(objective='R{"steps"}min=? [F "goal"]'), source.environment)
    assert icy.facts.value.at(int(icy.mdp.initial[0])) == float("inf")


def test_models_are_not_cut_off_at_their_targets(tmp_path: Path) -> None:
    """States behind the target are part of the model, and a wrong bound behind it is found."""
    path = tmp_path / "m.prism"
    path.write_text(
        'mdp\nmodule m\n x : [0..3] init 0;\n [a] true -> (x\'=min(3,x+1));\nendmodule\nlabel "goal" = x=1;\n'
    )
    assert open_oracle(Request(path=path)).mdp.states == 4
    path.write_text(path.read_text().replace("min(3,x+1)", "x+1"))
    with pytest.raises(ModelError, match="out-of-bounds"):
        open_oracle(Request(path=path))


def test_sums_that_doubles_miss_are_accepted(tmp_path: Path) -> None:
    """Ten times one tenth is 1 exactly, although doubles miss it: no mode refuses the model."""
    path = tmp_path / "m.prism"
    tenths = " + ".join(f"0.1 : (x'={target})" for target in range(1, 11))
    path.write_text(
        f"mdp\nmodule m\n x : [0..10] init 0;\n [a] x=0 -> {tenths};\n [b] x>0 -> true;\nendmodule\n"
        'label "goal" = x=10;\n'
    )
    for mode in Mode:
        checked = open_oracle(Request(path=path, mode=mode))
        assert checked.facts.value.lower[0] == pytest.approx(0.1, abs=1e-6)


def test_a_second_opening_starts_no_child(cache: Path, tmp_path: Path) -> None:
    """The folder of the first opening serves the second, and another constant makes another folder."""
    path = tmp_path / "half.prism"
    path.write_text(HALF)
    stages: list[str] = []
    first = check_model(Request(path=path), progress=lambda stage, _: stages.append(stage))
    assert "building" in stages
    stages.clear()
    second = check_model(Request(path=path), progress=lambda stage, _: stages.append(stage))
    assert not stages
    assert second.identity == first.identity
    assert first.facts is not None
    assert first.facts.value.at(0) == Fraction(1, 2)
    path.write_text(HALF.replace("1/3 : (x'=3) + 2/3", "2/3 : (x'=3) + 1/3"))
    third = check_model(Request(path=path))
    assert third.identity != first.identity
    assert third.facts is not None
    assert third.facts.value.at(0) == Fraction(2, 3)
    assert sorted(folder.name for folder in cache.iterdir()) == sorted([first.identity, third.identity])


def test_a_folder_from_another_version_is_made_anew(cache: Path, tmp_path: Path) -> None:
    """A kept folder of another layout, or a damaged one, is replaced and never read as if it were good."""
    path = tmp_path / "half.prism"
    path.write_text(HALF)
    checked = check_model(Request(path=path))
    for damage in ('{"version": 0}', "{"):
        (cache / checked.identity / "meta.json").write_text(damage)
        assert check_model(Request(path=path)).meta["version"] > 0
    assert json.loads((cache / checked.identity / "meta.json").read_text())["storm"]


def test_chains_open_and_other_models_are_refused(tmp_path: Path) -> None:
    """A DTMC is an MDP with one action in each state; a CTMC is refused with the reason."""
    chain = HALF.replace("mdp", "dtmc").replace("  [jump] x=0 -> 1/3 : (x'=3) + 2/3 : (x'=2);\n", "")
    (tmp_path / "m.pm").write_text(chain)
    opened = open_oracle(Request(path=tmp_path / "m.pm"))
    assert opened.facts.value.at(0) == Fraction(1, 2)
    assert np.diff(opened.mdp.choice_start).tolist() == [1] * opened.mdp.states
    (tmp_path / "m.sm").write_text(
        chain.replace("dtmc", "ctmc").replace("->", "-> 2 *").replace("2 * (", "(").replace("2 * true", "true")
    )
    with pytest.raises(ModelError, match="CTMC"):
        open_oracle(Request(path=tmp_path / "m.sm"))


def test_expressions_of_a_real_model(lake: Oracle) -> None:
    """Variables, constants, labels and certain facts of the checked model can be named."""
    scope = scope_of(lake.mdp, lake.constants, lake.facts)
    assert int(select(scope, '"dead_end" & !"unsafe"').sum()) == 0
    assert int(select(scope, "mod(pos, map) = 0").sum()) == 4
    assert int(select(scope, '"bottleneck"').sum()) == 1


def test_objectives_that_cannot_be_are_refused() -> None:
    """A model without any objective, and a property that is none, are mistakes of the user."""
    source = find_model("frozen_lake")
    with pytest.raises(UsageError, match="no objective"):
        open_oracle(source.request(objective='LRAmax=? ["goal"]'), source.environment)


@pytest.mark.parametrize("name", ["value.rank.npy", "value.table.json", "q.rank.npy", "model.umb", "labels/0.npy"])
@pytest.mark.parametrize("damage", ["flip", "empty", "missing"])
def test_a_damaged_folder_is_made_anew(cache: Path, tmp_path: Path, name: str, damage: str) -> None:
    """A flipped byte, an emptied or a missing file is noticed, and the facts are the right ones again."""
    path = tmp_path / "half.prism"
    path.write_text(HALF)
    first = check_model(Request(path=path))
    file = cache / first.identity / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(b"" if damage == "empty" else bytes(content))
    again = check_model(Request(path=path))
    assert again.facts is not None
    assert [again.facts.value.at(state) for state in range(4)] == [Fraction(1, 2), 1, 0, 1]


def test_step_bounded_pmin_has_dead_ends(tmp_path: Path) -> None:
    """Where every play reaches the target within the bound, and it is not reached yet, is a dead end of Pmin."""
    path = tmp_path / "m.prism"
    path.write_text(
        "mdp\nmodule m\n x : [0..3] init 0;\n [a] x<2 -> (x'=x+1);\n [b] x=0 -> (x'=3);\n [c] x=3 -> true;\n"
        ' [d] x=2 -> true;\nendmodule\nlabel "goal" = x=2;\n'
    )
    for mode in (Mode.EXACT, Mode.SOUND):
        dead = {
            bound: sorted(
                int(bounded.mdp.valuations["x"][state]) for state in np.flatnonzero(bounded.facts.dead_end == Tri.YES)
            )
            for bound in (0, 1, 5)
            for bounded in [open_oracle(Request(path=path, objective=f'Pmin=? [F<={bound} "goal"]', mode=mode))]
        }
        assert dead == {0: [], 1: [1], 5: [1]}


def test_probabilities_outside_their_range_are_refused(tmp_path: Path) -> None:
    """A row that sums to 1 with a negative probability in it is no distribution, in every format that allows it."""
    path = tmp_path / "m.drn"
    path.write_text(
        "@type: MDP\n@parameters\n\n@reward_models\n\n@nr_states\n2\n@nr_choices\n2\n@model\n"
        "state 0 init\n\taction a\n\t\t0 : -1/2\n\t\t1 : 3/2\nstate 1 goal\n\taction a\n\t\t1 : 1\n"
    )
    for mode in (Mode.EXACT, Mode.SOUND):
        with pytest.raises(ModelError, match="no probability"):
            open_oracle(Request(path=path, mode=mode))
