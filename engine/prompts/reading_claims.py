"""What a text claims of an option that it names: that it is good, bad, or not what is meant (methods.md 1.4).

"Up is the worst" names up, but answers only the question for the worst action. Which claim contradicts an answer
depends on what was asked for; a claim that something is wrong, second best or to be avoided contradicts any.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

Wanted: TypeAlias = Literal["good", "bad", "either"]
"""What a question asks for: the better of its options, the worse, or neither (yes or no)."""

_DECORATION: Final = str.maketrans(dict.fromkeys("*_`\"'“”‘’«»", " "))
_BEFORE, _AFTER = 80, 80  # characters around a mention in which a claim is looked for

_GOOD_SUPERLATIVE = r"best|safest|optimal|wisest"
_BAD_SUPERLATIVE = r"worst|riskiest|poorest|deadliest"
_GOOD_ADJECTIVE = r"good|better|safe|safer|ideal|excellent|superior|perfect|great|wise|sensible|promising|favou?rable"
_BAD_ADJECTIVE = (
    r"bad|worse|damaging|harmful|dangerous|risky|riskier|unsafe|fatal|deadly|terrible|awful|poor|poorer|inferior|"
    r"suboptimal|sub-optimal|hopeless|disastrous|unfavou?rable|unwise|detrimental"
)
_GOOD = rf"{_GOOD_SUPERLATIVE}|{_GOOD_ADJECTIVE}"
_BAD = rf"{_BAD_SUPERLATIVE}|{_BAD_ADJECTIVE}"
_SAID = rf"(?:(?P<good>{_GOOD})|(?P<bad>{_BAD})|(?P<wrong>wrong|incorrect|avoided|rejected|excluded|runner-?\s?up))"
_SUPERLATIVE = (
    rf"(?:(?P<good>{_GOOD_SUPERLATIVE}|(?:most|more)\s+(?:{_GOOD_ADJECTIVE}))"
    rf"|(?P<bad>{_BAD_SUPERLATIVE}|(?:most|more)\s+(?:{_BAD_ADJECTIVE})))"
)
_NOUN = r"(?:actions?|states?|options?|moves?|choices?|directions?|ones?|answers?|things?)"
_COPULA = (
    r"(?:is|are|was|were|being|seems|looks|appears|remains"
    r"|(?:would|will|could|can|may|might|must|should|has\s+to|needs\s+to|ought\s+to)\s+(?:(?:\w+ly|always|best|only)\s+)?be)"
)
_DEGREE = (
    r"(?P<degree>(?:(?:the|an?|by|far|very|most|more|much|too|to|be|quite|rather|so|also|always|often|just|one|of|from|"
    r"your|our|my|here|second|third|next|least|less|hardly|barely|scarcely|almost|nearly|\w+ly)[\s-]+){0,5}?)"
)
_TAKEN_BACK: Final = re.compile(
    r"\b(?:second|third|next|hardly|barely|scarcely|almost|nearly|far\s+from)\b", re.IGNORECASE
)
_TURNED: Final = re.compile(r"\b(?:least|less)\b", re.IGNORECASE)
_OPENS = r"[\s)\]]{1,8}"

_CLAIMED_AFTER: Final = re.compile(
    rf"{_OPENS}(?:{_NOUN}\s+)?{_COPULA}\s+{_DEGREE}{_SAID}\b(?P<tail>\s+avoided\b)?(?!\s+case)", re.IGNORECASE
)
"""``up is clearly the worst``, ``up should be avoided``."""
_LABELLED_AFTER: Final = re.compile(
    rf"[\s,;:(\[=–—-]{{1,5}}(?:(?:the|an?|my|which|it|that|this|is|as|\w+ly)\s+){{0,4}}?{_SUPERLATIVE}\b(?!\s+case)",
    re.IGNORECASE,
)
"""``up (worst)``, ``up, the worst action``: superlatives only, since other words may be about something else."""
_TAGGED_AFTER: Final = re.compile(
    rf"[\s)\]]{{0,4}}(?:[:=(\[]|[-–—=]{{1,2}}>?|→)\s{{0,4}}(?:(?:an?|the|very|too|clearly)\s+){{0,3}}{_SAID}\b(?!\s+case)",
    re.IGNORECASE,
)
"""``up (bad)``, ``up = wrong``: a word right after a sign that says what the option is."""
_CLAIMED_BEFORE: Final = re.compile(
    rf"\b(?P<degree>(?:(?:not|never|second|third|next|least|less|the|an?)[\s-]+){{0,3}}?){_SAID}(?!\s+case\b)"
    rf"(?:\s+(?!(?:not|never)\b)[\w-]+){{0,4}}?(?:\s+(?:{_COPULA}|to)\b|\s*[:=(]|\s*[-=]>)\s*"
    r"(?:(?:to|go|going|move|moving|the|an?|action|state|option|choose|choosing|take|taking|pick|picking)\s+){0,3}$",
    re.IGNORECASE,
)
"""``the worst action is up``, ``best: up``, ``it is dangerous to go up``."""
_PRONOUN: Final = re.compile(r"\b(?:it|this|that|which)\b", re.IGNORECASE)
_CONTRACTED: Final = re.compile(r"\A\s*[’']?s\b")
_ABOUT_ELSE: Final = re.compile(r"\s+(?:to|that|for|if|when|here|there|elsewhere)\b", re.IGNORECASE)
"""``It is dangerous to stay`` says nothing of what was named before."""
_DENIED: Final = re.compile(r"\b(?:not|never)\b", re.IGNORECASE)


def contradicts(text: str, start: int, end: int, wanted: Wanted) -> bool:
    """Return whether the text says of what it names that it is not what is wanted.

    Parameters
    ----------
    text
        A text that names an option.
    start, end
        Where.
    wanted
        What was asked for.
    """
    fine = {"good", "bad"} if wanted == "either" else {wanted}
    return not claims(text, start, end) <= fine


def claims(text: str, start: int, end: int) -> set[str]:
    """Return what a text says of what it names there: any of ``good``, ``bad`` and ``denied``."""
    before = text[max(0, start - _BEFORE) : start].translate(_DECORATION)
    after = text[end : end + _AFTER].translate(_DECORATION)
    found = (
        _CLAIMED_AFTER.match(after),
        _LABELLED_AFTER.match(after),
        _TAGGED_AFTER.match(after),
        _CLAIMED_BEFORE.search(before),
    )
    return {claim for claim in map(_claim, found) if claim is not None}


def opposite_later(text: str, start: int, wanted: Wanted) -> bool:
    """Return whether a text says of what it has named, as "it", that it is not wanted: ``up. That is the worst``.

    Parameters
    ----------
    text
        A text that names an option.
    start
        Where the option's name ends.
    wanted
        What was asked for.
    """
    fine = {None, "good", "bad"} if wanted == "either" else {None, wanted}
    for pronoun in _PRONOUN.finditer(text, start):
        after = text[pronoun.end() : pronoun.end() + _AFTER].translate(_DECORATION)
        after = _CONTRACTED.sub(" is", after, count=1)
        match = _CLAIMED_AFTER.match(after)
        if match is not None and not _ABOUT_ELSE.match(after, match.end()) and _claim(match) not in fine:
            return True
    return False


def _claim(match: re.Match[str] | None) -> str | None:
    """Return ``good``, ``bad``, ``denied``, or None without a claim."""
    if match is None:
        return None
    named = match.groupdict()
    degree = named.get("degree") or ""
    if named.get("wrong") or named.get("tail") or _TAKEN_BACK.search(degree) or _DENIED.search(degree):
        return "denied"
    good = named.get("good") is not None
    return "good" if good != bool(_TURNED.search(degree)) else "bad"
