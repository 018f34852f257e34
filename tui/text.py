"""Text from outside (labels, names, model output), made safe to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.text import REPLACEMENT
from engine.text import visible as clean

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["REPLACEMENT", "clean", "distinct", "shorten", "shorten_list", "shorten_start"]


def shorten(text: str, width: int) -> str:
    """Return the text in at most `width` characters, an ellipsis standing for the rest."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def shorten_start(text: str, width: int) -> str:
    """Return the end of a text in at most `width` characters, an ellipsis standing for the rest: files differ there."""
    return text if len(text) <= width else f"…{text[len(text) - max(width - 1, 0) :]}"


def shorten_list(words: Sequence[str], width: int) -> str:
    """Return words side by side in at most `width` characters; left out are whole words, if the first one fits."""
    whole = " ".join(words)
    if len(whole) <= width:
        return whole
    for shown in range(len(words) - 1, 0, -1):
        text = f"{' '.join(words[:shown])} …"
        if len(text) <= width:
            return text
    return shorten(whole, width)


def distinct(names: Sequence[str], width: int) -> list[str]:
    """Return names in at most `width` characters each that can still be told apart, if that is possible.

    What is cut is the end. Where ends are what differs, it is the middle: as little of the beginning as needed stays.
    """
    cuts = [shorten(name, width) for name in names]
    for head in range(max(width - 2, 0), -1, -1):
        if len(set(cuts)) == len(set(names)):
            break
        tail = width - 1 - head
        cuts = [name if len(name) <= width else f"{name[:head]}…{name[len(name) - tail :]}" for name in names]
    return cuts
