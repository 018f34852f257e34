"""An MDP as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from engine.oracle.numbers import BoolArray, FloatArray, IntArray, Numbers


UNNAMED_REWARD = "default"
"""What the arrays and exported files call rewards that have no name in the model."""


@dataclass(frozen=True)
class Mdp:
    """A finite MDP in compressed sparse rows: states own choices, choices own transitions.

    Attributes
    ----------
    choice_start
        ``(states + 1,)``: state s owns the choices ``choice_start[s]:choice_start[s + 1]``.
    transition_start
        ``(choices + 1,)``: choice c owns the transitions ``transition_start[c]:transition_start[c + 1]``.
    target
        ``(transitions,)`` successor states.
    probability
        ``(transitions,)`` doubles, for drawing and for enclosures.
    exact_rewards
        Exact mode: the same exactly, without reward models that have rewards on transitions.
    exact_probability
        Exact mode: position in `probability_table` of each transition; None in sound mode.
    probability_table
        Exact mode: the distinct probabilities.
    initial
        Initial states, ascending.
    action_names
        Distinct names; equal names within one state carry ``#1``, ``#2`` in choice order (methods.md 1.1).
    action
        ``(choices,)`` position of each choice's name in `action_names`.
    labels
        Label name → ``(states,)`` mask.
    valuations
        Variable name → ``(states,)`` int64 or bool column; empty for models without valuations.
    rewards
        Reward model name → ``(choices,)`` doubles: state reward plus action reward (plus expected transition reward).
    """

    choice_start: IntArray
    transition_start: IntArray
    target: IntArray
    probability: FloatArray
    initial: IntArray
    action_names: tuple[str, ...]
    action: IntArray
    labels: Mapping[str, BoolArray]
    valuations: Mapping[str, IntArray | BoolArray]
    rewards: Mapping[str, FloatArray] = field(default_factory=dict)
    exact_rewards: Mapping[str, Numbers] = field(default_factory=dict)
    exact_probability: IntArray | None = None
    probability_table: tuple[Fraction, ...] | None = None

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.choice_start) - 1

    @property
    def choices(self) -> int:
        """The number of choices over all states."""
        return len(self.transition_start) - 1

    @property
    def transitions(self) -> int:
        """The number of transitions over all choices."""
        return len(self.target)

    @cached_property
    def state_of_choice(self) -> IntArray:
        """``(choices,)`` the state that owns each choice."""
        return np.repeat(np.arange(self.states, dtype=np.int64), np.diff(self.choice_start))

    @cached_property
    def source(self) -> IntArray:
        """``(transitions,)`` the state that each transition leaves."""
        return np.repeat(self.state_of_choice, np.diff(self.transition_start))

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """``(choices, states)`` transition probabilities as doubles."""
        return sparse.csr_array(
            (self.probability, self.target, self.transition_start), shape=(self.choices, self.states)
        )

    @cached_property
    def graph(self) -> sparse.csr_array:
        """``(states, states)`` one entry where some action can lead from the row's state to the column's."""
        graph = sparse.csr_array(
            (np.ones(self.transitions, dtype=np.int8), (self.source, self.target)), shape=(self.states, self.states)
        )
        graph.sum_duplicates()
        graph.data[:] = 1
        return graph

    def choice_of(self, transitions: IntArray) -> IntArray:
        """Return the choices that transitions belong to."""
        found: IntArray = np.searchsorted(self.transition_start, transitions, side="right") - 1
        return found

    def choices_of(self, state: int) -> range:
        """Return the choices of a state."""
        return range(int(self.choice_start[state]), int(self.choice_start[state + 1]))

    def action_name(self, choice: int) -> str:
        """Return the name of a choice, unique within its state."""
        return self.action_names[int(self.action[choice])]

    def action_names_of(self, state: int) -> tuple[str, ...]:
        """Return the names of a state's choices, in choice order."""
        return tuple(self.action_name(choice) for choice in self.choices_of(state))

    def valuation(self, state: int) -> dict[str, int | bool]:
        """Return a state's variables by name, as Python values."""
        return {name: column[state].item() for name, column in self.valuations.items()}

    def labels_of(self, state: int) -> tuple[str, ...]:
        """Return the names of the labels that hold in a state."""
        return tuple(name for name, mask in self.labels.items() if mask[state])

    def successors(self, choice: int) -> list[tuple[int, Fraction | float]]:
        """Return a choice's successors with their probabilities, exact where known."""
        span = range(int(self.transition_start[choice]), int(self.transition_start[choice + 1]))
        return [(int(self.target[index]), self._probability(index)) for index in span]

    def _probability(self, transition: int) -> Fraction | float:
        if self.exact_probability is not None and self.probability_table is not None:
            return self.probability_table[int(self.exact_probability[transition])]
        return float(self.probability[transition])
