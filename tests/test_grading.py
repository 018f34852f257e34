"""Verdicts: the right answer always passes, a wrong one never does, and nothing undecided is ever counted."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference import Model, enclosed, frozen_lake_4x4, oracle
from small_mdps import every_candidate, oracles, right_answers

from engine.errors import UsageError
from engine.explainers.base import Reply
from engine.oracle.facts import Kind, Objective, Oracle
from engine.oracle.numbers import Interval, Numbers, parse_exact
from engine.oracle.tri import Tri
from engine.queries.categories import best_action
from engine.queries.generation import case_for, generate
from engine.queries.registry import all_categories, category_named
from engine.queries.spaces import OneOf, Probability, Ranking, SetOf, listed
from engine.queries.values import largest_difference, regret_text, share_of_range, told
from engine.verdicts.grading import judge
from engine.verdicts.verdict import InvalidKind, Outcome, Verdict

if TYPE_CHECKING:
    from engine.queries.case import Case

LAKE = frozen_lake_4x4()
TOLERANCE = Fraction(1, 100)
THOROUGH = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def answered(known: Oracle, case: Case, answer: str) -> Verdict:
    """Return the verdict on a well-formed reply."""
    value = json.loads(answer) if isinstance(case.space, Ranking | SetOf) else answer
    return judge(known, case, Reply(text=json.dumps({"explanation": "because", "answer": value})))


def possible(known: Oracle, category: str, states: tuple[int, ...]) -> Case | None:
    """Return the case, or None where it is refused."""
    try:
        return case_for(known, category, states)
    except UsageError:
        return None


def check_probability(known: Oracle, case: Case, value: Fraction) -> None:
    """Check that exactly the answers within the tolerance pass."""
    for answer in {value, max(value - TOLERANCE, Fraction(0)), min(value + TOLERANCE, Fraction(1))}:
        assert answered(known, case, str(answer)).outcome is Outcome.PASS
    hair = Fraction(1, 10**30)
    for answer in (value - TOLERANCE - hair, value + TOLERANCE + hair):
        if 0 <= answer <= 1:
            assert answered(known, case, str(answer)).outcome is Outcome.FAIL


@given(oracles())
@THOROUGH
def test_exactly_the_right_answers_pass(known: Oracle) -> None:
    """For every category and every state, pair and subset: refused where no answer is right, else graded as defined."""
    for category, states in every_candidate(known):
        case = possible(known, category, states)
        right = right_answers(known, category, states, {} if case is None else case.parameters)
        assert (case is None) == (right is None), (category, states)
        if case is None or right is None:
            continue
        assert set(case.accepted) <= right
        for accepted in right:
            verdict = answered(known, case, accepted)
            assert (verdict.outcome, verdict.score) == (Outcome.PASS, 1.0)
        if isinstance(case.space, Probability):
            check_probability(known, case, Fraction(case.accepted[0]))
            continue
        assert set(case.accepted) == right or isinstance(case.space, Ranking)
        for answer in set(every_answer(case)) - right:
            verdict = answered(known, case, answer)
            assert verdict.outcome is Outcome.FAIL
            assert verdict.score == pytest.approx(plain_score(case, answer, right))


def every_answer(case: Case) -> list[str]:
    """Return all answers of a listed space."""
    match case.space:
        case OneOf(options):
            return list(options)
        case Ranking(options):
            return [listed(order) for order in permutations(options)]
        case SetOf(options):
            return [listed(members) for size in range(len(options) + 1) for members in combinations(options, size)]
        case _:
            raise AssertionError(case.space)


def plain_score(case: Case, answer: str, right: set[str]) -> float:
    """Return the score of a wrong answer by the plain definitions: pairs in order, F1, or 0."""
    match case.space:
        case Ranking():
            given = json.loads(answer)
            orders = [json.loads(order) for order in right]
            pairs = list(combinations(given, 2))
            return sum(any(o.index(a) < o.index(b) for o in orders) for a, b in pairs) / len(pairs)
        case SetOf():
            named, marked = set(json.loads(answer)), set(json.loads(case.accepted[0]))
            if not named & marked:
                return 0.0
            precision, recall = len(named & marked) / len(named), len(named & marked) / len(marked)
            return 2 * precision * recall / (precision + recall)
        case _:
            return 0.0


@given(oracles())
@THOROUGH
def test_chance_is_the_mean_over_all_answers(known: Oracle) -> None:
    """For every case with listed answers, the chance levels are the means of verdict and score over all of them."""
    for case in generate(known, list(all_categories()), budget=10, subset_size=2).cases:
        if isinstance(case.space, Probability):
            continue
        kind, answers = category_named(case.category), every_answer(case)
        grades = [kind.grade(case, answer) for answer in answers]
        chance = kind.chance(case)
        assert chance.verdict == Fraction(sum(grade.passed is True for grade in grades), len(answers))
        assert float(chance.score) == pytest.approx(sum(grade.score or 0.0 for grade in grades) / len(answers))


@given(oracles(), st.sampled_from([1e-9, 1e-7, 1e-3, 0.1, 0.4]))
@THOROUGH
def test_sound_mode_never_says_anything_else_than_exact_mode(exact: Oracle, slack: float) -> None:
    """A case from enclosures has the exact answers, and no verdict on any answer contradicts the exact one."""
    known = enclosed(exact, slack)
    for category, states in every_candidate(known):
        case = possible(known, category, states)
        if case is None:
            continue
        truth = case_for(exact, category, states, parameters=case.parameters)
        if not isinstance(case.space, Probability):
            assert case.accepted == truth.accepted
            continue
        for thousandth in (0, 10, 333, 490, 500, 510, 667, 750, 999, 1000):
            answer = str(Fraction(thousandth, 1000))
            assert answered(known, case, answer).outcome is answered(exact, truth, answer).outcome
        assert answered(exact, truth, case.accepted[0]).outcome is Outcome.PASS
        assert answered(known, case, case.accepted[0]).outcome is Outcome.PASS


@given(oracles(), st.sampled_from([1e-7, 0.1]), st.sampled_from(["prioritized", "random"]), st.integers(0, 3))
@THOROUGH
def test_generated_cases_are_exactly_those_that_could_be_asked_by_hand(
    exact: Oracle, slack: float, strategy: str, seed: int
) -> None:
    """With a large budget every valid candidate becomes a case, in both modes, and each agrees with `case_for`.

    Of ``holds``, states whose run is over already are candidates only where an answer would be missing without them.
    """
    for known in (exact, enclosed(exact, slack)):
        found = generate(
            known,
            list(all_categories()),
            budget=1000,
            strategy=strategy,
            seed=seed,
            subset_size=2,  # type: ignore[arg-type] # one of the two
        )
        for case in found.cases:
            by_hand = case_for(known, case.category, case.states, seed=seed)
            assert (by_hand.id, by_hand.accepted) == (case.id, case.accepted)
            assert case.difficulty is not None
            assert 0 <= case.difficulty <= 1
        valid: dict[str, set[frozenset[int]]] = {name: set() for name in all_categories()}
        for category, states in every_candidate(known):
            if possible(known, category, states) and not (
                category_named(category).scope == "subset" and len(states) > 2
            ):
                valid[category].add(frozenset(states))
        for name in all_categories():
            cases = [frozenset(case.states) for case in found.cases if case.category == name]
            assert len(set(cases)) == len(cases)
            assert bool(cases) != (name in found.omitted)
            if cases:
                assert set(cases) == (worth_asking(known, valid[name], seed) if name == "holds" else valid[name])


def worth_asking(known: Oracle, valid: set[frozenset[int]], seed: int) -> set[frozenset[int]]:
    """Return the states to ask `holds` about, out of those where it can be asked."""
    answer = {states: case_for(known, "holds", list(states), seed=seed).accepted for states in valid}
    over = {states for states in valid for state in states if known.facts.target[state] or not known.facts.phi[state]}
    running = {answer[states] for states in valid - over}
    return {states for states in valid if states not in over or answer[states] not in running}


def test_boundary_of_the_tolerance_is_undecided_between_enclosures() -> None:
    """Where the enclosure does not decide, the verdict is undecided: an answer with a reason and without a score."""
    case = case_for(LAKE, "satisfy", [6])
    case = replace(case, numbers={**case.numbers, "V": {"lower": 0.5, "upper": 0.50001}})
    assert answered(LAKE, case, "0.490005").outcome is Outcome.UNDECIDED
    verdict = answered(LAKE, case, "0.510005")
    assert (verdict.outcome, verdict.score, verdict.answer) == (Outcome.UNDECIDED, None, "102001/200000")
    assert "V ≈ 0.500005" in verdict.reason
    assert "does not decide" in verdict.reason
    assert verdict.explanation == "because"
    assert answered(LAKE, case, "0.51").outcome is Outcome.PASS
    assert answered(LAKE, case, "0.51002").outcome is Outcome.FAIL


def test_wide_or_badly_placed_enclosures_make_no_satisfy_question() -> None:
    """V = 1/2 leaves the answer 0.51 undecided in sound mode, and a wide enclosure leaves many: neither is asked."""
    coin = {1: Fraction(1, 2), 2: Fraction(1, 2)}
    third = {1: Fraction(1, 3), 2: Fraction(2, 3)}
    stay = [{"a": {1: Fraction(1)}}, {"a": {2: Fraction(1)}}]
    model = Model([{"a": coin}, *stay, {"a": third}], {"goal": {1}, "unsafe": {2}})
    narrow, wide = enclosed(oracle(model), 1e-7), enclosed(oracle(model), 1e-3)
    assert {case.states for case in generate(narrow, ["satisfy"]).cases} == {(1,), (2,), (3,)}
    assert {case.states for case in generate(wide, ["satisfy"]).cases} == {(1,), (2,)}
    with pytest.raises(UsageError, match="leaves usual answers undecided"):
        case_for(narrow, "satisfy", [0])


def test_one_undecided_action_spoils_a_question() -> None:
    """A state with a certain best action is still no candidate while another action may be as good."""
    best = LAKE.facts.best.copy()
    left, down, right, up = LAKE.mdp.choices_of(14)
    best[[left, down, right, up]] = [Tri.NO, Tri.YES, Tri.UNDECIDED, Tri.NO]
    known = replace(LAKE, facts=replace(LAKE.facts, best=best), exact=False)
    assert (14,) not in {case.states for case in generate(known, ["best-action"]).cases}
    assert (14,) in {case.states for case in generate(LAKE, ["best-action"]).cases}
    with pytest.raises(UsageError, match="undecided"):
        case_for(known, "best-action", [14])


def test_an_enclosure_between_thousandths_must_still_be_narrow() -> None:
    """V in [0.5293, 0.5297] decides every multiple of 1/1000, but leaves too much else undecided."""
    value = Numbers(np.array([0.5293, 0.52935, 0.529350]), np.array([0.5297, 0.52937, 0.5293500001]))
    known = replace(LAKE, facts=replace(LAKE.facts, value=value), exact=False)
    assert {case.states for case in generate(known, ["satisfy"]).cases} == {(2,)}


def test_satisfy_score_falls_with_the_distance() -> None:
    """The score is 1 - abs(answer - V), beside a verdict that is compared exactly."""
    case = case_for(LAKE, "satisfy", [6])
    verdict = answered(LAKE, case, "1/34")
    assert verdict.outcome is Outcome.FAIL
    assert verdict.score == pytest.approx(1 - 1 / 2)
    assert verdict.reason == "answered 1/34, V = 9/17 ≈ 0.5294: not within 0.01"


def test_an_action_answer_states_its_regret_exactly() -> None:
    """On tile 14 going left has Q = 44/51 instead of V = 48/51: regret 4/51."""
    verdict = answered(LAKE, case_for(LAKE, "best-action", [14]), "left")
    assert (verdict.outcome, verdict.regret) == (Outcome.FAIL, "4/51")
    assert verdict.reason == "Q(left) = 44/51 is less than the best, Q(down) = 16/17"
    assert answered(LAKE, case_for(LAKE, "best-action", [14]), "down").regret == "0"
    assert answered(LAKE, case_for(LAKE, "worst-action", [14]), "left").regret == "4/51"
    assert answered(LAKE, case_for(LAKE, "more-promising", [6, 14]), "A").regret is None


def test_reasons_say_which_side_of_the_right_action_an_answer_lies_on() -> None:
    """Tile 6 has two best actions, tile 1 three worst ones; for a worst action, and to minimise, wrong is more."""
    best, worst = case_for(LAKE, "best-action", [14]), case_for(LAKE, "worst-action", [14])
    assert answered(LAKE, best, "down").reason == "Q(down) = 16/17 is the best"
    assert answered(LAKE, worst, "left").reason == "Q(left) = 44/51 is the worst"
    assert answered(LAKE, worst, "down").reason == "Q(down) = 16/17 is more than the worst, Q(left) = 44/51"
    tied = case_for(LAKE, "best-action", [6])
    assert answered(LAKE, tied, "left").reason == "Q(left) = 9/17 is the best, tied with Q(right)"
    assert (
        answered(LAKE, tied, "down").reason
        == "Q(down) = 13/51 is less than the best, Q(left) = 9/17 and Q(right) = 9/17"
    )
    fewest = replace(best, accepted=("left",), numbers={"V": "2", "Q": {"left": "2", "down": "5/2", "up": "inf"}})
    assert answered(LAKE, fewest, "down").reason == "Q(down) = 5/2 is more than the best, Q(left) = 2"
    assert answered(LAKE, fewest, "up").reason == "Q(up) = inf is more than the best, Q(left) = 2"
    enclosed_q = {"left": {"lower": 0.125, "upper": 0.25}, "down": {"lower": 0.5, "upper": 0.75}}
    between = replace(best, numbers={"V": enclosed_q["down"], "Q": enclosed_q})
    assert answered(LAKE, between, "left").reason == "Q(left) ≈ 0.1875 is less than the best, Q(down) ≈ 0.625"


def test_a_reason_lists_only_some_of_many_tied_actions() -> None:
    """Of seven tied best actions four are named; the rest is counted."""
    names = [f"a{number}" for number in range(8)]
    case = replace(
        case_for(LAKE, "best-action", [14]),
        space=OneOf(tuple(names)),
        accepted=tuple(names[1:]),
        numbers={"V": "1", "Q": {name: "0" if name == "a0" else "1" for name in names}},
    )
    shown = "Q(a1) = 1, Q(a2) = 1, Q(a3) = 1, Q(a4) = 1 and 3 more"
    assert answered(LAKE, case, "a0").reason == f"Q(a0) = 0 is less than the best, {shown}"
    assert answered(LAKE, case, "a1").reason.endswith("tied with Q(a2), Q(a3), Q(a4), Q(a5) and 2 more")


def test_regret_between_enclosures_is_an_upper_bound() -> None:
    """In sound mode the stated regret is at least the exact one, and close to it."""
    known = enclosed(LAKE, 1e-7)
    verdict = answered(known, case_for(known, "best-action", [14]), "left")
    assert verdict.regret is not None
    assert Fraction(4, 51) <= Fraction(verdict.regret) <= Fraction(4, 51) + Fraction(1, 10**6)


def test_differences_of_exact_and_enclosed_numbers() -> None:
    """Differences are exact for fractions, outer bounds for enclosures, and treat infinity as methods.md 1.3 does."""
    infinite = float("inf")
    assert largest_difference(Fraction(1, 3), Fraction(1, 2)) == Fraction(1, 6)
    assert largest_difference(Interval(0.25, 0.5), Interval(0.75, 1.0)) == Fraction(3, 4)
    assert largest_difference(infinite, Fraction(1)) == infinite
    assert largest_difference(infinite, infinite) == 0
    assert share_of_range(Fraction(3), Fraction(12)) == Fraction(1, 4)
    assert share_of_range(infinite, Fraction(12)) == 1
    assert share_of_range(Fraction(20), Fraction(12)) == 1
    assert share_of_range(Fraction(1), Fraction(0)) == 1
    assert regret_text(Fraction(2), Fraction(5), Fraction(12)) == "1/4"


def test_long_fractions_are_shown_as_decimals() -> None:
    """A number with thousands of digits does not fill a verdict's reason."""
    assert told(Fraction(14, 17)) == "14/17"
    assert told(Fraction(10**5000, 3 * 10**5000 + 1)) == "≈0.333333"


