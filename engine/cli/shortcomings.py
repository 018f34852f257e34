"""What a campaign did not get, and why, said once at its end: failures by reason, and replies that were cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.cli.common import say
from engine.text import plain
from engine.verdicts import queries
from engine.verdicts.store import Store

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from pathlib import Path

REASONS: Final = 3
"""Reasons that are told of each explainer; the report has all of them."""
LONGEST: Final = 300
"""Characters of a reason."""


def say_shortcomings(file: Path) -> None:
    """Say, for each explainer, what its questions failed with most often, and how many replies were cut off."""
    with Store(file, write=False) as store:
        failures, cut_off = queries.errors(store), queries.cut_off(store)
    for line in (*_failure_lines(failures), *_cut_off_lines(cut_off)):
        say(line)


def _failure_lines(rows: Sequence[sqlite3.Row]) -> list[str]:
    reasons: dict[str, list[sqlite3.Row]] = {}
    for row in rows:
        reasons.setdefault(row["explainer"], []).append(row)
    lines = []
    for name, found in reasons.items():
        for row in found[:REASONS]:
            questions = row["questions"]
            what = "1 question failed" if questions == 1 else f"{questions:,} questions failed"
            lines.append(f"{plain(name)}: {what}: {plain(row['error'], limit=LONGEST)}")
        rest = sum(row["questions"] for row in found[REASONS:])
        if rest:
            lines.append(f"{plain(name)}: {rest} more failed for {len(found) - REASONS} other reasons; see the report")
    return lines


def _cut_off_lines(rows: Sequence[sqlite3.Row]) -> list[str]:
    lines = []
    for row in rows:
        replies, thinking = row["replies"], row["thinking"]
        what = "1 reply was" if replies == 1 else f"{replies} replies were"
        while_thinking = f" ({thinking} of them after thinking)" if thinking else ""
        less = ", or let it think less" if thinking else ""
        lines.append(
            f"{plain(row['explainer'])}: {what} cut off before an answer{while_thinking}: "
            f"raise max_tokens in its settings{less}"
        )
    return lines
