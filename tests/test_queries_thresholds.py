"""Numbers as answers: thresholds of ``holds``, tolerances of ``satisfy``, expected rewards."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import enclosed, frozen_lake_4x4

from engine.errors import UsageError
from engine.oracle.facts import Kind, Objective, Oracle
from engine.oracle.numbers import Numbers
from engine.queries import thresholds
from engine.queries.category import Wording
from engine.queries.generation import case_for, generate
from engine.queries.nearness import Target, mean_score, passing_share
from engine.queries.registry import category_named
from engine.queries.spaces import Number

LAKE = frozen_lake_4x4()
STEPS = [Fraction(0), Fraction(5), Fraction(20), math.inf]


def rewarded(values: list[Fraction | float], kind: Kind = Kind.RMIN) -> Oracle:
    """Return the lake with other values, as those of an expected reward."""
    numbers = Numbers.from_exact([*values, *[values[0]] * (16 - len(values))])
    objective = Objective(f'{kind}=? [F "goal"]', kind, reward="steps")
    return replace(LAKE, facts=replace(LAKE.facts, objective=objective, value=numbers), identity=f"{values}")


@pytest.mark.parametrize(
    ("threshold", "right"), [("9/17", "yes"), ("0.5", "yes"), ("9000000000000001/17000000000000000", "no"), ("1", "no")]
)
def test_thresholds_are_compared_exactly(threshold: str, right: str) -> None:
    """V = 9/17 on tile 6 is at least 9/17, and not at least a hair more."""
    case = case_for(LAKE, "holds", [6], parameters={"threshold": threshold})
    assert case.accepted == (right,)
    assert case.numbers == {"V": "9/17", "threshold": str(Fraction(threshold))}


def test_a_threshold_inside_an_enclosure_is_undecided() -> None:
    """In sound mode a threshold at V is refused, and one beside the enclosure is asked with the exact answer."""
    known = enclosed(LAKE, 1e-7)
    with pytest.raises(UsageError, match="undecided on which side of 9/17 V lies at state pos=6"):
        case_for(known, "holds", [6], parameters={"threshold": "9/17"})
    assert case_for(known, "holds", [6], parameters={"threshold": "0.5294"}).accepted == ("yes",)
    assert case_for(known, "holds", [6], parameters={"threshold": "0.5295"}).accepted == ("no",)


def test_a_minimised_objective_is_asked_for_at_most() -> None:
    """Under Rmin the question is whether V is at most λ; infinity never is, under Rmax it is at least anything."""
    known = rewarded(STEPS)
    answers = [case_for(known, "holds", [s], parameters={"threshold": "5"}).accepted[0] for s in range(4)]
    assert answers == ["yes", "yes", "no", "no"]
    known = rewarded(STEPS, Kind.RMAX)
    answers = [case_for(known, "holds", [s], parameters={"threshold": "5"}).accepted[0] for s in range(4)]
    assert answers == ["no", "yes", "yes", "yes"]
    case = case_for(rewarded(STEPS), "holds", [1], parameters={"threshold": "5/2"})
    asked = category_named("holds").question(case, Wording("the goal", "the number of steps", Kind.RMIN))
    assert asked == "Starting in this state and choosing every action optimally, is the number of steps at most 2.5?"


def test_the_threshold_belongs_to_the_question() -> None:
    """Another λ is another case with another id; the parameters of a case give it again; unknown ones are refused."""
    case = case_for(LAKE, "holds", [6], seed=3)
    again = case_for(LAKE, "holds", [6], parameters=case.parameters)
    assert (again.id, again.accepted) == (case.id, case.accepted)
    assert case_for(LAKE, "holds", [6], parameters={"threshold": "1/3"}).id != case.id
    with pytest.raises(UsageError, match="no parameter 'treshold'"):
        case_for(LAKE, "holds", [6], parameters={"treshold": "1/3"})
    with pytest.raises(UsageError, match="'a half' is no number"):
        case_for(LAKE, "holds", [6], parameters={"threshold": "a half"})


def test_both_answers_of_holds_occur_equally_often() -> None:
    """Of the lake's 11 tiles with 0 < V < 1 half get each answer, the drawn λ differ by seed, and V decides."""
    for seed in range(5):
        found = thresholds.drawn(LAKE.facts, seed)
        between = np.flatnonzero((LAKE.facts.value.floats > 0) & (LAKE.facts.value.floats < 1))
        assert len(between) == 11
        assert abs(int(found.holds[between].sum()) - 5.5) == 0.5
        for state in range(16):
            assert (LAKE.facts.value.at(state) >= found.at(state)) == found.holds[state]
    drawn = {thresholds.drawn(LAKE.facts, seed).at(6) for seed in range(20)}
    assert len(drawn) > 10
    assert all(0 < value <= 1 and (100 * value).denominator == 1 for value in drawn)


