"""Numbers that are not the answer but a bound of it: ``at least 0.5``, ``0.5 or more``, ``0.5+`` (methods.md 1.4)."""

from __future__ import annotations

import re
from typing import Final

_WINDOW: Final = 48
"""Characters beside a number in which a bound is looked for."""

_SIGNS = r"(?:[<>≤≥≠≲≳⩽⩾]=?|=<)"
_MORE = (
    r"(?:less|more|greater|smaller|larger|lower|higher|fewer|bigger|better|worse|above|below|over|under|beyond|up(?:wards?)?"
    r"|down(?:wards?)?|so|thereabouts|near\w*|around|about)"
)
_EXTREME = r"(?:min(?:im(?:um|al|ally))?|max(?:im(?:um|al|ally))?)"
_FILLER = (
    r"(?:[\s:=~≈(\[{*_$\"'`]|\b(?:of|is|at|by|to|about|around|approximately|roughly|only|the|an?|value|be|p|x)\b)*"
)
_BEFORE: Final = re.compile(
    rf"(?:{_SIGNS}|\b(?:not|{_MORE}\s+than|at\s+(?:(?:the\s+)?(?:very\s+)?(?:least|most|best|worst)|an?\s+{_EXTREME})"
    r"|below|above|under|over|beyond|up\s+to|down\s+to|as\s+(?:low|high|much|little|many|few|large|small)\s+as"
    rf"|{_EXTREME}|(?:lower|upper)\s+(?:bound|limit)|bound(?:ed)?|limit(?:ed)?|capped|exceed\w*|starting|from|until|within|floor"
    rf"|ceiling|cap|threshold|sub|outside|inside|towards?|almost|nearly|just|shy\s+of|not\s+quite)\b){_FILLER}$",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    rf"[\s,;\"'`*_()\]}}$]*+(?:\+(?!\s*[/⁄]?\s*[-−+]?\s*[\d.\\])|[-–—]\s*$|{_SIGNS}"
    rf"|\b(?:(?:(?:or|and|even|possibly|likely|probably|slightly|usually|a\s+bit|a\s+little|if\s+anything)\s+){{1,3}}{_MORE}|upwards?|at\s+(?:the\s+)?(?:very\s+)?"
    rf"(?:least|most|best|worst|{_EXTREME})|(?:is|as|being)\s+(?:only\s+)?(?:(?:an?|the|its|my)\s+)?(?:\w+\s+)?"
    rf"(?:bound|limit|minimum|maximum|floor|ceiling|cap|threshold|overestimate|underestimate|(?:upper|lower)\s+\w+)"
    rf"|(?:about\s+|approx\w*\.?\s+)?{_EXTREME}|exclu(?:ded|sive)|tops|(?:plus|minus)(?!\s*[\d.])"
    r"|more|less|to\s+(?:one|two|half|zero)|give\s+or\s+take"
    r"|if\s+not\s+(?:more|less)|(?:lower|upper)\s+(?:bound|limit))\b)",
    re.IGNORECASE,
)
_VAGUE: Final = re.compile(
    r"\b(?:somewhere|margin|rang(?:es?|ing)|interval|ballpark|between|too\s+(?:low|high|small|large|big|much|little)"
    r"|order\s+of\s+magnitude)\b|(?<!\d)50\s*/\s*50(?!\d)",
    re.IGNORECASE,
)


def is_bound(text: str, start: int, end: int) -> bool:
    """Return whether the words or signs beside a number make it a bound."""
    before = text[max(0, start - _WINDOW) : start]
    return bool(_BEFORE.search(before) or _AFTER.match(text, end, end + _WINDOW))


def is_vague(text: str) -> bool:
    """Return whether a text speaks of a range or a margin rather than of one number."""
    return _VAGUE.search(text) is not None
