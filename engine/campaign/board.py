"""The live table of a campaign: everything that its file holds, and what a running plan adds to it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from engine.campaign.events import Spent
from engine.verdicts.live import Judged, LiveCell
from engine.verdicts.records import Key
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.campaign.events import Answered
    from engine.campaign.grid import Grid
    from engine.verdicts.store import Store

Place: TypeAlias = tuple[str, str, str]
"""Model, explainer, category."""


@dataclass(frozen=True, slots=True)
class Board:
    """What a campaign file holds, question by question of each cell counted once.

    Attributes
    ----------
    cells
        Place → its verdicts, in the order of the file and then of the plan.
    failed
        Explainer and question, of those that have only failed so far.
    spent
        Explainer → what all of its answers took.
    baselines
        Explainer → whether no language model is behind it.
    """

    cells: Mapping[Place, LiveCell] = field(default_factory=dict)
    failed: frozenset[tuple[str, Key]] = frozenset()
    spent: Mapping[str, Spent] = field(default_factory=dict)
    baselines: Mapping[str, bool] = field(default_factory=dict)

    def add(self, event: Answered) -> Board:
        """Return the board with an answer that has arrived, or failed, in a running campaign."""
        cell = event.cell
        place = cell.model, cell.explainer, cell.category
        question = cell.explainer, Key(event.case.id, event.variant, event.sample)
        before = self.cells.get(place, LiveCell())
        verdict = event.verdict
        again = question in self.failed
        judged = Judged.of(cell.model, event.case, verdict.outcome, verdict.score, verdict.answer)
        now = before.plus(judged, failed_before=again)
        failed = self.failed
        if verdict.outcome is Outcome.ERROR:
            failed |= {question}
        elif again:
            failed -= {question}
        spent = self.spent.get(cell.explainer, Spent()).plus(event.took)
        return replace(
            self,
            cells={**self.cells, place: now},
            failed=failed,
            spent={**self.spent, cell.explainer: spent},
        )


def read_board(store: Store, grid: Grid | None = None) -> Board:
    """Read a campaign file; questions of a grid that it lacks are planned beside what it has. Blocks.

    Raises
    ------
    StoreError
        If the file cannot be read.
    """
    with store.snapshot():
        cases, records, baselines = store.cases(), store.outcomes(), store.explainers()
    found: defaultdict[Place, list[Judged]] = defaultdict(list)
    failed: set[tuple[str, Key]] = set()
    known: defaultdict[str, set[Key]] = defaultdict(set)
    spent: dict[str, Spent] = {}
    for record in records:
        stored = cases[record.key.case]
        place = stored.model, record.explainer, stored.case.category
        found[place].append(Judged.of(stored.model, stored.case, record.outcome, record.score, record.answer))
        known[record.explainer].add(record.key)
        spent[record.explainer] = spent.get(record.explainer, Spent()).plus(Spent.of(record))
        if record.outcome is Outcome.ERROR:
            failed.add((record.explainer, record.key))
    cells = {place: LiveCell.of_all(verdicts) for place, verdicts in found.items()}
    if grid is not None:
        cells = _planned(cells, grid, known)
    return Board(cells, frozenset(failed), spent, baselines)


def _planned(cells: Mapping[Place, LiveCell], grid: Grid, known: Mapping[str, set[Key]]) -> dict[Place, LiveCell]:
    """Return the cells of the plan in its order, then those that only the file has."""
    lacking: defaultdict[Place, int] = defaultdict(int)
    for item in grid.items():
        for explainer in grid.plan.explainers:
            place = item.entry.model, explainer, item.entry.case.category
            lacking[place] += item.key not in known.get(explainer, ())
    planned = {
        place: replace(cell := cells.get(place, LiveCell()), planned=cell.planned + number)
        for place, number in lacking.items()
    }
    return {**planned, **{place: cell for place, cell in cells.items() if place not in planned}}
