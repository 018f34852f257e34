"""What a probe asks: short prompts whose replies tell what a server does, whatever the model knows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from engine.explainers.base import Question
from engine.prompts.schema import reply_schema
from engine.queries.case import Case
from engine.queries.spaces import OneOf

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

CODES: Final = ("amber-17", "violet-42")
"""Answers that no model gives by itself: only a schema makes them appear."""
SECRET: Final = "heron-83"  # noqa: S105 - a word to be found again, no password
LONG_WORDS: Final = 3000
"""Words of the long prompt: beyond the 2,048 and 4,096 tokens that servers cut at without a word."""

_SPACE: Final = OneOf(CODES)


def form_question() -> Question:
    """Ask for something that no JSON follows from, so that only the request's form can make it JSON."""
    return _question("Say in one short sentence what rain is.")


def object_question() -> Question:
    """Ask for JSON in words as well: some servers refuse ``json_object`` without the word in the prompt."""
    return _question("Say in one short sentence what rain is. Reply with a JSON object with the key 'answer'.")


def repeated_question() -> Question:
    """Ask for free words, of which a sampled reply would choose different ones."""
    return _question("Describe an imaginary animal in two sentences, then choose one of the two codes.")


def long_question(words: int = LONG_WORDS) -> Question:
    """Ask for a word at the very beginning of a long prompt."""
    begin = f"The word to remember is {SECRET}. What follows is only filler.".split()
    count = words - len(begin)
    filler = [word for number in range(count // 5 + 1) for word in f"tile {number % 10} is plain ice.".split()][:count]
    return _question(f"{' '.join([*begin, *filler])}\n\nWhich word had to be remembered? Answer with that word.")


def is_object(text: str) -> bool:
    """Whether a text is one JSON object."""
    return _object(text) is not None


def follows_schema(text: str) -> bool:
    """Whether a text follows the schema of `form_question`."""
    data = _object(text)
    return data is not None and data.get("answer") in CODES and isinstance(data.get("explanation"), str)


def _object(text: str) -> Mapping[str, Any] | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _question(user: str) -> Question:
    case = Case("probe", "probe", (0,), _SPACE, CODES, {}, None, {}, "manual")
    return Question(case, "", user, reply_schema(_SPACE), "probe")
