"""Facts from values: everything about an objective that follows from V, Q and the graph (methods.md 1.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from engine.oracle.beside import beside
from engine.oracle.derivation.bottlenecks import strict_bottlenecks
from engine.oracle.derivation.expectation import expectation
from engine.oracle.derivation.extremes import extreme_choices
from engine.oracle.derivation.graphs import levels
from engine.oracle.derivation.progress import progressing_choices
from engine.oracle.facts import Facts, Kind, Objective
from engine.oracle.tri import Tri, TriArray

if TYPE_CHECKING:
    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray, Numbers


@dataclass(frozen=True, slots=True)
class Checked:
    """What the model checker gives for one objective.

    Attributes
    ----------
    value
        ``(states,)`` V.
    after
        ``(states,)`` the values on the right side of Q: V, or V with one step less for a step bound; None for k = 0.
    reward
        ``(choices,)`` expected immediate reward, for reward objectives.
    phi, target
        ``(states,)`` masks of φ and T.
    one
        ``(states,)`` where the value is 1 by graph algorithms (Pmin objectives).
    """

    value: Numbers
    after: Numbers | None
    reward: Numbers | None
    phi: BoolArray
    target: BoolArray
    one: BoolArray


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """Facts that need no values.

    Attributes
    ----------
    dead_end
        ``(states,)``; None for Pmin, whose dead ends need the value 1.
    bottleneck
        ``(states,)`` strict bottlenecks.
    """

    dead_end: TriArray | None
    bottleneck: TriArray


def derive_facts(
    mdp: Mdp,
    objective: Objective,
    checked: Checked,
    danger: Numbers | None,
    danger_text: str | None,
    *,
    shown_by_graph: GraphFacts | None = None,
) -> Facts:
    """Compute Q, A*, A-, progressing actions, dead ends and strict bottlenecks, unless known."""
    graph = shown_by_graph or graph_facts(mdp, objective, checked.phi, checked.target)
    running = ~checked.target if objective.kind.is_reward else checked.phi & ~checked.target
    defined = running[mdp.state_of_choice]
    if checked.after is None:
        defined = np.zeros_like(defined)
    q = expectation(mdp, checked.after if checked.after is not None else checked.value, defined, checked.reward)
    worst = beside(lambda: extreme_choices(q, mdp.choice_start, largest=not objective.kind.maximises))
    best = extreme_choices(q, mdp.choice_start, largest=objective.kind.maximises)
    return Facts(
        objective=objective,
        value=checked.value,
        q=q,
        best=best,
        progressing=_progressing(mdp, objective, best, checked),
        worst=worst.result(),
        dead_end=_sure_ends(checked) if graph.dead_end is None else graph.dead_end,
        bottleneck=graph.bottleneck,
        danger=danger,
        danger_text=danger_text,
        phi=checked.phi,
        target=checked.target,
        reward=checked.reward,
    )


def _progressing(mdp: Mdp, objective: Objective, best: TriArray, checked: Checked) -> TriArray:
    if objective.bound is not None or objective.kind not in {Kind.PMAX, Kind.RMIN}:
        return np.full(mdp.choices, Tri.UNDEFINED, dtype=np.int8)
    worth = np.isfinite(checked.value.upper) if objective.kind is Kind.RMIN else checked.value.upper > 0
    return progressing_choices(mdp, best, checked.target, worth)


def graph_facts(mdp: Mdp, objective: Objective, phi: BoolArray, target: BoolArray) -> GraphFacts:
    """Return what the graph alone decides: strict bottlenecks, and dead ends except for Pmin."""
    _ = mdp.matrix  # cached for Q: whoever has graph facts made beside the check has that made as well
    return GraphFacts(_dead_ends(mdp, objective, phi, target), _bottlenecks(mdp, objective, phi, target))


def _sure_ends(checked: Checked) -> TriArray:
    """Return the dead ends of a Pmin objective: the target cannot be avoided, and is not reached yet."""
    return (checked.one & ~checked.target).astype(np.int8)


def _dead_ends(mdp: Mdp, objective: Objective, phi: BoolArray, target: BoolArray) -> TriArray | None:
    if objective.kind is Kind.RMAX:
        return np.full(mdp.states, Tri.UNDEFINED, dtype=np.int8)
    if objective.kind is Kind.PMIN:
        return None
    distance = levels(_backward(mdp, phi & ~target), np.flatnonzero(target))
    late = distance > objective.bound if objective.bound is not None else np.zeros(mdp.states, dtype=bool)
    return ((distance < 0) | late).astype(np.int8)


def _backward(mdp: Mdp, running: BoolArray) -> sparse.csr_array:
    """Edges against the transitions that leave running states."""
    inside = running[mdp.source]
    ones = np.ones(int(inside.sum()), dtype=np.int8)
    return sparse.csr_array((ones, (mdp.target[inside], mdp.source[inside])), shape=(mdp.states, mdp.states))


def _bottlenecks(mdp: Mdp, objective: Objective, phi: BoolArray, target: BoolArray) -> TriArray:
    if objective.kind is Kind.PMIN:
        return np.full(mdp.states, Tri.UNDEFINED, dtype=np.int8)
    allowed = np.ones(mdp.states, dtype=bool) if objective.kind.is_reward else phi
    return strict_bottlenecks(mdp.graph, mdp.initial, allowed, target, objective.bound).astype(np.int8)
