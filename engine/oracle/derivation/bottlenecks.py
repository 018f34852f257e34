"""Strict bottlenecks: states that every path to the target runs through (methods.md 1.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.derivation.graphs import levels, neighbours

if TYPE_CHECKING:
    from scipy import sparse

    from engine.oracle.numbers import BoolArray, IntArray


def strict_bottlenecks(
    graph: sparse.csr_array, initial: IntArray, phi: BoolArray, target: BoolArray, bound: int | None = None
) -> BoolArray:
    """Return ``(states,)`` the states b, not initial and not in T, that every φ-path from an initial state to T visits.

    Parameters
    ----------
    graph
        ``(states, states)`` edges, one where some action can lead from the row's state to the column's.
    bound
        Only paths of at most so many steps count; None for all.
    """
    none = np.zeros(graph.shape[0], dtype=bool)
    if target[initial].any():
        return none
    path = _shortest_path(graph, initial, phi, target)
    if path is None or (bound is not None and len(path) - 1 > bound):
        return none
    candidates = (
        _without_detour(graph, path, initial, phi, target)
        if bound is None
        else [b for b in path[1:-1] if _all_short_paths_visit(graph, b, initial, phi, target, bound=bound)]
    )
    none[candidates] = True
    none[initial] = False
    return none


def _shortest_path(graph: sparse.csr_array, initial: IntArray, phi: BoolArray, target: BoolArray) -> list[int] | None:
    """Return one shortest φ-path from an initial state to T, or None."""
    starts = initial[phi[initial]]
    level = levels(graph, starts, phi | target) if len(starts) else np.full(graph.shape[0], -1)
    ends = np.flatnonzero(target & (level >= 0))
    if not len(ends):
        return None
    path = [int(ends[np.argmin(level[ends])])]
    backward = graph.tocsc()
    while level[path[-1]] > 0:
        before = backward.indices[backward.indptr[path[-1]] : backward.indptr[path[-1] + 1]]
        before = before[(level[before] == level[path[-1]] - 1) & phi[before] & ~target[before]]
        path.append(int(before[0]))
    return path[::-1]


def _without_detour(
    graph: sparse.csr_array, path: list[int], initial: IntArray, phi: BoolArray, target: BoolArray
) -> list[int]:
    """Sweep along the path: a state is unavoidable iff no detour that left the path before it comes back behind it.

    Every state off the path is visited once, from the earliest state of the path that leads to it, so the sweep is
    linear in the transitions.
    """
    position = np.full(graph.shape[0], -1, dtype=np.int64)
    position[path] = np.arange(len(path))
    position[target] = len(path) - 1
    seen = np.zeros(graph.shape[0], dtype=bool)
    furthest = 0
    found = []
    for index, state in enumerate(path[:-1]):
        if index and furthest == index:
            found.append(state)
        frontier = np.unique(np.append(initial[phi[initial]], state)) if index == 0 else np.array([state])
        seen[frontier] = True
        while len(frontier):
            reached = neighbours(graph, frontier)
            on_path = position[reached]
            furthest = max(furthest, int(on_path.max(initial=-1)))
            reached = reached[(on_path < 0) & phi[reached] & ~seen[reached]]
            frontier = np.unique(reached)
            seen[frontier] = True
    return found


def _all_short_paths_visit(
    graph: sparse.csr_array, state: int, initial: IntArray, phi: BoolArray, target: BoolArray, *, bound: int
) -> bool:
    """Whether no φ-path of at most `bound` steps from an initial state to T avoids the state."""
    allowed = phi | target
    allowed[state] = False
    starts = initial[phi[initial] & (initial != state)]
    if not len(starts):
        return True
    level = levels(graph, starts, allowed)
    return not ((level >= 0) & (level <= bound) & target).any()