@given(
    st.lists(st.fractions(0, 1, max_denominator=300), min_size=2, max_size=16),
    st.sampled_from([Kind.PMAX, Kind.PMIN, Kind.RMIN, Kind.RMAX]),
    st.sampled_from([None, 0.0, 1e-4, 0.05]),
    st.integers(0, 5),
)
def test_drawn_thresholds_are_on_the_right_side(
    values: list[Fraction], kind: Kind, slack: float | None, seed: int
) -> None:
    """Whatever the numbers and however wide their enclosures, a usable λ is on the side that is said."""
    scaled = [value * 37 - 5 if kind.is_reward else value for value in values]
    numbers = Numbers.from_exact(scaled)
    if slack is not None:
        numbers = Numbers(numbers.lower - slack, numbers.upper + slack)
    nowhere = np.zeros(len(values), dtype=bool)
    facts = replace(LAKE.facts, objective=Objective("", kind), value=numbers, phi=~nowhere, target=nowhere)
    found = thresholds.drawn(facts, seed)
    assert slack is not None or found.usable.all()
    for state, value in enumerate(scaled):
        if found.usable[state]:
            holds = value >= found.at(state) if kind.maximises else value <= found.at(state)
            assert holds == found.holds[state]


def test_a_target_is_asked_about_only_if_an_answer_is_missing_without_it() -> None:
    """On the goal tile V = 1 needs no thought; it is a candidate only where no other state's answer is yes."""
    goal = int(np.flatnonzero(LAKE.facts.target)[0])
    for seed in range(5):
        found = thresholds.drawn(LAKE.facts, seed)
        candidates = found.candidates()
        assert found.usable[goal]
        assert candidates.tolist() == [state for state in range(16) if state != goal]
        asked = generate(LAKE, ["holds"], budget=10, seed=seed).cases
        assert goal not in {case.states[0] for case in asked}
        assert [case.accepted[0] for case in asked].count("yes") == 5
    hopeless = Numbers.from_exact([Fraction(int(state == goal)) for state in range(16)])
    only = thresholds.drawn(replace(LAKE.facts, value=hopeless), 0)
    assert only.candidates().tolist() == list(range(16))
    assert only.holds.tolist() == [state == goal for state in range(16)]


def test_no_threshold_is_met_by_every_value() -> None:
    """At least 0 of a probability or a cost, at most 1 of a probability: no seed draws what always holds."""
    values = [Fraction(0), Fraction(1, 3), Fraction(1)]
    nowhere = np.zeros(3, dtype=bool)
    for kind, never in ((Kind.PMAX, 0), (Kind.PMIN, 1), (Kind.RMAX, 0)):
        facts = replace(
            LAKE.facts,
            objective=Objective("", kind),
            value=Numbers.from_exact(values),
            phi=~nowhere,
            target=nowhere,
        )
        drawn = {thresholds.drawn(facts, seed).at(state) for seed in range(200) for state in range(3)}
        assert len(drawn) > 10
        assert never not in drawn


def test_a_reward_is_right_within_a_share_of_itself() -> None:
    """V = 20 allows 0.2, V = 0 allows 0.01, V = ∞ only inf; the score is measured by the range 20."""
    known, category = rewarded(STEPS), category_named("satisfy")
    far, zero, never = (case_for(known, "satisfy", [state]) for state in (2, 0, 3))
    assert [category.grade(far, text).passed for text in ("20.2", "101/5", "20.2000001", "19.8", "19.79", "inf")] == [
        *[True, True, False, True, False, False]
    ]
    assert [category.grade(zero, text).passed for text in ("0.01", "-0.01", "0.011")] == [True, True, False]
    assert [category.grade(never, text).passed for text in ("inf", "20")] == [True, False]
    assert [category.grade(far, text).score for text in ("20", "15", "0", "-1", "inf")] == [1.0, 0.75, 0.0, 0.0, 0.0]
    assert [category.grade(never, text).score for text in ("inf", "20")] == [1.0, 0.0]
    assert far.space == Number("0", "20")
    assert (far.accepted, never.accepted) == (("20",), ("inf",))
    flat = case_for(rewarded([Fraction(3)]), "satisfy", [0])
    assert [category.grade(flat, text).score for text in ("3", "3.001")] == [1.0, 0.0]


