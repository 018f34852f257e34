"""The categories one by one on Frozen Lake: truths, scores, reasons and both difficulties, worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import enclosed, frozen_lake_4x4

from engine.errors import UsageError
from engine.explainers.base import Reply
from engine.oracle.facts import Kind, Objective
from engine.oracle.numbers import Numbers
from engine.queries import losses, subsets
from engine.queries.category import Wording
from engine.queries.draws import Draws
from engine.queries.generation import case_for, generate
from engine.queries.registry import all_categories, category_named
from engine.queries.spaces import Ranking, SetOf, listed
from engine.verdicts.grading import judge

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from engine.queries.case import Case
    from engine.verdicts.verdict import Verdict

LAKE = frozen_lake_4x4()
WORDS = Wording("reaching the goal", "the probability of reaching the goal", Kind.PMAX, danger="falling in")


def answered(case: Case, answer: object) -> Verdict:
    """Return the verdict on a reply with this answer."""
    return judge(LAKE, case, Reply(text=json.dumps({"explanation": "", "answer": answer})))


def test_a_ranking_is_graded_by_pairs() -> None:
    """On tile 14 Q is 48, 46, 45 and 44 of 51: one neighbouring swap leaves 5 of 6 pairs, the reverse none."""
    case = case_for(LAKE, "action-ranking", [14])
    right = ["down", "right", "up", "left"]
    assert case.accepted == (listed(right),)
    assert answered(case, right).score == 1.0
    swapped = answered(case, ["right", "down", "up", "left"])
    assert (swapped.outcome.value, swapped.score) == ("fail", pytest.approx(5 / 6))
    assert answered(case, right[::-1]).score == 0.0
    assert swapped.regret == str(Fraction(2, 51))
    assert swapped.reason == (
        "answered right > down > up > left, right is down > right > up > left "
        "(Q(down) = 16/17, Q(right) = 46/51, Q(up) = 15/17, Q(left) = 44/51): 5 of 6 pairs in the right order"
    )
    assert category_named("action-ranking").chance(case).verdict == Fraction(1, 24)
    assert category_named("action-ranking").chance(case).score == Fraction(1, 2)


def test_tied_actions_may_come_in_any_order() -> None:
    """On tile 6 left and right are tied: both orders pass, and two of the 24 guesses do."""
    case = case_for(LAKE, "action-ranking", [6])
    assert answered(case, ["left", "right", "up", "down"]).score == 1.0
    assert answered(case, ["right", "left", "up", "down"]).score == 1.0
    assert answered(case, ["left", "up", "right", "down"]).score == pytest.approx(5 / 6)
    chance = category_named("action-ranking").chance(case)
    assert (chance.verdict, chance.score) == (Fraction(1, 12), Fraction(7, 12))


def test_an_order_that_lists_other_actions_is_no_low_score() -> None:
    """The grader refuses an order that is none of these actions; the reader has let none through."""
    with pytest.raises(ValueError, match="does not order"):
        category_named("action-ranking").grade(case_for(LAKE, "action-ranking", [14]), listed(["down", "up"]))


def test_named_states_are_graded_by_precision_and_recall() -> None:
    """Tiles 5 and 7 are holes: naming 5 and 1 finds half of them, and half of what is named is right."""
    case = case_for(LAKE, "dead-ends-of-subset", [1, 5, 7])
    assert case.accepted == ('["State 2", "State 3"]',)
    half = answered(case, ["State 1", "State 2"])
    assert (half.outcome.value, half.score) == ("fail", 0.5)
    assert (half.numbers["precision"], half.numbers["recall"]) == ("1/2", "1/2")
    assert half.reason == (
        "named State 1 (pos=1), State 2 (pos=5), dead ends are State 2 (pos=5), State 3 (pos=7): "
        "precision 1/2, recall 1/2"
    )
    some = answered(case, ["State 3"])
    assert (some.score, some.numbers["precision"], some.numbers["recall"]) == (pytest.approx(2 / 3), "1", "1/2")
    assert answered(case, []).score == 0.0
    none = case_for(LAKE, "dead-ends-of-subset", [1, 2])
    assert (answered(none, []).score, answered(none, ["State 1"]).score) == (1.0, 0.0)


def test_bottlenecks_are_asked_for_in_three_ways() -> None:
    """Tile 14 is the lake's only bottleneck, whoever it is put beside."""
    assert case_for(LAKE, "which-is-bottleneck", [10, 14]).accepted == ("B",)
    assert case_for(LAKE, "subset-has-bottleneck", [10, 14, 5]).accepted == ("yes",)
    assert case_for(LAKE, "subset-has-bottleneck", [10, 13, 5]).accepted == ("no",)
    assert case_for(LAKE, "bottlenecks-of-subset", [10, 14, 5]).accepted == ('["State 2"]',)
    wrong = answered(case_for(LAKE, "which-is-bottleneck", [10, 14]), "A")
    assert wrong.reason == "A is not the bottleneck: without state pos=14 (B) no run from the start succeeds"
    said = answered(case_for(LAKE, "subset-has-bottleneck", [10, 14, 5]), "no").reason
    assert said == "answered no: state pos=14 is a bottleneck"


