"""C_B: normalised betweenness centrality in the graph of an MDP, computed once and kept (methods.md 1.3)."""

from __future__ import annotations

import os
import zipfile
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import rustworkx

from engine.folders import cache_dir
from engine.queries.draws import Draws

if TYPE_CHECKING:
    from pathlib import Path

    from scipy import sparse

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import FloatArray, IntArray

EXACT_LIMIT = 2_000
"""Up to so many states every state is a source."""
SOURCES = 64
KEPT = 8
"""Models whose centrality stays in memory."""
VERSION = 1
"""Of the computation: what is kept by another one is computed anew."""

_cache: OrderedDict[str, FloatArray] = OrderedDict()
_lock = Lock()


def centrality(oracle: Oracle) -> FloatArray:
    """Return ``(states,)`` C_B of a checked model, computed once for each oracle identity.

    It is kept in memory, and on disk beside the oracle's folder where there is one: never inside, since that is sealed.
    """
    with _lock:
        if oracle.identity in _cache:
            _cache.move_to_end(oracle.identity)
            return _cache[oracle.identity]
        folder = cache_dir() / "oracle" / oracle.identity
        path = folder.with_name(f"{oracle.identity}.centrality-{VERSION}.npz") if folder.is_dir() else None
        known = None if path is None else _read(path, oracle.mdp.states)
        if known is None:
            graph = oracle.mdp.graph
            known = exact_betweenness(graph) if oracle.mdp.states <= EXACT_LIMIT else sampled_betweenness(graph)
            if path is not None:
                _write(path, known)
        known.flags.writeable = False
        _cache[oracle.identity] = known
        while len(_cache) > KEPT:
            _cache.popitem(last=False)
        return known


def forget() -> None:
    """Drop what is kept in memory; what is on disk stays."""
    with _lock:
        _cache.clear()


def _read(path: Path, states: int) -> FloatArray | None:
    """Return what is kept, or None if there is nothing or it is damaged; the archive carries a checksum."""
    try:
        with np.load(path) as archive:
            found: FloatArray = archive["centrality"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return found if found.shape == (states,) and found.dtype == np.float64 else None


def _write(path: Path, found: FloatArray) -> None:
    """Keep C_B by atomic rename; that a full disk prevents it only costs time later."""
    scratch = path.with_name(f"{path.name}.tmp-{os.getpid()}-")
    with suppress(OSError):
        try:
            with scratch.open("wb") as file:
                np.savez(file, centrality=found)
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)


def exact_betweenness(graph: sparse.csr_array) -> FloatArray:
    """Return ``(n,)`` the betweenness of every node, divided by (n-1)(n-2).

    It runs in one thread, because the sums of a parallel run differ in their last digits from run to run.
    """
    count = graph.shape[0]
    digraph = rustworkx.PyDiGraph()
    digraph.add_nodes_from(range(count))
    sources = np.repeat(np.arange(count), np.diff(graph.indptr))
    digraph.add_edges_from_no_data(list(zip(sources.tolist(), graph.indices.tolist(), strict=True)))
    found = rustworkx.digraph_betweenness_centrality(digraph, normalized=True, parallel_threshold=2**31)
    return np.array([found[node] for node in range(count)], dtype=np.float64)


def sampled_betweenness(graph: sparse.csr_array, sources: IntArray | None = None) -> FloatArray:
    """Return ``(n,)`` an unbiased estimate of the normalised betweenness from some sources.

    Parameters
    ----------
    graph
        ``(n, n)`` edges.
    sources
        Distinct start nodes; 64 seeded ones if None. With all nodes the estimate is exact.
    """
    count = graph.shape[0]
    if sources is None:
        sources = Draws("betweenness", count).distinct(count, min(SOURCES, count), 1)[0]
    total = np.zeros(count)
    for source in sources:
        total += _dependencies(graph, int(source))
    used = np.full(count, len(sources), dtype=np.float64)
    used[sources] -= 1
    pairs = used * (count - 2)
    return np.divide(total, pairs, out=np.zeros(count), where=pairs > 0)


@dataclass(frozen=True, slots=True)
class _Level:
    """All nodes at one distance from a source, and the edges that lead on from them.

    Attributes
    ----------
    nodes
        ``(m,)`` the nodes.
    tails, heads
        ``(edges,)`` positions of an edge's ends, in this level and in the next.
    paths
        ``(m,)`` shortest paths to each node, relative to the largest number in the level.
    arriving
        Shortest paths to each node of the next level, relative to the same number.
    """

    nodes: IntArray
    tails: IntArray
    heads: IntArray
    paths: FloatArray
    arriving: FloatArray


def _dependencies(graph: sparse.csr_array, source: int) -> FloatArray:
    """Return ``(n,)`` for how many targets the shortest paths from the source lead through each node (Brandes 2001).

    The numbers of shortest paths are kept relative to the largest of their level: they can exceed any double, while
    only ratios between neighbouring levels are needed.
    """
    count = graph.shape[0]
    seen = np.zeros(count, dtype=bool)
    seen[source] = True
    frontier = np.array([source], dtype=np.int64)
    paths: FloatArray = np.ones(1)
    levels: list[_Level] = []
    while len(frontier):
        tails, heads = _edges(graph, frontier)
        new = ~seen[heads]
        tails, heads = tails[new], heads[new]
        following, positions = np.unique(heads, return_inverse=True)
        arriving: FloatArray = np.bincount(positions, weights=paths[tails], minlength=len(following)).astype(np.float64)
        levels.append(_Level(frontier, tails, positions.astype(np.int64), paths, arriving))
        seen[following] = True
        frontier = following
        paths = arriving / arriving.max() if len(arriving) else arriving
    dependency = np.zeros(count)
    deeper: FloatArray = np.empty(0)
    for level in reversed(levels):
        share = level.paths[level.tails] / level.arriving[level.heads] * (1.0 + deeper[level.heads])
        deeper = np.bincount(level.tails, weights=share, minlength=len(level.nodes)).astype(np.float64)
        dependency[level.nodes] = deeper
    dependency[source] = 0.0
    return dependency


def _edges(graph: sparse.csr_array, nodes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the edges that leave the nodes: positions of their tails in `nodes`, and their heads."""
    starts = graph.indptr[nodes].astype(np.int64)
    counts = graph.indptr[nodes + 1].astype(np.int64) - starts
    tails = np.repeat(np.arange(len(nodes), dtype=np.int64), counts)
    shift = starts - (np.cumsum(counts) - counts)
    heads = graph.indices[np.arange(len(tails), dtype=np.int64) + shift[tails]].astype(np.int64)
    return tails, heads
