"""A report as CSV: one row a cell, each figure in a column of its own.

The columns of a campaign are those of `rows.CellRow`, where they are documented, after the file, the grader and the
difficulty formulas. An empty field is a figure that is not there.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from engine.reports.rows import CellRow, PairRow
from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.reports.model import AnyReport

_KEYS = ("model", "explainer", "baseline", "category", "strategy")
_FIGURES = tuple(field.alias or name for name, field in CellRow.model_fields.items() if name not in _KEYS)
CELL_COLUMNS = ("file", "grader", "difficulty", *_KEYS, *_FIGURES)
PAIR_COLUMNS = tuple(PairRow.model_fields)
_FORMULA = ("=", "+", "-", "@")
"""How a text begins that a spreadsheet would compute."""


def report_csv(report: AnyReport) -> str:
    """Return the cells of a report; of a table of cells the comparable ones, in the form in which they were read."""
    if report.kind == "cells":
        return _table(PAIR_COLUMNS, (pair.model_dump() for pair in report.pairs))
    general = {"file": report.file, "grader": report.grader, "difficulty": report.methods.difficulty}
    return _table(CELL_COLUMNS, (general | row.model_dump(by_alias=True) for row in report.cells))


def _table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_field(row[name]) for name in columns] for row in rows)
    return stream.getvalue()


def _field(value: Any) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return "" if value is None else value
    text = plain(value)
    # Spreadsheets take an apostrophe as "this is text" and do not show it.
    return f"'{text}" if text.startswith(_FORMULA) else text
