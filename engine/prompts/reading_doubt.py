"""What a text says against the answer that it gives: negations, doubts, second thoughts (methods.md 1.4).

A text that holds more than its answer is looked at clause by clause. From the clause of the answer on, a negation or a
word such as "but" takes the answer back, unless it belongs to a reason ("because it does not slip"); words of doubt
do so wherever they stand. What is undecided here makes a reply invalid, which is safe; a pass would not be.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_AUXILIARY = r"is|are|was|were|do|does|did|has|have|had|would|could|should|must|will|wo|ca|might|need"
_NOT = rf"(?:not|never|cannot|(?:{_AUXILIARY})n['’]?t)"
_WAYS = (
    r"(?:paths?|ways?|routes?|runs?|alternatives?|detours?|trajector(?:y|ies)|walks?|steps?|moves?|actions?|states?|exits?"
    r"|one|chance|risk|danger|exception)"
)
_CALM: Final = re.compile(
    rf"\bthere\s+(?:(?:is|are|was|exists?)\s+)?(?P<there>{_NOT})(?=\s+(?:any|an?|another|enough)\b)"
    r"|\bthere\s+(?:is|are)\s+(?P<nothing>no)(?=\s+(?!_)(?!(?:right|correct|best|good|better|answer|such|clear|sense|reason|way\s+to"
    r"|telling)\b)\w)"
    rf"|\b(?P<no>no|without(?:\s+a)?)\s+(?:(?:other|safe|single|such|further|direct|possible|shorter|better)\s+){{0,2}}{_WAYS}\b"
    r"|\b(?:is|are)\s+(?P<way>impossible|not\s+possible)\s+to\s+(?:avoid|bypass|circumvent|skip|miss|get|go|reach)\b"
    r"|\b(?P<avoid>cannot|can\s*not|can['’]?t)\s+(?:be\s+)?(?:avoid|bypass|circumvent|skip|miss)(?:ed|s|p?ed)?\b"
    r"|\b(?P<other>no)\s+other\b(?!\s+(?:answer|option))"
    rf"|\b(?P<needed>{_NOT}|can['’]?t|no)(?=(?:\s+[\w-]+){{1,6}}\s+without\s+(?:it|this|passing|going|visiting|crossing)\b)"
    rf"|\bwithout\s+(?:it|this|passing\s+\w+|going\s+\w+),?(?:\s+[\w-]+){{1,6}}?\s+(?P<lost>cannot|can\s*not|can['’]?t|no|never|not)\b"
    r"|\b(?:no|without(?:\s+a)?|beyond(?:\s+any)?)\s+(?P<doubt>doubt)\b",
    re.IGNORECASE,
)
"""Negations that are about ways and chances, as in ``there is no way around it``, not about the answer."""

_DOUBT: Final = re.compile(
    rf"[✗✘✖❌🚫⛔👎≠]|!=|\b(?:a\s+lie|doubt(?:s|ed|ful)?|unsure|uncertain|undecided|(?:{_NOT})\s+(?:\w+\s+)?(?:sure|certain|confident|convinced)"
    rf"|(?:{_NOT}|can['’]?t)\s+(?:really\s+)?(?:say|tell|know|decide)|lying"
    r"|no\s+(?:idea|clue)|unknown|wrong|incorrect|untrue|inaccurate|mistakes?|mistaken|error|opposite|contrary|contradict\w*"
    r"|revers\w+|inver(?:se|ted)\w*|second\s+thoughts?|never\s?mind|scratch\s+that|take\s+(?:that|it)\s+back|retract\w*|disregard|ignore"
    r"|corrections?|hm+|whichever|whatever|guess\w*|coin|at\s+random|it\s+depends|ties?|tied|equally|kidding|joking"
    rf"|(?:both|neither)(?!\s+{_WAYS}\b)|maybe|perhaps|possibly|(?:might|could|may)\s+(?:as\s+well\s+)?be)\b",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    rf"\b(?:{_NOT}|\w{{2,8}}n['’]t|no|none|nor|neither|nope|nah|false|hardly|barely|scarcely|unlikely|impossible"
    r"|rejected|denied|(?:it|this|that)\s+(?:fails|(?:can|could|may)\s+be\s+(?:avoid|bypass|circumvent|skipp)ed))\b",
    re.IGNORECASE,
)
_BARE_NEGATION: Final = re.compile(r"\W{0,20}(?:do\s?n['’]?t|do\s+not|no|nope|not|never|false)\W{0,20}", re.IGNORECASE)
_TURN: Final = re.compile(
    r"\b(?:but(?!\s+not\b)|however|although|though|unless|except\w*|or|either|actually|wait)\b",
    re.IGNORECASE,
)
_EVEN_AS_REASON: Final = re.compile(
    rf"\b(?:it|this|that)(?:(?:['’]s|\s+is|\s+was)\s+(?:\w+ly\s+)?(?:not|never|no)|\s+(?:is|was)n['’]?t)\b"
    rf"|\b(?:it|this|that)\s+(?:(?:{_AUXILIARY}|can)\s+)?{_NOT}\s*$"
    rf"|\b(?:{_NOT}|no)\s+(?:\w+\s+){{0,3}}?(?:best|good|right|correct|optimal|safe|better|true|answer|so)\b"
    r"|\b(?:false|not)\s*$",
    re.IGNORECASE,
)
_SELDOM = (
    r"(?:mostly|mainly|largely|usually|generally|typically|commonly|often|sometimes|occasionally|rarely|seldom|partly|partially"
    r"|probably|presumably|arguably|likely|(?:almost|nearly)\s+(?:always|every|all|certainly)|not\s+(?:necessarily|always|entirely|quite)"
    r"|in\s+(?:most|some|many|part|theory|principle)\b(?:\s+(?:cases|runs))?|to\s+some\s+extent|more\s+or\s+less|kind\s+of|sort\s+of"
    r"|only\s+(?:in|on|for|some|if|when|sometimes|sort\s+of|just))"
)
_WEAK_YES: Final = re.compile(rf"\b{_SELDOM}\b", re.IGNORECASE)
_WEAK_NO: Final = re.compile(rf"\b{_SELDOM}[\s,_]*(?=_)|\A[\s,(_-]*{_SELDOM}\W*\Z", re.IGNORECASE)
"""What makes half a yes or no of one: ``mostly yes``. "No, sometimes one slips past it" is a whole no."""
_BECAUSE: Final = re.compile(r"\b(?:because|since|due\s+to)\b", re.IGNORECASE)
_AVOIDED: Final = re.compile(
    r"\bavoid(?:\s+(?:it|this|that)\b|\s*(?:$|[:,.!\n]))|\b(?:refrain|stay\s+off|keep\s+off|steer\s+clear)\b",
    re.IGNORECASE,
)
"""What rejects an option, while one that "avoids the hole" is recommended."""
_AFFIRMED: Final = re.compile(
    r"^\W{0,9}(?:\w+ly\s+)?(?:is|are|does|will)\s*$|\b(?:it|this|that|they|which|state(?:\s+\w+)?)(?:['’]s|\s+(?:\w+ly\s+)?(?:is|are|does|do|will|can|has|was|holds))"
    r"(?:\s+(?:\w+ly|indeed|in\s+fact|so|true|right|correct|one|always))*\s*$"
    r"|\b(?:is|are|['’]s)\s+(?:(?:\w+ly|indeed|in\s+fact|clearly)\s+)?(?:an?\s+|the\s+|one\s+)?"
    r"(?:bottlenecks?|true|correct|right|necessary|required|unavoidable|inevitable|mandatory|essential)\b",
    re.IGNORECASE,
)
"""What speaks for a yes: ``it is``, ``this is a bottleneck``."""
_REASON = r"(?:because|since|as|due\s+to|given)"
_BREAK: Final = re.compile(
    rf"(?P<full>[;!?\n]|\.(?=\s|$)|…|\.\.+)|[:()]|,(?=\s|$)|\s[-–—]+\s|—|\s(?={_REASON}\b)", re.IGNORECASE
)
_GIVES_REASON: Final = re.compile(rf"\W{{0,20}}(?:and\s+)?{_REASON}\b", re.IGNORECASE)
_RETRACTED: Final = re.compile(
    rf"\b(?:(?:that|this|it|(?:the|my)\s+answer(?:\s+above)?|the\s+above)(?:['’]s|\s+(?:is|was))\s+(?:\w+ly\s+)?"
    r"(?:wrong|incorrect|false|mistaken|not\s+(?:right|correct|true|the\s+answer|it))"
    r"|scratch\s+that|(?:on|having)\s+second\s+thoughts?|correction|(?:i\s+)?take\s+(?:that|it)\s+back|wait\s*[,.:!—-]"
    r"|actually\s*[,:]?\s*(?:no|not|it|the)|(?:ignore|disregard)\s+(?:that|this|the)|never\s?mind"
    r"|sorry|oops|whoops|my\s+(?:mistake|bad)|i\s+mean[t]?|(?:should|must|ought\s+to)\s+(?:be|have\s+been|read)(?!\s+(?:noted|clear|mentioned|emphasi[sz]ed))"
    r"|(?:that|this|it)\s+(?:is|was)\s+not\s+(?:right|correct|true)"
    rf"|i\s+(?:was\s+wrong|made\s+an?\s+(?:mistake|error)|doubt|am\s+(?:not\s+sure|unsure)|{_NOT}\s+(?:know|think\s+so)))"
    r"(?!\w)",
    re.IGNORECASE,
)


def without_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text, of the same length, with spans blanked out: an option may be called ``wait`` or ``no``."""
    parts, done = [], 0
    for start, end in spans:
        parts += [text[done:start], "_" * (end - start)]
        done = end
    return "".join([*parts, text[done:]])


