"""Sections beside the results: comparison, difficulty audit, regret, wordings, positions, invalid kinds, usage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.queries.case import MANUAL
from engine.reports.probes import probe_section
from engine.reports.results import without_unknown
from engine.reports.sections import Cell, Section, cells, once
from engine.reports.words import NONE, answer_words, costs_text, decimal, number, percent, probability, seconds, shares
from engine.verdicts.verdict import InvalidKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.reports.model import Comparison, ComparisonRow, Report
    from engine.reports.rows import WordingRow

SIGNIFICANT = 0.05
MOST_OPTIONS = 6
"""Positions that a text lists; JSON has all of them."""


def details(report: Report, *, flips: int) -> list[Section]:
    """Return the sections that have something to say, with at most that many cases that changed."""
    found = [
        _comparison(report.comparison) if report.comparison else None,
        _flips(report.comparison, flips) if report.comparison else None,
        _kept(report),
        _errors(report),
        _audit(report),
        _regret(report),
        _wordings(report),
        _positions(report),
        _invalid(report),
        without_unknown(_usage(report)),
        probe_section(report.probes),
    ]
    return [section for section in found if section is not None and section.rows]


def _kept(report: Report) -> Section:
    """Return what came of the questions that a person picked, where a campaign's own stand in the other tables."""
    return Section(
        name="kept",
        title="Kept by hand: questions that a person picked",
        columns=("explainer", "model", "category", "answers", "pass", "fail", "inv", "und"),
        rows=once(
            cells(
                cell.explainer,
                cell.model,
                cell.category,
                str(cell.n + cell.undecided),
                str(cell.passed),
                str(cell.failed),
                str(cell.invalid),
                str(cell.undecided),
            )
            for cell in report.cells
            if cell.strategy == MANUAL and report.questions.kept
        ),
        notes=("they are in no rate, interval or research question above",),
        words=3,
    )


def _audit(report: Report) -> Section:
    return Section(
        name="audit",
        title="Difficulty audit: do harder cases score lower?",
        columns=("explainer", "category", "cases", "tau", "p"),
        rows=once(
            cells(
                row.explainer,
                row.category,
                str(row.cases),
                Cell(decimal(row.tau, 2), "good" if row.p is not None and row.p < SIGNIFICANT else ""),
                probability(row.p),
            )
            for row in report.audit
            if row.tau is not None
        ),
        notes=(
            report.methods.audit,
            f"difficulty: {report.methods.difficulty} formulas",
            "left out: where difficulty or grade never varies",
        ),
        words=2,
    )


def _regret(report: Report) -> Section:
    return Section(
        name="regret",
        title="Regret: what the actions named cost",
        columns=("explainer", "category", "n", "mean", "largest", "at no cost", "unbounded"),
        rows=once(
            cells(
                row.explainer,
                row.category,
                str(row.n),
                decimal(row.mean),
                decimal(row.largest),
                percent(row.zero / row.n),
                Cell(str(row.unbounded), "warn" if row.unbounded else ""),
            )
            for row in report.regret
        ),
        notes=(report.methods.regret, "worst-action: the right answer is the costly one"),
        words=2,
    )


def _wordings(report: Report) -> Section:
    return Section(
        name="wordings",
        title="Wordings: the same questions in other words",
        columns=("explainer", "model", "lowest", "highest", "n", "spread", "same"),
        rows=once(
            cells(
                row.explainer,
                row.model,
                _wording(row, min(row.values, key=row.values.__getitem__)),
                _wording(row, max(row.values, key=row.values.__getitem__)),
                str(row.questions),
                percent(row.spread),
                percent(row.same),
            )
            for row in report.wordings
        ),
        notes=("n: questions answered in every wording; same: share of them with the same grade in all",),
        words=4,
    )


def _wording(row: WordingRow, name: str) -> str:
    return f"{name} {percent(row.values[name])}"


def _positions(report: Report) -> Section:
    return Section(
        name="positions",
        title="Positions: where the chosen options stood",
        columns=("explainer", "order", "chosen, first to last", "right, first to last", "n", "p"),
        rows=once(
            cells(
                row.explainer,
                "shuffled" if row.shuffled else "as listed",
                shares(row.chosen),
                shares(row.right),
                str(row.n),
                Cell(probability(row.p), "warn" if row.p is not None and row.p < SIGNIFICANT else ""),
            )
            for row in report.positions
            if row.options <= MOST_OPTIONS
        ),
        notes=(
            "right: how often an option at that position was right",
            "p: chi-square test against equally frequent positions, for shuffled options",
            f"left out: questions with more than {MOST_OPTIONS} options",
        ),
        words=4,
    )


