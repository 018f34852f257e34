"""What an endpoint really does, as a value, and what follows for its settings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from engine.endpoints import Endpoint

Obeyed: TypeAlias = Literal["honoured", "ignored", "refused", "unknown"]
"""What became of an answer's form: followed; accepted without effect; not accepted; no answer to tell by."""
Thinking: TypeAlias = Literal["none", "field", "tags", "content"]
"""Where thinking arrives: nowhere; in a field beside the content; in tags inside it; the answer itself arrives there
as thinking, the content being empty."""
Context: TypeAlias = Literal["whole", "cut", "refused", "unknown"]
"""What becomes of a long prompt: read whole; cut without a word; refused with an error; the reply does not tell."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What an endpoint does with one model.

    Attributes
    ----------
    explainer
        Its name.
    model
        The model behind it.
    error
        Why it could not be asked at all; then nothing else is known.
    json_schema, json_object
        Whether the answer follows a JSON schema, or is a JSON object, when the request asks for it.
    schema_without_think
        For ``think = false`` whose schema is ignored: the same without that field. None elsewhere.
    thinking
        Where thinking arrives.
    context, context_tokens
        What becomes of a prompt of `context_words` words, and how many tokens the server counted in it.
    context_words
        Words of the long prompt.
    repeats, different
        How often the same question was asked at temperature 0, and how many different answers came.
    usage, usage_reasoning
        Whether tokens, and tokens of thinking, are reported.
    streams
        Whether an answer arrives in pieces.
    latency
        Median seconds of the repeated question.
    notes
        What to do about what was found, as sentences.
    """

    explainer: str
    model: str
    error: str = ""
    json_schema: Obeyed = "unknown"
    json_object: Obeyed = "unknown"
    schema_without_think: Obeyed | None = None
    thinking: Thinking = "none"
    context: Context = "unknown"
    context_tokens: int | None = None
    context_words: int = 0
    repeats: int = 0
    different: int = 0
    usage: bool = False
    usage_reasoning: bool = False
    streams: bool = False
    latency: float | None = None
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {**asdict(self), "notes": list(self.notes)}


def tuned(endpoint: Endpoint, result: ProbeResult) -> Endpoint:
    """Return an endpoint whose ``auto`` modes are set to what a probe found; what the user chose stays.

    A form that is ignored is not asked for: it promises what the server does not keep, and may cost tokens.
    ``think = false`` is left out where it makes the schema ineffective: an answer in the asked form matters more than
    the time of thinking.
    """
    if result.error:
        return endpoint
    changes: dict[str, Any] = {}
    schema = result.json_schema
    if result.schema_without_think == "honoured" and endpoint.think is False:
        changes["think"], schema = None, "honoured"
    if endpoint.structured == "auto":
        if schema == "honoured":
            changes["structured"] = "json_schema"
        elif result.json_object == "honoured":
            changes["structured"] = "json_object"
        elif schema != "unknown":
            changes["structured"] = "none"
    return endpoint.model_copy(update=changes)
