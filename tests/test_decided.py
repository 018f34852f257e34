"""Filters about checked numbers: compared as fractions, decided by bounds only where the bounds decide."""

from __future__ import annotations

import math
import operator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import enclosed, frozen_lake_4x4

from engine.errors import ExpressionError
from engine.mdp.decided import compared
from engine.mdp.expressions import Scope, decide, scope_of, select
from engine.oracle.numbers import Numbers
from engine.oracle.tri import Tri

LAKE = frozen_lake_4x4()
V = [LAKE.facts.value.at(state) for state in range(16)]
OPERATORS = {
    "less": operator.lt,
    "at_most": operator.le,
    "greater": operator.gt,
    "at_least": operator.ge,
    "equal": operator.eq,
    "unequal": operator.ne,
}
EXACT = st.one_of(st.fractions(-3, 3, max_denominator=7), st.just(math.inf))


def lake_scope() -> Scope:
    """Return the lake's scope with its facts."""
    return scope_of(LAKE.mdp, LAKE.constants, LAKE.facts)


def states(text: str, scope: Scope | None = None) -> set[int]:
    """Return the states that an expression selects."""
    return set(np.flatnonzero(select(scope or lake_scope(), text)).tolist())


def test_values_are_compared_as_fractions() -> None:
    """14/17 is the V of the start: only the fraction itself is equal to it, and it is not below itself."""
    assert V[0] == Fraction(14, 17)
    assert states("V = 14/17") == {state for state in range(16) if V[state] == Fraction(14, 17)}
    assert states("V < 14/17") == {state for state in range(16) if V[state] < Fraction(14, 17)}
    assert states("V = 0.8235294117647058") == set()
    assert states('V < 14/17 & D > 0 & !"dead_end"') == {6, 10}  # tiles beside holes
    assert states("1 - 3/17 <= V & V != 1") == {s for s in range(16) if Fraction(14, 17) <= V[s] < 1}


def test_values_are_compared_with_each_other_and_with_variables() -> None:
    """V beside D, and V beside a column of integers: state 15 is the goal, where V is 1 and D is 0."""
    danger = LAKE.facts.danger
    assert danger is not None
    assert states("V < D") == {state for state in range(16) if V[state] < danger.at(state)}
    assert states("V >= state") == {0} | {state for state in range(1, 16) if V[state] >= state}
    assert states("pos/15 = V") == {
        state for state in range(16) if Fraction(int(LAKE.mdp.valuations["pos"][state]), 15) == V[state]
    }


def test_facts_are_labels() -> None:
    """The target and the initial state can be named as dead ends can."""
    assert states('"target"') == {15}
    assert states('"initial"') == {0}
    assert states('"dead_end"') == set(np.flatnonzero(LAKE.facts.dead_end == Tri.YES).tolist())


def test_names_of_the_model_go_first() -> None:
    """A variable or a constant called V is meant by V: the value is not."""
    mdp = replace(LAKE.mdp, valuations={**LAKE.mdp.valuations, "V": np.arange(16)})
    assert states("V = 3", scope_of(mdp, {}, LAKE.facts)) == {3}
    assert states("D = 7", scope_of(LAKE.mdp, {"D": "7"}, LAKE.facts)) == set(range(16))


@pytest.mark.parametrize("text", ["V + 1 > 1", "min(V, D) < 1", "-V < 0", "(V < 1 ? 1 : 2) = 1", "V", "V & D"])
def test_values_are_compared_only(text: str) -> None:
    """Anything else is refused with what can be written."""
    with pytest.raises(ExpressionError) as caught:
        select(lake_scope(), text)
    assert "compare" in f"{caught.value.what} {caught.value.hint}"


@pytest.mark.parametrize(
    ("name", "why"),
    [("loss", "computed the losses"), ("Vπ", "policy is loaded"), ("gap", "policy"), ("D", "no danger")],
)
def test_a_number_that_is_not_there_yet_is_explained(name: str, why: str) -> None:
    """Losses, a policy's values, and the danger of a model that has none are no unknown variables."""
    lake = frozen_lake_4x4()
    scope = scope_of(lake.mdp, {}, replace(lake.facts, danger=None))
    with pytest.raises(ExpressionError, match="is not known here") as raised:
        decide(scope, f"{name} > 0")
    assert why in (raised.value.hint or "")


