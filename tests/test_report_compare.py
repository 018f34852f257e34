"""Two campaigns side by side: what got better, what got worse, and whether that is more than luck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from report_support import Said, right, write, wrong

from engine.errors import UsageError
from engine.reports.build import build_report
from engine.reports.render import report_text
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from engine.reports.model import Comparison, Report


def compared(path: Path, now: Iterable[Said], before: Iterable[Said], **options: Any) -> Report:
    """Return the report of a campaign, compared with another one."""
    baselines = options.pop("baselines", ())
    files = [write(path / name, said, baselines=baselines) for name, said in (("new.db", now), ("old.db", before))]
    with Store(files[0], write=False) as here, Store(files[1], write=False) as there:
        return build_report(here, reference=there, **options)


def comparison(path: Path, now: Iterable[Said], before: Iterable[Said], **options: Any) -> Comparison:
    """Return the comparison alone."""
    found = compared(path, now, before, **options).comparison
    assert found is not None
    return found


def marked(signs: str, **common: Any) -> list[Said]:
    """Return an answer about the states 0, 1, …: ``+`` right, ``-`` wrong, ``?`` undecided, ``x`` failed."""
    return [
        Said(state, {"+": right(state), "-": wrong(state), "?": "?", "x": None}[sign], **common)
        for state, sign in enumerate(signs)
    ]


def test_better_and_worse_are_counted_and_tested(tmp_path: Path) -> None:
    """Ten cases won and two lost of twenty: McNemar's exact p is twice (1 + 12 + 66)/4096."""
    found = comparison(tmp_path, marked("+" * 10 + "--" + "+" * 8), marked("-" * 10 + "++" + "+" * 8))
    assert [row.category for row in found.rows] == [None, "best-action"]
    for row in found.rows:
        assert (row.cases, row.better, row.worse, row.same) == (20, 10, 2, 8)
        assert (row.before, row.after) == (0.5, 0.9)
        assert row.p == pytest.approx(158 / 4096)
    assert "McNemar" in found.test


def test_changed_cases_are_listed_with_their_answers(tmp_path: Path) -> None:
    """Each has its id, its states, both answers and the right one."""
    found = comparison(tmp_path, marked("+-+"), marked("++-"))
    assert [(flip.case, flip.change, flip.states) for flip in found.flips] == [
        ("lake/best-action/1", "worse", [1]),
        ("lake/best-action/2", "better", [2]),
    ]
    flip = found.flips[1]
    assert (flip.answers_before, flip.answers_after, flip.accepted) == ([wrong(2)], [right(2)], [right(2)])


def test_only_what_counts_in_both_is_compared(tmp_path: Path) -> None:
    """Undecided answers, errors and cases of one campaign alone change nothing, and the latter are told."""
    found = comparison(tmp_path, marked("+?-x+++"), marked("-++?+"))
    assert (found.rows[0].cases, found.rows[0].better, found.rows[0].worse) == (3, 1, 1)
    assert (found.only_here, found.only_there) == (2, 0)


def test_several_answers_make_one_case(tmp_path: Path) -> None:
    """A case that passed in one of two samples and passes in both now is better once, with its mean grades."""
    now = marked("+", sample=0) + marked("+", sample=1) + marked("-", sample=2)
    before = marked("+", sample=0) + marked("-", sample=1)
    found = comparison(tmp_path, now, before)
    (flip,) = found.flips
    assert (flip.before, flip.after, flip.change) == (0.5, 1, "better")
    assert found.rows[0].p == 1


def test_scores_are_compared_by_ranks(tmp_path: Path) -> None:
    """Six scores that all rise by different amounts: the two-sided p of signed ranks is 2/64."""
    now = [Said(state, wrong(state), score=0.5 + state / 100) for state in range(1, 7)]
    before = [Said(state, wrong(state), score=0.5) for state in range(1, 7)]
    found = comparison(tmp_path, now, before, grader="score")
    assert (found.rows[0].statistic, found.rows[0].p) == pytest.approx((0, 2 / 64))
    assert "Wilcoxon" in found.test


def test_two_language_models_are_compared_under_their_names(tmp_path: Path) -> None:
    """Where each campaign has a single one they are compared, whatever their names; baselines by name."""
    now = [*marked("++", explainer="large"), *marked("--", explainer="first")]
    before = [*marked("--", explainer="small"), *marked("--", explainer="first")]
    report = compared(tmp_path, now, before, baselines=["first"])
    assert report.comparison is not None
    rows = [(row.explainer, row.reference, row.better) for row in report.comparison.rows if row.category is None]
    assert rows == [("large", "small", 2), ("first", "first", 0)]
    assert "large (before: small)" in " ".join(report_text(report).split())


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ([Said(0, "left", model="pond")], "no case in common"),
        ([Said(0, "left", "a"), Said(0, "left", "b")], "no explainer in common"),
    ],
)
def test_campaigns_without_anything_in_common_are_refused(tmp_path: Path, before: list[Said], told: str) -> None:
    """There is nothing to compare, and the message says what is missing."""
    with pytest.raises(UsageError, match=told):
        compared(tmp_path, marked("+"), before)


def test_the_same_campaign_has_not_changed(tmp_path: Path) -> None:
    """No case differs, so that there is no test and no flip."""
    found = comparison(tmp_path, marked("+-+"), marked("+-+"))
    assert ([row.p for row in found.rows], found.flips) == ([None, None], [])