@pytest.mark.parametrize(
    ("category", "states", "said"),
    [
        ("which-is-bottleneck", [10, 13], "neither state pos=10 nor pos=13 is a bottleneck"),
        ("which-is-bottleneck", [0, 14], "state pos=0 is an initial state"),
        ("subset-has-bottleneck", [14, 15], "state pos=15 is a target"),
        ("bottlenecks-of-subset", [14, 0], "state pos=0 is an initial state"),
        ("action-ranking", [0], "all actions of state pos=0 are tied"),
        ("action-ranking", [5], "state pos=5 has only one action, stay"),
        ("safer", [5, 11], "states pos=5 and pos=11 are tied"),
    ],
)
def test_refusals_say_why(category: str, states: list[int], said: str) -> None:
    """States without a known, unique answer are refused with the reason."""
    with pytest.raises(UsageError, match=said):
        case_for(LAKE, category, states)


def test_safer_needs_a_danger_and_takes_the_smaller_one() -> None:
    """A hole has danger 1 and the goal 0; a model without a danger property omits the category."""
    case = case_for(LAKE, "safer", [5, 15])
    assert (case.accepted, case.numbers["D"]) == (("B",), {"A": "1", "B": "0"})
    assert answered(case, "A").reason == "A is not the safer one: D(A) = 1, D(B) = 0"
    assert "the probability of falling in smaller if" in category_named("safer").question(case, WORDS)
    bare = replace(LAKE, facts=replace(LAKE.facts, danger=None, danger_text=None))
    assert generate(bare, ["safer"]).omitted == {"safer": "the model has no danger property; --danger gives one"}


def test_an_order_with_an_undecided_pair_is_refused() -> None:
    """In sound mode tile 14's four different Q are ranked, and tile 6's tie is not."""
    known = enclosed(LAKE, 1e-7)
    assert case_for(known, "action-ranking", [14]).accepted == case_for(LAKE, "action-ranking", [14]).accepted
    with pytest.raises(UsageError, match="the order of the actions of state pos=6 is undecided"):
        case_for(known, "action-ranking", [6])


@pytest.mark.parametrize(
    ("category", "states", "paper", "refined"),
    [
        ("best-action", (14,), 3 / 4, (3 / 4 + 1 - 2 / 51) / 2),  # 48 of 51, then 46
        ("worst-action", (14,), 3 / 4, (3 / 4 + 1 - 1 / 51) / 2),  # 44, then 45
        ("best-action", (6,), 1 / 2, (1 / 2 + 1 - 13 / 51) / 2),  # 27 twice, then 14
        ("action-ranking", (14,), 1 - 1 / 51, 1 - 1 / 51),
        ("action-ranking", (6,), 1.0, (1 - 1 / 51) * 3 / 4),  # 27, 27, 14, 13
        ("satisfy", (6,), 16 / 17, 16 / 17),
        ("subset-has-dead-end", (0, 5, 7, 15), 1.0, 1 / 2),
        ("subset-has-dead-end", (0, 6, 13, 15), 8 / 17, 8 / 17),
        ("dead-ends-of-subset", (0, 5, 6, 15), 8 / 17, (8 / 17 + 1 / 2) / 2),  # tile 6 is nearest, one of four is dead
        ("more-promising", (8, 10), 16 / 17, 16 / 17),
        ("safer", (5, 15), 0.0, 0.0),
    ],
)
def test_both_difficulties_by_hand(category: str, states: tuple[int, ...], paper: float, refined: float) -> None:
    """Each set of formulas gives its own hand-computed δ."""
    kind = category_named(category)
    assert kind.difficulty(LAKE, np.array([states])).delta[0] == pytest.approx(paper, abs=1e-12)
    assert kind.refined(LAKE, np.array([states])).delta[0] == pytest.approx(refined, abs=1e-12)