def test_reward_regret_is_a_share_of_the_range() -> None:
    """Expected steps of 2 and 6 at most: an action that costs 3 steps instead of 2 has regret 1/4."""
    steps = Numbers.from_exact([Fraction(2), Fraction(6), float("inf"), None])
    q = Numbers.from_exact([Fraction(2), Fraction(3)])
    facts = replace(LAKE.facts, objective=Objective('Rmin=? [F "goal"]', Kind.RMIN), value=steps, q=q)
    model = Model([{"a": {0: Fraction(1)}, "b": {0: Fraction(1)}}], {"goal": set(), "unsafe": set()})
    base = oracle(model)
    best = base.facts.best.copy()
    best[:] = [1, 0]
    known = replace(base, facts=replace(facts, best=best))
    truth = best_action.CATEGORY.truth(known, (0,))
    assert truth.numbers["range"] == "4"
    case = replace(case_for(LAKE, "best-action", [14]), accepted=truth.accepted, numbers=truth.numbers)
    assert best_action.CATEGORY.regret(case, "b") == "1/4"


def test_replies_without_a_usable_answer() -> None:
    """A transport failure is an error; a blank, cut off or ambiguous reply is invalid, with its kind and score 0."""
    case = case_for(LAKE, "best-action", [14])
    down = judge(LAKE, case, Reply(error="the server is down"))
    assert (down.outcome, down.score, down.reason) == (Outcome.ERROR, None, "the server is down")
    for text, finish, kind in (
        ("", "stop", InvalidKind.BLANK),
        ('{"explanation": "I thi', "length", InvalidKind.CUT_OFF),
        ('{"explanation": "", "answer": "left or right"}', "stop", InvalidKind.AMBIGUOUS),
        ('{"explanation": "", "answer": "jump"}', "stop", InvalidKind.UNPARSABLE),
    ):
        verdict = judge(LAKE, case, Reply(text=text, finish=finish))
        assert (verdict.outcome, verdict.invalid_kind, verdict.score) == (Outcome.INVALID, kind, 0.0)
        assert verdict.reason


