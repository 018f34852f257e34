"""The report of a campaign, as text or JSON."""

from __future__ import annotations

import io
import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rich.console import Console

from engine.verdicts.report_model import (
    CategoryMean,
    CellRow,
    ExplainerMean,
    ExplainerRow,
    MeanRow,
    Methods,
    ModelRow,
    OmittedRow,
    PairedRow,
    Report,
    RunRow,
    TableRow,
    VariantRow,
)
from engine.verdicts.report_text import print_report
from engine.verdicts.research import ALTERNATIVE, MEAN_INTERVAL_METHOD, ZERO_METHOD, MeanScore, ScoreCell, rq1, rq2, rq3
from engine.verdicts.statistics import INTERVAL_METHOD
from engine.verdicts.tables import CellStatistics, Grader, Row, by_cell, cell_statistics, grouped, rows_of, score_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.verdicts.records import ModelRecord
    from engine.verdicts.store import Store

Format: TypeAlias = Literal["text", "json"]
FORMATS: tuple[Format, ...] = ("text", "json")

_GRADERS: dict[Grader, str] = {
    "verdict": "verdict: the share of answers that pass",
    "score": "score: the mean score in [0, 1]",
}


def report(
    store: Store,
    *,
    format: Format = "text",  # noqa: A002 - the option's name
    grader: Grader = "verdict",
    console: Console | None = None,
) -> str:
    """Return the report of a campaign.

    Parameters
    ----------
    store
        Open in any mode; also while another program writes it.
    format
        ``text`` or ``json`` (schema 1, `report_model.Report`).
    grader
        ``verdict`` (share of passes) or ``score`` (mean score), named in the report.
    console
        Whose width and colours the text follows; 80 columns without colours by default.
    """
    built = build_report(store, grader=grader)
    if format == "json":
        return report_json(built)
    if console is not None:
        with console.capture() as captured:
            print_report(built, console)
        return captured.get()
    return report_text(built)


def report_json(built: Report) -> str:
    """Return a report as JSON text; everything but ASCII is escaped, so that no terminal reads it as anything else."""
    return json.dumps(built.model_dump(mode="json", by_alias=True), indent=1, allow_nan=False) + "\n"


def report_text(built: Report, *, width: int = 80) -> str:
    """Return a report as text without colours."""
    stream = io.StringIO()
    print_report(
        built, Console(file=stream, width=width, color_system=None, force_terminal=False, legacy_windows=False)
    )
    return stream.getvalue()


def explainers_below(built: Report, threshold: Fraction) -> tuple[ExplainerRow, ...]:
    """Return the explainers that do not reach a pass rate, for ``--fail-under``.

    Passes / (pass + fail + invalid) is compared exactly; baselines are excluded, and an explainer without any answer
    that counts does not reach anything.
    """
    return tuple(
        row for row in built.explainers if not row.baseline and (row.n == 0 or Fraction(row.passed, row.n) < threshold)
    )


def build_report(store: Store, *, grader: Grader = "verdict") -> Report:
    """Compute the report of a campaign, from one state of its file."""
    with store.snapshot():
        rows = rows_of(store)
        baselines, models, runs, omitted = store.explainers(), store.models(), store.runs(), store.omitted()
    cells = {key: cell_statistics(group, grader) for key, group in by_cell(rows).items()}
    scores = score_cells(cells, baselines)
    last = runs[-1] if runs else None
    return Report(
        file=store.path.name,
        grader=grader,
        methods=Methods(
            grader=_GRADERS[grader],
            interval=INTERVAL_METHOD,
            mean_interval=MEAN_INTERVAL_METHOD,
            rq1=f"one-sided Wilcoxon signed-rank test, alternative {ALTERNATIVE}, zero method {ZERO_METHOD}",
        ),
        run=None
        if last is None
        else RunRow(
            started=last.started,
            ended=last.ended,
            stormscope=last.version,
            total=last.total,
            done=last.done,
            plan=dict(last.plan),
        ),
        models=[_model_row(model) for model in models],
        omitted=[OmittedRow(model=m, category=c, reason=reason) for (m, c), reason in omitted.items()],
        explainers=_explainer_rows(rows, baselines, grader),
        table=[
            TableRow(explainer=e, baseline=baselines[e], category=c, **_figures(cell_statistics(group, grader)))
            for (e, c), group in _in_order(grouped(rows, _by_explainer_category), baselines).items()
        ],
        variants=[
            VariantRow(explainer=e, variant=v, **_figures(cell_statistics(group, grader)))
            for (e, v), group in _in_order(grouped(rows, _by_explainer_variant), baselines).items()
        ],
        cells=[
            CellRow(model=m, explainer=e, baseline=baselines[e], category=c, strategy=s, **_figures(cell))
            for (m, e, c, s), cell in cells.items()
        ],
        **_research(scores, baselines),
    )


