"""Storm's results as numbers: exact ones interned, bounds widened, certain values from graph algorithms."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import ModelError, UsageError
from engine.mdp.model import UNNAMED_REWARD
from engine.oracle.derivation.bounded import never_within, surely_within
from engine.oracle.facts import Kind
from engine.oracle.numbers import Numbers, parse_exact
from engine.oracle.worker.formulas import Shape, shape_of
from engine.oracle.worker.refusals import property_error
from engine.oracle.worker.storm_error import StormError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray
    from engine.oracle.worker.result import Result
    from engine.oracle.worker.storm import StormModel

_WIDENING = 1e-9
"""Storm's sound bounds are not rounded outward (methods.md 1.1)."""


@dataclass(frozen=True)
class GraphSide:
    """What the graph alone says about a property.

    Attributes
    ----------
    shape
        The property's parts; None where it has no path formula that facts are defined for, and then nothing is known.
    phi, target
        ``(states,)`` masks of φ and T.
    certain
        Masks of the states whose value the graph decides, with that value; none where Storm's exact values say it all.
    """

    shape: Shape | None
    phi: BoolArray
    target: BoolArray
    certain: tuple[tuple[BoolArray, float], ...] = ()

    @property
    def one(self) -> BoolArray:
        """``(states,)`` where the probability is 1 by the graph; dead ends of Pmin need it."""
        nowhere = np.zeros(len(self.target), dtype=bool)
        return next((mask for mask, point in self.certain if point == 1), nowhere)


def graph_side(model: StormModel, mdp: Mdp, prop: Any, text: str) -> GraphSide:
    """Search the graph for what is certain about a property; raises UsageError if it cannot be checked."""
    shape = shape_of(prop)
    if shape is None:
        nowhere = np.zeros(model.states, dtype=bool)
        return GraphSide(None, nowhere, nowhere)
    try:
        phi, target = path_masks(model, shape)
        if model.exact and shape.kind is not Kind.PMIN:
            return GraphSide(shape, phi, target)
        return GraphSide(shape, phi, target, certain_points(model, mdp, shape, phi, target))
    except StormError as error:
        raise property_error(error, text, model.labels) from None


def state_values(result: Result, side: GraphSide, text: str, *, exact: bool) -> Numbers:
    """Return a property's checked numbers by state; raises UsageError if it has no number for each.

    `exact` says whether the model is: only another one can be checked with more certainty.
    """
    if result.unbounded is not None:
        raise ModelError(
            "Storm gives values without bounds for this property here, so nothing about it is decided",
            where=text,
            hint="show it with --property" if exact else "--mode exact gives exact values",
        )
    if result.truth is not None or len(result.states) != len(side.target):
        raise UsageError("the property has no checked number for every state", where=text)
    return interned(result.exact) if result.exact is not None else widened(result, side)


def enclosure(lower: FloatArray, upper: FloatArray, *, probability: bool) -> tuple[FloatArray, FloatArray]:
    """Return the bounds moved outward by 1e-9·max(1, abs(bound)), probabilities kept in [0, 1]."""
    low = lower - _WIDENING * np.maximum(1.0, np.abs(np.where(np.isinf(lower), 0.0, lower)))
    high = upper + _WIDENING * np.maximum(1.0, np.abs(np.where(np.isinf(upper), 0.0, upper)))
    return (np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)) if probability else (low, high)


def distinct_probabilities(model: StormModel) -> tuple[IntArray, tuple[Fraction, ...]]:
    """Return each transition's position in the tuple of distinct exact probabilities."""
    texts, position = np.unique(np.array(model.probabilities(), dtype=object), return_inverse=True)
    return position.astype(np.int64), tuple(Fraction(text) for text in texts)


def choice_rewards(model: StormModel, mdp: Mdp, shape: Shape) -> Numbers:
    """``(choices,)`` expected immediate rewards."""
    try:
        name = model.reward_name(shape.reward)
        if model.exact:
            return interned(model.rewards(name, mdp.choice_start.tolist()))
    except StormError as error:
        raise UsageError(error.message) from None
    rewards = mdp.rewards[name or UNNAMED_REWARD]
    slack = np.finfo(np.float64).eps * np.abs(rewards) * 2
    return Numbers(rewards - slack, rewards + slack)


def exact_rewards(model: StormModel, choice_start: IntArray) -> dict[str, Numbers]:
    """Return each reward model's ``(choices,)`` exact rewards; without those that have rewards on transitions.

    Names are those of the arrays, so rewards without one are `UNNAMED_REWARD`.
    """
    found = {}
    for name in model.reward_names:
        try:
            found[name or UNNAMED_REWARD] = interned(model.rewards(name, choice_start.tolist()))
        except StormError:
            continue
    return found


def interned(texts: Sequence[str]) -> Numbers:
    """Return exact values from their texts."""
    known = {text: parse_exact(text) for text in set(texts)}
    return Numbers.from_exact([known[text] for text in texts])


def path_masks(model: StormModel, shape: Shape) -> tuple[BoolArray, BoolArray]:
    """Return the states of φ and of T; raises StormError if they cannot be checked."""
    everywhere = np.ones(model.states, dtype=bool)
    phi = everywhere if shape.left is None else model.satisfying(shape.left)
    return phi, model.satisfying(shape.right)


def certain_points(
    model: StormModel, mdp: Mdp, shape: Shape, phi: BoolArray, target: BoolArray
) -> tuple[tuple[BoolArray, float], ...]:
    """Return the states whose value the graph decides, with that value."""
    maximise = shape.kind.maximises
    if shape.kind.is_reward:
        # The expected reward is infinite where the target is not reached almost surely: by the best policy (Rmin)
        # or by the worst (Rmax).
        sure = model.zero_one(phi, target, maximise=not maximise)[1]
        return (~sure, np.inf), (target, 0.0)
    if shape.bound is not None:
        never = never_within(mdp, phi, target, shape.bound, maximise=maximise)
        return (never, 0.0), (surely_within(mdp, phi, target, shape.bound, maximise=maximise), 1.0)
    zero, one = model.zero_one(phi, target, maximise=maximise)
    return (zero, 0.0), (one, 1.0)


def widened(result: Result, side: GraphSide) -> Numbers:
    """Widen the bounds and put the values that the graph decides in their place."""
    if result.lower is None or result.upper is None:
        raise UsageError("Storm gives no bounds for this property, so nothing about it is decided")
    probability = side.shape is not None and not side.shape.kind.is_reward
    if result.widened:
        lower, upper = result.lower.copy(), result.upper.copy()
    else:
        lower, upper = enclosure(result.lower, result.upper, probability=probability)
    for mask, point in side.certain:
        lower[mask] = upper[mask] = point
    return Numbers(lower, upper)
