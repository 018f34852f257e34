"""Graph searches over CSR arrays, a whole level at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse

    from engine.mdp.model import Mdp
    from engine.oracle.numbers import BoolArray, IntArray


def neighbours(graph: sparse.csr_array, nodes: IntArray) -> IntArray:
    """Return the successors of all nodes, with repetitions."""
    starts, counts = graph.indptr[nodes], graph.indptr[nodes + 1] - graph.indptr[nodes]
    total = int(counts.sum())
    if total == 0:
        return np.empty(0, dtype=np.int64)
    offsets = np.repeat(starts - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
    found: IntArray = graph.indices[np.arange(total) + offsets].astype(np.int64)
    return found


def all_successors(mdp: Mdp, mask: BoolArray) -> BoolArray:
    """``(choices,)`` whether every successor of the choice is in the mask of states."""
    found: BoolArray = np.logical_and.reduceat(mask[mdp.target], mdp.transition_start[:-1])
    return found


def levels(graph: sparse.csr_array, roots: IntArray, allowed: BoolArray | None = None) -> IntArray:
    """Return ``(nodes,)`` distances from the nearest root, -1 where unreachable.

    Parameters
    ----------
    graph
        ``(nodes, nodes)`` edges.
    roots
        Start nodes, at distance 0 even where they are not allowed.
    allowed
        Nodes that a path may enter; all if None.
    """
    level = np.full(graph.shape[0], -1, dtype=np.int64)
    scratch = np.empty_like(level)
    frontier = np.unique(roots)
    level[frontier] = 0
    depth = 0
    while len(frontier):
        depth += 1
        found = neighbours(graph, frontier)
        found = found[level[found] < 0]
        if allowed is not None:
            found = found[allowed[found]]
        level[found] = depth
        frontier = _distinct(found, scratch)
    return level


def _distinct(nodes: IntArray, scratch: IntArray) -> IntArray:
    """Return the nodes without repetitions, in linear time: the last writer of each node's place keeps it."""
    places = np.arange(len(nodes))
    scratch[nodes] = places
    kept: IntArray = nodes[scratch[nodes] == places]
    return kept
