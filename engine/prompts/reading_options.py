"""Reading one of a few options: forgiving about form, strict about content (methods.md 1.4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from engine.prompts.reading_claims import contradicts, opposite_later
from engine.prompts.reading_doubt import calmed, taken_back, without_spans
from engine.prompts.reading_reasons import is_clear, reason_begins, undone, without_concession, without_lesser
from engine.prompts.reading_value import Value, ambiguous, blank, unparsable
from engine.prompts.reading_words import idioms_in, inside, is_plain_word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.prompts.reading_claims import Wanted

    Synonyms = Mapping[str, Sequence[str]]

DECORATION = " \t\r\n\"'`*_“”‘’«»()[]{}<>.,;:!"
_YES_NO_WORDS = {"yes": ("true", "y"), "no": ("false", "n")}
_DETERMINERS = {"no", "true", "false"}
_AFTER_A_NAME = "is|has|because|since|as|would|leads|looks|seems|and|or|then|followed|before|not|cannot"
_SPACE = r"[^\w.,:;!?\n]+"  # a denial reaches no further than its clause
_DENIAL = re.compile(
    r"\b(?:not|never|avoid(?:s|ing)?|(?:away|apart|aside)\s+from|clear\s+of|without|except|neither|nor|cannot|\w{2,8}n['’]t|instead\s+of|rather\s+than|than"
    r"|(?:all|any|anything|everything|nothing)\s+but)"
    rf"(?:{_SPACE}\w+){{0,2}}{_SPACE}$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"[\s'\"`*_)]{1,8}(?:(?:action|state|option|one)\s+)?(?:cannot|(?:is|are|was|were|would|should|could|can|may|might|must|do|does|did|"
    r"will|has|have)(?:n['’]t|\s+(?:\w+\s+)?(?:not|never|no)))\b",
    re.IGNORECASE,
)
"""What takes back the option before it: ``left is not the best``."""
_WORDS_THEMSELVES = ("a", "A", "i", "I")
"""Letters that are words, and may be meant as such."""
_NEGATED_NAME = re.compile(r"\s*[!¬~≠]\w")
_SIGNS_OF_DENIAL = ("!", "¬", "~", "≠", "≠ ")
_LESSER = re.compile(
    r"(?:\b(?:over|beats?|above|ahead\s+of|outperforms?|dominates|exceeds?|outranks?|surpass(?:es)?|trumps?|tops|defeats?"
    r"|prefer(?:red|able|s)?\s+to|superior\s+to|versus|vs\.?|against|compared\s+(?:to|with)|wins\s+(?:over|against)"
    r"|instead\s+of|in\s+place\s+of|no|lose|skip|reject|rejecting|exclude|excluding|minus)|[<>≤≥≺≻])\s*"
    r"[\"'`*_(]*(?:(?:the|action|state|option|going|go|moving|move)\s+){0,3}[\"'`*_(]*$",
    re.IGNORECASE,
)
"""What makes the option after it the lesser one, whatever it is compared with: ``that over left``."""
_LOSES = re.compile(
    r"[\s\"'`*_)]{1,8}(?:(?:would\s+|will\s+)?loses?|lost|pales|fails|comes\s+(?:second|last|next)|(?:is|gets|was)\s+(?:beaten|outperformed|dominated|outranked|surpassed|second|last|out)"
    r"|[<≺≤]|falls\s+(?:short|behind))",
    re.IGNORECASE,
)
_HAS_LESS = re.compile(
    r"[\s\"'`*_)]{1,8}(?:is|has|gives|offers|looks|seems)\s+(?:(?:\w+ly|an?|the|much|far)\s+){0,3}(?:less|fewer|lower|smaller)\b"
    r"(?!\s+(?:risk\w*|danger\w*|harm\w*|damag\w*|bad|unsafe|costs?|holes?|steps?))",
    re.IGNORECASE,
)
_TITLED = re.compile(r"(?:the\s+)?(?:state|option|answer|choice)\s+([a-z])", re.IGNORECASE)
"""A letter with its title, in whatever case: ``state a``."""
_WINDOW = 40  # characters before a mention in which a denial is looked for


class Mention(NamedTuple):
    """A place in a text that names an option, or several where a word stands for more than one.

    Attributes
    ----------
    options
        What is named.
    start, end
        Where.
    denied
        Whether a denial belongs to it: ``not left``, ``left is not …``.
    """

    options: tuple[str, ...]
    start: int
    end: int
    denied: bool

    @property
    def span(self) -> tuple[int, int]:
        """Where it begins and ends."""
        return self.start, self.end


def read_option(text: str, options: Sequence[str], synonyms: Synonyms, wanted: Wanted | None = None) -> Value:
    """Read an option from a short text, or from prose that names exactly one.

    Parameters
    ----------
    text
        The answer field's text, or all the prose there is.
    options
        What is on offer; an option's own text wins over any synonym.
    synonyms
        Option → other words for it; those of options that are not on offer are ignored.
    wanted
        What the question asks for: a text that claims the opposite of the option that it names is no answer. None for
        an item of a list, which may well say ``up (the worst)``.
    """
    whole = whole_option(text, options, synonyms)
    if whole is not None:
        return Value(whole)
    if not text.strip(DECORATION):
        return blank()
    asked: Wanted | None = "either" if wanted and set(options) <= set(_YES_NO_WORDS) else wanted
    if asked in {"good", "bad"}:
        spans = [mention.span for mention in find_mentions(text, options, synonyms)]
        text = without_concession(text, spans, asked)
        text = without_lesser(text, spans, [mention.span for mention in _perhaps(text, options, synonyms)], asked)
        claimed = _claimed(text, options, synonyms, asked)
        if claimed is not None:
            return claimed
    return _only_named(text, options, synonyms, asked)


def _claimed(text: str, options: Sequence[str], synonyms: Synonyms, asked: Wanted) -> Value | None:
    """Read a clear claim of one option before a reason that may name others; None where there is none."""
    mentions = find_mentions(text, options, synonyms)
    begin = reason_begins(text, mentions[0].end) if mentions else None
    if begin is None:
        return None
    value = _only_named(text[:begin], options, synonyms, asked)
    before = [mention.span for mention in mentions if mention.end <= begin]
    if value.answer is None or not is_clear(without_spans(text[:begin], before)):
        return None
    perhaps = _perhaps(text, options, synonyms)
    named = [mention.span for mention in perhaps if mention.options == (value.answer,)]
    others = [mention.span for mention in perhaps if mention.options != (value.answer,)]
    return None if undone(text, begin, named, others, asked) else value


def _only_named(text: str, options: Sequence[str], synonyms: Synonyms, asked: Wanted | None) -> Value:
    """Read the only option that a text names, if nothing in it is said against that one."""
    named: dict[str, bool] = {}
    mentions = find_mentions(text, options, synonyms)
    for mention in mentions:
        for option in mention.options:
            contradicted = asked is not None and contradicts(text, mention.start, mention.end, asked)
            denied = mention.denied or contradicted
            named[option] = named.get(option, False) or denied
    if not named:
        return unparsable(f"the answer names none of the options: {', '.join(options)}")
    several = [*named, *(option for option in perhaps_named(text, options, synonyms) if option not in named)]
    if len(several) > 1:
        return ambiguous(f"the answer names several options: {', '.join(several)}")
    option, denied = next(iter(named.items()))
    polar: Literal["yes", "no"] | None = ("yes" if option == "yes" else "no") if asked == "either" else None
    if denied or _against(text, mentions, asked, polar):
        return ambiguous(f"the answer names only '{option}', next to a denial, a doubt or a claim of the opposite")
    return Value(option)


def _against(text: str, mentions: list[Mention], asked: Wanted | None, polar: Literal["yes", "no"] | None) -> bool:
    """Return whether a text that names one option says something against it."""
    first = mentions[0]
    if text[: first.start].endswith(_SIGNS_OF_DENIAL) or _LESSER.search(text[: first.start][-_WINDOW:]):
        return True
    lesser = (_LOSES, _HAS_LESS) if asked == "good" else (_LOSES,)
    if any(sign.match(text, mention.end, mention.end + _WINDOW) for mention in mentions for sign in lesser):
        return True
    if asked is not None and asked != "either" and opposite_later(text, first.end, asked):
        return True
    return taken_back(without_spans(text, ((each.start, each.end) for each in mentions)), first.start, polar)


def whole_option(text: str, options: Sequence[str], synonyms: Synonyms) -> str | None:
    """Return the option that the whole text is, apart from case and decoration; None if it is none or several."""
    if text in options:
        return text
    if _NEGATED_NAME.match(text):
        return None
    bare = text.strip(DECORATION)
    if not bare:
        return None
    titled = _TITLED.fullmatch(bare)
    found = _option_called(bare, options, synonyms)
    return found if found is not None or titled is None else _option_called(titled[1], options, synonyms)


def _option_called(bare: str, options: Sequence[str], synonyms: Synonyms) -> str | None:
    for matches in (
        [option for option in options if option.strip(DECORATION) == bare],
        [option for option in options if _folded(option) == _folded(bare)],
        [option for option in options if _folded(bare) in map(_folded, _words_for(option, synonyms))],
    ):
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None


def find_mentions(text: str, options: Sequence[str], synonyms: Synonyms) -> list[Mention]:
    """Return the places that name options, in the text's order."""
    pattern, options_of = _mentions(options, synonyms)
    found, idioms = [], idioms_in(text)
    for match in pattern.finditer(text):
        start, end = match.span()
        if inside(start, end, idioms):
            continue
        word = match.group()
        named = options_of.get(word if len(word) == 1 else _folded(word)) or options_of.get(word.upper(), ())
        denied = _DENIAL.search(text, max(0, start - _WINDOW), start) or _DENIED_AFTER.match(text, end, end + _WINDOW)
        if named:
            found.append(Mention(named, start, end, denied is not None))
    return found


