"""Bounds for the smallest expected reward where runs can go round for nothing: from a model without such rounds.

States among which one can move for ever without earning anything (a maximal end component of choices with reward 0)
have one value, as each can be exchanged for any other at no cost. In the model in which every such set is one state,
without the choices that stay in it, the Bellman equation has V as its only solution, so that Storm can enclose it
(Bertsekas and Tsitsiklis 1991). In the model itself it has others, and Storm gives values without bounds.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from engine.mdp.model import UNNAMED_REWARD
from engine.oracle.derivation.graphs import all_successors
from engine.oracle.facts import Kind
from engine.oracle.numbers import Numbers
from engine.oracle.policy.induced import AIM, REWARD
from engine.oracle.policy.rebuilt import Coded, Rebuilt
from engine.oracle.policy.umb_rows import write_umb
from engine.oracle.worker.formulas import shape_of
from engine.oracle.worker.result import Result
from engine.oracle.worker.storm import StormModel, parse_properties
from engine.oracle.worker.values import enclosure

if TYPE_CHECKING:
    from pathlib import Path

    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray
    from engine.oracle.worker.formulas import Shape


def with_bounds(folder: Path, model: StormModel, mdp: Mdp, prop: Any, result: Result) -> Result:
    """Return the result with bounds if it is an expected reward that lacks them and they can be had; else as it is.

    Raises StormError if Storm refuses the other model.
    """
    shape = shape_of(prop)
    if result.unbounded is None or model.exact or shape is None or not shape.kind.is_reward:
        return result
    reward = np.asarray(mdp.rewards[model.reward_name(shape.reward) or UNNAMED_REWARD])
    if (reward < 0).any():
        return result
    free, target = reward == 0, model.satisfying(shape.right)
    # Storm has no bounds either where a cycle leads to the target and earns nothing: there V is 0, as in the target.
    ends = certainly_zero(mdp, free, target, smallest=shape.kind is Kind.RMIN)
    staying = staying_choices(mdp, free, ends) if shape.kind is Kind.RMIN else np.zeros(mdp.choices, dtype=bool)
    other, block = quotient(mdp, reward, ends, staying)
    path = folder / "quotient.umb"
    write_umb(other, path)
    try:
        (asked,) = parse_properties(f'R{{"{REWARD}"}}{shape.kind.value[1:]}=? [F "{AIM}"]', None)
        found = StormModel(None, [], exact=False, explicit=path).check(asked)
    finally:
        path.unlink()
    if found.lower is None or found.upper is None:
        return result
    lower, upper = enclosure(found.lower[block], found.upper[block], probability=False)
    lower = np.maximum(lower, 0.0)
    lower[ends] = upper[ends] = 0.0
    return Result(result.states, lower=lower, upper=upper, widened=True)


def settled(mdp: Mdp, value: Numbers, reward: Numbers, target: BoolArray, shape: Shape) -> Numbers:
    """Return an enclosed expected reward with what is certain where no reward is negative: it is 0 or above.

    It is 0 exactly where the graph says so (`certainly_zero`). Exact numbers, and those of models with negative
    rewards, stay as they are.
    """
    if value.exact or (reward.lower < 0).any():
        return value
    lower, upper = np.maximum(value.lower, 0.0), value.upper.copy()
    if shape.bound is None:
        zero = certainly_zero(mdp, reward.upper == 0, target, smallest=shape.kind is Kind.RMIN)
        lower[zero] = upper[zero] = 0.0
    return Numbers(lower, upper)


def certainly_zero(mdp: Mdp, free: BoolArray, target: BoolArray, *, smallest: bool) -> BoolArray:
    """``(states,)`` from where the target is reached almost surely and nothing is earned; the target among them.

    By some policy for the smallest reward; by every one for the largest.

    Parameters
    ----------
    free
        ``(choices,)`` whether a choice earns nothing.
    target
        ``(states,)`` where runs end.
    """
    running = ~target[mdp.state_of_choice]
    inside = np.ones(mdp.states, dtype=bool)
    while True:
        allowed = running & free & all_successors(mdp, inside)
        if not smallest:
            allowed &= _everywhere(mdp, allowed)[mdp.state_of_choice]
        reached = _reached(mdp, target, allowed, every=not smallest)
        if (reached == inside).all():
            return inside
        inside = reached


def _everywhere(mdp: Mdp, mask: BoolArray) -> BoolArray:
    """``(states,)`` whether all choices of a state are in the mask."""
    found: BoolArray = np.logical_and.reduceat(mask, mdp.choice_start[:-1])
    return found


def _reached(mdp: Mdp, target: BoolArray, allowed: BoolArray, *, every: bool) -> BoolArray:
    """``(states,)`` from where the target is reached with positive probability: by some allowed choice or by each."""
    combine = np.logical_and if every else np.logical_or
    reached = target
    while True:
        hits = allowed & np.logical_or.reduceat(reached[mdp.target], mdp.transition_start[:-1])
        more = target | combine.reduceat(hits, mdp.choice_start[:-1])
        if (more == reached).all():
            return reached
        reached = more | reached


def staying_choices(mdp: Mdp, free: BoolArray, target: BoolArray) -> BoolArray:
    """``(choices,)`` the free choices with which one can stay in their set for ever: all successors are in it.

    Parameters are those of `certainly_zero`.
    """
    staying: BoolArray = free & ~target[mdp.state_of_choice]
    while True:
        part = _components(mdp, staying)
        moves = np.repeat(staying, np.diff(mdp.transition_start))
        leaves = part[mdp.target] != part[mdp.source]
        going = np.zeros(mdp.choices, dtype=bool)
        going[mdp.choice_of(np.flatnonzero(moves & leaves))] = True
        if not going.any():
            return staying
        staying = staying & ~going


def _components(mdp: Mdp, allowed: BoolArray) -> IntArray:
    """``(states,)`` strongly connected components of the transitions of allowed choices."""
    inside = np.repeat(allowed, np.diff(mdp.transition_start))
    ones = np.ones(int(inside.sum()), dtype=np.int8)
    graph = sparse.csr_array((ones, (mdp.source[inside], mdp.target[inside])), shape=(mdp.states, mdp.states))
    found: IntArray = csgraph.connected_components(graph, connection="strong")[1].astype(np.int64)
    return found


def quotient(mdp: Mdp, reward: FloatArray, target: BoolArray, staying: BoolArray) -> tuple[Rebuilt, IntArray]:
    """Return the model in which states between which staying choices lead are one, and ``(states,)`` which one.

    It is labelled `AIM` where the targets are, its reward is `REWARD`. A state without choices of its own gets a loop:
    from there no run reaches the target.
    """
    block = _components(mdp, staying)
    count = int(block.max()) + 1
    kept = np.flatnonzero(~staying)
    owner = block[mdp.state_of_choice[kept]]
    trapped = np.setdiff1d(np.arange(count), owner)
    merged = sparse.csr_array((np.ones(mdp.states), (np.arange(mdp.states), block)), shape=(mdp.states, count))
    loops = sparse.csr_array((np.ones(len(trapped)), (np.arange(len(trapped)), trapped)), shape=(len(trapped), count))
    owner = np.concatenate((owner, trapped))
    order = np.argsort(owner, kind="stable")
    rows = sparse.csr_array(sparse.vstack((mdp.matrix[kept] @ merged, loops), format="csr"))[order]
    rows.sort_indices()
    aim, initial = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    aim[block[target]] = initial[block[mdp.initial]] = True
    numbers, code = np.unique(rows.data, return_inverse=True)
    earned, place = np.unique(np.concatenate((reward[kept], np.zeros(len(trapped))))[order], return_inverse=True)
    found = Rebuilt(
        choice_start=np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=count)))),
        transition_start=rows.indptr.astype(np.int64),
        target=rows.indices.astype(np.int64),
        labels=[("init", initial), (AIM, aim)],
        action=Coded(np.zeros(len(owner), dtype=np.int64), [""]),
        probability=Coded(code, numbers.tolist()),
        rewards={REWARD: Coded(place, [Fraction(number) for number in earned.tolist()])},
    )
    return found, block
