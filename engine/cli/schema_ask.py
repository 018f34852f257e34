"""What ``ask --json`` prints, as models."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from engine.cli.schema_parts import Count, FactValue, Output, Part, Share, StateRef
from engine.verdicts.verdict import InvalidKind, Outcome  # noqa: TC001 - pydantic reads annotations


class ChanceRow(Part):
    """What a uniformly drawn answer gets on average from each grader."""

    verdict: Share
    score: Share


class _CasePart(Part):
    model: str
    category: str
    case: str
    states: list[StateRef] = Field(min_length=1)
    parameters: dict[str, str] = Field(description="What the question is about beside its states, as exact texts.")
    accepted: list[str] = Field(min_length=1)
    chance: ChanceRow


class AnswerRow(Part):
    """One answer with its verdict."""

    explainer: str
    variant: str
    sample: Count
    shown: list[str] = Field(description="The options in the order in which the prompt lists them; empty for numbers.")
    system: str
    prompt: str
    text: str = Field(description="The reply as it came, without thinking.")
    reasoning: str = Field(description="Thinking, from a channel of its own or from tags in the reply.")
    answer_from: Literal["content", "reasoning", "tool call"] = Field(
        description="What `text` was taken from: the last two only where the content was empty."
    )
    answer: str | None = Field(description="As read, rankings and sets as JSON text; null where there is none.")
    explanation: str
    verdict: Outcome
    invalid_kind: InvalidKind | None
    score: Share | None = Field(description="Null where the verdict is `undecided` or `error`.")
    reason: str
    numbers: dict[str, FactValue]
    regret: str | None = Field(
        pattern=r"^([0-9]+(/[0-9]+|\.[0-9]+)?(e[-+]?[0-9]+)?|inf)$",
        description="Of action answers: exact, or a decimal that is an upper bound in sound mode.",
    )
    seconds: float = Field(ge=0)
    attempts: Count
    tokens_in: Count | None
    tokens_out: Count | None
    tokens_reasoning: Count | None
    cost: str | None = Field(description="Exact decimal text in `currency`; null without prices.")
    currency: str | None = Field(description="As the endpoint's settings name it; null without a cost.")


class SpreadRow(Part):
    """What one explainer answered to the samples of one wording."""

    explainer: str
    variant: str
    answered: Count = Field(description="Samples that count: neither errors nor undecided.")
    passes: Count
    score: Share | None
    different: Count = Field(description="How many different answers were read.")
    most_frequent: str | None
    share: Share | None = Field(description="Share of the most frequent answer among those that were read.")


class AskOutput(AnswerRow, _CasePart, Output):
    """``stormscope ask --json``: one question, one answer."""


class AskManyOutput(_CasePart, Output):
    """``stormscope ask --json`` with several explainers, wordings or samples."""

    numbers: dict[str, FactValue]
    answers: list[AnswerRow] = Field(min_length=2)
    spread: list[SpreadRow] = Field(min_length=1)


class PromptPart(Part):
    """What would be sent."""

    explainer: str
    variant: str
    sample: Count
    system: str
    user: str
    response_schema: dict[str, Any]
    request: dict[str, Any] | None = Field(description="URL and body; null where no HTTP request of its own is sent.")


class PromptOutput(PromptPart, Output):
    """``stormscope ask --show-prompt --json``."""


class PromptsOutput(Output):
    """``stormscope ask --show-prompt --json`` with several explainers, wordings or samples."""

    prompts: list[PromptPart] = Field(min_length=2)
