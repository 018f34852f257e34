"""Reading a reply back as an answer: forgiving about form, strict about content (methods.md 1.4)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.prompts.reading_after import MARKED, Given, beside_differs, overruled
from engine.prompts.reading_json import loose_answers, objects_in
from engine.prompts.reading_lists import ranking_of, read_ranking, read_set, set_of
from engine.prompts.reading_numbers import read_probability, read_reward
from engine.prompts.reading_options import read_option
from engine.prompts.reading_thinking import split_reasoning
from engine.prompts.reading_value import Value, ambiguous, blank, unparsable
from engine.queries.spaces import Number, OneOf, Probability, Ranking, SetOf
from engine.verdicts.verdict import InvalidKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.prompts.reading_claims import Wanted
    from engine.queries.spaces import AnswerSpace

_MOST_CHARACTERS = 100_000
_TAGGED = re.compile(r"<(?P<name>(?:final[_ -]?)?answer)>(?P<said>[^<]{0,2000})</(?P=name)>", re.IGNORECASE)
"""An answer in tags of its own: ``<answer>up</answer>``."""
_REFUSAL = re.compile(
    r"\b(?:i(?:['’]m| am)\s+(?:sorry|unable|not\s+able)|sorry,|as\s+an\s+ai|"
    r"(?:i\s+)?(?:can(?:['’]t|not|\s+not)|could\s?n['’]t|won['’]t|will\s+not|do(?:n['’]t|\s+not))\s+"
    r"(?:answer|assist|help|provide|determine|comply|know|tell|say|do\s+that))\b",
    re.IGNORECASE,
)
_REFUSING_FINISH = frozenset({"content_filter", "refusal"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says.

    Attributes
    ----------
    answer
        The answer in canonical form: an option's own text, a number as exact text, or a list as JSON text
        (`engine.queries.spaces`); None if there is none.
    explanation
        The reply's explanation; the whole text where it has no such field.
    invalid
        Why there is no answer; None if there is one.
    detail
        The same in words.
    reasoning
        Thinking that the model wrote into its reply, apart from the answer.
    """

    answer: str | None
    explanation: str
    invalid: InvalidKind | None = None
    detail: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The valid answers, other words for them, and what was asked for."""

    space: AnswerSpace
    synonyms: Mapping[str, Sequence[str]]
    wanted: Wanted


def read_answer(
    text: str, finish: str, space: AnswerSpace, synonyms: Mapping[str, Sequence[str]], wanted: Wanted = "good"
) -> Reading:
    """Read an answer from a reply's text; never raises, and takes time linear in the text's length.

    Parameters
    ----------
    text
        The reply's content as it came.
    finish
        The server's finish reason; ``length`` means that the text was cut off.
    space
        The valid answers.
    synonyms
        Option → other words for it (`Environment.synonyms`).
    wanted
        What the question asks for, the better of its options or the worse: "up is the worst" answers only the latter.
    """
    visible, reasoning = split_reasoning(text)
    if len(visible) > _MOST_CHARACTERS:
        invalid = InvalidKind.CUT_OFF if finish == "length" else InvalidKind.UNPARSABLE
        return Reading(None, "", invalid, f"the reply is {len(visible)} characters long", reasoning)
    reading = _read_visible(visible, finish, _Asked(space, synonyms, wanted))
    return replace(reading, reasoning=reasoning)


def _read_visible(text: str, finish: str, asked: _Asked) -> Reading:
    found = objects_in(text)
    explanation = next((item.explanation for item in found if item.explanation), "" if found else text.strip())
    answers = [answer for item in found for answer in item.answers]
    if answers:
        fields = [field for item in found for field in item.beside]
        agreed = _agreed([_read_json(answer, asked) for answer in answers])
        value = _kept(Given(str(answers[0]), agreed), text[found[-1].end :], asked, fields)
    elif found:
        value = unparsable("the reply has no answer field")
    else:
        value = _read_prose(text, finish, asked)
    if value.answer is not None:
        return Reading(value.answer, explanation)
    kind, detail = _why_not(value, text, finish)
    return Reading(None, explanation, kind, detail)


def _read_prose(text: str, finish: str, asked: _Asked) -> Value:
    """Read a text without a JSON object: fields that resemble JSON, a line ``Answer: …``, or the text as a whole."""
    loose = loose_answers(text) if "{" in text else []
    lines = [] if loose else [*_TAGGED.finditer(text)] or [*MARKED.finditer(text)]
    marked = loose or [match["said"] if "said" in match.groupdict() else match[1] for match in lines]
    if finish == "length" and not loose:
        return blank() if not text.strip() else unparsable("the reply breaks off before its answer")
    parts = marked or [text]
    value = _agreed([_read_text(part, asked) for part in parts])
    return _kept(Given(parts[0], value), text[lines[-1].end() :], asked) if lines else value


def _kept(given: Given, rest: str, asked: _Asked, fields: Sequence[tuple[str, Any]] = ()) -> Value:
    """Return an answer, unless what follows it in the reply, or stands beside it, takes it back or gives another."""
    if given.value.answer is None:
        return given.value

    def read(text: str) -> Value:
        return _read_text(text, asked)

    if overruled(rest, given, asked.space, asked.synonyms, asked.wanted, read):
        return ambiguous("the reply takes its answer back")
    if beside_differs(fields, given, asked.space, asked.synonyms, read):
        return ambiguous("another field of the reply names another answer, or doubts this one")
    return given.value


def _read_json(answer: Any, asked: _Asked) -> Value:
    """Read the value of an answer field."""
    match answer:
        case None:
            return Value(None, InvalidKind.BLANK, "the answer is null")
        case bool():
            text = "true" if answer else "false"
            return _read_text(text, asked) if isinstance(asked.space, OneOf) else unparsable(f"{text} is no answer")
        case str():
            return _read_text(answer, asked)
        case list():
            return _read_list(answer, asked)
        case _:
            return unparsable("the answer is a structure, not a value")


def _read_list(items: list[Any], asked: _Asked) -> Value:
    """Read an answer field that holds a list: a list is what some spaces want, the others take one of one value."""
    if isinstance(asked.space, Ranking):
        return ranking_of(items, asked.space, asked.synonyms)
    if isinstance(asked.space, SetOf):
        return set_of(items, asked.space, asked.synonyms)
    if not items:
        return blank()
    if not all(isinstance(item, str) for item in items):
        return unparsable("the answer is a structure, not a value")
    return _read_text(items[0], asked) if len(items) == 1 else ambiguous(f"the answer lists {len(items)} values")


def _read_text(text: str, asked: _Asked) -> Value:
    """Read a text in the space's own way."""
    space, synonyms = asked.space, asked.synonyms
    match space:
        case OneOf(options):
            return read_option(text, options, synonyms, asked.wanted)
        case Probability():
            return read_probability(text)
        case Number():
            return read_reward(text)
        case Ranking():
            return read_ranking(text, space, synonyms)
        case SetOf():
            return read_set(text, space, synonyms)


def _agreed(values: list[Value]) -> Value:
    """Return what all values say; values that say different things are ambiguous."""
    different = list(dict.fromkeys(values))
    if len(different) == 1:
        return values[0]
    said = (value.detail if value.answer is None else value.answer for value in different)
    return ambiguous(f"the reply gives several answers: {'; '.join(said)}")


def _why_not(value: Value, text: str, finish: str) -> tuple[InvalidKind, str]:
    """Return the kind of an unusable reply: being cut off and refusing explain more than what was found."""
    if finish == "length" and value.invalid is not InvalidKind.AMBIGUOUS:
        return InvalidKind.CUT_OFF, "the reply was cut off before its answer; a larger token limit may help"
    if value.invalid is InvalidKind.AMBIGUOUS:
        return InvalidKind.AMBIGUOUS, value.detail
    if finish in _REFUSING_FINISH or _REFUSAL.search(text):
        return InvalidKind.REFUSED, "the model declined to answer"
    if not text.strip():
        return InvalidKind.BLANK, "the reply is blank"
    return value.invalid or InvalidKind.UNPARSABLE, value.detail
