"""States on the tiles of a grid, from an environment's layout."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import UsageError
from tui.explorer.nearest import Nearest

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray

MAX_TILES = 10_000


@dataclass(frozen=True, slots=True)
class Tiles:
    """A grid of tiles with their states.

    Attributes
    ----------
    rows, columns
        The size of the grid.
    tile
        ``(states,)`` row * columns + column; -1 for a state outside the grid.
    count
        ``(tiles,)`` the number of states on the tile.
    marks
        The character drawn on a tile, by tile.
    legend
        Each mark with the label that it stands for.
    nearest
        Finds the state that stands for a tile; None where no tile has several states.
    single
        ``(tiles,)`` the lowest state on each tile; -1 where there is none.
    """

    rows: int
    columns: int
    tile: IntArray
    count: IntArray
    marks: dict[int, str]
    legend: tuple[tuple[str, str], ...]
    nearest: Nearest | None
    single: IntArray

    def shown(self, state: int) -> IntArray:
        """Return ``(tiles,)`` the state that stands for each tile while a state is selected; -1 on empty tiles.

        That is the tile's state that is nearest to the selected one in all other variables.
        """
        return self.single if self.nearest is None else self.nearest.states(state)


def tiles_of(oracle: Oracle) -> Tiles | None:
    """Compute the tiles of a model; None if its environment has no grid.

    Raises UsageError if the layout gives no sensible grid, and ExpressionError if its expressions do not evaluate.
    """
    from engine.mdp.expressions import evaluate, scope_of  # noqa: PLC0415 - the grammar loads after the first frame

    layout = oracle.environment.layout
    if layout is None or layout.kind != "grid":
        return None
    mdp, scope = oracle.mdp, scope_of(oracle.mdp, oracle.constants)

    def column(text: str) -> IntArray:
        return np.asarray(evaluate(scope, text)).astype(np.int64)

    rows, columns = int(column(layout.rows)[0]), int(column(layout.columns)[0])
    if rows < 1 or columns < 1 or rows * columns > MAX_TILES:
        raise UsageError(
            f"the layout asks for {rows} × {columns} tiles", where="environment.toml", hint=f"at most {MAX_TILES} tiles"
        )
    row, col = column(layout.row), column(layout.column)
    inside = (row >= 0) & (row < rows) & (col >= 0) & (col < columns)
    tile = np.where(inside, row * columns + col, -1)
    marks: dict[int, str] = {}
    legend = []
    for label, mark in layout.marks.items():
        states = mdp.labels.get(label)
        where = (
            mdp.initial if label == "init" else np.flatnonzero(states) if states is not None else np.empty(0, np.int64)
        )
        found = np.unique(tile[where])
        marks.update({int(index): mark[:1] for index in found if index >= 0})
        if len(found):
            legend.append((mark[:1], "start" if label == "init" else label))
    count = np.bincount(tile[inside], minlength=rows * columns)
    single = np.full(rows * columns, -1, dtype=np.int64)
    placed = np.flatnonzero(inside)[::-1]
    single[tile[placed]] = placed
    nearest = None
    if (count > 1).any():
        placing = set(re.findall(r"\w+", f"{layout.row} {layout.column}"))
        others = [column for name, column in mdp.valuations.items() if name not in placing]
        nearest = Nearest(tile, rows * columns, others)
    return Tiles(rows, columns, tile, count, marks, tuple(legend), nearest, single)
