"""Where a claim ends and its reason begins, and whether the reason takes the claim back (methods.md 1.4).

"B is safer, because A is next to a hole" claims B; A is only named in the reason. A claim has to be clear, made of
nothing but the option and words such as "the best action is"; then its reason may name other options and hold negations
about ways and holes. Whatever here is unclear is left to the strict reading of the whole text, which refuses it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from engine.prompts.reading_claims import claims, opposite_later
from engine.prompts.reading_doubt import calmed, doubted, without_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.prompts.reading_claims import Wanted

    Span = tuple[int, int]

_WINDOW: Final = 60  # characters before an option in which it may be given as the answer

_BEGINS: Final = re.compile(
    r"[\s,;(*_\"'`)]+(?:because|since|due\s+to|so\s+that|unlike|whereas|while|for(?=\s+(?:it|its|there|this|the|from|going|moving)\b))\b"
    r"|,[*_\"'`\s]*(?:which|as(?!\s+(?:well|if|though)\b)(?!\s+\w+\s+as\b))\b"
    r"|\s+as(?=\s+(?:it|its|this|that|there|from|all|they|we|one|going|moving|the\s+others?)\b)"
    r"|[*_\"'`)]{0,3}(?:[.!](?=\s+\S)|\n(?=\s*\S))|\s+[-–—]+\s+|\s?—\s?",
    re.IGNORECASE,
)
"""What a reason, or a sentence after the claim, begins with."""
_DASHED: Final = re.compile(r"\s*[-–—]")
_CLAIM_WORDS: Final = frozenset(
    """
    a action agent an answer be believe best better bottleneck case chance choice choose choosing clear clearly
    correct d damaging danger dangerous definitely direction final for go goal going has have hence here higher
    highest i ideal in is its least less lower lowest me more most move moving my of one ones optimal option our
    pick picking probability probable promising q reach reaching risk riskier riskiest s safe safer safest say
    select should so state step success take taking the therefore think this thus to two v value we wins with
    worse worst would you your
    """.split()  # noqa: SIM905  # a list of literals would be as many lines as words
)
"""What a claim may consist of beside its option, and be clear."""
_WORD: Final = re.compile(r"[^\W_]+")
_EXPLAINS: Final = re.compile(
    r"\b(?:risk\w*|holes?|slip\w*|fall\w*|fell|danger\w*|unsafe|lower|less|worse|worst|bad|than|whereas|while|unlike|lead\w*|lose[sd]?"
    r"|losing|further|farther|dead|traps?|trapped|not|never|cannot|can['’]?t|wo?n['’]?t|does\s?n['’]?t|may|value|walls?|riskier|die[sd]?"
    r"|death|avoid\w*|away)\b",
    re.IGNORECASE,
)
"""What a sentence in a reason has that says why another option was not chosen."""
_OFFERS: Final = re.compile(
    r"\b(?:answer|choice|choose|chose|pick|select|prefer|recommend\w*|take|go\s+(?:with|for)|also|too|likewise|as\s+well|same|equal\w*"
    r"|alike|alternative\w*|instead(?!\s+of)|rather(?!\s+than)|final\w*|therefore|thus|hence|so(?!\s+that)|should|would|must|let['’]?s"
    r"|meant?|sorry|oops|whoops|correct\w*|right\s+one|second|i['’]?d|we|i)\b",
    re.IGNORECASE,
)
"""What makes more of another option than a part of a reason."""
_TURNS: Final = re.compile(
    r"\b(?:but(?!\s+not\b)|however|although|though|unless|except\w*|actually|wait|instead(?!\s+of)|rather(?!\s+than)|sorry|oops|whoops"
    r"|meant|should\s+(?:be|have)|(?:should|must|would)\s*(?:not|n['’]t)|ought\s+not|alternatively|nope|nah"
    r"|(?:not|never|n['’]t)\s+(?:\w+\s+)?(?:recommend\w*|choose|pick|select|advi[sc]\w*|suggest\w*|want|think|agree|believe|go|take|do)"
    r"|no\s+one|nobody|refuse|disagree)\b",
    re.IGNORECASE,
)
_DENIES_IT: Final = re.compile(
    r"\b(?:it|this|that|which)(?:(?:['’]s|\s+is|\s+was)\s+(?:\w+ly\s+)?(?:not|never|no)|\s+(?:is|was)n['’]?t)"
    r"\s*(?:\Z|[^\w\s]|(?:it|that|the|my|our|what|so|one|an?\s+(?:option|good|answer)|recommended|advisable|allowed|available|valid|possible)\b)"
    r"|\b(?:it|this|that)\s+(?:does|did|has|is|was|will|would|can)\s*(?:not|n['’]t)\s*(?:\Z|[^\w\s])"
    r"|\b(?:not|never|no|n['’]t)\s+(?:\w+\s+){0,3}?(?:best|good|right|correct|optimal|better|true|answer|so)\b"
    r"|\b(?:not|never|n['’]t)\s+(?:\w+\s+)?safe\b|\b(?:false|not)\s*\Z",
    re.IGNORECASE,
)
_BARE_NO: Final = re.compile(r"\W*(?:no|not|nope|nah|never|none|neither|false|do\s?n['’]?t|do\s+not)\W*", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"[.!;\n](?=\s|\Z)")
_CLAUSE_END: Final = re.compile(r"[.!;:,\n()](?=\s|\Z)|\s[-–—]+\s|—")
_FAVOURED: Final = re.compile(
    r"[\s\"'`*_)]{1,8}(?:is|has|gives|offers|looks|seems|provides|yields|wins|beats|dominates)\b(?!\s+not\b)[^.;,!?\n]{0,40}?"
    r"\b(?:(?:higher|highest|greater|greatest|larger|bigger|more|most)(?!\s+(?:(?:chance|probability|likelihood)\s+of\s+)?"
    r"(?:likely\s+to\s+)?(?:risk\w*|danger\w*|hazard\w*|fall\w*|slip\w*|fail\w*|harm\w*|damag\w*))"
    r"|better|best|safe|safer|fine|good|optimal|winner|zero|no|lower|less|fewer|smaller|closer|nearer|shorter)\b",
    re.IGNORECASE,
)
"""``A has the higher value``: said of another option in a reason, it speaks for that one, or may."""
_COMPARED: Final = re.compile(
    r"[\s*_`\"')]{1,8}(?:(?:action|state|option|one)\s+)?(?:is|seems|looks|appears|remains|would\s+be)\s+(?:(?:an?|the|\w+ly|much|far|a\s+bit|a\s+little|a\s+lot|even)\s+){0,2}"
    r"(?:(?P<good>safer|better|preferable|wiser|more\s+(?:promising|favou?rable|advantageous)|less\s+(?:risky|dangerous|damaging|harmful))"
    r"|(?P<bad>worse|riskier|poorer|more\s+(?:dangerous|risky|damaging|harmful)|less\s+(?:promising|favou?rable|safe)))"
    r"(?P<than>(?:\s+(?:choice|option|state|action|move|one))?\s+than\s+(?:(?:the|to|going|go|moving|action|state|option)\s+){0,3}[\s\"'`*_]*)",
    re.IGNORECASE,
)
_HAS_MORE: Final = re.compile(
    r"[\s*_`\"')]{1,8}(?:has|gives|offers|yields)\s+(?:an?\s+)?(?:(?:\w+ly|much|far)\s+){0,2}(?:(?P<good>(?:better|higher|greater|larger)\s+"
    r"(?:(?:chance|probability|likelihood|odds)(?:\s+of\s+(?:reaching|getting\s+to|success|winning|arriving)(?:\s+(?:at|the|goal|it))*)|value)"
    r"|(?:lower|smaller)\s+(?:risk|danger))|(?P<bad>(?:higher|greater)\s+(?:risk|danger)))"
    r"(?P<than>\s+than\s+(?:(?:the|to|going|go|moving|action|state|option)\s+){0,3}[\s\"'`*_]*)",
    re.IGNORECASE,
)
_CONCEDED: Final = re.compile(
    r"\A\W{0,9}(?:both|the\s+two)\b(?:\s+(?:of\s+them|states|options|actions|moves|ones))?\s+(?:are|have|seem|look|lie|lead)\b[^.;:?!\n,]{0,80},\s*but\s+",
    re.IGNORECASE,
)


def without_concession(text: str, named: Sequence[Span], wanted: Wanted) -> str:
    """Return the text, of the same length, without what it grants both options before it claims one of them.

    ``Both states are close, but B is more promising``: what follows the "but" must say outright that the option is
    what was asked for.
    """
    match = _CONCEDED.match(text)
    if match is None or not named or named[0][0] < match.end() or claims(text, *named[0]) != {wanted}:
        return text
    granted = calmed(match[0])
    if re.search(r"\b(?:not|never|no|equally|same|tied?|wrong|maybe|perhaps)\b|n['’]t\b", granted, re.IGNORECASE):
        return text
    return " " * match.end() + text[match.end() :]


def without_lesser(text: str, named: Sequence[Span], others: Sequence[Span], wanted: Wanted) -> str:
    """Return the text, of the same length, without the option that the first one is said to be better than.

    Parameters
    ----------
    text
        A text.
    named
        Where it names options.
    others
        Where it may name options.
    wanted
        What was asked for: "B is safer than A" claims B where the good one is, and nothing where the bad one is.
    """
    if not named:
        return text
    for pattern in (_COMPARED, _HAS_MORE):
        match = pattern.match(text, named[0][1])
        if match is not None and match[wanted] is not None:
            end = next((stop for begin, stop in others if begin == match.end()), None)
            if end is not None:
                begin = match.start("than")
                return text[:begin] + " " * (end - begin) + text[end:]
    return text


def reason_begins(text: str, start: int) -> int | None:
    """Return where the reason begins that follows a claim whose option ends at `start`; None without a reason."""
    match = _BEGINS.search(text, start)
    return None if match is None or not _WORD.search(text, match.start()) else match.start()


def is_clear(claim: str) -> bool:
    """Return whether a claim, its option blanked out, is made of nothing but words that claim an option."""
    return all(word.isdigit() or word.lower() in _CLAIM_WORDS for word in _WORD.findall(claim))


def undone(text: str, begin: int, named: Sequence[Span], others: Sequence[Span], wanted: Wanted) -> bool:
    """Return whether the reason from `begin` on takes back what the text claims before it, or may do so.

    Parameters
    ----------
    text
        The whole text.
    begin
        Where the reason begins.
    named
        Where the text names the claimed option.
    others
        Where the reason may name other options.
    wanted
        What was asked for.
    """
    if others and _DASHED.match(text, begin):
        return True
    fine = {"bad" if wanted == "good" else "good", "denied"}
    for span in others:
        if claims(text, *span) - fine or _FAVOURED.match(text, span[1]):
            return True
    if any(claims(text, *span) - {wanted} for span in named) or opposite_later(text, begin, wanted):
        return True
    reason = calmed(without_spans(text, sorted({*named, *others})))[begin:]
    if doubted(reason) or "?" in reason or _TURNS.search(reason) or _DENIES_IT.search(reason):
        return True
    if any(_BARE_NO.fullmatch(clause) for clause in _CLAUSE_END.split(reason)):
        return True
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(reason)), len(reason)]
    places = sorted({bisect_right(ends, span[0] - begin) for span in others})
    return not all(_explains(reason[ends[place - 1] : ends[min(place, len(ends) - 1)]]) for place in places)


def _explains(sentence: str) -> bool:
    """Return whether a sentence that names another option in a reason says why that was not chosen."""
    return _EXPLAINS.search(sentence) is not None and _OFFERS.search(sentence) is None
