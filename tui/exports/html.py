"""A verdict card as one HTML file that needs nothing else."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

if TYPE_CHECKING:
    from jinja2 import Template

    from tui.asking.card import Card


def card_html(card: Card) -> str:
    """Return the card as a page, light or dark as the reader's; whatever a model said stays text."""
    parts = (("Reasoning", card.reasoning), ("Prompt as it was sent", card.prompt), ("Reply as it came", card.reply))
    return _template().render(card=card, parts=parts)


@cache
def _template() -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("card.html.j2")
