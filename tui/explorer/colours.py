"""The colour scale of heat maps: perceptual, and safe for colour-blind readers."""

from __future__ import annotations

from functools import lru_cache

from textual.color import Color

ANCHORS = tuple(
    Color.parse(text)
    for text in (
        "#440154",
        "#482878",
        "#3e4989",
        "#31688e",
        "#26828e",
        "#1f9e89",
        "#35b779",
        "#6ece58",
        "#b5de2b",
        "#fde725",
    )
)
"""Ten evenly spaced colours of viridis (CC0), dark to light: lightness alone orders them, so they survive grey."""

STEPS = 64


def contrast(one: Color, other: Color) -> float:
    """Return the contrast ratio of two opaque colours, 1 to 21 (WCAG 2.2)."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 (sRGB's definition)
        for share in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@lru_cache(maxsize=STEPS + 1)
def _step(step: int) -> tuple[Color, Color]:
    position = step / STEPS * (len(ANCHORS) - 1)
    low = min(int(position), len(ANCHORS) - 2)
    background = ANCHORS[low].blend(ANCHORS[low + 1], position - low)
    return background, max((Color(255, 255, 255), Color(0, 0, 0)), key=lambda colour: contrast(colour, background))


def scale(share: float) -> tuple[Color, Color]:
    """Return background and readable foreground for a share in [0, 1] of the range; shares outside are clamped."""
    return _step(round(min(max(share, 0.0), 1.0) * STEPS))