def test_refined_bottleneck_difficulties(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bottleneck hides among the 2 tiles 5 steps off (11 and 14); the others are as hard as their loss is large."""
    known = dict.fromkeys(range(16), 0.0) | {10: 0.25, 13: 0.5, 9: 0.75}
    monkeypatch.setattr(losses, "_known", lambda _: known)
    rows = [
        ("is-bottleneck", (14,), 1 / 2),
        ("is-bottleneck", (13,), 1 / 2),
        ("is-bottleneck", (5,), 0.0),  # a hole costs nothing to leave out
        ("which-is-bottleneck", (14, 10), 1 / 4),
        ("which-is-bottleneck", (9, 14), 3 / 4),
        ("subset-has-bottleneck", (14, 9), 1 / 2),
        ("subset-has-bottleneck", (10, 9), 3 / 4),
        ("bottlenecks-of-subset", (14, 10), 1 / 4),
        ("bottlenecks-of-subset", (14, 11), 0.0),
    ]
    for category, states, delta in rows:
        found = category_named(category).refined(LAKE, np.array([states]))
        assert found.delta[0] == pytest.approx(delta), (category, states)


def test_losses_are_only_computed_where_they_can_be_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 3 re-checks to spend, candidates are kept until their states would cost a fourth; twins cost nothing."""
    monkeypatch.setattr(losses, "most_rechecks", lambda _: 3)
    costly = np.flatnonzero(losses._costly(LAKE))
    assert len(costly) > 4
    rows = np.array([[costly[0], 5], [costly[0], costly[1]], [costly[2], -1], [costly[3], 5], [5, 7]])
    assert losses.affordable(LAKE, rows).tolist() == [True, True, True, False, True]
    assert losses.affordable(LAKE, np.array([[5, 7], [7, 12]])).all()


def test_a_model_that_cannot_be_checked_again_has_no_refined_losses() -> None:
    """Facts that came from elsewhere give a clear error rather than a guess."""
    with pytest.raises(UsageError, match="cannot be checked again"):
        generate(replace(LAKE, identity="elsewhere"), ["is-bottleneck"], difficulty="refined")


def test_infinite_gaps_between_actions_count_as_one() -> None:
    """Q of 2, 5 and ∞ with a range of 12: gaps 1/4 and 1; a tie of two infinities has no gap."""
    value = Numbers.from_exact([Fraction(0), Fraction(12), *[Fraction(2)] * 14])
    q = [LAKE.facts.q.at(choice) for choice in range(LAKE.mdp.choices)]
    span = LAKE.mdp.choices_of(14)
    q[span.start : span.stop] = [Fraction(2), Fraction(5), float("inf"), float("inf")]
    facts = replace(
        LAKE.facts, objective=Objective('Rmin=? [F "goal"]', Kind.RMIN), value=value, q=Numbers.from_exact(q)
    )
    known = replace(LAKE, facts=facts)
    kind = category_named("action-ranking")
    assert kind.difficulty(known, np.array([[14]])).delta[0] == 1.0
    assert kind.refined(known, np.array([[14]])).delta[0] == pytest.approx((1 - 1 / 4) * 3 / 4)
    assert json.loads(kind.truth(known, (14,)).accepted[0])[:2] == ["left", "down"]


def case_of(space: Ranking | SetOf, accepted: str, numbers: Mapping[str, object], category: str) -> Case:
    """Return a case with these answers, about no state in particular."""
    base = case_for(LAKE, "best-action", [14])
    return replace(base, category=category, space=space, accepted=(accepted,), numbers=numbers)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=7), st.randoms(use_true_random=False))
