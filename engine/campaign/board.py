"""The live table of a campaign: everything that its file holds, and what a running plan adds to it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from engine.campaign.spent import Spent
from engine.verdicts.by_hand import picked_cases
from engine.verdicts.last_run import LastRun, last_run
from engine.verdicts.live import Judged, LiveCell, chance_of
from engine.verdicts.records import Key
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.campaign.events import Answered
    from engine.campaign.grid import Grid
    from engine.queries.category import Chance
    from engine.verdicts.records import StoredCase
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
    chances
        ``(model, category)`` → chance level → how many of the cases have it, asked or yet to be asked: it is the same
        for every explainer, however far each of them is.
    kept
        Place → verdicts on answers that were kept by hand: they are in no cell.
    """

    cells: Mapping[Place, LiveCell] = field(default_factory=dict)
    failed: frozenset[tuple[str, Key]] = frozenset()
    spent: Mapping[str, Spent] = field(default_factory=dict)
    baselines: Mapping[str, bool] = field(default_factory=dict)
    chances: Mapping[tuple[str, str], Mapping[Chance | None, int]] = field(default_factory=dict)
    kept: Mapping[Place, LiveCell] = field(default_factory=dict)

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
    """Read a campaign file; questions of a plan that it lacks are planned beside what it has. Blocks.

    Parameters
    ----------
    store
        The file.
    grid
        The plan that is being run; None for that of the last run, which may have been cut off.

    Raises
    ------
    StoreError
        If the file cannot be read.
    """
    with store.snapshot():
        cases, records, baselines = store.cases(), store.outcomes(), store.explainers()
        if grid is None:
            plan = last_run(store, [record.key for record in records])
        else:
            plan = LastRun(grid.plan.explainers, _keys(grid))
    found: defaultdict[Place, list[Judged]] = defaultdict(list)
    failed: set[tuple[str, Key]] = set()
    known: defaultdict[str, set[Key]] = defaultdict(set)
    spent: dict[str, Spent] = {}
    kept: defaultdict[Place, list[Judged]] = defaultdict(list)
    picked = picked_cases({name: stored.strategies for name, stored in cases.items()})
    asked = {key.case for keys in plan.keys.values() for key in keys}
    for record in records:
        stored = cases[record.key.case]
        place = stored.model, record.explainer, stored.case.category
        judged = Judged.of(stored.model, stored.case, record.outcome, record.score, record.answer)
        by_hand = record.key.sample < 0 or record.key.case in picked
        (kept if by_hand else found)[place].append(judged)
        if not by_hand:
            asked.add(record.key.case)
        known[record.explainer].add(record.key)
        spent[record.explainer] = spent.get(record.explainer, Spent()).plus(Spent.of(record))
        if record.outcome is Outcome.ERROR:
            failed.add((record.explainer, record.key))
    cells = {place: LiveCell.of_all(verdicts) for place, verdicts in found.items()}
    cells = _planned(cells, plan, known)
    by_hand_cells = {place: LiveCell.of_all(verdicts) for place, verdicts in kept.items()}
    return Board(cells, frozenset(failed), spent, baselines, _chances(cases, asked), by_hand_cells)


def _keys(grid: Grid) -> dict[tuple[str, str], list[Key]]:
    """Return ``(model, category)`` → the questions of any one explainer."""
    keys: defaultdict[tuple[str, str], list[Key]] = defaultdict(list)
    for item in grid.items():
        keys[item.entry.model, item.entry.case.category].append(item.key)
    return keys


def _planned(cells: Mapping[Place, LiveCell], plan: LastRun, known: Mapping[str, set[Key]]) -> dict[Place, LiveCell]:
    """Return the cells of the plan in its order, then those that only the file has."""
    planned: dict[Place, LiveCell] = {}
    for (model, category), of_category in plan.keys.items():
        for explainer in plan.explainers if of_category else ():
            place = model, explainer, category
            there = known.get(explainer, set())
            cell = cells.get(place, LiveCell())
            planned[place] = replace(cell, planned=cell.planned + sum(key not in there for key in of_category))
    return {**planned, **{place: cell for place, cell in cells.items() if place not in planned}}


def _chances(cases: Mapping[str, StoredCase], asked: set[str]) -> dict[tuple[str, str], Mapping[Chance | None, int]]:
    """Return the chance levels of the cases that were asked or are to be asked."""
    found: defaultdict[tuple[str, str], Counter[Chance | None]] = defaultdict(Counter)
    for name, stored in cases.items():
        if name in asked:
            found[stored.model, stored.case.category][chance_of(stored.case)] += 1
    return dict(found)
