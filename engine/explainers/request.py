"""The body of a chat-completion request, and what to leave out when a server refuses part of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.explainers.base import Question
    from engine.settings import Endpoint

Structured = Literal["json_schema", "json_schema without limits", "json_object", "none"]

_LADDER: dict[Structured, Structured] = {
    "json_schema": "json_object",
    "json_schema without limits": "json_object",
    "json_object": "none",
}
_LIMITS = ("maxLength", "minimum", "maximum")
_ABOUT_LIMITS = re.compile("|".join(_LIMITS), re.IGNORECASE)
_ABOUT_FORMAT = re.compile(
    r"response_format|response format|json_schema|json_object|structured output|grammar", re.IGNORECASE
)
_ABOUT_SCHEMA = re.compile("json_schema", re.IGNORECASE)
_OPTIONAL = ("temperature", "seed", "stream_options", "stream")
"""Fields that may be left out; the longer name first, though a word's boundary tells them apart."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a server is known to accept.

    Attributes
    ----------
    structured
        How the answer's form is asked for.
    limit
        The name of the field for the longest reply; newer OpenAI models want another one.
    left_out
        Standard fields that the server refuses.
    refused
        Ways to ask for the answer's form that the server has refused.
    """

    structured: Structured = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    left_out: frozenset[str] = field(default_factory=frozenset)
    refused: frozenset[Structured] = field(default_factory=frozenset)


def first_form(endpoint: Endpoint) -> Form:
    """Return the form to begin with."""
    return Form("json_schema" if endpoint.structured == "auto" else endpoint.structured)


def simpler_form(form: Form, complaint: str) -> Form | None:
    """Return the form that answers a refusal (status 400 or 422), None if the refusal is about something else."""
    if form.limit == "max_tokens" and "max_completion_tokens" in complaint:
        return replace(form, limit="max_completion_tokens")
    for name in _OPTIONAL:
        if name not in form.left_out and re.search(rf"\b{name}\b", complaint):
            return replace(form, left_out=form.left_out | {name})
    if form.structured == "json_schema" and _ABOUT_LIMITS.search(complaint):
        return replace(form, structured="json_schema without limits")
    if form.structured in _LADDER and _ABOUT_FORMAT.search(complaint):
        return _other_structure(form, complaint)
    return None


def what_changes(form: Form, simpler: Form) -> str:
    """Return, as a clause, what is asked for next instead of what a server has refused."""
    if simpler.structured != form.structured:
        if simpler.structured == "none":
            return "asking without response_format, so that the answer is read from free text"
        return f"asking for {simpler.structured} instead"
    if simpler.limit != form.limit:
        return f"asking with {simpler.limit} instead"
    return f"asking without {', '.join(sorted(simpler.left_out - form.left_out))}"


def _other_structure(form: Form, complaint: str) -> Form:
    """Return the form with the next way to ask for an answer's form.

    It goes down the ladder, but up to the schema where a server that knows only schemas says so (LM Studio).
    """
    refused = form.refused | {form.structured}
    if form.structured == "json_object" and "json_schema" not in refused and _ABOUT_SCHEMA.search(complaint):
        return replace(form, structured="json_schema", refused=refused)
    following = _LADDER[form.structured]
    while following in refused:
        following = _LADDER[following]
    return replace(form, structured=following, refused=refused)


def messages_of(question: Question) -> list[dict[str, str]]:
    """Return the prompt's two messages; an empty one is left out."""
    texts = (("system", question.system), ("user", question.user))
    return [{"role": role, "content": text} for role, text in texts if text]


def seed_of(question: Question, endpoint: Endpoint) -> int:
    """Return the seed of a question's sample: samples differ, and the same sample is asked alike."""
    seed = question.seed if endpoint.seed is None else endpoint.seed
    return (seed + question.sample) % 2**31


def request_body(
    question: Question, model: str, endpoint: Endpoint, form: Form, *, stream: bool = False
) -> dict[str, Any]:
    """Return the request for one question."""
    body: dict[str, Any] = {
        "model": model,
        "messages": messages_of(question),
        form.limit: endpoint.max_tokens,
    }
    optional = {
        "temperature": endpoint.temperature,
        "seed": seed_of(question, endpoint),
        "stream": stream,
        "stream_options": {"include_usage": True} if stream and "stream" not in form.left_out else None,
    }
    body |= {name: value for name, value in optional.items() if name not in form.left_out and value is not None}
    if form.structured == "json_object":
        body["response_format"] = {"type": "json_object"}
    elif form.structured != "none":
        schema = question.schema if form.structured == "json_schema" else without_limits(question.schema)
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": schema},
        }
    return body | endpoint.extra


def without_limits(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without limits on lengths and numbers, which some servers do not know."""

    def stripped(value: Any, *, names: bool) -> Any:
        if isinstance(value, dict):
            # Below "properties" the keys are names that the schema describes, not keywords.
            return {
                key: stripped(item, names=key == "properties" and not names)
                for key, item in value.items()
                if names or key not in _LIMITS
            }
        return value

    result: dict[str, Any] = stripped(dict(schema), names=False)
    return result
