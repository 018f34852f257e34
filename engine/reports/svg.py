"""Pieces of inline SVG: escaped text, colours by class, so that one style sheet serves light and dark.

A plotting library would be the heaviest dependency of the engine for a handful of plain shapes, and would bring its own
colours, fonts and identifiers; these pieces follow the page that they stand in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

_NARROWEST = 620


def element(tag: str, *content: Markup, **attributes: str | float) -> Markup:
    """Return an element; ``class_`` and ``text_anchor`` stand for ``class`` and ``text-anchor``; values are escaped."""
    parts = [Markup(' {}="{}"').format(_name(name), _value(value)) for name, value in attributes.items()]
    return Markup("<{0}{1}>{2}</{0}>").format(tag, Markup().join(parts), Markup().join(content))


def text(content: str, x: float, y: float, **attributes: str | float) -> Markup:
    """Return a text that begins (or ends, or has its middle) at a point."""
    return element("text", escape(plain(content)), x=x, y=y, **attributes)


def title(content: str) -> Markup:
    """Return what is shown when the pointer rests on the element that holds it, and read aloud."""
    return element("title", escape(plain(content)))


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Return a line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def figure(width: float, height: float, label: str, content: Iterable[Markup]) -> Markup:
    """Return a picture of a size in pixels that shrinks with the page, with a description in its place."""
    return element(
        "svg",
        title(label),
        *content,
        viewBox=f"0 0 {width:g} {height:g}",
        # Below the smaller width labels cannot be read: a narrow window scrolls instead.
        style=f"max-width:{width:g}px;min-width:{min(width, _NARROWEST):g}px",
        role="img",
        aria_label=plain(label),
    )


def shortened(name: str, most: int) -> str:
    """Return a name that fits into a label; its end tells more than its middle."""
    name = plain(name)
    if len(name) <= most:
        return name
    head = (most - 1) // 2
    return f"{name[:head]}…{name[len(name) - (most - 1 - head) :]}"


def _name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