def test_any_order_scores_the_share_of_its_right_pairs(values: list[int], rng: random.Random) -> None:
    """For any Q and any answer: the score is the plain share of pairs, in [0, 1], and 1 exactly if it passes."""
    names = [f"a{index}" for index in range(len(values))]
    q = {name: str(value) for name, value in zip(names, values, strict=True)}
    right = sorted(names, key=lambda name: -int(q[name]))
    case = case_of(Ranking(tuple(names)), listed(right), {"V": str(max(values)), "Q": q}, "action-ranking")
    answer = case.space.random(rng)
    grade = category_named("action-ranking").grade(case, answer)
    order = json.loads(answer)
    pairs = [int(q[a]) >= int(q[b]) for place, a in enumerate(order) for b in order[place + 1 :]]
    assert grade.score == pytest.approx(sum(pairs) / len(pairs))
    assert grade.passed == all(pairs) == (grade.score == 1.0)
    assert grade.regret == str(max(values) - int(q[order[0]]))


@given(st.lists(st.booleans(), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_any_set_scores_its_f1(marked: list[bool], rng: random.Random) -> None:
    """For any truth and any answer: F1 by counting, in [0, 1], and 1 exactly if it passes."""
    space = SetOf(tuple(f"State {number}" for number in range(1, len(marked) + 1)))
    right = space.of(title for title, hit in zip(space.options, marked, strict=True) if hit)
    numbers = {"states": [str(number) for number in range(len(marked))], "dead ends": [], "V": {}}
    case = case_of(space, right, numbers, "dead-ends-of-subset")
    answer = space.random(rng)
    grade = category_named("dead-ends-of-subset").grade(case, answer)
    named, true = set(json.loads(answer)), set(json.loads(right))
    wrong, missed = len(named - true), len(true - named)
    both = len(named & true)
    assert grade.score == pytest.approx(2 * both / (2 * both + wrong + missed) if named | true else 1.0)
    assert grade.passed == (named == true) == (grade.score == 1.0)


@given(st.integers(1, 3), st.integers(4, 8), st.integers(2, 4))
def test_subsets_around_states_hold_what_they_are_built_around(marked: int, plain: int, size: int) -> None:
    """Each subset around a near miss holds it and a marked state; each around a marked state holds no other."""
    dead, live = np.arange(marked), np.arange(marked, marked + plain)
    near = subsets.around_marked(live, dead, live, size, Draws(1))
    one = subsets.one_marked(dead, live, size, Draws(1))
    for rows, anchors in ((near, live), (one, dead)):
        assert all(len(set(row)) == size for row in rows.tolist())
        assert all(anchor in row for anchor, row in zip(anchors.tolist(), rows.tolist(), strict=True))
        assert ((rows < marked).sum(axis=1) == 1).all()


def test_marked_subsets_are_drawn_uniformly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all pairs with one of 3 marked among 9 states, those with two marked ones come as often as they exist."""
    monkeypatch.setattr(subsets, "ENUMERATED", 0)
    dead, live = np.arange(3), np.arange(3, 9)
    both = total = 0
    for seed in range(400):
        rows = subsets.with_marked(dead, live, 2, 5, Draws(seed))
        both, total = both + int((rows < 3).all(axis=1).sum()), total + len(rows)
    assert both / total == pytest.approx(3 / (3 + 3 * 6), rel=0.15)
    assert comb(9, 2) - comb(6, 2) == 3 + 3 * 6


def test_no_question_tells_its_answer() -> None:
    """The text of a question does not depend on the states that it is about, but for how many they are and λ."""
    for case in generate(LAKE, list(all_categories()), budget=40).cases:
        kind = category_named(case.category)
        twin = replace(case, accepted=(), states=case.states[::-1], numbers={"tolerance": "1/100"})
        assert kind.question(case, WORDS) == kind.question(twin, WORDS)
