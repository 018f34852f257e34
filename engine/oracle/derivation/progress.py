"""Progressing actions: those that some memoryless optimal policy takes (methods.md 1.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from engine.oracle.beside import beside
from engine.oracle.derivation.graphs import levels
from engine.oracle.tri import Tri, TriArray

if TYPE_CHECKING:
    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray, IntArray


def progressing_choices(mdp: Mdp, best: TriArray, target: BoolArray, worth: BoolArray) -> TriArray:
    """Return ``(choices,)`` whether some memoryless policy that attains V takes the choice.

    A choice of A*(s) progresses iff one of its successors t ≠ s reaches the target through A*-choices avoiding s.
    With undecided members of A*, a choice is decided only if the certain members alone prove it, or all possible
    ones together cannot.

    Parameters
    ----------
    best
        ``(choices,)`` membership in A*.
    target
        ``(states,)`` T.
    worth
        ``(states,)`` where the fact is defined: V > 0 for Pmax, V < ∞ for Rmin.
    """
    certain = beside(lambda: _progress(mdp, best == Tri.YES, target))
    optimistic = (best == Tri.YES) | (best == Tri.UNDECIDED)
    possible = _progress(mdp, optimistic, target) if (best == Tri.UNDECIDED).any() else certain.result()
    result = np.full(mdp.choices, Tri.UNDECIDED, dtype=np.int8)
    result[certain.result() & (best == Tri.YES)] = Tri.YES
    result[~possible | (best == Tri.NO)] = Tri.NO
    result[(best == Tri.UNDEFINED) | ~worth[mdp.state_of_choice]] = Tri.UNDEFINED
    return result


def _progress(mdp: Mdp, allowed: BoolArray, target: BoolArray) -> BoolArray:
    """Decide by distances to the target in the graph of allowed choices; only what they leave open needs dominators."""
    inside = np.flatnonzero(np.repeat(allowed & ~target[mdp.state_of_choice], np.diff(mdp.transition_start)))
    source, successor = mdp.source[inside], mdp.target[inside]
    backward = sparse.csr_array(
        (np.ones(len(source), dtype=np.int8), (successor, source)), shape=(mdp.states, mdp.states)
    )
    distance = levels(backward, np.flatnonzero(target))
    before, after = distance[source], distance[successor]
    reaches = (after >= 0) & (successor != source)
    closer = reaches & (after < before)
    progress = np.zeros(mdp.choices, dtype=bool)
    progress[mdp.choice_of(inside[closer])] = True
    around = np.flatnonzero(reaches & ~closer)
    open_ = around[~progress[mdp.choice_of(inside[around])]]
    downhill = after == before - 1
    for order in (slice(None), slice(None, None, -1)):
        if not len(open_):
            return progress
        parent = np.full(mdp.states, -1, dtype=np.int64)
        parent[source[downhill][order]] = successor[downhill][order]
        passes = _descends_through(parent, distance, successor[open_], source[open_])
        progress[mdp.choice_of(inside[open_[~passes]])] = True
        open_ = open_[passes & ~progress[mdp.choice_of(inside[open_])]]
    if len(open_):
        avoided = _reaches_avoiding(backward, target, successor[open_], source[open_])
        progress[mdp.choice_of(inside[open_[avoided]])] = True
    return progress


def _descends_through(parent: IntArray, distance: IntArray, start: IntArray, through: IntArray) -> BoolArray:
    """``(k,)`` whether the shortest path along parents from ``start[k]`` meets ``through[k]``, which is no farther off.

    If it does not, that path leads to the target around ``through[k]``: below it, every state is nearer.
    """
    current = start.copy()
    moving = np.flatnonzero(distance[current] > distance[through])
    while len(moving):
        current[moving] = parent[current[moving]]
        moving = moving[distance[current[moving]] > distance[through[moving]]]
    meets: BoolArray = current == through
    return meets


def _reaches_avoiding(
    backward: sparse.csr_array,
    target: BoolArray,
    start: IntArray,
    avoided: IntArray,
) -> BoolArray:
    """``(k,)`` whether ``start[k]`` reaches the target without ``avoided[k]``: the latter does not dominate it."""
    import rustworkx  # noqa: PLC0415  # rarely needed, slow to load

    nodes = backward.shape[0]
    graph = rustworkx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(range(nodes + 1))
    rows = np.repeat(np.arange(nodes), np.diff(backward.indptr))
    graph.add_edges_from_no_data(list(zip(rows.tolist(), backward.indices.tolist(), strict=True)))
    graph.add_edges_from_no_data([(nodes, int(root)) for root in np.flatnonzero(target)])
    above = rustworkx.immediate_dominators(graph, nodes)
    entered, left = _intervals(above, nodes)
    return ~((entered[avoided] <= entered[start]) & (left[start] <= left[avoided]))


def _intervals(above: dict[int, int], root: int) -> tuple[IntArray, IntArray]:
    """Return intervals of the nodes such that a dominates b iff the interval of a contains that of b."""
    below: dict[int, list[int]] = {}
    for node, parent in above.items():
        if node != root:
            below.setdefault(parent, []).append(node)
    entered = np.full(root + 1, -1, dtype=np.int64)
    left = np.full(root + 1, -1, dtype=np.int64)
    clock = 0
    stack = [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            left[node] = clock
            continue
        clock += 1
        entered[node] = clock
        stack.append((node, True))
        stack.extend((child, False) for child in below.get(node, ()))
    return entered, left
