"""Category ``action-ranking``: all available actions in order, best first."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, groupby
from math import comb, factorial, prod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.numbers import Interval, number_json
from engine.queries.actions import FIXED, LISTED, nothing_to_compare
from engine.queries.category import Category, Chance, Difficulty, Grade, Mode, Object, Scope, Truth
from engine.queries.names import state_name
from engine.queries.orders import orders_of
from engine.queries.spaces import Ranking, listed
from engine.queries.values import numbers_by_name, parse_number, range_json, regret_text, stated

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray, Number
    from engine.queries.case import Case
    from engine.queries.category import Search, Wording
    from engine.queries.draws import Draws


class ActionRanking(Category):
    """An order that agrees with Q, tied actions in any order.

    A state is a candidate if every two of its actions are certainly tied or certainly different, and not all are tied.
    The score is the share of ordered pairs that are in the right order, tied ones being right either way.
    """

    name: ClassVar = "action-ranking"
    scope: ClassVar = Scope.STATE
    object: ClassVar = Object.RANKING
    mode: ClassVar = Mode.INDIVIDUAL
    summary: ClassVar = "order all available actions, best first"

    def defined(self, oracle: Oracle) -> str | None:
        if oracle.facts.objective.policy is not None:
            return FIXED
        if len(_candidates(oracle)):
            return None
        orders = orders_of(oracle.mdp, oracle.facts)
        several = np.diff(oracle.mdp.choice_start) > 1
        if not oracle.exact and bool((several & ~orders.decided).any()):
            return "no state's order of actions is decided and not all tied; --mode exact may decide more"
        return "no state has actions that differ in value"

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        del search, draws
        return _candidates(oracle)[:, None]

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        (state,) = states
        reason = nothing_to_compare(oracle, state)
        if reason is not None:
            return reason
        orders = orders_of(oracle.mdp, oracle.facts)
        name = state_name(oracle.mdp, state)
        if not orders.decided[state]:
            return f"the order of the actions of state {name} is undecided: the enclosures of Q overlap"
        if orders.distinct[state] == 1:
            return f"all actions of state {name} are tied, so any answer would be right"
        return None

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        gap = orders_of(oracle.mdp, oracle.facts).gap[states[:, 0]]
        return Difficulty(1 - gap, {"smallest gap": gap})

    def refined(self, oracle: Oracle, states: IntArray) -> Difficulty:
        orders = orders_of(oracle.mdp, oracle.facts)
        step, distinct = orders.step[states[:, 0]], orders.distinct[states[:, 0]]
        share = distinct / np.diff(oracle.mdp.choice_start)[states[:, 0]]
        return Difficulty((1 - step) * share, {"smallest non-zero gap": step, "share of distinct values": share})

    def space(self, oracle: Oracle, states: tuple[int, ...]) -> Ranking:
        return Ranking(oracle.mdp.action_names_of(states[0]))

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        (state,) = states
        mdp, facts = oracle.mdp, oracle.facts
        span = mdp.choices_of(state)
        keys = (facts.q.rank if facts.q.rank is not None else facts.q.lower)[span.start : span.stop]
        order = np.argsort(-keys if facts.objective.kind.maximises else keys, kind="stable")
        right = listed(mdp.action_name(span.start + position) for position in order.tolist())
        q = {mdp.action_name(choice): number_json(facts.q.at(choice)) for choice in span}
        return Truth((right,), {"V": number_json(facts.value.at(state)), "Q": q, **range_json(facts)})

    def question(self, case: Case, wording: Wording) -> str:
        del case
        return (
            f"Order all available actions of this state from the best to the worst, that is, from the {wording.best} "
            f"value to the {wording.worst}. Compare the actions by {wording.measure} if the action is taken once, now, "
            f"and every later action is chosen optimally. Actions of equal value may come in any order."
        )

    def grade(self, case: Case, answer: str) -> Grade:
        right, pairs = _right_pairs(case, answer)
        reason = f"{self.reason(case, answer)}: {right} of {pairs} pairs in the right order"
        return Grade(right == pairs, Fraction(right, pairs), reason, self.regret(case, answer))

    def score(self, case: Case, answer: str) -> Fraction:
        return Fraction(*_right_pairs(case, answer))

    def reason(self, case: Case, answer: str) -> str:
        q = numbers_by_name(case.numbers["Q"])
        classes = classes_of(case)
        right = " > ".join(" = ".join(names) for names in classes)
        told = ", ".join(stated(f"Q({name})", q[name]) for names in classes[:LISTED] for name in names[:1])
        rest = ", …" if len(classes) > LISTED else ""
        return f"answered {' > '.join(json.loads(answer))}, right is {right} ({told}{rest})"

    def regret(self, case: Case, answer: str) -> str:
        q = numbers_by_name(case.numbers["Q"])
        spread = case.numbers.get("range")
        first = json.loads(answer)[0]
        return regret_text(parse_number(case.numbers["V"]), q[first], None if spread is None else parse_number(spread))

    def chance(self, case: Case) -> Chance:
        sizes = [len(names) for names in classes_of(case)]
        total = comb(sum(sizes), 2)
        tied = sum(comb(size, 2) for size in sizes)
        verdict = Fraction(prod(factorial(size) for size in sizes), factorial(sum(sizes)))
        return Chance(verdict, Fraction(tied + total, 2 * total))


def _candidates(oracle: Oracle) -> IntArray:
    orders = orders_of(oracle.mdp, oracle.facts)
    return np.flatnonzero(orders.decided & (orders.distinct > 1))


def _right_pairs(case: Case, answer: str) -> tuple[int, int]:
    """Return how many pairs of actions are in the right order, and how many there are."""
    place = {name: index for index, names in enumerate(classes_of(case)) for name in names}
    given = json.loads(answer)
    if sorted(given) != sorted(place):
        raise ValueError(f"{answer} does not order the actions {sorted(place)}")
    pairs = list(combinations(given, 2))
    return sum(place[first] <= place[second] for first, second in pairs), len(pairs)


def classes_of(case: Case) -> list[list[str]]:
    """Return the actions in the right order, those of equal Q together."""
    q = numbers_by_name(case.numbers["Q"])

    def key(name: str) -> Number:
        value = q[name]
        # Of a candidate, enclosures that are no points are apart from all others.
        return value.lower if isinstance(value, Interval) else value

    return [list(names) for _, names in groupby(json.loads(case.accepted[0]), key=key)]


CATEGORY = ActionRanking()
