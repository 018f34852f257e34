"""Expected rewards in bounds where runs can go round for nothing: by a model in which such rounds are one state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from cli_support import json_of
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import arrays
from reference_solver import Model
from small_mdps import models

from engine.oracle.client import check_model
from engine.oracle.numbers import Interval
from engine.oracle.request import Mode, Request
from engine.oracle.worker.quotient import certainly_zero, staying_choices

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = """mdp
module m
  s : [0..6] init 0;
  [loop] s=0 -> (s'=1);
  [go] s=0 -> 1/2 : (s'=2) + 1/2 : (s'=0);
  [back] s=1 -> (s'=0);
  [out] s=1 -> (s'=3);
  [rest] s=3 -> true;
  [far] s=1 -> 1/3 : (s'=4) + 2/3 : (s'=1);
  [round] s=4 -> (s'=5);
  [round] s=5 -> 1/2 : (s'=4) + 1/2 : (s'=2);
  [dear] s=4 -> (s'=6);
  [down] s=6 -> (s'=2);
  [stay] s=2 -> true;
endmodule
label "goal" = s=2;
rewards "r" [go] true : 1; [out] true : 5; [far] true : 1/7; [dear] true : 2; endrewards
"""
"""Going costs 1 a try and 2 in all; the detour costs 3/7 in all, as from s=4 the goal is reached for nothing.

At most s=4 earns 2, the dear way, and s=5 half of that.
"""


def _value(found: object) -> tuple[float, float]:
    if isinstance(found, dict):
        return float(found["lower"]), float(found["upper"])
    return float(str(found)), float(str(found))


@pytest.mark.parametrize(
    ("optimum", "right"),
    [("min", [3 / 7, 3 / 7, 0, float("inf"), 0, 0, 0]), ("max", [float("inf")] * 2 + [0, float("inf"), 2, 1, 0])],
)
def test_values_are_enclosed(tmp_path: Path, optimum: str, right: list[float]) -> None:
    """V is inside bounds that are close to it; at least nothing is earned where it is 0 itself."""
    path = tmp_path / "m.prism"
    path.write_text(ROUNDS)
    objective = f'R{{"r"}}{optimum}=? [F "goal"]'
    found = json_of("check", str(path), "--objective", objective, "--mode", "sound", "--property", objective)
    for row in found["states_listed"]:
        lower, upper = _value(row["value"])
        value = right[row["valuation"]["s"]]
        assert lower <= value <= upper
        assert value == float("inf") or upper - lower < 1e-5
        assert row["properties"][objective] == row["value"]
        if value == 0 and optimum == "min":
            assert (lower, upper) == (0, 0)


@settings(max_examples=4)  # each checks four models
@given(models(), st.data())
def test_bounds_hold_the_exact_value(
    tmp_path_factory: pytest.TempPathFactory, model: Model, data: st.DataObject
) -> None:
    """For random models with many choices that earn nothing, both optima: sound bounds hold what exact mode gives."""
    path = tmp_path_factory.mktemp("rounds") / "m.drn"
    lines = ["@type: MDP", "@parameters", "", "@reward_models", "r", "@nr_states", str(len(model.moves))]
    lines += ["@nr_choices", str(sum(map(len, model.moves))), "@model"]
    for state, actions in enumerate(model.moves):
        labels = ["init"] * (state == 0) + ["goal"] * (state in model.labels["goal"])
        lines.append(" ".join(["state", str(state), *labels]))
        for name, distribution in actions.items():
            lines.append(f"\taction {name} [{data.draw(st.sampled_from([0, 0, 0, 1]))}]")
            lines += [f"\t\t{target} : {distribution[target]}" for target in sorted(distribution)]
    path.write_text("\n".join(lines) + "\n")
    for optimum in ("min", "max"):
        objective = f'R{{"r"}}{optimum}=? [F "goal"]'
        exact = check_model(Request(path=path, objective=objective, mode=Mode.EXACT)).facts
        sound = check_model(Request(path=path, objective=objective, mode=Mode.SOUND)).facts
        assert exact is not None
        assert sound is not None
        for state in range(len(model.moves)):
            bounds, value = sound.value.at(state), exact.value.at(state)
            lower, upper = (bounds.lower, bounds.upper) if isinstance(bounds, Interval) else (bounds, bounds)
            assert lower <= value <= upper  # type: ignore[operator]  # both are defined in every state


def test_the_sets_of_a_small_model() -> None:
    """Two states that lead to each other for nothing stay; a choice that may leave does not, nor what then cannot stay.

    From all of them the target can be reached for nothing; not surely by every policy, since one may go round.
    """
    moves = [
        {"over": {1: 1}, "leave": {0: 1 / 2, 3: 1 / 2}},
        {"back": {0: 1}},
        {"try": {2: 1 / 2, 0: 1 / 2}},
        {"stay": {3: 1}},
    ]
    model = Model(moves, {"goal": {3}})  # type: ignore[arg-type]  # halves are the same as floats
    mdp = arrays(model)
    free, target = np.ones(mdp.choices, dtype=bool), np.arange(4) == 3
    assert staying_choices(mdp, free, target).tolist() == [True, False, True, False, False]
    assert certainly_zero(mdp, free, target, smallest=True).tolist() == [True, True, True, True]
    assert certainly_zero(mdp, free, target, smallest=False).tolist() == [False, False, False, True]
    paid = free.copy()
    paid[1] = False
    assert certainly_zero(mdp, paid, target, smallest=True).tolist() == [False, False, False, True]
