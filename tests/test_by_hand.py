"""Cases that a person chose, kept in a campaign's file: a strategy of their own, in no rate of the campaign's."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from report_support import Said, right, write, wrong

from engine.campaign.board import read_board
from engine.queries.case import MANUAL
from engine.reports.build import build_report, explainers_below
from engine.reports.render import report
from engine.reports.results import verdicts
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from pathlib import Path

PLANNED = [Said(state, right(state) if state < 3 else wrong(state)) for state in range(4)]
BY_HAND = [Said(state, wrong(state)) for state in range(10, 16)]


def campaign(path: Path, *, planned: bool = True, both: bool = False) -> Path:
    """Write a file: four planned cases of which three pass, six by hand of which none does, in one cell."""
    chosen = {"prioritized": range(4), MANUAL: range(3 if both else 10, 16)} if planned else {MANUAL: range(16)}
    return write(path, [*PLANNED, *BY_HAND], strategies=chosen)


def test_hand_picked_cases_change_no_rate_of_a_campaign(tmp_path: Path) -> None:
    """The explainer passes 3 of 4; the six by hand are a cell of their own, in no research question, and are told."""
    with Store(campaign(tmp_path / "a.sqlite"), write=False) as store:
        built = build_report(store)
        text = report(store, format="text")
    (row,) = built.explainers
    assert (row.n, row.passed) == (4, 3)
    assert [(each.n, each.passed) for each in built.table] == [(4, 3)]
    assert {(cell.strategy, cell.n, cell.passed) for cell in built.cells} == {("prioritized", 4, 3), (MANUAL, 6, 0)}
    assert {mean.strategy for mean in built.rq2} == {"prioritized"}
    assert [mean.value for mean in built.rq3] == [0.75]
    assert not explainers_below(built, Fraction(3, 4))
    assert any("model passes 0 of 6" in note for note in verdicts(built).notes)
    assert "only prioritized cases were asked" in " ".join(text.split())


def test_a_case_that_the_campaign_chose_too_counts(tmp_path: Path) -> None:
    """A case of both is the campaign's own."""
    with Store(campaign(tmp_path / "a.sqlite", both=True), write=False) as store:
        (row,) = build_report(store).explainers
    assert (row.n, row.passed) == (4, 3)


def test_a_file_of_nothing_else_is_reported_as_it_is(tmp_path: Path) -> None:
    """Where every case was chosen by hand the rates are theirs: 3 of 10."""
    with Store(campaign(tmp_path / "a.sqlite", planned=False), write=False) as store:
        built = build_report(store)
        board = read_board(store)
    (row,) = built.explainers
    assert (row.n, row.passed) == (10, 3)
    assert not any("by hand" in note for note in verdicts(built).notes)
    assert [cell.judged for cell in board.cells.values()] == [10]


def test_the_live_table_says_the_same(tmp_path: Path) -> None:
    """What the campaign screen shows of a file is what its report says; what it cost is everything."""
    with Store(campaign(tmp_path / "a.sqlite"), write=False) as store:
        board = read_board(store)
    (cell,) = board.cells.values()
    assert (cell.judged, cell.planned) == (4, 4)


def test_a_comparison_leaves_them_out(tmp_path: Path) -> None:
    """Two files that differ in hand-picked cases only are the same."""
    plain = write(tmp_path / "b.sqlite", PLANNED)
    with Store(campaign(tmp_path / "a.sqlite"), write=False) as store, Store(plain, write=False) as other:
        found = build_report(store, reference=other).comparison
    assert found is not None
    assert {(row.better, row.worse) for row in found.rows} == {(0, 0)}
