"""What ``explainers``, ``probe`` and ``doctor`` print with ``--json``, as models."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from engine.cli.schema_parts import Count, Output, Part
from engine.explainers.probe_result import Context, Obeyed, Thinking  # noqa: TC001 - pydantic reads annotations


class EndpointRow(Part):
    """A server with language models."""

    url: str
    key_set: bool
    models: list[str] | None = Field(description="What it offers; null where it could not be asked.")


class ExplainerRow(Part):
    """One kind of explainer."""

    name: str
    summary: str
    baseline: bool
    ready: bool = Field(description="True also where a server answers but has no list of models.")
    status: str
    hint: str = Field(description="What to do if it is not ready.")
    endpoint: EndpointRow | None
    weights: str | None = Field(description="The model file of `local`.")


class ExplainersOutput(Output):
    """``stormscope explainers --json``."""

    explainers: list[ExplainerRow]


class ProbeOutput(Output):
    """``stormscope probe --json``."""

    explainer: str
    model: str
    error: Literal[""]
    json_schema: Obeyed = Field(description="What became of a JSON schema in the request.")
    json_object: Obeyed
    schema_without_think: Obeyed | None = Field(
        description="The same without `think = false`, where that made the schema ineffective."
    )
    thinking: Thinking = Field(description="Where thinking arrives.")
    context: Context = Field(description="What became of a prompt of `context_words` words.")
    context_tokens: Count | None = Field(description="Tokens that the server counted in it.")
    context_words: Count
    repeats: Count = Field(description="How often the same question was asked at temperature 0.")
    different: Count = Field(description="How many different answers came.")
    usage: bool = Field(description="Whether tokens are reported.")
    usage_reasoning: bool
    streams: bool
    latency: float | None = Field(ge=0, description="Median seconds of the repeated question.")
    notes: list[str] = Field(description="What to do about what was found.")


class CheckRow(Part):
    """One thing that was looked at."""

    name: str
    level: Literal["fine", "note", "problem"]
    found: str
    hint: str = Field(description="What to do; empty if nothing.")


class DoctorOutput(Output):
    """``stormscope doctor --json``."""

    healthy: bool = Field(description="Whether no check is a problem.")
    checks: list[CheckRow]