def _by_explainer_category(row: Row) -> tuple[str, ...]:
    return row.record.explainer, row.stored.case.category


def _by_explainer_variant(row: Row) -> tuple[str, ...]:
    return row.record.explainer, row.record.key.variant


def _in_order(
    groups: Mapping[tuple[str, ...], list[Row]], baselines: Mapping[str, bool]
) -> dict[tuple[str, ...], list[Row]]:
    """Order groups by explainer, as the campaign knows them; those of one explainer by name."""
    place = {name: index for index, name in enumerate(baselines)}
    return dict(sorted(groups.items(), key=lambda item: (place[item[0][0]], item[0][1:])))


def _explainer_rows(rows: Iterable[Row], baselines: Mapping[str, bool], grader: Grader) -> list[ExplainerRow]:
    result = []
    for (name,), group in _in_order(grouped(rows, lambda row: (row.record.explainer,)), baselines).items():
        cell = cell_statistics(group, grader)
        rate = cell.counts.pass_rate
        result.append(
            ExplainerRow(
                explainer=name,
                baseline=baselines[name],
                pass_rate=None if rate is None else float(rate),
                seconds=sum(row.record.seconds for row in group),
                tokens_in=_total(row.record.tokens_in for row in group),
                tokens_out=_total(row.record.tokens_out for row in group),
                **_figures(cell),
            )
        )
    return result


def _total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _figures(cell: CellStatistics) -> dict[str, Any]:
    counts, share, variety = cell.counts, cell.share, cell.variety
    return {
        "passed": counts.passed,
        "failed": counts.failed,
        "invalid": counts.invalid,
        "undecided": counts.undecided,
        "errors": counts.errors,
        "n": counts.judged,
        "value": None if share.value is None else float(share.value),
        "lower": share.lower,
        "upper": share.upper,
        "effective_n": share.effective_n,
        "chance": None if cell.chance is None else float(cell.chance),
        "different": variety.different,
        "top": variety.top,
        "top_share": float(variety.top_share),
    }


def _model_row(model: ModelRecord) -> ModelRow:
    return ModelRow(
        model=model.name,
        identity=model.identity,
        environment=model.environment,
        objective=model.objective,
        danger=model.danger,
        constants=dict(model.constants),
        mode="exact" if model.exact else "sound",
        states=model.states,
    )


def _research(scores: list[ScoreCell], baselines: Mapping[str, bool]) -> dict[str, Any]:
    return {
        "rq1": [
            PairedRow(
                group=group,
                n=test.n,
                lower=test.lower,
                higher=test.higher,
                tied=test.tied,
                statistic=test.statistic,
                p=test.p,
                p_floats=test.p_floats,
            )
            for group, test in rq1(scores).items()
        ],
        "rq2": [
            ExplainerMean(
                explainer=explainer,
                baseline=baselines[explainer],
                strategy=strategy,
                environments={name: MeanRow(**_mean_row(inner)) for name, inner in environments.items()},
                **_mean_row(score),
            )
            for (explainer, strategy), (score, environments) in rq2(scores).items()
        ],
        "rq3": [CategoryMean(category=category, **_mean_row(score)) for category, score in rq3(scores).items()],
    }


def _mean_row(score: MeanScore) -> dict[str, Any]:
    return {"value": float(score.value), "lower": score.lower, "upper": score.upper, "cells": score.cells}
