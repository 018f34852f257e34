"""Further properties as columns: one value in every state, where Storm gives one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.oracle.folder import read_numbers, write_numbers
from engine.oracle.numbers import Numbers, number_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from engine.oracle.numbers import BoolArray, FloatArray


@dataclass(frozen=True)
class PropertyColumn:
    """A further property over all states; exactly one of the last three is given.

    Attributes
    ----------
    name, formula
        As asked for, and in PRISM syntax.
    numbers
        ``(states,)`` checked numbers.
    truth
        ``(states,)`` whether a property without a number holds.
    approximate
        ``(states,)`` doubles that Storm gives without bounds: they decide nothing.
    """

    name: str
    formula: str
    numbers: Numbers | None = None
    truth: BoolArray | None = None
    approximate: FloatArray | None = None

    def json(self, state: int) -> Any:
        """Return the value in a state as ``check --json`` prints it."""
        if self.numbers is not None:
            return number_json(self.numbers.at(state))
        if self.truth is not None:
            return bool(self.truth[state])
        return {"approximate": float(self.approximate[state])} if self.approximate is not None else None


def write_column(folder: Path, index: int, column: PropertyColumn) -> None:
    """Write the values of the property with this number."""
    stem = f"property{index}"
    if column.numbers is not None:
        write_numbers(folder, stem, column.numbers)
    for part in ("truth", "approximate"):
        values = getattr(column, part)
        if values is not None:
            np.save(folder / f"{stem}.{part}.npy", values)


def read_columns(folder: Path, rows: Sequence[Mapping[str, Any]]) -> tuple[PropertyColumn, ...]:
    """Read the columns of those properties that have a value in every state."""
    return tuple(
        PropertyColumn(
            row["property"],
            row["formula"],
            read_numbers(folder, f"property{index}"),
            _load(folder / f"property{index}.truth.npy"),
            _load(folder / f"property{index}.approximate.npy"),
        )
        for index, row in enumerate(rows)
        if row["states"] == "all"
    )


def _load(path: Path) -> Any:
    return np.load(path) if path.exists() else None
