"""What a tile of a picture says about its value, in the explorer and before a model is opened."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

NARROW = 2
"""What a fraction takes with a single digit."""


def within_tile(text_in: Callable[[int], str], width: int) -> str:
    """Return what a tile of so many columns says, `text_in` giving its text in at most so many.

    A fraction that would touch those of the tiles beside it has a digit less: the colour says the rest.
    """
    text = text_in(text_room(width))
    return text_in(NARROW) if len(text) == width and text.startswith(".") else text


def text_room(width: int) -> int:
    """Return what the text of a tile may take: between margins, where three characters fit between them."""
    return max(width - 2, min(width, 3))


def tile_text(value: float, width: int) -> str:
    """Return a value in at most `width` cells, at least 2; rounded, but only 0 and 1 themselves read as 0 and 1.

    A larger number is rounded to a whole one where it has no room for more, and an ellipsis where not even that fits.
    """
    if math.isnan(value):
        return "·"
    if math.isinf(value):
        return "∞"
    if value in {0.0, 1.0}:
        return str(int(value))
    if 0 < value < 1:
        digits = 1 if width <= NARROW else 2
        rounded = round(value * 10**digits)
        if rounded in {0, 10**digits}:
            return ">0" if rounded == 0 else "<1"
        return f".{rounded:0{digits}d}"
    texts = (f"{value:.3g}", f"{value:.2g}", f"{value:.0f}")
    return next((text for text in texts if len(text) <= width and "e" not in text and float(text) not in {0, 1}), "…")
