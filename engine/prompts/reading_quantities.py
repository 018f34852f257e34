"""Numbers that are not the answer but part of a computation, or that measure something else (methods.md 1.4).

``half of 9/17``, ``0.53 squared``, ``3 million`` and ``the failure probability is 0.53`` hold the number that was asked
for and say another one; ``from pos=6 it is 9/17`` holds a second one that only names a state.
"""

from __future__ import annotations

import re
from typing import Final

_WINDOW: Final = 64
"""Characters beside a number in which words about it are looked for."""

_COUNT = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand|half|another|some|an?)"
_FAILING = r"(?:failures?|failing|defeat|losing|dying|not\s+(?:reaching|getting|arriving|making)|missing\s+the\s+goal)"
_MEASURE = r"(?:probability|chance|chances|rate|odds|likelihood|risk)"
_FILLER = (
    r"(?:[\s:=~≈(\[{*_$\"'`]|\b(?:of|is|at|about|around|approximately|roughly|the|an?|value|number|be|would|thus)\b)*"
)
_BEFORE: Final = re.compile(
    rf"\b(?:half|twice|thrice|doubled?|tripled?|quadruple|quarter|fifth|tenth|a\s+third|thirds|times|squared?|cubed?|root|sqrt"
    rf"|log(?:10|2|arithm)?|ln|exp|sin|cos|minus|negative|complement|inverse|reciprocal|negation"
    rf"|(?:failure|failing|loss|losing)\s+{_MEASURE}|{_MEASURE}\s+(?:of|for)\s+(?:an?\s+|the\s+)?{_FAILING})\b{_FILLER}$",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    rf"[\s,\"'`*_()\]}}$]{{0,8}}(?:\b(?:squared|cubed|doubled|tripled|halved|quartered|inverted|onwards?|each|apiece"
    rf"|dozens?|hundred|thousand|million|billion|trillion"
    rf"|(?:[^\W\d]+\s+){{0,2}}?(?:plus|minus|times)\s+{_COUNT}"
    rf"|(?:is|being|was|as)\s+(?:only\s+)?(?:the|its|an?)\s+(?:complement|inverse|reciprocal|(?:failure|loss)\s+{_MEASURE}"
    rf"|{_MEASURE}\s+(?:of|for)\s+(?:an?\s+|the\s+)?{_FAILING}))\b)",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"\b(?:[PVQ](?:max|min)?[(\[]|(?:from|in|at|of|for|state|tile|cell|position)\s+(?:(?:the|state|tile|cell|position)\s+){0,2}[(\[]?)"
    r"(?:(?![pvq]\b)[^\W\d]\w*\s?=\s?-?\d+(?![\d./%])(?:\s?(?:,|and|&)\s?[^\W\d]\w*\s?=\s?-?\d+(?![\d./%]))*)",
    re.IGNORECASE,
)


def is_computed(text: str, start: int, end: int) -> bool:
    """Return whether the words beside a number make it part of a computation, or the measure of something else."""
    before = text[max(0, start - _WINDOW) : start]
    return bool(_BEFORE.search(before) or _AFTER.match(text, end, end + _WINDOW))


def without_places(text: str) -> str:
    """Return the text, of the same length, with the numbers blanked out that name a state: ``from pos=6``."""
    return _PLACE.sub(lambda match: " " * len(match[0]), text)