def _errors(report: Report) -> Section:
    return Section(
        name="errors",
        title="Errors: why questions have no answer",
        columns=("explainer", "error", "questions"),
        rows=once(cells(row.explainer, row.error, Cell(str(row.questions), "bad")) for row in report.errors),
        notes=("the last failure of each; run with --retry-errors asks these questions again",),
        words=2,
    )


def _invalid(report: Report) -> Section:
    kinds = [kind.value for kind in InvalidKind]
    return Section(
        name="invalid",
        title="Invalid replies by kind",
        columns=("explainer", *kinds),
        rows=tuple(
            cells(row.explainer, *(str(row.kinds.get(kind, 0)) for kind in kinds)) for row in report.invalid_kinds
        ),
        notes=("cut off: the reply reached its limit of tokens; a larger max_tokens helps",),
    )


def _usage(report: Report) -> Section:
    return Section(
        name="usage",
        title="Cost, tokens and latency",
        columns=("explainer", "asked", "tries", "in", "out", "thinking", "cost", "cached", *_LATENCY),
        rows=tuple(
            cells(
                row.explainer,
                number(row.questions),
                number(row.attempts),
                number(row.tokens_in),
                number(row.tokens_out),
                number(row.tokens_reasoning),
                costs_text((cost.cost, cost.currency) for cost in row.costs),
                costs_text((cost.cached, cost.currency) for cost in row.costs if cost.cached != "0"),
                seconds(row.mean_seconds),
                seconds(row.median_seconds),
                seconds(row.p95_seconds),
            )
            for row in report.usage
        ),
        notes=(
            "in, out, thinking: tokens as reported; thinking is part of out; cost by the endpoint's prices",
            *_from_cache(report),
        ),
    )


_LATENCY = ("mean s", "p50 s", "p95 s")


def _from_cache(report: Report) -> Iterator[str]:
    """Yield what answers from the cache mean for the figures, if there are some."""
    answers = sum(row.cached for row in report.usage)
    if answers:
        yield (
            f"{answers:,} answers came from the cache of earlier campaigns, with their tokens and seconds; "
            "cached: their part of cost, which was not spent again"
        )


def _comparison(comparison: Comparison) -> Section:
    shown = [row for row in comparison.rows if row.category is None or row.better or row.worse]
    return Section(
        name="comparison",
        title=f"Compared with {comparison.reference}",
        columns=("explainer, category", "cases", "before", "now", "better", "worse", "same", "p"),
        rows=tuple(
            cells(
                _compared(row),
                str(row.cases),
                percent(row.before),
                percent(row.after),
                Cell(str(row.better), "good" if row.better else ""),
                Cell(str(row.worse), "bad" if row.worse else ""),
                str(row.same),
                probability(row.p),
            )
            for row in shown
        ),
        notes=(
            "better: cases whose grade is higher now; a case that was asked several times has its mean grade",
            f"p: {comparison.test}; not corrected for the number of rows",
            f"cases: those of both; {comparison.only_here} are only here, {comparison.only_there} only there",
            "left out: categories without a change",
        ),
        strong=frozenset(place for place, row in enumerate(shown) if row.category is None),
    )


def _compared(row: ComparisonRow) -> str:
    if row.category is not None:
        return f" {row.category}"
    return row.explainer if row.explainer == row.reference else f"{row.explainer} (before: {row.reference})"


def _flips(comparison: Comparison, most: int) -> Section:
    shown = comparison.flips[:most]
    rest = len(comparison.flips) - len(shown)
    return Section(
        name="flips",
        title="Cases that changed",
        columns=("change", "case", "explainer", "question", "before", "now", "right"),
        rows=tuple(
            cells(
                Cell(row.change, "good" if row.change == "better" else "bad"),
                row.case,
                row.explainer,
                f"{row.model}, {row.category}, {_states(row.states)}",
                _answers(row.answers_before, row.category),
                _answers(row.answers_after, row.category),
                row.right,
            )
            for row in shown
        ),
        notes=(f"{rest} more: --format json has all of them",) if rest else (),
        words=7,
    )


def _states(states: list[int]) -> str:
    return ("state " if len(states) == 1 else "states ") + ", ".join(map(str, states))


def _answers(answers: list[str | None], category: str) -> str:
    return " / ".join(NONE if answer is None else answer_words(answer, category) for answer in answers)
