"""Reading a probability or a reward as the exact number that was written (methods.md 1.1, "Exactness", and 1.4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from engine.prompts.reading_bounds import is_bound, is_vague
from engine.prompts.reading_doubt import taken_back
from engine.prompts.reading_quantities import is_computed, without_places
from engine.prompts.reading_value import Value, ambiguous, blank, unparsable

INFINITE = "inf"
"""The canonical text of an infinite reward."""
_MOST_DIGITS = 1000
"""Digits that a number may have; Python refuses to print integers of more than 4,300."""
_MOST_EXPONENT = 1000
"""Largest exponent that is worked out: ten to the power of a billion would fill the memory."""

_DECIMAL = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBER = re.compile(
    rf"(?P<sign>[-−+])?(?:\\[dt]?frac\{{\s*(?P<top>\d+)\s*\}}\{{\s*(?P<bottom>\d+)\s*\}}"
    rf"|(?P<num>{_DECIMAL})(?:\s*[/⁄]\s*(?P<den>{_DECIMAL}))?)(?P<percent>\s*(?:\\?%|percent\b|per\s?cent\b))?"
)
_DECIMAL_COMMA = re.compile(r"\s*\d{1,3},\d+\s*%?\s*")
_DIGITS_AND_COMMAS = re.compile(r"(?<![\d.,])\d[\d.,]*")
_GROUPED = re.compile(r"(?!0)\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_GROUPS_OF_THREE = re.compile(r"(?!0)\d{1,3},\d{3}")
_COMMA_FOR_POINT = re.compile(r"\d+,\d+")
_INFINITE = re.compile(
    r"(?<![\w'’-])(?P<sign>[-−]\s?)?(?P<word>inf(?:inite|inity)?|unbounded|∞|\\infty)(?![\w'’-])", re.IGNORECASE
)
_DENIES = re.compile(r"\b(?:not|never|no|cannot|neither|nor|\w{2,8}n['’]t)\b", re.IGNORECASE)
_LINK = re.compile(r"\(? ?(?:=|≈|~|≃|≅|\\approx|i\.e\.,?|about|approximately)?")
_OR_AS_WELL = re.compile(r"\bor(?=\s+\d)", re.IGNORECASE)
_WINDOW = 16  # characters before a number in which a formula is looked for

_SIGNS = r"[-−–—+*×·⋅÷/⁄^±∓:]|\.\.++|…|\\(?:times|cdot|div|pm|mp)\b"
_WORDS = r"(?:times|plus|minus|to|through|of|over|in|per|by|(?:divided|multiplied)\s+by|out\s+of)\b"
_BRACKETS = r"[\s()\[\]{}$]*+"
_JOINED = re.compile(rf"{_BRACKETS}(?:(?:(?:{_SIGNS})\s*+)+|{_WORDS}){_BRACKETS}", re.IGNORECASE)
"""All that stands between two numbers of a range, a sum, a product …"""
_EMPHASIS = re.compile(r"^\*{1,2}(?=\s)|(?<=\s)\*{1,2}$")
_VARIABLE = r"(?:\(?\s*(?![aAI]\b)[^\W\d_]\b|√|\\)"  # a letter alone that is no word; a backslash for LaTeX
_CONTINUED = re.compile(
    rf"(?:[-−+/⁄^×÷]|\*(?!\*))[^\W\d_√\\]|[^\S\n]*[-−+/⁄^×÷⋅][^\S\n]*{_VARIABLE}|[^\S\n]*[+^×÷⋅][^\S\n]*[^\W\d_]|\s*[±∓]"
)
"""What turns the number before it into part of a formula: ``1-p``, ``0.5 + x``."""
_PRECEDED = re.compile(r"(?:[±∓√∛×÷^⋅]|\\(?:sqrt\s*\{?|times|cdot|div|pm|mp)|[)\]}]\s*[*/⁄])\s*$")
"""What makes the number after it part of a formula: ``√0.25``."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A number with the step of its last written digit; 0 for fractions, which are not rounded."""

    value: Fraction
    step: Fraction
    start: int
    end: int
    percent: bool = False


