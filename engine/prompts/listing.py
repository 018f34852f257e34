"""Options, and the form of an answer, in words."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from engine.queries.spaces import Number, OneOf, Probability, Ranking, SetOf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.queries.spaces import AnswerSpace

LISTED = 12
"""Names that are listed in full even if they are only numbered through."""
_NUMBERED = re.compile(r"(?P<word>.*?)(?P<number>[1-9]\d*)", re.DOTALL)


def answer_format(space: AnswerSpace, explanation_length: int) -> str:
    """Return the request for an answer in the right form."""
    match space:
        case OneOf(options):
            answer = f"one of: {listed(options)}"
        case Probability():
            answer = "a number between 0 and 1"
        case Number():
            answer = 'a number, or "inf" if it is infinite'
        case Ranking(options):
            answer = f"a list that holds each of these {len(options)} exactly once, the best first: {listed(options)}"
        case SetOf(options):
            answer = f"a list of those that it is true of, out of: {listed(options)}; an empty list if there are none"
    return (
        f'Reply with a JSON object with two fields: "explanation", your reason in at most {explanation_length} '
        f'characters, and "answer", {answer}.'
    )


def listed(options: Sequence[str]) -> str:
    """Return the options with commas between them, quoted if a comma or a quote could be taken for part of one."""
    unclear = any(set(option) & set(",;\"'") or option != " ".join(option.split()) for option in options)
    return ", ".join(json.dumps(option, ensure_ascii=False) if unclear else option for option in options)


def shortened(names: Sequence[str]) -> tuple[str, ...]:
    """Return many names that are numbered through as ``stake1``, ``stake2``, ``…``, ``stake46``; others as they are."""
    if len(names) <= LISTED:
        return tuple(names)
    matches = [_NUMBERED.fullmatch(name) for name in names]
    found = [(match["word"], int(match["number"])) for match in matches if match]
    through = all(right == (word, number + 1) for (word, number), right in pairwise(found))
    return (*names[:2], "…", names[-1]) if len(found) == len(names) and through else tuple(names)


def told(answer: str, space: AnswerSpace) -> str:
    """Return a canonical answer as people write it: an order as ``up > left``, a set with commas, or ``none``."""
    match space:
        case Ranking():
            return " > ".join(json.loads(answer))
        case SetOf():
            return listed(json.loads(answer)) or "none"
        case _:
            return answer
