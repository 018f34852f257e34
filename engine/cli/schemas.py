"""What ``--json`` prints, as models: the JSON schemas of the contract (design.md, "The command line")."""

from __future__ import annotations

import difflib
from typing import Any, Literal

from pydantic import Field, TypeAdapter

from engine.cli.schema_check import CheckOutput, SweepOutput
from engine.cli.schema_parts import Count, FactValue, Mode, Output, Part, Share, StateRef
from engine.errors import UsageError
from engine.verdicts.report_model import Report, report_schema
from engine.verdicts.verdict import InvalidKind, Outcome  # noqa: TC001 - pydantic reads annotations


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


class ChanceRow(Part):
    """What a uniformly drawn answer gets on average from each grader."""

    verdict: Share
    score: Share


class CaseRow(Part):
    """One test case."""

    id: str
    category: str
    states: list[StateRef] = Field(min_length=1)
    question: str
    answer_schema: dict[str, Any]
    accepted: list[str] = Field(min_length=1)
    numbers: dict[str, FactValue]
    difficulty: Share | None
    parts: dict[str, float]
    strategy: str
    chance: ChanceRow


class CasesOutput(Output):
    """``stormscope cases --json``."""

    model: str
    objective: str
    mode: Mode
    strategy: Literal["prioritized", "random"]
    difficulty: str = Field(description="The name of the formulas behind each case's difficulty.")
    seed: int
    budget: int = Field(ge=1)
    cases: list[CaseRow]
    omitted: dict[str, str] = Field(description="Category → why it has no cases.")
    notes: dict[str, str]


class AskOutput(Output):
    """``stormscope ask --json``."""

    model: str
    explainer: str
    category: str
    case: str
    states: list[StateRef] = Field(min_length=1)
    variant: str
    system: str
    prompt: str
    text: str = Field(description="The reply as it came.")
    reasoning: str
    answer: str | None = Field(description="As read; null where there is none.")
    explanation: str
    verdict: Outcome
    invalid_kind: InvalidKind | None
    score: Share | None = Field(description="Null where the verdict is `undecided` or `error`.")
    reason: str
    accepted: list[str] = Field(min_length=1)
    numbers: dict[str, FactValue]
    regret: str | None = Field(
        pattern=r"^([0-9]+(/[0-9]+|\.[0-9]+)?(e[-+]?[0-9]+)?|inf)$",
        description="Of action answers: exact, or a decimal that is an upper bound in sound mode.",
    )
    seconds: float = Field(ge=0)
    attempts: Count
    tokens_in: Count | None
    tokens_out: Count | None


class PromptOutput(Output):
    """``stormscope ask --show-prompt --json``."""

    variant: str
    system: str
    user: str
    response_schema: dict[str, Any]


class EndpointRow(Part):
    """A server that speaks OpenAI's chat completions."""

    url: str
    key_set: bool
    models: list[str] | None = Field(description="What it offers; null where it could not be asked.")


class ExplainerRow(Part):
    """One kind of explainer."""

    name: str
    summary: str
    baseline: bool
    ready: bool = Field(description="False also where a server does not list its models; asking it may work still.")
    status: str
    hint: str = Field(description="What to do if it is not ready.")
    endpoint: EndpointRow | None
    weights: str | None = Field(description="The model file of `local`.")


class ExplainersOutput(Output):
    """``stormscope explainers --json``."""

    explainers: list[ExplainerRow]


OUTPUTS: dict[str, TypeAdapter[Any]] = {
    "envs": TypeAdapter(EnvsOutput),
    "check": TypeAdapter(CheckOutput | SweepOutput),
    "cases": TypeAdapter(CasesOutput),
    "ask": TypeAdapter(AskOutput | PromptOutput),
    "run": TypeAdapter(Report),
    "report": TypeAdapter(Report),
    "explainers": TypeAdapter(ExplainersOutput),
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
    found = report_schema() if command in {"run", "report"} else OUTPUTS[command].json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": f"stormscope {command} --json"}
