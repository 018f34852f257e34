"""Values of variables in the states of an explicit model: PRISM's ``.sta`` files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import ModelError
from engine.mdp.tables import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from engine.oracle.numbers import BoolArray, IntArray

_STATE = re.compile(r"(\d+):\((.*)\)")
_WORDS = {"true": 1, "false": 0}


def write_valuations(columns: Mapping[str, Sequence[int | bool]], path: Path) -> None:
    """Write the values of each variable by state."""
    with path.open("w", encoding="utf-8") as out:
        out.write(f"({','.join(columns)})\n")
        for state, values in enumerate(zip(*columns.values(), strict=True)):
            out.write(f"{state}:({','.join(str(value).lower() for value in values)})\n")


def read_valuations(path: Path, states: int) -> dict[str, IntArray | BoolArray]:
    """Return every variable's ``(states,)`` column of integers or truth values; raises ModelError with file and line.

    The first line names the variables, ``(x,y)``; then comes ``0:(1,true)``, … for every state.
    """
    lines = [(number, line.strip()) for number, line in enumerate(read_text(path).splitlines(), start=1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("//")]
    header = re.fullmatch(r"\((.*)\)", lines[0][1]) if lines else None
    if header is None:
        raise ModelError("expected the variables on the first line, as in (x,y)", where=str(path))
    names = [name.strip() for name in header[1].split(",")]
    rows: dict[int, list[str]] = {}
    for number, line in lines[1:]:
        where = f"{path}:{number}"
        found = _STATE.fullmatch(line)
        values = [value.strip() for value in found[2].split(",")] if found else []
        if found is None or len(values) != len(names):
            raise ModelError(f"expected a state and {len(names)} values, as in 0:(1,true), found {line!r}", where=where)
        if int(found[1]) >= states or int(found[1]) in rows:
            raise ModelError(f"state {found[1]} is there twice, or the model has fewer states: {states}", where=where)
        rows[int(found[1])] = values
    missing = next((state for state in range(states) if state not in rows), None)
    if missing is not None:
        raise ModelError(f"state {missing} has no values", where=str(path))
    return {
        name: _column([rows[state][index] for state in range(states)], name, path) for index, name in enumerate(names)
    }


def _column(texts: list[str], name: str, path: Path) -> IntArray | BoolArray:
    truth = all(text in _WORDS for text in texts)
    try:
        numbers = np.array([_WORDS[text] if truth else int(text) for text in texts], dtype=np.int64)
    except (ValueError, OverflowError):
        raise ModelError(
            f"the values of {name} are neither all integers nor all true or false", where=str(path)
        ) from None
    return numbers.astype(np.bool_) if truth else numbers