def _mentions(options: Sequence[str], synonyms: Synonyms) -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    """Return a pattern of all that names an option, and the options that each text names.

    A single character counts only where it is an option itself, in its own case: ``A`` is an option, while the
    ``d`` of ``I'd`` and the article ``a`` are not. What is left out here may still be meant: `perhaps_named`.
    """
    options_of: dict[str, tuple[str, ...]] = {}
    for option in options:
        key = option if len(option) == 1 else _folded(option)
        options_of[key] = (*options_of.get(key, ()), option)
    own = set(options_of)
    for option in options:
        for key in {_folded(word) for word in _words_for(option, synonyms)} - own:
            if len(key) > 1:
                options_of[key] = (*options_of.get(key, ()), option)
    words = sorted(filter(None, options_of), key=len, reverse=True)
    if not words:
        return re.compile(r"(?!)"), {}
    named = "|".join(map(_named_by, words))
    # The point of a numbered list may stand right before a name; that of a file's name may not.
    return re.compile(rf"(?<![\w#])(?<!\w['’])(?<![^\W\d][-.])(?<!\d-)(?:{named})(?![\w#]|['’.-]\w)"), options_of


def _named_by(word: str) -> str:
    """Return a pattern of the word in prose: in any case, its parts apart by any white space.

    The article of "A state" names no option, and neither does the determiner of "there is no way".
    """
    if len(word) == 1:
        if not word.isalpha():
            return re.escape(word)
        if word not in _WORDS_THEMSELVES:
            return rf"{word}{_titled(word)}"
        return rf"{word}(?!\s+(?!(?:{_AFTER_A_NAME})\b)[a-z]){_titled(word)}"
    pattern = r"\s+".join(map(re.escape, word.split(" ")))
    return rf"(?i:{pattern}(?!\s+(?!(?:{_AFTER_A_NAME})\b)\w))" if word in _DETERMINERS else rf"(?i:{pattern})"


