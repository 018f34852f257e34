"""Orders of options in prose: which ones a text states, and whether the best comes first."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from engine.prompts.reading_doubt import taken_back, without_spans
from engine.prompts.reading_options import find_mentions
from engine.prompts.reading_value import Value, ambiguous, unparsable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.prompts.reading_options import Mention, Synonyms

Order: TypeAlias = tuple[str, ...]

_SIGNS = r"""[^\S]|[,;>→⟶➔»|"'`*_#()\[\]{}.:–—•\d%-]"""
_WORDS = (
    r"and|then|next|finally|lastly|second|third|fourth|fifth|last|after\s+that|followed\s+by"
    r"|preferred\s+to|which|is|are|comes?|the|action|go|moving|move"
)
_OPEN_SIGNS = r"[<≤≥=≈~/]|\b(?:or|tied?|ties|equals?|equal\s+to|same\s+as|with|as)\b"
_STEP = re.compile(rf"(?:{_SIGNS}|\b(?:{_WORDS})\b)*+", re.IGNORECASE)
_OPEN_STEP = re.compile(rf"(?:{_SIGNS}|{_OPEN_SIGNS}|\b(?:{_WORDS})\b)*+", re.IGNORECASE)
"""What leaves open which of two options is the better one: ``a = b``, ``a or b``, ``a < b``."""
_BESIDE = re.compile(r"\([^()\n]{0,80}\)|[=≈~:]\s{0,4}\d[\d./]{0,20}")
"""What may stand beside an option in a list: its value, or a remark in brackets."""
_BARE_AND = re.compile(r"[\s\"'`*_]*+and[\s\"'`*_]*+", re.IGNORECASE)
_BETTER = re.compile(r"\bbetter\s+than\b", re.IGNORECASE)  # "than" would pass for a denial
_IS_BEST = re.compile(r"\s{0,4}(?:is|are)\s+(?:the\s+)?best\b", re.IGNORECASE)
_IS_WORST = re.compile(r"\b(?:the\s+)?worst(?:\s+is)?\s{0,4}:?\s{0,4}$", re.IGNORECASE)
_DIRECTION = re.compile(
    r"\b(?:ascending|descending|increasing|decreasing|reversed?|worst[\s-]+(?:first|to)|best[\s-]+last"
    r"|(?:lowest|smallest|highest|largest|least|most)\s+(?:\w+\s+)?(?:first|to)|from\s+(?:the\s+)?(?:worst|lowest|highest))\b",
    re.IGNORECASE,
)
"""What speaks of an order that need not have the best first: values are not always better when they are larger."""
_WORST = re.compile(r"\b(?:worst|least)\b", re.IGNORECASE)
_BEST = re.compile(r"\b(?:best|most)\b", re.IGNORECASE)
_RANK = re.compile(r"(?<![\w.])(\d{1,3})[\"'\s]{0,3}[.):][\s\"'`*_(]{0,8}$")
_NUMBER = re.compile(r"[\s\"'`*_]{0,4}[:=(≈][\s\"'`*_]{0,4}(\d{1,12}(?:\.\d{1,20})?)(?![\w/])")
_ENTRY = re.compile(r"^[^\S\n]{0,20}(?:[-*•][^\S\n]{0,4})?(\d{1,3})[.):][\s*_`\"']{0,8}", re.MULTILINE)
_WINDOW = 200
"""Characters before an order in which a word such as "worst" is about it."""


def orders_in(text: str, options: Sequence[str], synonyms: Synonyms) -> list[Order] | Value:
    """Return the different orders of all options that a text states, at least one, or why it states none."""
    text = _BETTER.sub(" > ", text)
    mentions = find_mentions(text, options, synonyms)
    if not mentions:
        return unparsable(f"the answer names none of the options: {', '.join(options)}")
    if any(len(mention.options) > 1 for mention in mentions):
        return ambiguous("the answer uses a word that stands for several options")
    entries, others = _entries(text, mentions)
    if any(mention.denied for mention in [*entries, *others]):
        return ambiguous("the answer names an option next to a denial")
    if taken_back(without_spans(text, ((each.start, each.end) for each in mentions)), mentions[0].start):
        return ambiguous("the answer takes its order back, or doubts it")
    groups = _groups(text, others)
    if isinstance(groups, Value):
        return groups
    groups = [group for group in [entries, *groups] if group]
    problem = next(filter(None, (_problem(text, group) for group in groups if len(group) > 1)), None)
    return problem or _complete([tuple(mention.options[0] for mention in group) for group in groups], options)


def _complete(orders: list[Order], options: Sequence[str]) -> list[Order] | Value:
    """Return the orders of all options, if no other one contradicts them."""
    complete = [order for order in dict.fromkeys(orders) if len(order) == len(options) == len(set(order))]
    if not complete:
        longest = max(orders, key=len)
        twice = next((option for option, count in Counter(longest).items() if count > 1), None)
        if twice is not None:
            return ambiguous(f"'{twice}' stands in the order twice")
        missing = [option for option in options if option not in longest]
        return unparsable(f"the order leaves out {', '.join(missing)}")
    place = {option: position for position, option in enumerate(complete[0])}
    if len(complete) == 1 and any(place[a] >= place[b] for order in orders for a, b in pairwise(order)):
        return ambiguous("the answer orders some options in two ways")
    return complete


def _entries(text: str, mentions: list[Mention]) -> tuple[list[Mention], list[Mention]]:
    """Return the options that begin the lines of a numbered list, and the mentions outside the list.

    The rest of such a line is a remark. Without at least two of these lines there is no list.
    """
    by_start = {mention.start: mention for mention in mentions}
    spans = []
    for match in _ENTRY.finditer(text):
        mention = by_start.get(match.end())
        if mention is not None:
            line_end = text.find("\n", mention.end)
            spans.append((mention, match.start(), len(text) if line_end < 0 else line_end))
    if len(spans) < 2:  # noqa: PLR2004 - one line is no list
        return [], mentions
    listed = [mention for mention, _, _ in spans]
    inside = iter(sorted((begin, end) for _, begin, end in spans))
    others, (begin, end) = [], next(inside)
    for mention in mentions:
        while mention.start > end:
            begin, end = next(inside, (len(text), len(text)))
        if not begin <= mention.start <= end:
            others.append(mention)
    return listed, others


def _groups(text: str, mentions: list[Mention]) -> list[list[Mention]] | Value:
    """Return the mentions that follow one another with nothing but signs and joining words between them."""
    groups = [[mention] for mention in mentions[:1]]
    for number, (left, right) in enumerate(pairwise(mentions), 1):
        gap = _BESIDE.sub(" ", text[left.end : right.start])
        gap = _IS_BEST.sub(" ", gap, count=1) if number == 1 else gap
        gap = _IS_WORST.sub(" ", gap, count=1) if number == len(mentions) - 1 else gap
        if _STEP.fullmatch(gap):
            groups[-1].append(right)
        elif _OPEN_STEP.fullmatch(gap):
            return ambiguous("the answer leaves the order of some options open")
        else:
            groups.append([right])
    return groups


def _problem(text: str, group: list[Mention]) -> Value | None:
    """Return why the options may not be meant in this order, the best first."""
    gaps = [text[left.end : right.start] for left, right in pairwise(group)]
    before, after = text[max(0, group[0].start - _WINDOW) : group[0].start], text[group[-1].end :][:_WINDOW]
    if any(_BARE_AND.fullmatch(gap) for gap in (gaps[:-1] or gaps)):
        return ambiguous("the answer joins options with 'and', which gives them no order")
    worst, best = _WORST.search(before), _BEST.search(before)
    turned = worst is not None and (best is None or best.start() > worst.start())
    if turned or _IS_BEST.match(after) or any(map(_DIRECTION.search, (before, after, *gaps))):
        return ambiguous("the answer speaks of an order that need not have the best first")
    ranks = [_RANK.search(text, max(0, mention.start - 20), mention.start) for mention in group]
    if all(ranks) and [int(rank[1]) for rank in ranks if rank] != list(range(1, len(group) + 1)):
        return ambiguous("the answer's numbers are not in the order of its list")
    found = [_NUMBER.match(text, mention.end) for mention in group]
    numbers = [Fraction(number[1]) for number in found if number]
    steps = [right - left for left, right in pairwise(numbers)]
    one_way = all(step >= 0 for step in steps) or all(step <= 0 for step in steps)
    countdown = numbers == list(range(len(group), 0, -1))
    if len(numbers) == len(group) and (countdown or not one_way):
        return ambiguous("the numbers beside the options do not say which order is meant")
    return None