def calmed(text: str) -> str:
    """Return the text, of the same length, without negations that are about ways and chances."""
    return without_spans(text, (match.span(match.lastgroup or 0) for match in _CALM.finditer(text)))


def taken_back(text: str, start: int, polar: Literal["yes", "no"] | None = None) -> bool:
    """Return whether a text that gives one answer says something against it.

    Parameters
    ----------
    text
        The text, with the answer's own words blanked out.
    start
        Where the answer is first named.
    polar
        The answer itself if the question wants a yes or a no: further negations agree with a "no".
    """
    calm = calmed(text)
    if _DOUBT.search(calm) or "?" in calm[start:] or (polar is None and _AVOIDED.search(calm)):
        return True
    if polar is not None and (_WEAK_YES if polar == "yes" else _WEAK_NO).search(_BECAUSE.split(calm, maxsplit=1)[0]):
        return True
    for begin, end, reason in _clauses(calm):
        clause, own = calm[begin:end], begin <= start <= end
        before = calm[begin:start] if own else clause
        if (own and _NEGATION.search(before)) or (end < start and _BARE_NEGATION.fullmatch(before)):
            return True
        free = end < start or (reason and not own)
        if end < start and polar is None:
            continue
        if (not free and _TURN.search(clause)) or _against(clause, polar, free=free):
            return True
    return False


