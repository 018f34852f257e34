"""Verdict cards as files: Markdown, HTML and SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.asking.card import Card

FORMATS = ("md", "html", "svg")
"""The endings of the files, the usual one first."""


def written(card: Card, ending: str) -> str:
    """Return the card as the text of a file; raises KeyError for an ending that is none of `FORMATS`."""
    from tui.exports.html import card_html  # noqa: PLC0415 - templates load with the first export
    from tui.exports.markdown import card_markdown  # noqa: PLC0415 - as above
    from tui.exports.svg import card_svg  # noqa: PLC0415 - as above

    writers: dict[str, Callable[[Card], str]] = {"md": card_markdown, "html": card_html, "svg": card_svg}
    return writers[ending](card)
