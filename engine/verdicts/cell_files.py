"""Tables of cells that were made elsewhere (methods.md 1.5)."""

from __future__ import annotations

import csv
import re
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from engine.errors import UsageError
from engine.verdicts.research import ScoreCell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

BASELINES = frozenset({"random", "first", "half", "oracle"})
"""How tables made elsewhere call explainers without a language model, in lower case."""

_NAMES = ("environment", "explainer", "category")
_STRATEGIES = ("prioritized", "random")
_SCORE = re.compile(r"(\d{1,30}(\.\d{0,30})?|\.\d{1,30}|\d{1,30}/\d{1,30})([eE]-?\d{1,2})?", re.ASCII)
_EXPECTED = "expected: a number from 0 to 1, such as 0.65 or 13/20, or nothing where there is no such cell"

_Place: TypeAlias = tuple[str, str, str]


def read_cells(file: Path) -> list[ScoreCell]:
    """Read a table of cells.

    Parameters
    ----------
    file
        CSV with the columns ``environment,explainer,category,prioritized,random`` in any order, others are ignored;
        scores in [0, 1], decimals or fractions, read exactly; an empty score is a cell that does not exist.

    Raises
    ------
    UsageError
        If the file cannot be read, has no row, lacks a column or a name, has a cell twice, or a score is none; with
        the line, the column and what is expected.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            cells = list(_read_rows(csv.DictReader(stream), file))
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(file)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"this is no CSV table: {error}", where=str(file)) from None
    if not cells:
        raise UsageError("the table has no cells", where=str(file), hint="give it a line for each cell")
    return cells


def _read_rows(reader: csv.DictReader[str], file: Path) -> Iterator[ScoreCell]:
    needed = (*_NAMES, *_STRATEGIES)
    missing = [name for name in needed if name not in (reader.fieldnames or ())]
    if missing:
        what = f"the table has no column {', '.join(missing)}"
        raise UsageError(what, where=f"{file}:1", hint=f"needed: {','.join(needed)}")
    lines: dict[_Place, int] = {}
    for row in reader:
        line = reader.line_num
        where = f"{file}:{line}"
        # The reader keeps what goes beyond the columns under None, and gives None for what is missing.
        if None in row or None in row.values():
            found = len(reader.fieldnames or ())
            raise UsageError("the line has not as many fields as the first", where=where, hint=f"expected: {found}")
        place = _place(row, where)
        if place in lines:
            what = f"the cell {', '.join(place)} is there already, in line {lines[place]}"
            raise UsageError(what, where=where, hint="keep one of the two")
        lines[place] = line
        for strategy in _STRATEGIES:
            score = _score(row[strategy], strategy, where)
            if score is not None:
                yield ScoreCell(*place, strategy, score, baseline=place[1].lower() in BASELINES)


def _place(row: Mapping[str, str], where: str) -> _Place:
    environment, explainer, category = (row[name].strip() for name in _NAMES)
    empty = [name for name in _NAMES if not row[name].strip()]
    if empty:
        raise UsageError(f"{empty[0]} is empty", where=where, hint=f"expected: the {empty[0]}'s name")
    return environment, explainer, category


def _score(text: str, strategy: str, where: str) -> Fraction | None:
    text = text.strip()
    if not text:
        return None
    # The form is checked first: a long exponent would make a number that fills the memory.
    if not _SCORE.fullmatch(text):
        raise UsageError(f"{strategy} is {text!r}, which is no number", where=where, hint=_EXPECTED)
    number, _, exponent = text.lower().partition("e")
    try:
        score = Fraction(number) * Fraction(10) ** int(exponent or 0)
    except ZeroDivisionError:
        raise UsageError(f"{strategy} is {text!r}, which is no number", where=where, hint=_EXPECTED) from None
    if score > 1:
        raise UsageError(f"{strategy} is {text}, which is not between 0 and 1", where=where, hint=_EXPECTED)
    return score
