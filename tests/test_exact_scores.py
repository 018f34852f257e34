"""Scores as exact fractions: equal differences tie, whatever doubles make of them."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_support import Said, write

from engine.queries.case import Case
from engine.queries.registry import category_named
from engine.queries.spaces import Probability, Ranking, listed
from engine.reports.build import build_report
from engine.verdicts.exact_scores import LONGEST, exact_score
from engine.verdicts.live import Judged, LiveCell
from engine.verdicts.store import Store
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from pathlib import Path

ACTIONS = ("up", "left", "down", "right")


def satisfy(value: Fraction) -> Case:
    """Return the question for a probability."""
    numbers: Any = {"V": str(value), "tolerance": "1/100"}
    return Case("1", "satisfy", (0,), Probability(), (str(value),), numbers, None, {}, "")


def ranking(*q: int) -> Case:
    """Return the question for an order of the actions, whose Q are the numbers in tenths."""
    names = sorted(ACTIONS, key=lambda name: -q[ACTIONS.index(name)])
    numbers: Any = {"V": "1", "Q": {name: f"{each}/10" for name, each in zip(ACTIONS, q, strict=True)}}
    return Case("1", "action-ranking", (0,), Ranking(ACTIONS), (listed(names),), numbers, None, {}, "")


def thirds(path: Path, scores: list[Fraction], **common: Any) -> Path:
    """Write a campaign with these scores as doubles, one a state."""
    said = [Said(state, "up", score=float(score), **common) for state, score in enumerate(scores)]
    return write(path, said)


@given(st.fractions(0, 1, max_denominator=10**12), st.fractions(0, 1, max_denominator=1000))
def test_the_score_of_a_number_has_all_its_digits(value: Fraction, given_: Fraction) -> None:
    """1 - abs(answer - V), as Python's fractions have it, comes back from the double."""
    true = 1 - abs(given_ - value)
    assert exact_score(satisfy(value), str(given_), float(true)) == (true, True)


def test_a_score_that_rounds_to_one_is_not_one() -> None:
    """An answer that is 10^-30 off scores less than a right one, although both doubles are 1."""
    case = satisfy(Fraction(1, 3) + Fraction(1, 10**30))
    close, right = exact_score(case, "1/3", 1.0), exact_score(case, case.accepted[0], 1.0)
    assert close == (1 - Fraction(1, 10**30), True)
    assert right == (Fraction(1), True)


def test_the_score_of_an_order_is_the_share_of_its_pairs() -> None:
    """Every order of four actions, two of them tied, is as many sixths as a count of its pairs gives."""
    case = ranking(9, 5, 5, 1)
    q = dict(zip(ACTIONS, (9, 5, 5, 1), strict=True))
    for order in permutations(ACTIONS):
        pairs = [(first, second) for place, first in enumerate(order) for second in order[place + 1 :]]
        share = Fraction(sum(q[first] >= q[second] for first, second in pairs), 6)
        assert exact_score(case, listed(order), float(share)) == (share, True)


def test_what_the_grader_does_not_confirm_is_taken_from_the_double() -> None:
    """A stored score that is not this grader's is the simple fraction next to it, or only known as a double."""
    case = satisfy(Fraction(1, 3))
    assert exact_score(case, "1/2", 2 / 3) == (Fraction(2, 3), True)
    assert exact_score(replace(case, category="of another version"), "1/2", 5 / 6) == (Fraction(5, 6), True)
    assert exact_score(case, "no number", 0.25) == (Fraction(1, 4), True)
    odd = 0.123456789012345678
    assert exact_score(case, "1/2", odd) == (Fraction(odd), False)
    assert exact_score(case, None, 0.0) == (Fraction(0), True)


