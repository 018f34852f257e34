"""A verdict card as an SVG picture, drawn by Rich, without fonts from the network."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from engine.verdicts.verdict import Outcome
from tui.asking.card import Weight

if TYPE_CHECKING:
    from tui.asking.card import Card

WIDTH = 100
_COLOURS = {
    Outcome.PASS: "bold green",
    Outcome.FAIL: "bold red",
    Outcome.INVALID: "bold yellow",
    Outcome.UNDECIDED: "bold cyan",
    Outcome.ERROR: "bold red",
}
_WEIGHTS = {
    Weight.PLAIN: "",
    Weight.STRONG: "bold",
    Weight.TRUTH: "bold blue",
    Weight.FAINT: "dim",
    Weight.QUOTED: "italic",
    Weight.BAD: "red",
}
_FONT = re.compile(r"@font-face\s*\{.*?\}\s*", re.DOTALL)
"""Rich names a font on the network; a card that is shown to others calls nobody."""


def card_svg(card: Card) -> str:
    """Return the card as a picture; what is folded away on the screen is left out."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    head = Text.assemble(
        (
            f" {card.outcome.value.upper()}{f' ({card.kind})' if card.kind else ''} ",
            f"{_COLOURS[card.outcome]} reverse",
        ),
        f"  {card.category} of {card.about}  asked of ",
        (card.explainer, "bold"),
        f", {card.wording}",
        (" (prompt edited)" if card.edited else "", "red"),
    )
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column()
    for row in card.rows:
        rows.add_row(Text(row.label), Text(row.text, style=_WEIGHTS[row.weight]))
    console.print(Padding(Group(head, Text(""), rows, Text(""), Text(card.footing, style="dim")), (1, 2)))
    return _FONT.sub("", console.export_svg(title="stormscope"))