def read_probability(text: str) -> Value:
    """Read the one number in the text as exact text of a fraction in [0, 1].

    A fraction with its own decimal or percent form beside it (``14/17 ≈ 0.8235``) is one number, the fraction.
    A bound (``at least 0.5``) is no number, and neither is a formula or a range (``1-3/17``, ``0.4-0.6``, ``0.5²``).
    """
    if not text.strip():
        return blank()
    chosen = _number_in(text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else text)
    if isinstance(chosen, Value):
        return chosen
    return Value(str(chosen)) if 0 <= chosen <= 1 else unparsable(f"{_short(chosen)} is not a probability")


def read_reward(text: str) -> Value:
    """Read the one number in the text, of any size and sign, as exact text; ``inf`` for an infinite one.

    As `read_probability`, but a percentage is no reward, and commas have to be clear: ``1,234.5`` and ``12,5`` are,
    ``1,234`` may be either.
    """
    if not text.strip():
        return blank()
    infinite = list(_INFINITE.finditer(text))
    if infinite:
        return _infinite(text, infinite)
    plain = _without_commas(text)
    chosen = plain if isinstance(plain, Value) else _number_in(plain, percent=False)
    return chosen if isinstance(chosen, Value) else Value(str(chosen))


def _infinite(text: str, found: list[re.Match[str]]) -> Value:
    if any(match["sign"] for match in found):
        return unparsable("minus infinity is no expected reward")
    around = [is_bound(text, *match.span()) for match in found]
    if (
        _DENIES.search(text)
        or any(around)
        or taken_back(text, found[0].start())
        or not isinstance(_written(text), Value)
    ):
        return ambiguous("the answer says more than that the reward is infinite")
    return Value(INFINITE)


def _without_commas(text: str) -> str | Value:
    """Return the text with its numbers' commas resolved; a comma that may mean two things is ambiguous."""
    clusters = [match for match in _DIGITS_AND_COMMAS.finditer(text) if "," in match.group().rstrip(",.")]
    if len(clusters) != 1:
        return text  # none, or a list of numbers, which is no one number
    (cluster,) = clusters
    written = cluster.group().rstrip(",.")
    if _GROUPS_OF_THREE.fullmatch(written):
        return ambiguous(f"{written} may have a decimal comma or a thousands separator")
    if _GROUPED.fullmatch(written):
        resolved = written.replace(",", "")
    elif _COMMA_FOR_POINT.fullmatch(written):
        resolved = written.replace(",", ".")
    else:
        return text
    return text[: cluster.start()] + resolved + text[cluster.start() + len(written) :]


def _number_in(text: str, *, percent: bool = True) -> Fraction | Value:
    """Return the one number that stands in the text, or why there is none."""
    text = without_places(text)
    written = _written(text)
    if isinstance(written, Value):
        return written
    if not percent and any(number.percent for number in written):
        return unparsable("the answer is a percentage, not an expected total")
    chosen = _one_number(text, written)
    if chosen is None:
        other = next((number for number in written if number.value != written[0].value), written[-1])
        return ambiguous(f"the answer holds several numbers: {_short(written[0].value)} and {_short(other.value)}")
    return ambiguous("the answer takes its number back, doubts it or adds to it") if _doubted(text, written) else chosen


def _doubted(text: str, written: list[_Written]) -> bool:
    """Return whether the text says something against its number; ``1/2, or 50 %`` only says it twice."""
    plain = _OR_AS_WELL.sub(lambda match: " " * len(match[0]), text)
    return is_vague(plain) or taken_back(plain, written[0].start)


