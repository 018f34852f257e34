"""A verdict card as Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.reports.markdown import safe
from tui.asking.card import Weight

if TYPE_CHECKING:
    from tui.asking.card import Card, Row


def card_markdown(card: Card) -> str:
    """Return the card; whatever a model said stays text."""
    kind = f" ({card.kind})" if card.kind else ""
    edited = ", prompt edited" if card.edited else ""
    lines = [
        f"# {card.outcome.value.upper()}{kind}: {safe(card.category)} of {safe(card.about)}",
        "",
        f"Asked of **{safe(card.explainer)}**, wording {safe(card.wording)}{edited}; {safe(card.footing)}.",
        "",
        *(line for row in card.rows for line in _row(row)),
    ]
    for title, text in (("Reasoning", card.reasoning), ("Prompt", card.prompt), ("Reply", card.reply)):
        if text:
            lines += ["", f"## {title}", "", *_block(text)]
    return "\n".join(lines) + "\n"


def _row(row: Row) -> list[str]:
    first, *rest = [safe(line) for line in row.text.split("\n")]
    strong = "**" if row.weight in {Weight.STRONG, Weight.TRUTH, Weight.BAD} and first.strip() else ""
    return [f"- {row.label}: {strong}{first}{strong}", *(f"  <br>{line}" for line in rest)]


def _block(text: str) -> list[str]:
    """Return a text between fences that are longer than any inside it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return [f"{fence}text", text, fence]
