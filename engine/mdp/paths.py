"""Walking through an MDP: the probability of a path, and many sampled runs at once."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray

MAX_STEPS = 100_000
"""A run that has not ended by then is counted apart."""


@dataclass(frozen=True, slots=True)
class Runs:
    """What sampled runs came to.

    Attributes
    ----------
    runs, seed
        How many, and what they were drawn with: the same seed gives the same runs.
    reached
        Runs that came to the target.
    failed
        Runs that came to where the target is out of reach.
    cut
        Runs that had come to neither after `MAX_STEPS` steps, or were stopped.
    steps
        Mean number of steps of the runs that reached the target; None if none did.
    total, spread
        Mean and standard deviation of the collected reward of the runs that reached the target; None without rewards.
    """

    runs: int
    seed: int
    reached: int
    failed: int
    cut: int
    steps: float | None
    total: float | None = None
    spread: float | None = None


@dataclass(frozen=True, slots=True)
class Decisions:
    """A memoryless policy as rows of weighted choices, which may be random.

    Attributes
    ----------
    start
        ``(states + 1,)``: state s takes one of ``choice[start[s]:start[s + 1]]``; none means that a run ends there.
    choice
        Choices.
    weight
        Their probabilities; 1 in each state's sum.
    """

    start: IntArray
    choice: IntArray
    weight: FloatArray

    @classmethod
    def certain(cls, choice: IntArray) -> Decisions:
        """Build from ``(states,)`` one choice each, -1 for none."""
        taken = choice >= 0
        start = np.concatenate(([0], np.cumsum(taken)))
        return cls(start, choice[taken], np.ones(int(taken.sum())))


def path_probability(mdp: Mdp, states: Sequence[int], choices: Sequence[int]) -> Fraction | float:
    """Return the probability of going along the states when taking these choices, exact where the model is.

    Parameters
    ----------
    states
        At least one state.
    choices
        The choice taken in each state but the last.
    """
    product: Fraction | float = Fraction(1)
    for choice, target in zip(choices, states[1:], strict=True):
        product *= sum((chance for state, chance in mdp.successors(choice) if state == target), start=Fraction(0))
    return product


def sample_runs(
    mdp: Mdp,
    decisions: Decisions,
    start: int,
    *,
    target: BoolArray,
    lost: BoolArray,
    runs: int,
    seed: int,
    reward: FloatArray | None = None,
    max_steps: int = MAX_STEPS,
    stopped: Callable[[], bool] = lambda: False,
) -> Runs:
    """Sample runs from a state, all of them one step at a time.

    Parameters
    ----------
    target, lost
        ``(states,)`` where a run has reached its target, and where it never will.
    reward
        ``(choices,)`` collected on each step.
    stopped
        Asked between steps whether to stop early; the runs that go on count as cut.
    """
    generator = np.random.default_rng(seed)
    which, leads = _Drawer(decisions.start, decisions.weight), _Drawer(mdp.transition_start, mdp.probability)
    certain = bool((np.diff(decisions.start) <= 1).all())
    state = np.full(runs, start, dtype=np.int64)
    length = np.zeros(runs, dtype=np.int64)
    total = np.zeros(runs)
    ended = lost | (np.diff(decisions.start) == 0) | target
    going = np.flatnonzero(~ended[state])
    steps = 0
    while len(going) and steps < max_steps and not stopped():
        steps += 1
        here = state[going]
        choice = decisions.choice[decisions.start[here] if certain else which.draw(here, generator)]
        if reward is not None:
            total[going] += reward[choice]
        state[going] = mdp.target[leads.draw(choice, generator)]
        length[going] = steps
        going = going[~ended[state[going]]]
    reached = target[state]
    some = bool(reached.any())
    return Runs(
        runs,
        seed,
        int(reached.sum()),
        runs - int(reached.sum()) - len(going),
        len(going),
        float(length[reached].mean()) if some else None,
        float(total[reached].mean()) if some and reward is not None else None,
        float(total[reached].std()) if some and reward is not None else None,
    )


class _Drawer:
    """Draws an entry of each row by the rows' weights, which sum to 1 in every row.

    One running sum over all entries serves every row: with ten million of them its rounding is below 1e-8 of a chance.
    """

    def __init__(self, start: IntArray, weight: FloatArray) -> None:
        self._start = start
        self._sum = np.concatenate(([0.0], np.cumsum(weight)))

    def draw(self, rows: IntArray, generator: np.random.Generator) -> IntArray:
        """Return ``(k,)`` an entry of each given row."""
        first, last = self._start[rows], self._start[rows + 1]
        low, high = self._sum[first], self._sum[last]
        entry = np.searchsorted(self._sum, low + generator.random(len(rows)) * (high - low), side="right") - 1
        found: IntArray = np.clip(entry, first, last - 1)
        return found
