"""The rows of a report's tables, as values with documented fields."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Part(BaseModel):
    """Some keys, all of them, and no others."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        serialize_by_alias=True,
        json_schema_serialization_defaults_required=True,
    )


class Figures(Part):
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
    mean_regret: float | None = Field(
        description="Mean of abs(V - Q) of the actions named, without worst-action's beside others; null if none."
    )


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


class VariantRow(Figures):
    """One explainer and wording."""

    explainer: str
    variant: str


class ModelRow(Part):
    """One model."""

    model: str
    identity: str
    environment: str
    objective: str
    danger: str | None
    constants: dict[str, str]
    mode: Literal["exact", "sound"]
    states: int


class RunRow(Part):
    """The last run of the campaign."""

    started: str
    ended: str | None = Field(description="Null while it runs, and for good if it was killed.")
    stormscope: str
    total: int = Field(description="Questions of its plan.")
    done: int = Field(description="Of these, answered at its end; so far if it has not ended.")
    plan: dict[str, Any]


class QuestionsRow(Part):
    """How far the file is: the same count as in lists of campaigns."""

    answered: int = Field(description="Questions of the plans of all runs that have an answer.")
    total: int = Field(description="These, those that have only failed, and what the last plan has not asked yet.")
    kept: int = Field(description="Answers that a person kept (strategy `manual`): in neither number, in no rate.")


class OmittedRow(Part):
    """A category without cases on a model."""

    model: str
    category: str
    reason: str


class PairedRow(Part):
    """RQ1 for a group of cells, whether prioritized cases are harder."""

    group: str = Field(description="`all`, `without baselines`, or `explainer NAME`.")
    n: int = Field(description="Comparable cells.")
    lower: int = Field(description="Cells in which the prioritized score is lower; compared exactly.")
    higher: int
    tied: int
    statistic: float | None = Field(description="Wilcoxon's W+; null if all cells are tied.")
    p: float | None = Field(description="One-sided, equal exact differences ranked as equal.")
    p_floats: float | None = Field(description="The same on differences of doubles.")


class MeanRow(Part):
    """A mean of cells."""

    value: float
    lower: float | None
    upper: float | None
    chance: float | None = Field(description="The same mean of the cells' chance levels; null if one is unknown.")
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


class PairRow(Part):
    """Both scores of a comparable cell."""

    environment: str
    explainer: str
    category: str
    prioritized: float
    random: float


class WordingRow(Part):
    """How far an explainer's grade depends on the wording, on questions that it answered in every wording."""

    explainer: str
    model: str
    questions: int = Field(description="Answered, and counted, in every wording.")
    values: dict[str, float] = Field(description="Wording → mean grade.")
    spread: float = Field(description="Largest less smallest of the values.")
    same: float = Field(description="Share of the questions whose grade is the same in every wording.")


class CostRow(Part):
    """What an explainer's answers cost in one currency."""

    currency: str | None = Field(description="As the settings of the endpoint name it; null if nobody named it.")
    cost: str = Field(description="Exact decimal number: what the answers took when they were asked.")
    cached: str = Field(description="The part of `cost` that answers from the cache took, which was not spent again.")


class UsageRow(Part):
    """What an explainer's answers took. Sums are over what was reported; null where nothing was."""

    explainer: str
    questions: int = Field(description="Answered, or failed for now.")
    attempts: int = Field(description="Requests sent.")
    tokens_in: int | None
    tokens_out: int | None
    tokens_reasoning: int | None
    cost: str | None = Field(
        description="Exact decimal number in `currency`: what the answers took when they were asked. Null if unknown, "
        "or in several currencies."
    )
    currency: str | None = Field(description="Null if there is no cost, or its currency is unknown or not one.")
    costs: list[CostRow] = Field(description="By currency; nothing is converted or added up.")
    cached: int = Field(description="Answers from the cache of earlier campaigns, which asked for them.")
    seconds: float = Field(description="Sum of latencies, errors included.")
    mean_seconds: float | None = Field(description="Of the answers; null if there is none.")
    median_seconds: float | None
    p95_seconds: float | None = Field(description="95th percentile.")


class ProbeRow(Part):
    """What an endpoint was found to do before it was asked, at the last ``run --probe``."""

    explainer: str
    probed: str = Field(description="UTC, ISO 8601.")
    model: str = Field(default="", description="The model behind it.")
    error: str = Field(default="", description="Why it could not be asked; then nothing else is known.")
    json_schema: str = Field(default="unknown", description="`honoured`, `ignored`, `refused` or `unknown`.")
    json_object: str = Field(default="unknown", description="As `json_schema`, for any JSON object.")
    thinking: str = Field(default="none", description="Where it arrives: `none`, `field`, `tags` or `content`.")
    context: str = Field(default="unknown", description="A long prompt is `whole`, `cut`, `refused` or `unknown`.")
    context_words: int = Field(default=0, description="Words of that prompt.")
    repeats: int = Field(default=0, description="How often one question was asked at temperature 0.")
    different: int = Field(default=0, description="How many different answers came.")
    usage: bool = Field(default=False, description="Whether tokens are reported.")
    usage_reasoning: bool = Field(default=False, description="Whether those of thinking are reported.")
    streams: bool = Field(default=False, description="Whether an answer arrives in pieces.")
    latency: float | None = Field(default=None, description="Median seconds of the repeated question.")
    notes: list[str] = Field(default_factory=list, description="What to do about what was found.")


class ErrorRow(Part):
    """What questions without an answer failed with."""

    explainer: str
    error: str = Field(description="The last failure, in the words of the program and the server.")
    questions: int = Field(description="Questions whose last failure it is.")


class InvalidRow(Part):
    """Why replies held no usable answer."""

    explainer: str
    kinds: dict[str, int] = Field(description="Kind → replies; kinds that did not occur are left out.")


class Bin(Part):
    """The cases of a range of difficulties."""

    lower: float
    upper: float
    cases: int
    value: float | None = Field(description="Mean grade; null if there is no case.")


class AuditRow(Part):
    """The difficulty audit of one explainer and category, whether a higher difficulty goes with a lower grade."""

    explainer: str
    category: str
    cases: int = Field(description="Cases with a difficulty and an answer that counts.")
    tau: float | None = Field(description="Negative if harder cases score lower; null if one of both never varies.")
    p: float | None = Field(description="One-sided, against no or a positive correlation.")
    bins: list[Bin]


class PositionRow(Part):
    """Where the chosen options stood among those listed, for the questions with the same number of options."""

    explainer: str
    options: int
    shuffled: bool = Field(description="Whether the order was drawn for each question.")
    n: int = Field(description="Answers that name one option.")
    chosen: list[int] = Field(description="How often the option at each position was chosen.")
    right: list[int] = Field(description="How often an option at each position was right.")
    p: float | None = Field(description="Chi-square test against equally frequent positions; null if not shuffled.")


class RegretRow(Part):
    """What the actions named cost, for one explainer and category of action questions."""

    explainer: str
    category: str
    n: int = Field(description="Answers that count and name an action.")
    zero: int = Field(description="Of these, those that cost nothing.")
    unbounded: int = Field(description="Of these, those whose regret is infinite or not bounded; they are in no mean.")
    mean: float | None
    largest: float | None
    bins: list[int] = Field(description="Answers by regret in ten equal parts of (0, 1]; those at 0 are in none.")