def _written(text: str) -> list[_Written] | Value:
    """Return the numbers that stand in the text, at least one, or why it cannot be read."""
    written: list[_Written] = []
    word_end = -1
    for match in _NUMBER.finditer(text):
        if match.start() == word_end or _inside_word(text, match.start(), match.end()):
            word_end = match.end()
            continue
        if _in_formula(text, match):
            return ambiguous("the answer is a formula or a range, not one number")
        if is_bound(text, match.start(), match.end()):
            return unparsable("the answer is a bound, not a number")
        if is_computed(text, match.start(), match.end()):
            return ambiguous("the answer is part of a computation, or about something else")
        number = _number(match)
        if number is None:
            return unparsable("the answer holds something that is no number, or one too long to be worked out")
        written.append(number)
    return written or unparsable("the answer holds no number")


def _one_number(text: str, written: list[_Written]) -> Fraction | None:
    """Return the number that all the written ones are, None if they differ or are parts of something else."""
    exact = next((number for number in written if number.step == 0), written[0])
    for previous, number in pairwise(written):
        between = text[previous.end : number.start]
        if "\n" not in between and (not between.strip() or _JOINED.fullmatch(_EMPHASIS.sub("", between))):
            return None
        linked = _LINK.fullmatch(between.strip()) is not None
        if previous.value != number.value and not linked:
            return None
    same = all(number.value == exact.value or _rounds(exact, number) for number in written)
    return exact.value if same else None


def _rounds(exact: _Written, number: _Written) -> bool:
    """Whether the number is the fraction, rounded or cut to the digits that were written."""
    if exact.step != 0 or number.step == 0:
        return False
    return -1 < (number.value - exact.value) / number.step <= Fraction(1, 2)


def _number(match: re.Match[str]) -> _Written | None:
    """Work out a written number; None if it has too many digits, too large an exponent, or divides by zero."""
    numerator, denominator = match["top"] or match["num"], match["bottom"] or match["den"] or "1"
    upper, lower = _decimal(numerator), _decimal(denominator)
    if upper is None or lower is None or lower[0] == 0:
        return None
    is_fraction = bool(match["bottom"] or match["den"])
    scale = Fraction(1, 100) if match["percent"] else Fraction(1)
    value = upper[0] / lower[0] * scale
    step = Fraction(0) if is_fraction else upper[1] * scale
    signed = -value if match["sign"] in {"-", "−"} else value
    return _Written(signed, step, match.start(), match.end(), bool(match["percent"]))


def _decimal(text: str) -> tuple[Fraction, Fraction] | None:
    """Return a decimal number exactly, and the step of its last digit."""
    mantissa, _, power = text.lower().partition("e")
    exponent = power.lstrip("+-").lstrip("0")
    if len(mantissa) > _MOST_DIGITS or len(exponent) > len(str(_MOST_EXPONENT)) or int(exponent or 0) > _MOST_EXPONENT:
        return None
    scale = Fraction(10) ** (-int(exponent or 0) if power.startswith("-") else int(exponent or 0))
    decimals = len(mantissa.partition(".")[2])
    return Fraction(mantissa.removesuffix(".")) * scale, scale / 10**decimals


def _inside_word(text: str, start: int, end: int) -> bool:
    """Whether the digits belong to a name such as ``s12`` or ``3rd``."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return before.isalpha() or before == "_" or after.isalpha() or after == "_"


def _in_formula(text: str, match: re.Match[str]) -> bool:
    """Whether the signs around a number make it something else; numbers on either side are for `_one_number`."""
    start, end = match.span()
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    # Digits that directly follow a number are a second one; others are superscripts and vulgar fractions.
    if before.isnumeric() or (after.isnumeric() and not after.isdecimal()):
        return True
    if match["sign"] and before in {"-", "−", "+", ")"}:
        return True
    return bool(_CONTINUED.match(text, end) or _PRECEDED.search(text, max(0, start - _WINDOW), start))


def _short(value: Fraction, *, length: int = 40) -> str:
    text = str(value)
    return text if len(text) <= length else f"{text[:length]}…"
