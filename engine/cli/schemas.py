"""What ``--json`` prints, as models: the JSON schemas of the contract (design.md, "The command line")."""

from __future__ import annotations

import difflib
from typing import Any, Literal

from pydantic import Field, TypeAdapter

from engine.cli.schema_ask import AskManyOutput, AskOutput, ChanceRow, PromptOutput, PromptsOutput
from engine.cli.schema_check import CheckOutput, SweepOutput
from engine.cli.schema_explainers import DoctorOutput, ExplainersOutput, ProbeOutput
from engine.cli.schema_grade import GradeOutput, RegradeOutput
from engine.cli.schema_parts import FactValue, Mode, Output, Part, Share, StateRef
from engine.errors import UsageError
from engine.reports.model import REPORTS, Report, any_report_schema, report_schema
from engine.verdicts.casefile import CheckedModel  # noqa: TC001 - pydantic reads annotations


class EnvironmentRow(Part):
    """One environment."""

    name: str
    title: str
    summary: str
    model: str
    objective: str | None
    danger: str | None
    constants: dict[str, str]
    constant_help: dict[str, str]
    variants: list[str] = Field(min_length=1, description="Wordings; the first is the default.")


class EnvsOutput(Output):
    """``stormscope envs --json``."""

    environments: list[EnvironmentRow]


class CaseRow(Part):
    """One test case."""

    id: str
    category: str
    states: list[StateRef] = Field(min_length=1)
    question: str
    answer_schema: dict[str, Any]
    space: dict[str, Any] = Field(description="The valid answers with their kind: answers are read and graded by it.")
    parameters: dict[str, str] = Field(description="What the question is about beside its states, as exact texts.")
    accepted: list[str] = Field(min_length=1)
    numbers: dict[str, FactValue]
    difficulty: Share | None
    parts: dict[str, float]
    strategy: str
    chance: ChanceRow


class CasesOutput(Output):
    """``stormscope cases --json``."""

    model: str
    checked_model: CheckedModel
    objective: str
    mode: Mode
    strategy: Literal["prioritized", "random"]
    difficulty: str = Field(description="The name of the formulas behind each case's difficulty.")
    tolerance: str = Field(description="Of `satisfy`, as exact text.")
    policy: str | None = Field(description="The file of the policy that is asked about; null for optimal play.")
    seed: int
    budget: int = Field(ge=1)
    cases: list[CaseRow]
    omitted: dict[str, str] = Field(description="Category → why it has no cases.")
    notes: dict[str, str]


OUTPUTS: dict[str, TypeAdapter[Any]] = {
    "envs": TypeAdapter(EnvsOutput),
    "check": TypeAdapter(CheckOutput | SweepOutput),
    "cases": TypeAdapter(CasesOutput),
    "ask": TypeAdapter(AskOutput | AskManyOutput | PromptOutput | PromptsOutput),
    "run": TypeAdapter(Report),
    "report": REPORTS,
    "grade": TypeAdapter(GradeOutput | RegradeOutput),
    "explainers": TypeAdapter(ExplainersOutput),
    "probe": TypeAdapter(ProbeOutput),
    "doctor": TypeAdapter(DoctorOutput),
}
"""Command → what its ``--json`` prints."""


def schema_of(command: str) -> dict[str, Any]:
    """Return the JSON schema of a command's ``--json`` output; raises UsageError that lists the commands."""
    if command not in OUTPUTS:
        near = difflib.get_close_matches(command, OUTPUTS, n=1)
        guess = f"did you mean {near[0]}? " if near else ""
        raise UsageError(
            f"there is no JSON schema for {command!r}", where="schema", hint=f"{guess}there are: {', '.join(OUTPUTS)}"
        )
    own = {"run": report_schema, "report": any_report_schema}
    found = own.get(command, OUTPUTS[command].json_schema)()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": f"stormscope {command} --json"}
