"""The report of a campaign as a value: what ``report --json`` prints, schema 1."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        serialize_by_alias=True,
        json_schema_serialization_defaults_required=True,
    )


class Figures(_Part):
    """What a cell shows. Shares are floats in [0, 1]; the counts are exact."""

    passed: int = Field(alias="pass", description="Answers that pass.")
    failed: int = Field(alias="fail", description="Answers that were read and do not pass.")
    invalid: int = Field(description="Replies without a usable answer; they count as not passed.")
    undecided: int = Field(description="Answers that the oracle's enclosures do not decide; they never count.")
    errors: int = Field(alias="error", description="Questions that ended in a transport error; they never count.")
    n: int = Field(description="pass + fail + invalid.")
    value: float | None = Field(description="Mean grade of the n answers; null if n is 0.")
    lower: float = Field(description="Lower end of the interval of `value`.")
    upper: float = Field(description="Upper end of the interval of `value`.")
    effective_n: float = Field(description="n divided by the design effect of answers about the same states.")
    chance: float | None = Field(description="Exact mean grade of uniformly drawn answers; null if unknown.")
    different: int = Field(description="The number of different answers.")
    top: str | None = Field(description="The most frequent answer.")
    top_share: float = Field(description="Its share of the answers that could be read.")


class TableRow(Figures):
    """One explainer and category, over models and strategies."""

    explainer: str
    baseline: bool
    category: str


class CellRow(Figures):
    """One cell."""

    model: str
    explainer: str
    baseline: bool
    category: str
    strategy: str


class ExplainerRow(Figures):
    """One explainer, over everything."""

    explainer: str
    baseline: bool
    pass_rate: float | None = Field(description="pass / n, whatever the grader: what --fail-under compares.")
    seconds: float = Field(description="Sum of latencies, errors included.")
    tokens_in: int | None = Field(description="Sum of what the server reported; null if it reports none.")
    tokens_out: int | None = Field(description="Sum of what the server reported; null if it reports none.")


class VariantRow(Figures):
    """One explainer and wording."""

    explainer: str
    variant: str


class ModelRow(_Part):
    """One model."""

    model: str
    identity: str
    environment: str
    objective: str
    danger: str | None
    constants: dict[str, str]
    mode: Literal["exact", "sound"]
    states: int


class RunRow(_Part):
    """The last run of the campaign."""

    started: str
    ended: str | None = Field(description="Null while it runs, and for good if it was killed.")
    stormscope: str
    total: int = Field(description="Questions of its plan.")
    done: int = Field(description="Of these, answered at its end; at its beginning if it has not ended.")
    plan: dict[str, Any]


class OmittedRow(_Part):
    """A category without cases on a model."""

    model: str
    category: str
    reason: str


class PairedRow(_Part):
    """RQ1 for a group of cells, whether prioritized cases are harder."""

    group: str = Field(description="`all`, `without baselines`, or `explainer NAME`.")
    n: int = Field(description="Comparable cells.")
    lower: int = Field(description="Cells in which the prioritized score is lower; compared exactly.")
    higher: int
    tied: int
    statistic: float | None = Field(description="Wilcoxon's W+; null if all cells are tied.")
    p: float | None = Field(description="One-sided, equal exact differences ranked as equal.")
    p_floats: float | None = Field(description="The same on differences of doubles.")


class MeanRow(_Part):
    """A mean of cells."""

    value: float
    lower: float | None
    upper: float | None
    cells: int


class ExplainerMean(MeanRow):
    """RQ2: an explainer's score, the mean over categories in each environment, then over environments."""

    explainer: str
    baseline: bool
    strategy: str
    environments: dict[str, MeanRow]


class CategoryMean(MeanRow):
    """RQ3: a category's score, the mean over environments, explainers and strategies."""

    category: str


class Methods(_Part):
    """The names of what was computed."""

    grader: str
    interval: str
    mean_interval: str
    rq1: str


class Report(_Part):
    """The report of a campaign."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    file: str
    grader: Literal["verdict", "score"]
    methods: Methods
    run: RunRow | None = Field(description="Null if the campaign has not begun.")
    models: list[ModelRow]
    omitted: list[OmittedRow]
    explainers: list[ExplainerRow]
    table: list[TableRow]
    variants: list[VariantRow]
    cells: list[CellRow]
    rq1: list[PairedRow]
    rq2: list[ExplainerMean]
    rq3: list[CategoryMean]


def report_schema() -> dict[str, Any]:
    """Return the JSON schema of ``report --json``."""
    return Report.model_json_schema(by_alias=True, mode="serialization")