@pytest.mark.parametrize("state", [0, 1, 2, 3])
def test_chance_of_a_reward_is_the_mean_over_all_guesses(state: int) -> None:
    """The chance level equals the mean verdict and score over the 1001 numbers that `random` draws from."""
    case, category = case_for(rewarded(STEPS), "satisfy", [state]), category_named("satisfy")
    grades = [category.grade(case, str(Fraction(20 * number, 1000))) for number in range(1001)]
    chance = category.chance(case)
    assert chance.verdict == Fraction(sum(grade.passed is True for grade in grades), 1001)
    assert float(chance.score) == pytest.approx(sum(grade.score or 0 for grade in grades) / 1001, abs=1e-12)
    assert Fraction(case.space.random(random.Random(1))) * 50 % 1 == 0


NUMBERS = st.fractions(-3, 3, max_denominator=40)


@given(NUMBERS, st.fractions(0, 1, max_denominator=9), NUMBERS, st.fractions(0, 1, max_denominator=50), st.booleans())
def test_bounds_accept_only_what_every_number_between_them_accepts(
    low: Fraction, width: Fraction, given_: Fraction, tolerance: Fraction, reward: bool
) -> None:
    """A verdict between bounds is that of V anywhere between them, or undecided; the score is in [0, 1]."""
    tolerance = tolerance * Fraction(99, 100)
    spread = Fraction(6) if reward else None
    target = Target(low, low + width, tolerance, spread)
    accepted = target.accepts(given_)
    inside = [Target(v, v, tolerance, spread).accepts(given_) for v in (low + width * i / 40 for i in range(41))]
    if accepted is not None:
        assert set(inside) == {accepted}
    assert (accepted is True) == (target.passing() is not None and target.passing()[0] <= given_ <= target.passing()[1])
    assert 0 <= target.score(given_) <= 1
    if width == 0:
        allowed = tolerance * max(Fraction(1), abs(low)) if reward else tolerance
        assert accepted == (abs(given_ - low) <= allowed)


@given(st.fractions(0, 1, max_denominator=60), st.fractions(0, Fraction(1, 2), max_denominator=60), st.integers(1, 40))
def test_shares_of_guesses_are_counted_right(value: Fraction, tolerance: Fraction, grain: int) -> None:
    """The closed forms equal counting and summing over all guesses."""
    target = Target(value, value, tolerance)
    guesses = [Fraction(number, grain) for number in range(grain + 1)]
    passes = sum(abs(guess - value) <= tolerance for guess in guesses)
    assert passing_share(target, Fraction(0), Fraction(1), grain) == Fraction(passes, grain + 1)
    mean = 1 - sum(abs(guess - value) for guess in guesses) / (grain + 1)
    assert mean_score(target, Fraction(0), Fraction(1), grain) == mean


def test_another_tolerance_is_another_question() -> None:
    """The usual tolerance leaves the id alone; another one is part of it, of the text and of the verdict."""
    usual, wide, none = (
        case_for(LAKE, "satisfy", [6], parameters={"tolerance": text}) for text in ("0.01", "1/20", "0")
    )
    assert usual.id == case_for(LAKE, "satisfy", [6]).id
    assert len({usual.id, wide.id, none.id}) == 3
    assert (dict(usual.parameters), dict(wide.parameters)) == ({}, {"tolerance": "1/20"})
    category, words = category_named("satisfy"), Wording("winning", "the probability of winning", Kind.PMAX)
    assert category.question(wide, words).endswith("if it is within 0.05 of the true probability.")
    assert category.question(none, words).endswith("only if it is exactly the true probability.")
    assert [category.grade(case, "0.56").passed for case in (usual, wide, none)] == [False, True, False]
    assert [category.grade(case, "9/17").passed for case in (usual, wide, none)] == [True, True, True]
    assert {case.parameters["tolerance"] for case in generate(LAKE, ["satisfy"], tolerance=Fraction(1, 4)).cases} == {
        "1/4"
    }
    with pytest.raises(UsageError, match="tolerance must be from 0 to below 1"):
        case_for(LAKE, "satisfy", [6], parameters={"tolerance": "1"})


def test_no_tolerance_leaves_only_points_between_enclosures() -> None:
    """In sound mode an exact answer can only be graded where the number is known exactly: V = 0 and V = 1."""
    states = {case.states for case in generate(enclosed(LAKE, 1e-9), ["satisfy"], tolerance=Fraction(0)).cases}
    assert {LAKE.facts.value.at(state) for (state,) in states} == {0, 1}
