"""Text from outside (labels, names, model output), made safe to draw."""

from __future__ import annotations

from engine.text import REPLACEMENT
from engine.text import visible as clean

__all__ = ["REPLACEMENT", "clean", "shorten"]


def shorten(text: str, width: int) -> str:
    """Return the text in at most `width` characters, an ellipsis standing for the rest."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"
