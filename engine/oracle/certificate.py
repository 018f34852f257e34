"""A certificate of exact values: the Bellman equation and progress, checked in plain Python without Storm.

For each kind of objective the conditions below have V as their only solution (Puterman 1994, chapter 7; Bertsekas and
Tsitsiklis 1991): a solution of the Bellman equation that is 0 or infinite exactly where the graph says so, and for
Pmax and Rmin is attained by a policy that reaches the target.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import ModelError, UsageError
from engine.oracle.facts import Kind
from engine.oracle.numbers import exact_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import Exact

States = set[int]


@dataclass(frozen=True)
class Certificate:
    """What was verified.

    Attributes
    ----------
    states
        States whose value was verified.
    conditions
        The conditions that hold, in words.
    """

    states: int
    conditions: tuple[str, ...]


def verify(mdp: Mdp, facts: Facts) -> Certificate:
    """Verify every exact value of an unbounded objective.

    Raises
    ------
    UsageError
        If the values are not exact, or the objective has a step bound.
    ModelError
        If a condition fails: then the value of the named state is wrong.
    """
    reason = unverifiable(mdp, facts)
    if reason:
        raise UsageError(reason, where=facts.objective.text)
    return _Verifier(mdp, facts).run()


def unverifiable(mdp: Mdp, facts: Facts) -> str:
    """Return why an objective's values have no certificate here, as a sentence; empty if they have one."""
    if not facts.value.exact or mdp.exact_probability is None:
        return "only exact values can be verified, and these are bounds (--mode exact insists on exact ones)"
    if facts.objective.bound is not None:
        return "values with a step bound have no certificate here"
    return ""


class _Verifier:
    def __init__(self, mdp: Mdp, facts: Facts) -> None:
        self._kind = facts.objective.kind
        self._value: list[Exact] = []
        for state in range(mdp.states):
            value = facts.value.at(state)
            if not isinstance(value, Fraction) and value != math.inf:
                raise UsageError(f"state {state} has no exact value")
            self._value.append(value)
        self._target: States = {state for state in range(mdp.states) if facts.target[state]}
        running = [state for state in range(mdp.states) if facts.phi[state] and state not in self._target]
        self._moves = {state: [dict(mdp.successors(c)) for c in mdp.choices_of(state)] for state in running}
        self._reward = {
            state: [facts.reward.at(c) if facts.reward is not None else Fraction(0) for c in mdp.choices_of(state)]
            for state in running
        }
        self._phi = set(running)

    def run(self) -> Certificate:
        conditions = [self._boundary()]
        conditions.append(self._bellman())
        if self._kind in {Kind.PMAX, Kind.RMIN}:
            conditions.append(self._progress())
        return Certificate(len(self._value), tuple(conditions))

    def _boundary(self) -> str:
        """Check the values that the graph alone decides."""
        everything = set(range(len(self._value)))
        if self._kind.is_reward:
            sure = self._reach_surely(any if self._kind is Kind.RMIN else all)
            for state in everything:
                expected: Exact | None = Fraction(0) if state in self._target else None
                if (self._value[state] == math.inf) != (state not in sure):
                    raise self._wrong(state, "is infinite exactly where the target is not reached almost surely")
                if expected is not None and self._value[state] != expected:
                    raise self._wrong(state, "is 0 in the target")
            return "infinite exactly where the target is not reached almost surely, 0 in the target"
        positive = self._reach(any if self._kind is Kind.PMAX else all)
        for state in everything:
            if state in self._target and self._value[state] != 1:
                raise self._wrong(state, "is 1 in the target")
            if (self._value[state] == 0) != (state not in positive):
                raise self._wrong(state, "is 0 exactly where the target can be missed for sure")
        return "1 in the target, 0 exactly where the graph says so"

    def _bellman(self) -> str:
        best = max if self._kind.maximises else min
        for state in self._phi:
            if best(self._q(state)) != self._value[state]:
                raise self._wrong(state, "equals its best Q")
        return "every value equals its best Q"

    def _progress(self) -> str:
        """Check that optimal choices lead to the target from everywhere with a value worth it."""
        optimal = {
            state: [move for move, q in zip(self._moves[state], self._q(state), strict=True) if q == self._value[state]]
            for state in self._phi
        }
        reached = set(self._target)
        growing = True
        while growing:
            more = {s for s in self._phi - reached if any(reached & move.keys() for move in optimal[s])}
            growing = bool(more)
            reached |= more
        for state in self._phi - reached:
            if (self._kind is Kind.PMAX and self._value[state] > 0) or (
                self._kind is Kind.RMIN and self._value[state] < math.inf
            ):
                raise self._wrong(state, "is attained: optimal choices lead to the target")
        return "optimal choices lead to the target"

    def _q(self, state: int) -> list[Exact]:
        rows = zip(self._moves[state], self._reward[state], strict=True)
        return [self._sum(move, Fraction(0) if reward is None else reward) for move, reward in rows]

    def _sum(self, move: dict[int, Fraction | float], reward: object) -> Exact:
        total: Exact = reward if isinstance(reward, Fraction) else math.inf
        for state, probability in move.items():
            value = self._value[state]
            if math.inf in {value, total}:
                return math.inf
            total += Fraction(probability) * Fraction(value)
        return total

    def _reach(self, over: Callable[[list[bool]], bool]) -> States:
        """States from where some play (`any`) or every play (`all`) reaches the target with positive probability."""
        reached = set(self._target)
        growing = True
        while growing:
            more = {s for s in self._phi - reached if over([bool(reached & move.keys()) for move in self._moves[s]])}
            growing = bool(more)
            reached |= more
        return reached

    def _reach_surely(self, over: Callable[[list[bool]], bool]) -> States:
        """States from where some play (`any`) or every play (`all`) reaches the target with probability 1."""
        if over is all:
            # Every play reaches it surely iff no play can come to a state from where some play avoids it for ever.
            avoiding = set(range(len(self._value))) - self._reach(all)
            growing = True
            while growing:
                more = {s for s in self._phi - avoiding if any(avoiding & move.keys() for move in self._moves[s])}
                growing = bool(more)
                avoiding |= more
            return set(range(len(self._value))) - avoiding
        inside = self._phi | self._target
        while True:
            reached = set(self._target)
            growing = True
            while growing:
                more = {
                    s
                    for s in (self._phi & inside) - reached
                    if any(move.keys() <= inside and reached & move.keys() for move in self._moves[s])
                }
                growing = bool(more)
                reached |= more
            if reached == inside:
                return inside
            inside = reached

    def _wrong(self, state: int, condition: str) -> ModelError:
        return ModelError(
            f"the value {exact_text(self._value[state])} of state {state} does not hold: it {condition}, but not here",
            hint="please report this model",
        )
