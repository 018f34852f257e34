"""Transition tables of Gymnasium environments as explicit models, in exact numbers (methods.md 1.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.errors import ModelError, UsageError
from engine.mdp.drn import Choice, Explicit

if TYPE_CHECKING:
    from collections.abc import Callable

COST = "cost"
_DENOMINATOR = 10**6
_STAY = "stay"
_HINT = "environments with a transition table P are read: FrozenLake-v1, CliffWalking-v1, Taxi-v4"

Variables = Mapping[str, int]
"""The variables of one state of the table by name."""


class Node(NamedTuple):
    """A state of the model: a state of the table, and how the run ended there (``""`` while it goes on)."""

    state: int
    end: str = ""


class Move(NamedTuple):
    """One entry of a table."""

    probability: Fraction
    target: int
    reward: Fraction
    ends: bool


@dataclass(frozen=True)
class Table:
    """A transition table as a model.

    Attributes
    ----------
    model
        With the labels ``init``, ``goal`` and ``unsafe`` and, where there are costs, the reward model ``cost``.
    columns
        Variable → value in each state.
    notes
        What had to be left out.
    """

    model: Explicit
    columns: Mapping[str, Sequence[int | bool]]
    notes: tuple[str, ...] = ()

    @property
    def labels(self) -> set[str]:
        """The labels that some state has."""
        return {name for names in self.model.labels.values() for name in names}


def read_table(environment: Any, name: str, actions: Sequence[str], variables: Callable[[int], Variables]) -> Table:
    """Turn an environment's transition table into a model.

    Only states that can be reached are kept, in the table's order. A transition that ends the run leads to an
    absorbing state: ``goal`` if its reward is the highest of all that end a run, else ``unsafe``. Probabilities and
    rewards are the fractions nearest to the floats with a denominator of at most 10⁶, parallel entries are added.
    ``cost`` is the expected negative reward, where a prize for ending the run (a positive reward) counts 0; it is left
    out if a transition that does not end the run has a positive reward.

    Parameters
    ----------
    environment
        The unwrapped environment.
    name
        How messages call it.
    actions
        Names by action number; may be empty.
    variables
        The variables of a state of the table.

    Raises
    ------
    UsageError
        If there is no such table, or it is of another form than Gymnasium's.
    ModelError
        If the probabilities of an action do not sum to 1.
    """
    table = getattr(environment, "P", None)
    if not isinstance(table, Mapping | Sequence):
        raise UsageError("the environment has no transition table", where=name, hint=_HINT)
    initial = _initial(environment, name)
    rows = _reachable(table, name, initial)
    ending = [move.reward for row in rows.values() for moves in row.values() for move in moves if move.ends]
    best = max(ending, default=Fraction(0))

    def node(move: Move) -> Node:
        return Node(move.target, ("goal" if move.reward == best else "unsafe") if move.ends else "")

    everything = [move for row in rows.values() for moves in row.values() for move in moves]
    nodes = sorted({Node(state) for state in rows} | {node(move) for move in everything})
    number = {known: index for index, known in enumerate(nodes)}
    costs, notes = _costs(everything)
    complete = len({tuple(row) for row in rows.values()}) == 1
    states: list[list[Choice]] = []
    for known in nodes:
        if known.end:
            states.append([Choice({number[known]: Fraction(1)}, _STAY)])
            continue
        choices = []
        for action, moves in rows[known.state].items():
            distribution: dict[int, Fraction] = {}
            for move in moves:
                target = number[node(move)]
                distribution[target] = distribution.get(target, Fraction(0)) + move.probability
            label = actions[action] if action < len(actions) else None if complete else f"action_{action}"
            reward = {COST: sum((move.probability * costs(move) for move in moves), Fraction(0))} if costs else {}
            choices.append(Choice(distribution, label, reward))
        states.append(choices)
    labels = {index: [*_labels(known, initial)] for index, known in enumerate(nodes)}
    model = Explicit("MDP", states, labels, (COST,) if costs else ())
    return Table(model, _columns(nodes, variables), notes)


def _labels(node: Node, initial: set[int]) -> list[str]:
    return [node.end] if node.end else ["init"] if node.state in initial else []


def _columns(nodes: list[Node], variables: Callable[[int], Variables]) -> dict[str, list[int | bool]]:
    """Return the variables by state; where a state occurs during and after a run, also whether the run has ended."""
    values = [variables(node.state) for node in nodes]
    columns: dict[str, list[int | bool]] = {name: [row[name] for row in values] for name in values[0]}
    if len({node.state for node in nodes}) < len(nodes):
        columns["ended"] = [bool(node.end) for node in nodes]
    return columns


def _costs(moves: list[Move]) -> tuple[Callable[[Move], Fraction] | None, tuple[str, ...]]:
    if any(move.reward > 0 and not move.ends for move in moves):
        return None, ("no reward model cost: some steps that do not end the run have a positive reward",)
    if all(move.reward >= 0 for move in moves):
        return None, ("no reward model cost: no step costs anything",)
    return (lambda move: max(-move.reward, Fraction(0))), ()


def _initial(environment: Any, name: str) -> set[int]:
    try:
        found = {state for state, weight in enumerate(environment.initial_state_distrib) if weight > 0}
    except (AttributeError, TypeError, ValueError):
        found = set()
    if not found:
        raise UsageError("the environment does not tell its initial states", where=name, hint=_HINT)
    return found


def _reachable(table: Any, name: str, initial: set[int]) -> dict[int, dict[int, list[Move]]]:
    """Return the rows of the states that a run can be in, by state and action, both ascending."""
    rows: dict[int, dict[int, list[Move]]] = {}
    pending = sorted(initial)
    while pending:
        state = pending.pop()
        if state in rows:
            continue
        rows[state] = _row(table, state, name)
        pending += [move.target for moves in rows[state].values() for move in moves if not move.ends]
    return dict(sorted(rows.items()))


def _row(table: Any, state: int, name: str) -> dict[int, list[Move]]:
    try:
        row = table[state]
        actions = sorted(row) if isinstance(row, Mapping) else range(len(row))
        moves = {int(action): [_move(*entry) for entry in row[action]] for action in actions}
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise UsageError(
            f"state {state} of the transition table is not of the usual form: {error}", where=name, hint=_HINT
        ) from None
    found = {
        action: [move for move in entries if move.probability != 0] for action, entries in moves.items() if entries
    }
    if not found:
        raise ModelError(f"state {state} of the transition table has no actions", where=name)
    for action, entries in found.items():
        total = sum((move.probability for move in entries), Fraction(0))
        if total != 1 or any(move.probability < 0 for move in entries):
            raise ModelError(
                f"the probabilities of state {state}, action {action}, sum to {total} instead of 1", where=name
            )
    return found


def _move(probability: Any, target: Any, reward: Any, ends: Any) -> Move:
    return Move(_fraction(probability), int(target), _fraction(reward), bool(ends))


def _fraction(value: Any) -> Fraction:
    return Fraction(float(value)).limit_denominator(_DENOMINATOR)
