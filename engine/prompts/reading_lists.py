"""Reading an order of all options, or a set of some: forgiving about form, strict about content (methods.md 1.4).

Texts are never split at commas or signs, which options may hold themselves: options are looked for, and what stands
between them must be nothing but punctuation and a few words that join.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from engine.prompts.reading_doubt import taken_back, without_spans
from engine.prompts.reading_json import whole_array
from engine.prompts.reading_options import DECORATION, find_mentions, perhaps_named, read_option, whole_option
from engine.prompts.reading_orders import orders_in
from engine.prompts.reading_value import Value, ambiguous, blank, unparsable
from engine.queries.spaces import listed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from engine.prompts.reading_options import Synonyms
    from engine.queries.spaces import Ranking, SetOf

_JOINT = re.compile(r"""(?:[^\S]|[,;&+|"'`*_()\[\]{}.:–—•-]|\b(?:and|also|plus|as\s+well\s+as)\b|\b\d{1,3}[.)])*+""")
_NUMBERED = re.compile(r"(?P<word>[^\W\d]+) (?P<number>\d+)")
_DOUBT = re.compile(
    r"\b(?:not|never|no|none|neither|nor|cannot|\w{2,8}n['’]t|without|except|excluding|but|or|maybe|perhaps|possibly"
    r"|unless|if|than|rather|instead|other|others|rest|whether|\d+)\b",
    re.IGNORECASE,
)
"""What must not stand beside the members of a set: it may take one back, or name more."""
_SHORT = 1000
"""Characters of a text that may be nothing but a list of numbers."""
_LIST_NUMBER = re.compile(r"(?:^|\n)[^\S\n]{0,20}\d{1,3}[.)][\s\"'`*_]{0,8}$")
_REASON = re.compile(r"\b(?:because|since)\b", re.IGNORECASE)
_THE_OTHERS = re.compile(
    r"\s*[;,.]\s*(?:and\s+)?(?:all\s+)?(?:the\s+)?(?:others?|rest)(?:\s+(?:states?|ones?))?\s+(?:can|could|may)\s+(?:all\s+)?be\s+"
    r"(?:avoided|bypassed|skipped|circumvented)\s*\.?\s*\Z",
    re.IGNORECASE,
)
"""What is said of the states that do not belong to the set: ``the others can be avoided``."""
_NONE = re.compile(
    r"(?:there\s+(?:is|are)\s+)?(?:none|nothing|no\s+one|nobody|∅|\{\s*\}|\[\s*\]|(?:the\s+)?empty(?:\s+(?:set|list|array))?"
    r"|no(?:\s+such)?(?:\s+\w+)?\s+(?:states?|ends?|bottlenecks?|members?|elements?))"
    r"(?:\s+(?:of|in|among|is|are|them|these|those|the|a|dead|ends?|bottlenecks?|states?|here))*",
    re.IGNORECASE,
)
_EMPTY = {"[]", "{}", "()"}
_ALL = re.compile(
    r"(?:all(?:\s+of)?(?:\s+(?:them|these|those))?(?:\s+(?:the\s+)?(?:\w+\s+)?states)?|every(?:\s+state|\s+one|one)?|each(?:\s+(?:state|one))?)",
    re.IGNORECASE,
)


def read_ranking(text: str, space: Ranking, synonyms: Synonyms) -> Value:
    """Read an order from a text: a JSON list, ``a > b > c``, a numbered list, a list with commas.

    Every option must stand in it exactly once, the best first. Ties (``a = b``), two different orders, ``a < b`` and
    orders that may run from worst to best are ambiguous.
    """
    items = whole_array(text)
    if items is not None:
        return ranking_of(items, space, synonyms)
    if not text.strip(DECORATION):
        return blank()
    orders = orders_in(text, space.options, synonyms)
    if isinstance(orders, Value):
        return orders
    if len(orders) > 1:
        return ambiguous(f"the answer gives several orders: {'; '.join(', '.join(order) for order in orders[:2])}")
    return Value(listed(orders[0]))


def ranking_of(items: Sequence[Any], space: Ranking, synonyms: Synonyms) -> Value:
    """Read the items of a JSON list as an order."""
    if not items:
        return blank()
    if len(items) == 1 != len(space.options) and isinstance(items[0], str):
        return read_ranking(items[0], space, synonyms)
    if len(items) > len(space.options):
        return ambiguous(f"the answer lists {len(items)} actions where there are {len(space.options)}")
    order = _members(items, space.options, synonyms)
    if isinstance(order, Value):
        return order
    twice = next((option for option, count in Counter(order).items() if count > 1), None)
    if twice is not None:
        return ambiguous(f"'{twice}' stands in the order twice")
    missing = [option for option in space.options if option not in order]
    return unparsable(f"the order leaves out {', '.join(missing)}") if missing else Value(listed(order))


def read_set(text: str, space: SetOf, synonyms: Synonyms) -> Value:
    """Read a set from a text: a JSON list, a list with commas, ``none``, ``all``.

    Words beside the members that may take one back or add one make the answer ambiguous; a member that is no option
    makes it unusable.
    """
    items = whole_array(text)
    if items is not None:
        return set_of(items, space, synonyms)
    bare = text.strip(DECORATION)
    if text.count("[") != text.count("]"):
        return unparsable("the list is not closed")
    whole = whole_option(text, space.options, synonyms)
    if whole is not None:
        return Value(space.of([whole]))
    if _NONE.fullmatch(bare) or text.strip(" \t\r\n.`\"'") in _EMPTY:
        return Value(space.of(()))
    if _ALL.fullmatch(bare):
        return Value(space.of(space.options))
    return _members_named(_told_apart(text, space.options), space, synonyms) if bare else blank()


def set_of(items: Sequence[Any], space: SetOf, synonyms: Synonyms) -> Value:
    """Read the items of a JSON list as a set."""
    if len(items) == 1 and isinstance(items[0], str) and items[0] not in space.options:
        return read_set(items[0], space, synonyms)
    if len(items) > len(space.options):
        return unparsable(f"the answer lists {len(items)} members where there are {len(space.options)}")
    members = _members(items, space.options, synonyms)
    return members if isinstance(members, Value) else Value(space.of(members))


def _members(items: Sequence[Any], options: Sequence[str], synonyms: Synonyms) -> list[str] | Value:
    """Return the option that each item names, or what is wrong with the first that names none."""
    found = []
    for item in items:
        if not isinstance(item, str):
            return unparsable("the answer's list holds something that is no text")
        whole = whole_option(_told_apart(item, options), options, synonyms)
        value = Value(whole) if whole is not None else read_option(item, options, synonyms)
        if value.answer is None:
            return value
        beside = "" if whole is not None else _without_mentions(item, options, synonyms)
        if _DOUBT.search(beside) or taken_back(beside, 0):
            return ambiguous(f"the list's item {item[:40]!r} says more than '{value.answer}'")
        found.append(value.answer)
    return found


def _members_named(text: str, space: SetOf, synonyms: Synonyms) -> Value:
    """Read the options that a text names, one after the other and without a doubt."""
    text = _THE_OTHERS.sub("", text)
    mentions = find_mentions(text, space.options, synonyms)
    if not mentions:
        return unparsable(f"the answer names none of the options: {', '.join(space.options)}")
    if any(len(mention.options) > 1 for mention in mentions):
        return ambiguous("the answer uses a word that stands for several options")
    unclear = set(perhaps_named(text, space.options, synonyms)).difference(*(mention.options for mention in mentions))
    if unclear:
        return ambiguous(f"the answer may name '{min(unclear)}' or not")
    gaps = [text[left.end : right.start] for left, right in pairwise(mentions)]
    before = _LIST_NUMBER.sub("", text[: mentions[0].start])
    after = _REASON.split(text[mentions[-1].end :], maxsplit=1)[0]
    beside = without_spans(text, ((mention.start, mention.end) for mention in mentions))
    doubted = _DOUBT.search(f"{before} {after}") or taken_back(beside, mentions[0].start)
    if doubted or any(mention.denied for mention in mentions):
        return ambiguous("the answer names options next to a denial, a doubt or something that is no option")
    if not all(_JOINT.fullmatch(gap) for gap in gaps):
        return ambiguous("the answer says more about its options than which of them belong to it")
    return Value(space.of(mention.options[0] for mention in mentions))


def _without_mentions(text: str, options: Sequence[str], synonyms: Synonyms) -> str:
    for mention in reversed(find_mentions(text, options, synonyms)):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return text


def _told_apart(text: str, options: Sequence[str]) -> str:
    """Return the text with ``States 1 and 3``, or numbers alone, as ``State 1, State 3`` if options are named so."""
    shapes = [_NUMBERED.fullmatch(option) for option in options]
    words = {shape["word"] for shape in shapes if shape}
    if len(words) != 1 or not all(shapes):
        return text
    (word,) = words

    def named(match: re.Match[str]) -> str:
        return ", ".join(f"{word} {number}" for number in re.findall(r"\d+", match.group()))

    numbers = r"\d{1,6}(?:\s*+(?:,\s*+and\b|,|&|and\b)\s*+\d{1,6}(?![\w.)]))*+"
    alone = re.fullmatch(rf"[^\w]*({numbers})[^\w]*", text) if len(text) < _SHORT else None
    if alone:
        return named(alone)
    return re.sub(rf"\b{word}s?\s+{numbers}", named, text, flags=re.IGNORECASE)