def doubted(text: str) -> bool:
    """Return whether a text holds words of doubt or of taking back: ``maybe``, ``wrong``, ``equally``."""
    return _DOUBT.search(text) is not None


def retracted(text: str) -> bool:
    """Return whether what follows an answer in a reply takes it back: ``Wait, that is wrong``."""
    return _RETRACTED.search(text) is not None


def _against(clause: str, polar: Literal["yes", "no"] | None, *, free: bool) -> bool:
    """Return whether a clause contradicts the answer; one that is free may hold negations about something else."""
    if polar == "no":
        return _AFFIRMED.search(clause) is not None and _NEGATION.search(clause) is None
    return (_EVEN_AS_REASON if free else _NEGATION).search(clause) is not None


def _clauses(text: str) -> Iterator[tuple[int, int, bool]]:
    """Return begin and end of each clause, and whether it gives a reason; a reason goes on to the sentence's end."""
    begin, reason = 0, False
    for match in _BREAK.finditer(text):
        reason = _is_reason(text, begin, reason=reason)
        yield begin, match.start(), reason
        begin, reason = match.end(), reason and match["full"] is None
    yield begin, len(text), _is_reason(text, begin, reason=reason)


def _is_reason(text: str, begin: int, *, reason: bool) -> bool:
    return reason or _GIVES_REASON.match(text, begin) is not None
