"""Drawing without colours: what a coloured background would have marked is drawn in reverse video."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.filter import LineFilter

if TYPE_CHECKING:
    from textual.color import Color

_KEPT = ("bold", "dim", "italic", "underline", "reverse", "strike")


class Uncoloured(LineFilter):
    """Removes every colour; a cursor stays visible."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line without colours."""
        del background
        return [_uncoloured(segment) for segment in segments]


def _uncoloured(segment: Segment) -> Segment:
    text, style, control = segment
    if style is None:
        return segment
    marked = style.bgcolor is not None and not style.bgcolor.is_default
    kept = {name: getattr(style, name) for name in _KEPT}
    plain = Style(**kept, link=style.link, meta=style.meta or None)
    return Segment(text, plain + Style(reverse=True) if marked else plain, control)
