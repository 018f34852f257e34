"""The report of a campaign, computed from its file."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from engine.queries.case import MANUAL
from engine.reports import audit, regret
from engine.reports.compare import Side, compare
from engine.reports.model import Methods, Report
from engine.reports.positions import positions
from engine.reports.probes import probe_rows
from engine.reports.questions import RQ1_METHOD, research
from engine.reports.rows import (
    CellRow,
    ErrorRow,
    ExplainerRow,
    ModelRow,
    OmittedRow,
    QuestionsRow,
    RunRow,
    TableRow,
    VariantRow,
)
from engine.reports.usage import invalid_kinds, usage
from engine.reports.wordings import wordings
from engine.verdicts import queries
from engine.verdicts.counts import counts
from engine.verdicts.frame import read_frame
from engine.verdicts.overview import answered_of
from engine.verdicts.research import MEAN_INTERVAL_METHOD
from engine.verdicts.statistics import INTERVAL_METHOD
from engine.verdicts.tables import Grader, Table, grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.verdicts.records import ModelRecord, RunRecord, StoredCase
    from engine.verdicts.store import Store
    from engine.verdicts.tables import CellStatistics

DEFAULT_DIFFICULTY = "paper"
"""The formula set of runs that name none."""

_GRADERS: dict[Grader, str] = {
    "verdict": "verdict: the share of answers that pass",
    "score": "score: the mean score in [0, 1]",
}


def build_report(store: Store, *, grader: Grader = "verdict", reference: Store | None = None) -> Report:
    """Compute the report of a campaign, from one state of its file.

    Parameters
    ----------
    store
        Open in any mode; also while another program writes it.
    grader
        ``verdict`` (share of passes) or ``score`` (mean score), named in the report.
    reference
        Another campaign, to be compared with; raises UsageError if it has nothing in common with this one.
    """
    with store.snapshot():
        whole = read_frame(store)
        baselines, models, runs, omitted = store.explainers(), store.models(), store.runs(), store.omitted()
        failures, probes = queries.errors(store), store.probes()
        answered = answered_of(store, runs[-1]) if runs else 0
        far = counts(store)
    # What was asked by hand is a strategy of its own among the cells, and in no rate of what the campaign chose.
    table, every = Table(whole.only(~whole.by_hand), grader), Table(whole, grader)
    frame = table.frame
    cells = {key: (rows, every.statistics(rows)) for key, rows in every.cells().items()}
    chosen = {key: cell for key, cell in cells.items() if key[3] != MANUAL} or cells
    difficulty = formulas(runs)
    return Report(
        file=store.path.name,
        grader=grader,
        difficulty=difficulty,
        methods=Methods(
            grader=_GRADERS[grader] + _uncertain(table.grades.uncertain),
            difficulty=", ".join(difficulty),
            tolerance=_tolerance(frame.cases.stored),
            interval=INTERVAL_METHOD,
            mean_interval=MEAN_INTERVAL_METHOD,
            rq1=RQ1_METHOD,
            audit=audit.METHOD,
            regret=regret.METHOD,
        ),
        run=_run_row(runs, answered),
        questions=QuestionsRow(answered=far.answered, total=far.total, kept=far.kept),
        models=[_model_row(model) for model in models],
        omitted=[OmittedRow(model=m, category=c, reason=reason) for (m, c), reason in omitted.items()],
        **_tables(table, baselines),
        cells=[
            CellRow(model=m, explainer=e, baseline=baselines[e], category=c, strategy=s, **_figures(cell))
            for (m, e, c, s), (_, cell) in cells.items()
        ],
        **research(every.score_cells(chosen, baselines)),
        wordings=wordings(table, baselines),
        usage=usage(whole),
        probes=probe_rows(probes),
        errors=[ErrorRow(**dict(row)) for row in failures],
        invalid_kinds=invalid_kinds(frame),
        audit=audit.audit(table),
        positions=positions(frame),
        regret=regret.regret(frame),
        comparison=None
        if reference is None
        else compare(Side(store.path.name, table, baselines), _reference(reference, grader)),
    )


def explainers_below(built: Report, threshold: Fraction) -> tuple[ExplainerRow, ...]:
    """Return the explainers that do not reach a pass rate, for ``--fail-under``.

    Passes / (pass + fail + invalid) is compared exactly; baselines are excluded, and an explainer without any answer
    that counts does not reach anything.
    """
    return tuple(
        row for row in built.explainers if not row.baseline and (row.n == 0 or Fraction(row.passed, row.n) < threshold)
    )


def formulas(runs: Sequence[RunRecord]) -> list[str]:
    """Return the formula sets that the runs have used, in the order of their first use."""
    used = dict.fromkeys(str(run.plan.get("difficulty", DEFAULT_DIFFICULTY)) for run in runs)
    return list(used) or [DEFAULT_DIFFICULTY]


def _tolerance(cases: Iterable[StoredCase]) -> str | None:
    found = {str(entry.case.numbers["tolerance"]) for entry in cases if "tolerance" in entry.case.numbers}
    return ", ".join(sorted(found)) or None


def _uncertain(answers: int) -> str:
    """Return what is to be said where the exact score of some answers is not known."""
    return f"; exact, but for {answers} answers whose scores are known as doubles only" if answers else ""


def _reference(store: Store, grader: Grader) -> Side:
    with store.snapshot():
        frame = read_frame(store)
        return Side(store.path.name, Table(frame.only(~frame.by_hand), grader), store.explainers())


def _tables(table: Table, baselines: Mapping[str, bool]) -> dict[str, Any]:
    """Return the rows by explainer alone, with category, and with wording; explainers as the campaign knows them."""
    frame = table.frame
    explainers = []
    for (code,), rows in grouped(frame.explainer).items():
        cell = table.statistics(rows)
        name, rate = frame.explainers[code], cell.counts.pass_rate
        pass_rate = None if rate is None else float(rate)
        explainers.append(ExplainerRow(explainer=name, baseline=baselines[name], pass_rate=pass_rate, **_figures(cell)))
    by_category = grouped(frame.explainer, frame.category)
    by_variant = grouped(frame.explainer, frame.variant)
    return {
        "explainers": explainers,
        "table": [
            TableRow(
                explainer=frame.explainers[explainer],
                baseline=baselines[frame.explainers[explainer]],
                category=frame.categories[category],
                **_figures(table.statistics(rows)),
            )
            for (explainer, category), rows in by_category.items()
        ],
        "variants": [
            VariantRow(
                explainer=frame.explainers[explainer],
                variant=frame.variants[variant],
                **_figures(table.statistics(rows)),
            )
            for (explainer, variant), rows in by_variant.items()
        ],
    }


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
        "mean_regret": cell.regret.mean,
    }


def _run_row(runs: Sequence[RunRecord], answered: int) -> RunRow | None:
    if not runs:
        return None
    last = runs[-1]
    return RunRow(
        started=last.started,
        ended=last.ended,
        stormscope=last.version,
        total=last.total,
        done=answered,
        plan=dict(last.plan),
    )


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