def test_synonyms_of_the_environment_are_read() -> None:
    """Frozen Lake's environment says that south is down."""
    verdict = judge(LAKE, case_for(LAKE, "best-action", [14]), Reply(text='{"answer": "South"}'))
    assert (verdict.outcome, verdict.answer) == (Outcome.PASS, "down")


def test_a_failing_grader_is_an_error_and_not_a_low_score() -> None:
    """A grader that raises gives an error verdict that names the failure."""
    case = replace(case_for(LAKE, "best-action", [14]), numbers={})
    verdict = judge(LAKE, case, Reply(text='{"answer": "left"}'))
    assert verdict.outcome is Outcome.ERROR
    assert verdict.score is None
    assert "KeyError" in verdict.reason


@given(st.text(max_size=200))
def test_no_text_makes_judging_fail(text: str) -> None:
    """Whatever a model writes, there is a verdict, and never an error."""
    for case in (case_for(LAKE, "best-action", [14]), case_for(LAKE, "satisfy", [6])):
        assert judge(LAKE, case, Reply(text=text)).outcome is not Outcome.ERROR


@pytest.mark.parametrize("state", [5, 6, 10, 14, 15])
def test_chance_of_satisfy_is_the_mean_over_all_random_answers(state: int) -> None:
    """The chance level equals the mean verdict and score over the 1001 answers that `random` draws from."""
    case = case_for(LAKE, "satisfy", [state])
    value = Fraction(parse_exact(case.accepted[0]))
    answers = [Fraction(number, 1000) for number in range(1001)]
    chance = category_named("satisfy").chance(case)
    assert chance.verdict == Fraction(sum(abs(answer - value) <= TOLERANCE for answer in answers), 1001)
    assert chance.score == 1 - sum(abs(answer - value) for answer in answers) / 1001


def test_chance_of_options_is_their_accepted_share() -> None:
    """Two of four actions are optimal on tile 6; yes/no and A/B are even."""
    assert category_named("best-action").chance(case_for(LAKE, "best-action", [6])).verdict == Fraction(1, 2)
    assert category_named("worst-action").chance(case_for(LAKE, "worst-action", [1])).verdict == Fraction(3, 4)
    assert category_named("is-bottleneck").chance(case_for(LAKE, "is-bottleneck", [3])).score == Fraction(1, 2)
