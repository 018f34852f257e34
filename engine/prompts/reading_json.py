"""Finding the JSON objects in what a model wrote, with numbers as they were written."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

_MOST_OBJECTS = 100
"""Places where an object may begin that are tried: each costs up to the length of the text."""
_WRAPPINGS = 3
"""How deep ``answer`` is looked for inside objects that have none themselves."""
_LOOSE_FIELD = re.compile(
    r"""["']?answer["']?\s*[:=]\s*(?:"(?P<double>[^"\\\n]*)"|'(?P<single>[^'\\\n]*)'|(?P<list>\[[^\[\]]*\])"""
    r"""|(?P<bare>[\w.+%/-]+)(?=\s*[,}\n]))""",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\A\s*```[ \t]*\w*|```\s*\Z")


class NumberText(str):
    """A JSON number as it was written, so that 0.1 stays one tenth."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Found:
    """One object: what its ``answer`` fields hold (several if the key repeats), and its explanation.

    An ``answer`` that is an object is left out: it is a schema repeated, not an answer. `end` is where the object, or
    the one that wraps it, ends in the text; `beside` are the other fields of an object with an answer.
    """

    answers: tuple[Any, ...]
    explanation: str
    end: int = 0
    beside: tuple[tuple[str, Any], ...] = ()


class _Pairs(list[tuple[str, Any]]):
    """An object's pairs in order; a repeated key is not lost."""


# strict=False: small models write line ends inside strings.
_DECODER = json.JSONDecoder(
    strict=False, parse_float=NumberText, parse_int=NumberText, parse_constant=NumberText, object_pairs_hook=_Pairs
)


def objects_in(text: str) -> list[Found]:
    """Return the text's outermost objects with an answer or an explanation, in a code fence or amid other text."""
    found: list[Found] = []
    start = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if start < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            found.extend(replace(each, end=end) for each in _found(value, _WRAPPINGS))
        start = text.find("{", end)
    return found


def whole_object(text: str) -> bool:
    """Whether the text is one JSON object and nothing else."""
    stripped = text.strip()
    if not stripped.startswith("{"):
        return False
    try:
        _, end = _DECODER.raw_decode(stripped)
    except (ValueError, RecursionError):
        return False
    return end == len(stripped)


def loose_answers(text: str) -> list[str]:
    """Return what follows ``answer:`` in text that only resembles JSON, each complete up to its closing sign."""
    found = _LOOSE_FIELD.finditer(text)
    return [match["double"] or match["single"] or match["list"] or match["bare"] or "" for match in found]


def whole_array(text: str) -> list[Any] | None:
    """Return the items if the text is one JSON array and nothing else but a code fence around it."""
    stripped = _FENCE.sub("", text).strip()
    if not stripped.startswith("["):
        return None
    try:
        value, end = _DECODER.raw_decode(stripped)
    except (ValueError, RecursionError):
        return None
    return value if end == len(stripped) and isinstance(value, list) and not isinstance(value, _Pairs) else None


def _found(value: Any, wrappings: int) -> list[Found]:
    """Return the object, or the objects that it wraps, if they have the fields of a reply."""
    if not isinstance(value, _Pairs):
        return []
    answers = tuple(item for key, item in value if key.strip().lower() == "answer" and not isinstance(item, _Pairs))
    texts = [item for key, item in value if key.strip().lower() == "explanation" and isinstance(item, str)]
    if answers or texts:
        beside = tuple(pair for pair in value if answers and pair[0].strip().lower() not in {"answer", "explanation"})
        return [Found(answers, texts[0] if texts else "", beside=beside)]
    return [inner for _, item in value if wrappings for inner in _found(item, wrappings - 1)]
