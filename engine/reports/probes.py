"""What endpoints were found to do before they were asked (``run --probe``), as rows and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.reports.rows import ProbeRow
from engine.reports.sections import Cell, Section, cells
from engine.reports.words import NONE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from engine.verdicts.records import ProbeRecord

_THINKING = {"none": "none arrives", "field": "in a field", "tags": "in tags", "content": "in place of the answer"}


def probe_rows(records: Iterable[ProbeRecord]) -> list[ProbeRow]:
    """Return the last probe of each explainer, in the order in which they were first probed.

    What a record of another version does not say is as in a probe that has not found it out.
    """
    known = set(ProbeRow.model_fields) - {"explainer", "probed"}
    last = {record.explainer: record for record in records}
    return [
        ProbeRow(
            explainer=name, probed=record.at, **{key: value for key, value in record.result.items() if key in known}
        )
        for name, record in last.items()
    ]


def probe_section(rows: Sequence[ProbeRow]) -> Section:
    """Return the compact table."""
    return Section(
        name="probes",
        title="Probes: what the endpoints do",
        columns=("explainer", "JSON schema", "thinking", "at temperature 0", "long prompt", "tokens"),
        rows=tuple(_cells(row) for row in rows),
        notes=tuple(_notes(rows)),
        words=6,
    )


def _cells(row: ProbeRow) -> tuple[Cell, ...]:
    if row.error:
        return cells(row.explainer, Cell("not asked", "bad"), NONE, NONE, NONE, NONE)
    words = f" ({row.context_words:,} words)" if row.context_words else ""
    return cells(
        row.explainer,
        Cell(row.json_schema, "" if row.json_schema == "honoured" else "warn"),
        _THINKING.get(row.thinking, row.thinking),
        _repeated(row),
        Cell(row.context + words, "warn" if row.context == "cut" else ""),
        ("reported" if row.usage else "not reported") + (", thinking apart" if row.usage_reasoning else ""),
    )


def _repeated(row: ProbeRow) -> Cell:
    if not row.repeats:
        return Cell(NONE)
    if row.different <= 1:
        return Cell(f"{row.repeats} answers, all the same")
    return Cell(f"{row.repeats} answers, {row.different} different", "warn")


def _notes(rows: Iterable[ProbeRow]) -> Iterator[str]:
    yield "found out before the campaign asked; JSON schema: whether an answer follows the form that is asked for"
    for row in rows:
        if row.error:
            yield f"{row.explainer}: it could not be asked: {row.error}"
        yield from (f"{row.explainer}: {note}" for note in row.notes)
