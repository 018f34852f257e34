"""Untrusted text made safe to show: model output, names and labels never reach a terminal as control sequences."""

from __future__ import annotations

import re
import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_REPLACED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, format (bidirectional overrides, zero-width characters), surrogate, private and unassigned characters,
and the separators that some terminals treat as line breaks."""
_ENDS = re.compile(r"[ \t]+(?=\n|\Z)")
_JOINERS = frozenset("\u200c\u200d")  # words of some scripts are spelt with them; elsewhere they hide or merge


def visible(text: str, *, lines: bool = False) -> str:
    """Return the text with a visible character for each one that could move the cursor, hide text or reorder it.

    Parameters
    ----------
    lines
        Keep line feeds; otherwise they become spaces, so that the result is one line.
    """
    text = text.replace("\r\n", "\n").replace("\t", " ")
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible_character(text, index, lines=lines) for index in range(len(text)))


def plain(text: str, *, limit: int | None = None) -> str:
    """Return the text on one line, as `visible`, with single spaces.

    Parameters
    ----------
    limit
        The longest result in characters; a longer text ends in ``…``.
    """
    line = visible(" ".join(text.split()))
    return line if limit is None or len(line) <= limit else f"{line[: max(limit - 1, 0)]}…"


def without_ends(text: str) -> str:
    """Return lines without the blanks at their ends, with which a table fills its last column."""
    return _ENDS.sub("", text)


def storable(text: str) -> str:
    """Return the text with lone surrogates replaced, so that it can be written as UTF-8; all else stays as it came."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _visible_character(text: str, index: int, *, lines: bool) -> str:
    character = text[index]
    if character == "\n":
        return "\n" if lines else " "
    if unicodedata.category(character) not in _REPLACED:
        return character
    between = character in _JOINERS and 0 < index < len(text) - 1
    return character if between and _is_letter(text[index - 1]) and _is_letter(text[index + 1]) else REPLACEMENT


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LM"
