"""What the graph decides about step-bounded reachability, against exact k-step values."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from reference import arrays
from small_mdps import models

from engine.oracle.client import check_model
from engine.oracle.derivation.bounded import never_within, surely_within
from engine.oracle.request import Mode, Request

if TYPE_CHECKING:
    from pathlib import Path

    from reference_solver import Model


WALK = """
mdp
module walk
  s : [0..4];
  [go] s<4 -> 1/3:(s'=s+1) + 2/3:true;
endmodule
label "goal" = s=4;
"""


def _within(model: Model, phi: set[int], target: set[int], bound: int, *, maximise: bool) -> list[Fraction]:
    """Return the k-step values by their recursion, in fractions."""
    value = [Fraction(state in target) for state in model.states]
    for _ in range(bound):
        best = max if maximise else min
        value = [
            Fraction(1)
            if state in target
            else best(sum(p * value[t] for t, p in row.items()) for row in model.moves[state].values())
            if state in phi
            else Fraction(0)
            for state in model.states
        ]
    return value


@given(models(), st.integers(0, 6), st.booleans(), st.sets(st.integers(0, 3)))
def test_certain_states_are_those_of_the_recursion(model: Model, bound: int, maximise: bool, outside: set[int]) -> None:
    """The states at 0 and at 1 within k steps are exactly those whose k-step value in fractions is 0 and 1."""
    target = model.labels["goal"]
    phi = set(model.states) - outside
    value = _within(model, phi, target, bound, maximise=maximise)
    mdp = arrays(model)
    masks = [np.isin(np.arange(mdp.states), sorted(states)) for states in (phi, target)]
    never = never_within(mdp, masks[0], masks[1], bound, maximise=maximise)
    surely = surely_within(mdp, masks[0], masks[1], bound, maximise=maximise)
    assert never.tolist() == [v == 0 for v in value]
    assert surely.tolist() == [v == 1 for v in value]


def test_bounds_of_a_step_bounded_objective_are_points_where_the_graph_decides(cache: Path, tmp_path: Path) -> None:
    """With sound bounds, a state that is too far from the target has V = 0 itself, and so have its actions."""
    del cache
    path = tmp_path / "walk.prism"
    path.write_text(WALK)
    checked = check_model(Request(path=path, objective='Pmax=? [F<=2 "goal"]', mode=Mode.SOUND))
    facts = checked.facts
    assert facts is not None
    where = {int(s): index for index, s in enumerate(checked.mdp.valuations["s"])}
    assert [(facts.value.lower[where[s]], facts.value.upper[where[s]]) for s in (0, 1, 4)] == [(0, 0), (0, 0), (1, 1)]
    assert facts.q.upper[checked.mdp.choices_of(where[0])].tolist() == [0.0]
