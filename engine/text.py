"""Untrusted text made safe to print: model output, names and labels never reach a terminal as control sequences."""

from __future__ import annotations

import unicodedata

_REPLACED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_SPACES = frozenset({"Zs", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")  # words of some scripts are spelt with them, and they move nothing on a screen


def plain(text: str, *, limit: int | None = None) -> str:
    """Return the text on one line without control, format, surrogate and unassigned characters.

    Parameters
    ----------
    limit
        The longest result in characters; a longer text ends in ``…``.
    """
    kept = "".join(_plain_character(character) for character in text)
    line = " ".join(kept.split())
    return line if limit is None or len(line) <= limit else f"{line[: max(limit - 1, 0)]}…"


def storable(text: str) -> str:
    """Return the text with lone surrogates replaced, so that it can be written as UTF-8; all else stays as it came."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _plain_character(character: str) -> str:
    if character in "\t\n\r\v\f":
        return " "
    category = unicodedata.category(character)
    if category in _SPACES:
        return " "
    if category in _REPLACED and character not in _JOINERS:
        return "" if category == "Cf" else "\N{REPLACEMENT CHARACTER}"
    return character
