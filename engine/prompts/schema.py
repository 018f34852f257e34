"""The JSON schema of a reply (methods.md 1.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.queries.spaces import AnswerSpace


def reply_schema(space: AnswerSpace, *, explanation_length: int = 200) -> dict[str, Any]:
    """Return the schema of a reply: an object with ``explanation``, then ``answer``.

    The explanation comes first, so that a model that writes in order explains before it answers. It has a
    maximal length in characters, because a small model otherwise talks until it is cut off.
    """
    return {
        "type": "object",
        "properties": {
            "explanation": {"type": "string", "maxLength": explanation_length},
            "answer": space.schema(),
        },
        "required": ["explanation", "answer"],
        "additionalProperties": False,
    }