def test_a_policy_has_its_names() -> None:
    """Numbers that are given by name are found by it, the value under a policy also as its column is headed."""
    half = Numbers.from_exact([Fraction(1, 2)] * 16)
    scope = scope_of(LAKE.mdp, {}, LAKE.facts, {"Vpi": lambda: half})
    assert states("Vpi = 1/2", scope) == states("Vπ = 0.5", scope) == set(range(16))
    assert states("V > Vπ", scope) == {state for state in range(16) if V[state] > Fraction(1, 2)}


@given(st.lists(st.tuples(EXACT, EXACT), min_size=1, max_size=8), st.sampled_from(sorted(OPERATORS)))
def test_exact_numbers_are_decided(pairs: list[tuple[Fraction, Fraction]], kind: str) -> None:
    """Every comparison is what Python says of the fractions, with a column and with a single number."""
    left, right = Numbers.from_exact([a for a, _ in pairs]), Numbers.from_exact([b for _, b in pairs])
    truth = compared(kind, left, right)
    assert truth.yes.tolist() == [OPERATORS[kind](a, b) for a, b in pairs]
    assert (truth.no == ~truth.yes).all()
    assert not truth.undecided.any()
    value = pairs[0][1]
    if isinstance(value, Fraction):
        single = np.array(value, dtype=object)
        assert compared(kind, left, single).yes.tolist() == [OPERATORS[kind](a, value) for a, _ in pairs]
        assert compared(kind, single, left).yes.tolist() == [OPERATORS[kind](value, a) for a, _ in pairs]


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.one_of(st.fractions(0, 1), st.floats(0, 1).map(Fraction)),
    st.sampled_from(sorted(OPERATORS)),
)
def test_bounds_decide_exactly_what_holds_for_all_values(one: float, other: float, value: Fraction, kind: str) -> None:
    """A comparison is decided if and only if both ends and every point between say the same; none is rounded."""
    lower, upper = sorted((one, other))
    numbers = Numbers(np.array([lower]), np.array([upper]))
    truth = compared(kind, numbers, np.array(value, dtype=object))
    points = [Fraction(lower), Fraction(upper), (Fraction(lower) + Fraction(upper)) / 2]
    points += [value] if lower <= value <= upper else []
    said = {OPERATORS[kind](point, value) for point in points}
    assert bool(truth.yes[0]) == (said == {True})
    assert bool(truth.no[0]) == (said == {False})
    assert bool(truth.undecided[0]) == (len(said) == 2)


def test_undecided_states_are_not_matched_and_counted() -> None:
    """Between bounds around 14/17 nothing is equal to it for certain, nor certainly different; `!` changes neither."""
    sound = enclosed(LAKE, 1e-3)
    scope = scope_of(sound.mdp, sound.constants, sound.facts)
    near = {state for state in range(16) if V[state] == Fraction(14, 17)}
    for text in ("V < 14/17", "!(V < 14/17)", "V >= 14/17", "!(V >= 14/17)"):
        truth = decide(scope, text)
        assert set(np.flatnonzero(truth.undecided).tolist()) == near
        assert not near & set(np.flatnonzero(truth.yes).tolist())
    assert set(np.flatnonzero(decide(scope, "V < 14/17 | pos >= 0").yes).tolist()) == set(range(16))
    assert not decide(scope, "V < 14/17 & pos < 0").undecided.any()


def test_undefined_values_are_on_neither_side() -> None:
    """A state without a value satisfies no comparison and no negated one, and is not called undecided."""
    numbers = Numbers.from_exact([None, *[Fraction(1)] * 15])
    scope = scope_of(LAKE.mdp, {}, LAKE.facts, {"loss": lambda: numbers})
    for text in ("loss < 1", "!(loss < 1)", "loss = 1", "loss != 1"):
        truth = decide(scope, text)
        assert not truth.yes[0]
        assert not truth.undecided[0]


def test_undecided_facts_are_not_matched() -> None:
    """A dead end that bounds leave open is neither found as one nor as none."""
    open_ = np.array([Tri.UNDECIDED, Tri.YES, *[Tri.NO] * 14], dtype=np.int8)
    scope = scope_of(LAKE.mdp, {}, replace(LAKE.facts, dead_end=open_))
    assert states('"dead_end"', scope) == {1}
    assert states('!"dead_end"', scope) == set(range(2, 16))
    assert decide(scope, '"dead_end"').undecided.tolist() == [True, *[False] * 15]
