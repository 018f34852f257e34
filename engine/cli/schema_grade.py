"""What ``grade --json`` prints, as models."""

from __future__ import annotations

from pydantic import Field

from engine.cli.schema_parts import Count, Output, Part, Share
from engine.verdicts.verdict import InvalidKind, Outcome  # noqa: TC001 - pydantic reads annotations


class ChangeRow(Part):
    """Verdicts that became another one."""

    before: Outcome
    after: Outcome
    count: Count


class RegradeOutput(Output):
    """``stormscope grade CAMPAIGN --json``."""

    file: str
    answers: Count = Field(description="Answers that were graded again.")
    changed: list[ChangeRow]
    rescored: Count = Field(description="Answers with the same verdict and another score or reading.")
    failed: Count = Field(description="Answers that the grader failed on; they keep their verdict.")
    tolerance: str | None = Field(description="Of `satisfy`, as exact text; null if the file does not say.")
    failures_exported: Count | None = Field(description="Failed cases written by `--export-failures`.")


class RateRow(Part):
    """An explainer's answers by verdict."""

    explainer: str
    passed: Count = Field(alias="pass")
    fail: Count
    invalid: Count
    undecided: Count
    n: Count = Field(description="Answers that count: pass, fail and invalid.")
    pass_rate: Share | None


class GradedRow(Part):
    """One answer of a file."""

    line: int = Field(ge=1)
    case: str
    model: str
    category: str
    explainer: str
    variant: str
    sample: Count
    answer: str | None = Field(description="As read; null where there is none.")
    verdict: Outcome
    invalid_kind: InvalidKind | None
    score: Share | None
    reason: str
    accepted: list[str] = Field(min_length=1)
    regret: str | None


class LineErrorRow(Part):
    """A line that could not be used."""

    line: int = Field(ge=1)
    message: str


class GradeOutput(Output):
    """``stormscope grade ANSWERS.jsonl --json``."""

    file: str
    explainers: list[RateRow]
    answers: list[GradedRow]
    errors: list[LineErrorRow]
