"""What stands beside an answer in a reply, after it or in another field, and overrules it (methods.md 1.4).

``{"answer": "up"} No: left.`` and ``{"answer": "up", "alternative": "left"}`` give two answers. A remark that only
names another option (``Good luck with right!``) does not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.prompts.reading_claims import claims
from engine.prompts.reading_doubt import doubted, retracted, without_spans
from engine.prompts.reading_options import find_mentions, whole_option
from engine.prompts.reading_reasons import is_clear
from engine.queries.spaces import YES_NO, OneOf
from engine.verdicts.verdict import InvalidKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.prompts.reading_claims import Wanted
    from engine.prompts.reading_value import Value
    from engine.queries.spaces import AnswerSpace

    Synonyms = Mapping[str, Sequence[str]]

MARKED: Final = re.compile(
    r"^[^\w\n]{0,20}(?:(?:the|my)\s+)?(?:(?:final|short|correct(?:ed)?|actual|real)\s+)?"
    r"answer(?:\s+is)?\s*[:=*]+[ \t]*(\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that gives the answer: ``Final answer: up``."""
_BARE_NO: Final = re.compile(r"(?:\A|[.!;\n])[\s\"'`*_}\]]*no(?:pe)?\s*(?:[:,.!—-]|\Z)", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"[.!?;:\n](?=[\s*_]|\Z)")
_CUES: Final = re.compile(
    r"\A\W*(?:or|no|but)\b|\b(?:actually|instead(?!\s+of)|rather(?!\s+than)|alternatively|on\s+reflection|equally|prefer|also|meant)\b",
    re.IGNORECASE,
)
_REMARKS: Final = re.compile(
    r"expl|reason|rational|thought|think|analysis|justif|step|comment|note|descri|summary|why|scratch|evidence",
    re.IGNORECASE,
)
_CONFIRMS: Final = re.compile(r"correct|valid|right|true|sure|certain|confident|agree", re.IGNORECASE)
_REFUTES: Final = re.compile(r"incorrect|invalid|wrong|false|unsure|uncertain|doubt|guess|disagree", re.IGNORECASE)
_ANOTHER: Final = re.compile(
    r"altern|also|other|second|instead|correct|final|actual|answer|best|true|revis|updat|real", re.IGNORECASE
)


class Given(NamedTuple):
    """An answer that a reply gives: as it was written, and what that was read as."""

    written: str
    value: Value


def overruled(  # noqa: PLR0917  # what the question is has three parts
    rest: str, given: Given, space: AnswerSpace, synonyms: Synonyms, wanted: Wanted, read: Callable[[str], Value]
) -> bool:
    """Return whether what follows an answer in a reply takes it back or gives another one.

    Parameters
    ----------
    rest
        The reply's text after the answer.
    given
        The answer.
    space, synonyms, wanted
        As for `engine.prompts.reading.read_answer`.
    read
        Reads a text in the space's own way.
    """
    if retracted(rest) or (space != YES_NO and _BARE_NO.search(rest)):
        return True
    if any(_differs(match[1], given, read) for match in MARKED.finditer(rest)):
        return True
    return isinstance(space, OneOf) and _claims_another(rest, given.value, space, synonyms, wanted)


def beside_differs(
    fields: Sequence[tuple[str, Any]],
    given: Given,
    space: AnswerSpace,
    synonyms: Synonyms,
    read: Callable[[str], Value],
) -> bool:
    """Return whether another field of the answer's object names another answer, or says that this one is wrong."""
    for key, held in fields:
        if _REMARKS.search(key):
            continue
        if isinstance(held, bool):
            refutes = _REFUTES.search(key) is not None
            if held == refutes and (refutes or _CONFIRMS.search(key)):
                return True
            continue
        items = held if isinstance(held, list) else [held]
        for text in (item for item in items if isinstance(item, str)):
            if doubted(text) or retracted(text):
                return True
            if isinstance(space, OneOf):
                named = {option for each in find_mentions(text, space.options, synonyms) for option in each.options}
                if (named | {whole_option(text, space.options, synonyms)}) - {given.value.answer, None}:
                    return True
            elif _ANOTHER.search(key) and _differs(text, given, read):
                return True
    return False


def _differs(text: str, given: Given, read: Callable[[str], Value]) -> bool:
    """Return whether a text gives another answer; a number may be the same one, rounded."""
    other = read(text)
    if other.answer is None:
        return other.invalid is InvalidKind.AMBIGUOUS
    return other.answer != given.value.answer and read(f"{given.written} ≈ {text}").answer is None


def _claims_another(text: str, value: Value, space: OneOf, synonyms: Synonyms, wanted: Wanted) -> bool:
    """Return whether a text claims another option, rather than only naming it in a remark."""
    begin = 0
    ends = [*(match.start() for match in _SENTENCE.finditer(text)), len(text)]
    for end in ends:
        sentence, begin = text[begin:end], end + 1
        mentions = find_mentions(sentence, space.options, synonyms)
        beside = without_spans(sentence, (mention.span for mention in mentions))
        given = is_clear(beside) or _CUES.search(beside) is not None
        for mention in mentions:
            if mention.denied or mention.options == (value.answer,):
                continue
            said = claims(sentence, *mention.span)
            if said and said != {wanted}:
                continue
            if said or given:
                return True
    return False
