"""Text from outside (labels, names, model output), made safe to draw."""

from __future__ import annotations

import unicodedata

from textual.content import Content

REPLACEMENT = "\ufffd"
_UNSAFE_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Control, format (bidirectional overrides, zero-width characters), surrogate, private and unassigned characters,
and the separators that some terminals treat as line breaks."""


def clean(text: str, *, lines: bool = False) -> str:
    """Replace every character that could move the cursor, hide text or reorder it by a visible one.

    Parameters
    ----------
    text
        Text that was not written here.
    lines
        Keep line feeds; otherwise they become spaces, so that the result is one line.
    """
    text = text.replace("\r\n", "\n").replace("\t", " ")
    if text.isascii() and text.isprintable():
        return text
    return "".join(_clean_character(character, lines=lines) for character in text)


def _clean_character(character: str, *, lines: bool) -> str:
    if character == "\n":
        return "\n" if lines else " "
    return REPLACEMENT if unicodedata.category(character) in _UNSAFE_CATEGORIES else character


def plain(text: str, style: str = "", *, lines: bool = False) -> Content:
    """Return text from outside as content that is never read as markup."""
    return Content.styled(clean(text, lines=lines), style) if style else Content(clean(text, lines=lines))


def shorten(text: str, width: int) -> str:
    """Return the text in at most `width` characters, an ellipsis standing for the rest."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"
