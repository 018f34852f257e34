"""Words that only look like the name of an option: articles, pronouns, parts of idioms (methods.md 1.4)."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

_WINDOW: Final = 40  # characters before a word that decide what it is

_IDIOM: Final = re.compile(
    r"\b(?:(?<!go )(?<!going )(?<!move )(?<!moving )up\s+to"
    r"|(?:giv(?:e|es|ing|en)|gave|hurry|hurrying|speed|mak(?:e|es|ing)|made|end(?:s|ed|ing)?|sum(?:s|med|ming)?|sign|wrap(?:ping)?"
    r"|com(?:e|es|ing)|shut|mess(?:ed)?|what['’]?s)(?:\s+(?:something|it|that|this|one|an?\s+\w+))?\s+up"
    r"|runner-?\s?up|up[\s-]and[\s-]down|(?:slow|calm|break|settle)s?\s+down|(?:all|that['’]?s)\s+right|right\s+(?:away|now))\b",
    re.IGNORECASE,
)
"""``give up``, ``it is up to you``: the word in it names no direction, while ``go up to the goal`` does."""
_TITLE: Final = re.compile(r"\b(?:state|option|choice|answer)\s+$", re.IGNORECASE)
_JOINING: Final = (
    r"by|in|is|has|was|and|or|nor|over|than|because|since|as|with|but|for|to|when|which|if|while|whereas|unlike|not|then|before|after"
    r"|above|below|near|against|versus|vs|plus|minus|rather|instead|ahead|compared|beats?|wins?|loses?|dominates?|exceeds?|outperforms?"
    r"|outranks?|equals?|would|will|can|could|should|must|seems|looks|leads|gives|offers|from|at|on"
)
_AFTER_NAME: Final = re.compile(rf"\s*(?:\Z|[^\w\s]|(?:{_JOINING})\b|\w+\s+than\b|\w+\s+\w+\s+than\b)", re.IGNORECASE)
"""What follows an option named ``a``; after an article stands what it belongs to."""
_BEFORE_COMPARED: Final = re.compile(r"\b(?:is|has|have|had|with|gives?|offers?|being|be)\s+$", re.IGNORECASE)
_AFTER_PRONOUN: Final = re.compile(
    r"['’](?:d|m|ve|ll)\b|\s+(?:think|would|choose|chose|pick|go|say|believe|prefer|am|will|take|answer|conclude|select|find)\b"
)


def idioms_in(text: str) -> list[tuple[int, int]]:
    """Return begin and end of each idiom that holds a word such as ``up``, in the text's order."""
    return [match.span() for match in _IDIOM.finditer(text)]


def inside(start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    """Return whether a word is a part, and not the whole, of one of the spans."""
    place = bisect_right(spans, start, key=lambda span: span[0]) - 1
    return place >= 0 and end <= spans[place][1] and (start, end) != spans[place]


def is_plain_word(text: str, start: int, end: int) -> bool:
    """Return whether a single letter is an article or a pronoun: ``B has a better chance``, ``I think``.

    A capital "A" is never taken for an article here, nor is an "a" at the beginning or the end of the text.
    """
    word = text[start:end]
    if word == "a":
        before = text[max(0, start - _WINDOW) : start]
        if not before.strip() or _TITLE.search(before):
            return False
        return _AFTER_NAME.match(text, end) is None or (
            _BEFORE_COMPARED.search(before) is not None
            and re.match(r"\s+(?:\w+\s+)?\w+\s+(?:\w+\s+)*?than\b", text[end : end + _WINDOW]) is not None
        )
    return word == "I" and _AFTER_PRONOUN.match(text, end) is not None
