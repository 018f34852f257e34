"""Reports as values: what ``report --json`` prints, schema 1."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from engine.reports.rows import (
    AuditRow,
    CategoryMean,
    CellRow,
    ErrorRow,
    ExplainerMean,
    ExplainerRow,
    InvalidRow,
    ModelRow,
    OmittedRow,
    PairedRow,
    PairRow,
    Part,
    PositionRow,
    ProbeRow,
    QuestionsRow,
    RegretRow,
    RunRow,
    TableRow,
    UsageRow,
    VariantRow,
    WordingRow,
)


class ComparisonRow(Part):
    """One explainer and category in two campaigns, over the cases that both have."""

    explainer: str = Field(description="In this campaign.")
    reference: str = Field(description="In the other one; the same name, but where each has a single language model.")
    category: str | None = Field(description="Null for all categories together.")
    cases: int
    before: float = Field(description="Mean grade of the cases in the other campaign.")
    after: float = Field(description="Mean grade of the cases in this one.")
    better: int = Field(description="Cases whose grade is higher in this campaign; compared exactly.")
    worse: int
    same: int
    statistic: float | None = Field(description="Of the test; null if no case differs.")
    p: float | None = Field(description="Two-sided, not corrected for the number of rows; null if no case differs.")


class FlipRow(Part):
    """A case whose grade differs."""

    case: str
    model: str
    category: str
    states: list[int]
    explainer: str
    change: Literal["better", "worse"]
    before: float
    after: float
    answers_before: list[str | None] = Field(description="Each different one; null for a reply without an answer.")
    answers_after: list[str | None]
    accepted: list[str] = Field(description="The oracle's answers.")
    right: str = Field(description="The same as people read it: tied actions of a ranking with ``=`` between them.")


class Comparison(Part):
    """A campaign against another one, which it is called better or worse than."""

    reference: str = Field(description="The other campaign's file.")
    test: str
    rows: list[ComparisonRow]
    flips: list[FlipRow]
    only_here: int = Field(description="Cases that the other campaign does not have.")
    only_there: int = Field(description="Cases that this campaign does not have.")


class Methods(Part):
    """The names of what was computed."""

    grader: str
    difficulty: str = Field(description="The formulas behind the cases' difficulty.")
    tolerance: str | None = Field(description="How far from V an answer to `satisfy` may be; null if none was asked.")
    interval: str
    mean_interval: str
    rq1: str
    audit: str
    regret: str


class CellsMethods(Part):
    """The names of what was computed from a table of cells."""

    grader: str
    difficulty: str
    rq1: str


class Report(Part):
    """The report of a campaign."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    kind: Literal["campaign"] = "campaign"
    file: str
    grader: Literal["verdict", "score"]
    difficulty: list[str] = Field(description="Names of the formula sets that its runs have used.")
    methods: Methods
    run: RunRow | None = Field(description="Null if the campaign has not begun.")
    questions: QuestionsRow
    models: list[ModelRow]
    omitted: list[OmittedRow]
    explainers: list[ExplainerRow]
    table: list[TableRow]
    variants: list[VariantRow]
    cells: list[CellRow]
    rq1: list[PairedRow]
    rq2: list[ExplainerMean]
    rq3: list[CategoryMean]
    pairs: list[PairRow] = Field(description="The cells behind RQ1.")
    wordings: list[WordingRow]
    usage: list[UsageRow]
    probes: list[ProbeRow] = Field(description="What endpoints were found to do; those that were probed.")
    errors: list[ErrorRow] = Field(description="Why questions have no answer, the most frequent reasons first.")
    invalid_kinds: list[InvalidRow]
    audit: list[AuditRow]
    positions: list[PositionRow]
    regret: list[RegretRow]
    comparison: Comparison | None = Field(description="Null without --compare.")


class CellsReport(Part):
    """The research questions of a table of cells that was made elsewhere."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    kind: Literal["cells"] = "cells"
    file: str
    methods: CellsMethods
    rq1: list[PairedRow]
    rq2: list[ExplainerMean]
    rq3: list[CategoryMean]
    pairs: list[PairRow]


AnyReport: TypeAlias = Report | CellsReport
REPORTS: TypeAdapter[AnyReport] = TypeAdapter(AnyReport)


def report_schema() -> dict[str, Any]:
    """Return the JSON schema of a campaign's report, which is also that of a run."""
    return Report.model_json_schema(by_alias=True, mode="serialization")


def any_report_schema() -> dict[str, Any]:
    """Return the JSON schema of ``report --json``, with and without ``--cells``."""
    return REPORTS.json_schema(by_alias=True, mode="serialization")
