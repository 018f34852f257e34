"""What a tile of a picture says about its value, in the explorer and before a model is opened."""

from __future__ import annotations

import math

PERCENT = 100


def text_room(width: int) -> int:
    """Return what the text of a tile may take: between margins, where three characters fit between them."""
    return max(width - 2, min(width, 3))


def tile_text(value: float, width: int) -> str:
    """Return a value in at most `width` cells, at least 3; rounded, but only 0 and 1 themselves read as 0 and 1.

    A larger number is rounded to a whole one where it has no room for more, and an ellipsis where not even that fits.
    """
    if math.isnan(value):
        return "·"
    if math.isinf(value):
        return "∞"
    if value in {0.0, 1.0}:
        return str(int(value))
    if 0 < value < 1:
        rounded = round(value * PERCENT)
        if rounded in {0, PERCENT}:
            return ">0" if rounded == 0 else "<1"
        return f".{rounded:02d}"
    texts = (f"{value:.3g}", f"{value:.2g}", f"{value:.0f}")
    return next((text for text in texts if len(text) <= width and "e" not in text and float(text) not in {0, 1}), "…")
