"""What the questions about one best or worst action have in common (methods.md 1.2)."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.oracle.numbers import number_json
from engine.oracle.tri import Tri
from engine.queries.category import Category, Difficulty, Mode, Object, Scope, Truth
from engine.queries.names import state_name
from engine.queries.spaces import OneOf
from engine.queries.values import (
    Scale,
    bounds,
    count_by_state,
    numbers_by_name,
    parse_number,
    range_json,
    regret_text,
    stated,
)

if TYPE_CHECKING:
    from engine.oracle.facts import Facts, Oracle
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray
    from engine.oracle.tri import TriArray
    from engine.queries.case import Case
    from engine.queries.category import Search, Wording
    from engine.queries.draws import Draws

FIXED = "a fixed policy leaves no choice between actions"
"""Why no question about actions is asked of a policy."""
LISTED = 4
"""Tied actions that a reason lists."""


class OneAction(Category):
    """Which action belongs to a set: A* or A-.

    A state is a candidate if it has Q values, at least two actions, membership decided for each of them, and an action
    outside the set: where all actions are tied any answer would be right.
    """

    scope: ClassVar = Scope.STATE
    object: ClassVar = Object.RANKING
    mode: ClassVar = Mode.INDIVIDUAL
    adjective: ClassVar[str]
    """``best`` or ``worst``."""
    symbol: ClassVar[str]
    """``A*`` or ``A-``."""

    def __init__(self) -> None:
        self._last: tuple[TriArray, tuple[IntArray, IntArray, IntArray]] | None = None

    @abstractmethod
    def members(self, facts: Facts) -> TriArray:
        """Return ``(choices,)`` membership in the set."""

    @abstractmethod
    def takes_largest(self, facts: Facts) -> bool:
        """Return whether the set holds the actions with the largest Q, rather than the smallest."""

    def defined(self, oracle: Oracle) -> str | None:
        if oracle.facts.objective.policy is not None:
            return FIXED
        if len(self._candidates(oracle)):
            return None
        members = self.members(oracle.facts)
        if bool((members == Tri.UNDECIDED).any()):
            return f"no state's {self.adjective} actions are decided and not all of them; --mode exact may decide more"
        return f"no state has an action that is not among the {self.adjective} ones"

    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        del search, draws
        return self._candidates(oracle)[:, None]

    def _candidates(self, oracle: Oracle) -> IntArray:
        total, inside, decided = self._counts(oracle)
        return np.flatnonzero((decided == total) & (inside > 0) & (inside < total))

    def _counts(self, oracle: Oracle) -> tuple[IntArray, IntArray, IntArray]:
        """Return ``(states,)`` the actions, those in the set, and those that are decided; counted once for a model."""
        members, known = self.members(oracle.facts), self._last
        if known is None or known[0] is not members:
            mdp = oracle.mdp
            decided: BoolArray = (members == Tri.YES) | (members == Tri.NO)
            counts = np.diff(mdp.choice_start), count_by_state(mdp, members == Tri.YES), count_by_state(mdp, decided)
            known = self._last = (members, counts)
        return known[1]

    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        (state,) = states
        reason = nothing_to_compare(oracle, state)
        if reason is not None:
            return reason
        span = oracle.mdp.choices_of(state)
        members = self.members(oracle.facts)[span.start : span.stop]
        name = state_name(oracle.mdp, state)
        if bool((members == Tri.UNDECIDED).any()):
            return f"the {self.adjective} actions of state {name} are undecided: the enclosures of Q overlap"
        if bool((members == Tri.YES).all()):
            return f"all actions of state {name} are tied, so any answer would be right"
        return None

    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        total, inside, _ = self._counts(oracle)
        size: FloatArray = inside[states[:, 0]].astype(np.float64)
        actions: FloatArray = total[states[:, 0]].astype(np.float64)
        return Difficulty(1 - size / actions, {f"size of {self.symbol}": size, "actions": actions})

    def refined(self, oracle: Oracle, states: IntArray) -> Difficulty:
        found = self.difficulty(oracle, states)
        gap = self._gap_to_next(oracle)[states[:, 0]]
        return Difficulty((found.delta + 1 - gap) / 2, {**found.parts, "gap to the next": gap})

    def _gap_to_next(self, oracle: Oracle) -> FloatArray:
        """``(states,)`` how far the value of the set is from the next different one; NaN where there is none."""
        facts, starts = oracle.facts, oracle.mdp.choice_start[:-1]
        inside, q = self.members(facts) == Tri.YES, facts.q.floats
        nearest = np.fmax if self.takes_largest(facts) else np.fmin
        ends = [nearest.reduceat(np.where(mask, q, np.nan), starts) for mask in (inside, ~inside)]
        return Scale.of(facts).gaps(ends[0], ends[1])

    def space(self, oracle: Oracle, states: tuple[int, ...]) -> OneOf:
        return OneOf(oracle.mdp.action_names_of(states[0]))

    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        (state,) = states
        mdp, facts = oracle.mdp, oracle.facts
        members = self.members(facts)
        choices = mdp.choices_of(state)
        accepted = tuple(mdp.action_name(choice) for choice in choices if members[choice] == Tri.YES)
        q = {mdp.action_name(choice): number_json(facts.q.at(choice)) for choice in choices}
        value = number_json(facts.value.at(state))
        return Truth(accepted, {"V": value, "Q": q, self.symbol: list(accepted), **range_json(facts)})

    def question(self, case: Case, wording: Wording) -> str:
        del case
        return (
            f"{self.ask(wording)} Compare the actions by {wording.measure} if the action is taken once, now, "
            f"and every later action is chosen optimally."
        )

    @abstractmethod
    def ask(self, wording: Wording) -> str:
        """Return the question itself."""

    def reason(self, case: Case, answer: str) -> str:
        q = numbers_by_name(case.numbers["Q"])
        given = stated(f"Q({answer})", q[answer])
        if answer in case.accepted:
            tied = [f"Q({name})" for name in case.accepted if name != answer]
            return f"{given} is the {self.adjective}" + (f", tied with {_listed(tied)}" if tied else "")
        accepted = q[case.accepted[0]]
        side = "less" if bounds(q[answer])[1] < bounds(accepted)[0] else "more"
        right = _listed([stated(f"Q({name})", q[name]) for name in case.accepted])
        return f"{given} is {side} than the {self.adjective}, {right}"

    def regret(self, case: Case, answer: str) -> str | None:
        q = numbers_by_name(case.numbers["Q"])
        spread = case.numbers.get("range")
        return regret_text(parse_number(case.numbers["V"]), q[answer], None if spread is None else parse_number(spread))


def nothing_to_compare(oracle: Oracle, state: int) -> str | None:
    """Return why a state's actions cannot be compared: they have no Q values, or there is only one."""
    span = oracle.mdp.choices_of(state)
    name = state_name(oracle.mdp, state)
    if not bool(oracle.facts.q.defined[span.start : span.stop].all()):
        why = "it is a target" if oracle.facts.target[state] else "the objective does not continue from it"
        return f"actions of state {name} have no Q values: {why}"
    if len(span) == 1:
        return f"state {name} has only one action, {oracle.mdp.action_name(span.start)}"
    return None


def _listed(texts: list[str]) -> str:
    """Return ``a, b and c``, cut after `LISTED`."""
    if len(texts) > LISTED:
        texts = [*texts[:LISTED], f"{len(texts) - LISTED} more"]
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))