def test_denominators_without_end_are_not_added() -> None:
    """A value of thousands of digits makes a score that is known as a double only, and said to be."""
    short, long = (satisfy(Fraction(1, 3) + Fraction(1, 2**bits)) for bits in (LONGEST // 2, LONGEST))
    assert exact_score(short, "1/2", 5 / 6) == (Fraction(5, 6) + Fraction(1, 2 ** (LONGEST // 2)), True)
    assert exact_score(long, "1/2", 5 / 6) == (Fraction(5 / 6), False)


def test_equal_differences_of_thirds_and_sixths_tie_in_a_comparison(tmp_path: Path) -> None:
    """Differences of 1/3 three times and of -1/3 once: ranks 2.5 each, W = 2.5, though doubles tell them apart."""
    before = [Fraction(1, 3), Fraction(1, 6), Fraction(2, 3), Fraction(1, 2)]
    after = [Fraction(2, 3), Fraction(1, 2), Fraction(1), Fraction(1, 6)]
    assert len({abs(float(new) - float(old)) for old, new in zip(before, after, strict=True)}) > 1
    files = thirds(tmp_path / "new.db", after), thirds(tmp_path / "old.db", before)
    with Store(files[0], write=False) as here, Store(files[1], write=False) as there:
        found = build_report(here, grader="score", reference=there)
    assert found.comparison is not None
    row = found.comparison.rows[0]
    assert (row.better, row.worse, row.same, row.statistic) == (3, 1, 0, 2.5)
    assert "doubles" not in found.methods.grader


def test_equal_differences_of_cells_tie_in_rq1(tmp_path: Path) -> None:
    """Four cells, 1/3 lower three times and 1/3 higher once: W+ = 2.5; on doubles the ranks differ."""
    prioritized = [Fraction(1, 3), Fraction(1, 6), Fraction(2, 3), Fraction(1, 2)]
    random = [Fraction(2, 3), Fraction(1, 2), Fraction(1), Fraction(1, 6)]
    said = [
        Said(state, "up", model=f"lake{place}", score=float(score))
        for state, scores in enumerate((prioritized, random))
        for place, score in enumerate(scores)
    ]
    file = write(tmp_path / "c.db", said, strategies={"prioritized": [0], "random": [1]})
    with Store(file, write=False) as store:
        (row, *_) = build_report(store, grader="score").rq1
    assert (row.n, row.lower, row.higher, row.tied, row.statistic) == (4, 3, 1, 0, 2.5)


def test_scores_that_are_doubles_only_are_said_to_be(tmp_path: Path) -> None:
    """The report names how many scores are not known exactly; the verdict grader has none."""
    file = thirds(tmp_path / "c.db", [Fraction(1, 3), Fraction(1, 2)])
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE answers SET score = 0.12345678901234568 WHERE score > 0.4")
    connection.close()
    with Store(file, write=False) as store:
        assert (
            "but for 1 answers whose scores are known as doubles only"
            in build_report(store, grader="score").methods.grader
        )
        assert "doubles" not in build_report(store).methods.grader


def test_a_cell_that_fills_has_the_reports_exact_mean() -> None:
    """The mean of three sixths is a sixth exactly, whether verdicts come one by one or all at once."""
    case = ranking(9, 7, 5, 1)
    orders = [
        order
        for order in permutations(ACTIONS)
        if category_named(case.category).score(case, listed(order)) == Fraction(1, 6)
    ]
    verdicts = [Judged.of("lake", case, Outcome.FAIL, 1 / 6, listed(order)) for order in orders]
    cell = LiveCell()
    for each in verdicts:
        cell = cell.plus(each)
    assert len(verdicts) == 3
    assert cell.share("score").value == LiveCell.of_all(verdicts).share("score").value == Fraction(1, 6)
    assert cell.share("verdict").value == 0


@pytest.mark.parametrize("count", [1, 7, 49])
def test_means_of_thirds_are_exact_in_reports(tmp_path: Path, count: int) -> None:
    """However many thirds there are, their mean is a third."""
    file = thirds(tmp_path / "c.db", [Fraction(1, 3)] * count)
    with Store(file, write=False) as store:
        assert build_report(store, grader="score").explainers[0].value == 1 / 3