def _titled(word: str) -> str:
    """Return a pattern, as an alternative, of a letter in the other case right after its title: ``state b``."""
    return rf"|(?<=[Ss]tate )(?i:{word})(?=[^\w\s]|\s*$|\s+(?:{_AFTER_A_NAME})\b)" if word.isupper() else ""


def perhaps_named(text: str, options: Sequence[str], synonyms: Synonyms) -> list[str]:
    """Return the options that a text may name, however it is written: ``a over B``, ``A's``, ``l``, ``upwards``.

    This is no way to read an answer, but beside a named option any other one of these makes it unclear which is meant.
    """
    there = {option for mention in _perhaps(text, options, synonyms) for option in mention.options}
    return [option for option in options if option in there]


def _perhaps(text: str, options: Sequence[str], synonyms: Synonyms) -> list[Mention]:
    """Return the places that may name an option, in the text's order."""
    options_of: dict[str, tuple[str, ...]] = {}
    for option in options:
        for word in dict.fromkeys(map(_folded, (option, *_words_for(option, synonyms)))):
            options_of[word] = (*options_of.get(word, ()), option)
    options_of.pop("", None)
    if not options_of:
        return []
    words = "|".join(map(_loosely, sorted(options_of, key=len, reverse=True)))
    calm, idioms = calmed(text), idioms_in(text)
    found = re.finditer(rf"(?<!\w['’])(?P<word>{words})", calm, re.IGNORECASE)
    return [
        Mention(options_of.get(_folded(match["word"]), ()), *match.span(), denied=False)
        for match in found
        if not (is_plain_word(text, *match.span()) or inside(*match.span(), idioms))
    ]


def _loosely(word: str) -> str:
    """Return a pattern of a word and what may be appended to it; digits end where letters begin."""
    before = r"(?<!\d)" if word[0].isdigit() else r"(?<![^\W_])(?<!\w\.)"
    after = r"(?!\d)" if word[-1].isdigit() else r"(?=(?:wards?|['’]s)?(?![^\W_]|\.\w))"
    return before + r"\s+".join(map(re.escape, word.split(" "))) + after


def _words_for(option: str, synonyms: Synonyms) -> tuple[str, ...]:
    return (*synonyms.get(option, ()), *_YES_NO_WORDS.get(option, ()))


def _folded(text: str) -> str:
    return " ".join(text.strip(DECORATION).casefold().split())
