"""Reading one of a few options: forgiving about form, strict about content (methods.md 1.4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.prompts.reading_value import Value, ambiguous, blank, unparsable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.queries.spaces import OneOf

    Synonyms = Mapping[str, Sequence[str]]

_DECORATION = " \t\r\n\"'`*_“”‘’«»()[]{}<>.,;:!"
_YES_NO_WORDS = {"yes": ("true", "y"), "no": ("false", "n")}
_DETERMINERS = {"no", "true", "false"}
_AFTER_A_NAME = "is|has|because|since|as|would|leads|looks|seems|and|or"
_SPACE = r"[^\w.,:;!?\n]+"  # a denial reaches no further than its clause
_DENIAL = re.compile(
    r"\b(?:not|never|avoid(?:s|ing)?|without|except|neither|nor|cannot|\w{2,8}n['’]t|instead\s+of|rather\s+than|than)"
    rf"(?:{_SPACE}\w+){{0,2}}{_SPACE}$",
    re.IGNORECASE,
)
_WINDOW = 40  # characters before a mention in which a denial is looked for


def read_option(text: str, space: OneOf, synonyms: Synonyms) -> Value:
    """Read an option from a short text, or from prose that names exactly one.

    Parameters
    ----------
    text
        The answer field's text, or all the prose there is.
    space
        The options; an option's own text wins over any synonym.
    synonyms
        Option → other words for it; those of options that are not on offer are ignored.
    """
    if text in space.options:
        return Value(text)
    bare = text.strip(_DECORATION)
    if not bare:
        return blank()
    whole = _whole(bare, space, synonyms)
    return _mentioned(text, space, synonyms) if whole is None else Value(whole)


def _whole(bare: str, space: OneOf, synonyms: Synonyms) -> str | None:
    """Return the option that the whole text is, apart from case and decoration."""
    for matches in (
        [option for option in space.options if option.strip(_DECORATION) == bare],
        [option for option in space.options if _folded(option) == _folded(bare)],
        [option for option in space.options if _folded(bare) in map(_folded, _words_for(option, synonyms))],
    ):
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None


def _mentioned(text: str, space: OneOf, synonyms: Synonyms) -> Value:
    """Read the one option that the text names; several, or one that is denied, are no answer."""
    pattern, options_of = _mentions(space, synonyms)
    named: dict[str, bool] = {}
    for match in pattern.finditer(text):
        denied = _DENIAL.search(text, max(0, match.start() - _WINDOW), match.start()) is not None
        for option in options_of.get(match.group() if len(match.group()) == 1 else _folded(match.group()), ()):
            named[option] = named.get(option, False) or denied
    if not named:
        return unparsable(f"the answer names none of the options: {', '.join(space.options)}")
    if len(named) > 1:
        return ambiguous(f"the answer names several options: {', '.join(named)}")
    option, denied = next(iter(named.items()))
    return ambiguous(f"the answer names only '{option}', next to a denial") if denied else Value(option)


def _mentions(space: OneOf, synonyms: Synonyms) -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    """Return a pattern of all that names an option, and the options that each text names.

    A single character counts only where it is an option itself, in its own case: ``A`` is an option, while the
    ``d`` of ``I'd`` and the article ``a`` are not.
    """
    options_of: dict[str, tuple[str, ...]] = {}
    for option in space.options:
        key = option if len(option) == 1 else _folded(option)
        options_of[key] = (*options_of.get(key, ()), option)
    own = set(options_of)
    for option in space.options:
        for key in {_folded(word) for word in _words_for(option, synonyms)} - own:
            if len(key) > 1:
                options_of[key] = (*options_of.get(key, ()), option)
    words = sorted(filter(None, options_of), key=len, reverse=True)
    if not words:
        return re.compile(r"(?!)"), {}
    return re.compile(rf"(?<![\w#'’])(?<!\w[-.])(?:{'|'.join(map(_named_by, words))})(?![\w#]|['’.-]\w)"), options_of


def _named_by(word: str) -> str:
    """Return a pattern of the word in prose: in any case, its parts apart by any white space.

    The article of "A state" names no option, and neither does the determiner of "there is no way".
    """
    if len(word) == 1:
        return rf"{re.escape(word)}(?!\s+(?!(?:{_AFTER_A_NAME})\b)[a-z])" if word.isalpha() else re.escape(word)
    pattern = r"\s+".join(map(re.escape, word.split(" ")))
    return rf"(?i:{pattern}(?!\s+(?!(?:{_AFTER_A_NAME})\b)\w))" if word in _DETERMINERS else rf"(?i:{pattern})"


def _words_for(option: str, synonyms: Synonyms) -> tuple[str, ...]:
    return (*synonyms.get(option, ()), *_YES_NO_WORDS.get(option, ()))


def _folded(text: str) -> str:
    return " ".join(text.strip(_DECORATION).casefold().split())
