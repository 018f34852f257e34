"""Exact policy iteration and graph facts of small MDPs in plain Python, by the definitions of methods.md 1.1."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from engine.oracle.facts import Kind

Distribution = dict[int, Fraction]


@dataclass(frozen=True)
class Model:
    """A small MDP, written down by hand.

    Attributes
    ----------
    moves
        For each state its actions in order: name → successor → probability.
    labels
        Label → states.
    initial
        Initial states.
    valuations
        Variable → value in each state.
    """

    moves: list[dict[str, Distribution]]
    labels: dict[str, set[int]]
    initial: tuple[int, ...] = (0,)
    valuations: dict[str, list[int]] = field(default_factory=dict)

    @property
    def states(self) -> range:
        """All states."""
        return range(len(self.moves))


def solve_equations(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Solve a regular linear system by Gauss-Jordan elimination in fractions."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(len(rows)):
        pivot = next(index for index in range(column, len(rows)) if rows[index][column] != 0)
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for index, row in enumerate(rows):
            if index != column and row[column] != 0:
                rows[index] = [a - row[column] * b for a, b in zip(row, rows[column], strict=True)]
    return [row[-1] for row in rows]


def expected(values: list[Fraction], distribution: Distribution) -> Fraction:
    """Return the mean of the successors' values."""
    return sum((probability * values[target] for target, probability in distribution.items()), Fraction(0))


def can_reach(model: Model, targets: set[int], allowed: set[int]) -> set[int]:
    """Return the states from which some play reaches the targets through allowed states."""
    reached = set(targets)
    while True:
        more = {s for s in allowed - reached if any(t in reached for d in model.moves[s].values() for t in d)}
        if not more:
            return reached
        reached |= more


def can_avoid(model: Model, targets: set[int], allowed: set[int]) -> set[int]:
    """Return the states from which some play certainly never reaches the targets through allowed states."""
    avoiding = set(model.states) - targets
    while True:
        lost = {
            s for s in avoiding & allowed if not any(all(t in avoiding for t in d) for d in model.moves[s].values())
        }
        if not lost:
            return avoiding
        avoiding -= lost


def reachability(model: Model, targets: set[int], kind: Kind, allowed: set[int] | None = None) -> list[Fraction]:
    """Return Pmax or Pmin of reaching the targets through allowed states, by policy iteration.

    States with value 0 are found in the graph first. Elsewhere the first policy reaches the targets with positive
    probability from everywhere, and only strict improvements are made, so that every system is regular.
    """
    allowed = set(model.states) if allowed is None else allowed
    if kind is Kind.PMAX:
        positive = can_reach(model, targets, allowed) - targets
    else:
        positive = set(model.states) - can_avoid(model, targets, allowed) - targets
    policy = approaching(model, targets, positive)
    while True:
        values = evaluated(model, targets, policy)
        improved = {state: improvement(model, values, state, name, kind) for state, name in policy.items()}
        if improved == policy:
            return values
        policy = improved


def approaching(model: Model, targets: set[int], states: set[int]) -> dict[int, str]:
    """Return a policy that leads towards the targets with positive probability from each of the states."""
    policy: dict[int, str] = {}
    done = set(targets)
    while len(policy) < len(states):
        for state in states - set(policy):
            towards = [name for name, distribution in model.moves[state].items() if done & set(distribution)]
            if towards:
                policy[state] = towards[0]
        done |= set(policy)
    return policy


def evaluated(model: Model, targets: set[int], policy: dict[int, str]) -> list[Fraction]:
    """Return the probabilities of reaching the targets under a policy; states without one have 0."""
    order = sorted(policy)
    rows = [[Fraction(int(a == b)) - model.moves[a][policy[a]].get(b, Fraction(0)) for b in order] for a in order]
    right = [sum((p for t, p in model.moves[a][policy[a]].items() if t in targets), Fraction(0)) for a in order]
    solved = dict(zip(order, solve_equations(rows, right), strict=True))
    return [Fraction(int(state in targets)) + solved.get(state, Fraction(0)) for state in model.states]


def improvement(model: Model, values: list[Fraction], state: int, name: str, kind: Kind) -> str:
    """Return a strictly better action than the named one, or that one."""
    sign = 1 if kind is Kind.PMAX else -1
    q = {action: sign * expected(values, distribution) for action, distribution in model.moves[state].items()}
    best = max(q, key=lambda action: q[action])
    return best if q[best] > q[name] else name


def bottlenecks(model: Model, targets: set[int], allowed: set[int]) -> set[int]:
    """Return the strict bottlenecks: without them no initial state reaches the targets."""
    if not set(model.initial) & can_reach(model, targets, allowed):
        return set()
    inner = set(model.states) - targets - set(model.initial)
    return {b for b in inner if not set(model.initial) & can_reach(model, targets, allowed - {b})}


def progressing(model: Model, targets: set[int], optimal: dict[int, list[str]], state: int, name: str) -> bool:
    """Return whether some successor reaches the targets through optimal actions without coming back."""
    reached, frontier = set(), [target for target in model.moves[state][name] if target != state]
    while frontier:
        current = frontier.pop()
        if current in targets:
            return True
        if current in reached or current == state:
            continue
        reached.add(current)
        frontier += [t for action in optimal.get(current, ()) for t in model.moves[current][action]]
    return False
