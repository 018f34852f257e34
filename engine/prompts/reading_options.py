"""Reading one of a few options: forgiving about form, strict about content (methods.md 1.4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from engine.prompts.reading_claims import contradicts
from engine.prompts.reading_value import Value, ambiguous, blank, unparsable

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
    named: dict[str, bool] = {}
    for mention in find_mentions(text, options, synonyms):
        for option in mention.options:
            contradicted = asked is not None and contradicts(text, mention.start, mention.end, asked)
            denied = mention.denied or contradicted
            named[option] = named.get(option, False) or denied
    if not named:
        return unparsable(f"the answer names none of the options: {', '.join(options)}")
    if len(named) > 1:
        return ambiguous(f"the answer names several options: {', '.join(named)}")
    option, denied = next(iter(named.items()))
    if denied:
        return ambiguous(f"the answer names only '{option}', next to a denial or to a claim of the opposite")
    return Value(option)


def whole_option(text: str, options: Sequence[str], synonyms: Synonyms) -> str | None:
    """Return the option that the whole text is, apart from case and decoration; None if it is none or several."""
    if text in options:
        return text
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
    found = []
    for match in pattern.finditer(text):
        start, end = match.span()
        word = match.group()
        named = options_of.get(word if len(word) == 1 else _folded(word)) or options_of.get(word.upper(), ())
        denied = _DENIAL.search(text, max(0, start - _WINDOW), start) or _DENIED_AFTER.match(text, end, end + _WINDOW)
        if named:
            found.append(Mention(named, start, end, denied is not None))
    return found


def _mentions(options: Sequence[str], synonyms: Synonyms) -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    """Return a pattern of all that names an option, and the options that each text names.

    A single character counts only where it is an option itself, in its own case: ``A`` is an option, while the
    ``d`` of ``I'd`` and the article ``a`` are not.
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
        titled = rf"|(?<=[Ss]tate )(?i:{word})(?=[^\w\s]|\s*$|\s+(?:{_AFTER_A_NAME})\b)" if word.isupper() else ""
        return rf"{re.escape(word)}(?!\s+(?!(?:{_AFTER_A_NAME})\b)[a-z]){titled}"
    pattern = r"\s+".join(map(re.escape, word.split(" ")))
    return rf"(?i:{pattern}(?!\s+(?!(?:{_AFTER_A_NAME})\b)\w))" if word in _DETERMINERS else rf"(?i:{pattern})"


def _words_for(option: str, synonyms: Synonyms) -> tuple[str, ...]:
    return (*synonyms.get(option, ()), *_YES_NO_WORDS.get(option, ()))


def _folded(text: str) -> str:
    return " ".join(text.strip(DECORATION).casefold().split())
