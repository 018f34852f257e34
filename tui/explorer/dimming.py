"""Dim text that stays readable: a terminal's own dimming falls below a contrast of 4.5 on most backgrounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.filter import LineFilter, dim_color

if TYPE_CHECKING:
    from textual.color import Color

SHARE = 0.72
"""How much of the text's own colour is left: 4.5 or more on every background of the packaged themes."""
_BRIGHT = Style(dim=False)


class ReadableDim(LineFilter):
    """Blends dim text towards its background instead of leaving that to the terminal."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line with dim ones blended."""
        return [_blended(segment, background) for segment in segments]


def _blended(segment: Segment, background: Color) -> Segment:
    text, style, control = segment
    if style is None or not style.dim or style.color is None or style.color.triplet is None:
        return segment
    behind = style.bgcolor if style.bgcolor is not None and style.bgcolor.triplet is not None else background.rich_color
    return Segment(text, style + Style(color=dim_color(behind, style.color, SHARE)) + _BRIGHT, control)
