"""Sections about what was found: verdicts, and the three research questions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.queries.case import MANUAL
from engine.reports.sections import Cell, Section, cells
from engine.reports.words import NONE, answers_text, decimal, interval, percent, probability, tone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.reports.model import AnyReport, Report
    from engine.reports.rows import Figures, MeanRow

EVERYTHING = "all"


def verdicts(report: Report) -> Section:
    """Return each explainer's figures, and those of its categories."""
    rows: list[tuple[Cell, ...]] = []
    strong = set()
    for explainer in report.explainers:
        strong.add(len(rows))
        name = explainer.explainer + (" (baseline)" if explainer.baseline else "")
        rows.append(cells(name, *_figures(explainer), ""))
        rows += [
            cells(f" {row.category}", *_figures(row), answers_text(row, row.category))
            for row in report.table
            if row.explainer == explainer.explainer
        ]
    verdict = report.grader == "verdict"
    value = "rate: the share of answers that pass" if verdict else "score: the mean in [0, 1], as per cents"
    return Section(
        name="verdicts",
        title="Verdicts",
        columns=("explainer, category", "rate" if verdict else "score", *_HEADINGS, "answers"),
        rows=tuple(rows),
        notes=(
            f"{value}; inv counts as not passed",
            "und: answers that the oracle's enclosures do not decide; und and err never count",
            f"95 %: {report.methods.interval}",
            "chance: what uniformly drawn answers get on average",
            "answers: how many different ones, and the share of the most frequent",
            *_by_hand(report),
            *(f"omitted: {row.model}, {row.category}: {row.reason}" for row in report.omitted),
        ),
        strong=frozenset(strong),
    )


def _by_hand(report: Report) -> Iterator[str]:
    """Yield what came of cases that a person chose, where the campaign's own stand in the table."""
    if all(cell.strategy == MANUAL for cell in report.cells):
        return
    passed: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for cell in report.cells:
        if cell.strategy == MANUAL:
            passed[cell.explainer] += cell.passed
            judged[cell.explainer] += cell.n
    if judged:
        told = ", ".join(f"{explainer} passes {passed[explainer]} of {n}" for explainer, n in judged.items())
        yield f"asked by hand ({MANUAL}), in no rate above: {told}"


_HEADINGS = ("95 %", "n", "chance", "pass", "fail", "inv", "und", "err")


def research(report: AnyReport) -> list[Section]:
    """Return the sections of RQ1, RQ2 and RQ3; one without rows says why; there is none if nothing was asked."""
    found = [_rq1(report), without_unknown(_rq2(report)), without_unknown(_rq3(report))]
    if report.kind == "cells":
        return [found[0], *(section for section in found[1:] if section.rows)]
    if not report.cells:
        return []
    reasons = (_unanswered(report), _NOTHING_COUNTS, _NOTHING_COUNTS)
    return [
        section if section.rows else replace(section, notes=(reason,))
        for section, reason in zip(found, reasons, strict=True)
    ]


_NOTHING_COUNTS = "empty: no cell has an answer that counts"


def _unanswered(report: Report) -> str:
    """Return why no cell has both strategies, and what to do about it."""
    found = list(dict.fromkeys(cell.strategy for cell in report.cells))
    strategies = [strategy for strategy in found if strategy != MANUAL] or found
    if len(strategies) > 1:
        return "empty: no cell has answers that count for both strategies"
    how = (
        "give run --cases a file of each strategy"
        if report.run is not None and report.run.plan.get("frozen")
        else "the same command with --strategy both adds the others"
    )
    return f"empty: only {strategies[0]} cases were asked; {how}"


def without_unknown(section: Section) -> Section:
    """Leave out the columns that hold nothing."""
    kept = [
        place
        for place in range(len(section.columns))
        if place < section.words or any(row[place].text != NONE for row in section.rows)
    ]
    return replace(
        section,
        columns=tuple(section.columns[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in section.rows),
    )


def _figures(figures: Figures) -> list[Cell]:
    warned = ("warn" if figures.invalid else "", "warn" if figures.undecided else "", "bad" if figures.errors else "")
    return [
        Cell(percent(figures.value), tone(figures)),
        Cell(interval(figures.lower, figures.upper) if figures.n else "-"),
        Cell(str(figures.n)),
        Cell(percent(figures.chance)),
        Cell(str(figures.passed)),
        Cell(str(figures.failed)),
        Cell(str(figures.invalid), warned[0]),
        Cell(str(figures.undecided), warned[1]),
        Cell(str(figures.errors), warned[2]),
    ]


def _rq1(report: AnyReport) -> Section:
    return Section(
        name="rq1",
        title="RQ1: are prioritized cases harder than random ones?",
        columns=("cells", "n", "lower", "higher", "tied", "W", "p", "p (floats)"),
        rows=tuple(
            cells(
                row.group,
                str(row.n),
                str(row.lower),
                str(row.higher),
                str(row.tied),
                "-" if row.statistic is None else f"{row.statistic:g}",
                probability(row.p),
                probability(row.p_floats),
            )
            for row in report.rq1
        ),
        notes=(
            "lower: cells in which the prioritized cases score lower; n: cells that have both strategies",
            f"p: {report.methods.rq1}",
            "p ranks equal exact differences as equal; p (floats) is the same test on differences of doubles",
        ),
    )


def _rq2(report: AnyReport) -> Section:
    rows: list[tuple[Cell, ...]] = []
    strong = set()
    for mean in report.rq2:
        strong.add(len(rows))
        only = next(iter(mean.environments)) if len(mean.environments) == 1 else EVERYTHING
        rows.append(cells(f"{mean.explainer}, {mean.strategy}", only, *_mean(mean)))
        if len(mean.environments) > 1:
            rows += [cells("", name, *_mean(inner)) for name, inner in mean.environments.items()]
    return Section(
        name="rq2",
        title="RQ2: score of each explainer",
        columns=("explainer, strategy", "model", *_MEAN_HEADINGS),
        rows=tuple(rows),
        notes=("the mean over categories in each model, then over models", *_interval_note(report)),
        words=2,
        strong=frozenset(strong),
    )


def _rq3(report: AnyReport) -> Section:
    return Section(
        name="rq3",
        title="RQ3: score of each category",
        columns=("category", *_MEAN_HEADINGS),
        rows=tuple(cells(row.category, *_mean(row)) for row in report.rq3),
        notes=("the mean of the cells over models, explainers and strategies", *_interval_note(report)),
    )


_MEAN_HEADINGS = ("score", "95 %", "chance", "cells")


def _mean(mean: MeanRow) -> Iterator[str]:
    yield decimal(mean.value)
    yield NONE if mean.lower is None or mean.upper is None else f"{mean.lower:.2f}–{mean.upper:.2f}"
    yield decimal(mean.chance)
    yield str(mean.cells)


def _interval_note(report: AnyReport) -> tuple[str, ...]:
    if report.kind == "cells":
        return ("95 % and chance are unknown: the table does not hold the answers",)
    return (f"95 %: {report.methods.mean_interval}",)
