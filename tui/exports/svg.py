"""SVG pictures of screens and verdict cards, drawn by Rich, made to look the same in every program that draws SVG."""

from __future__ import annotations

import html
import io
import re
from typing import TYPE_CHECKING

from rich.cells import cell_len
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
_TEXT = re.compile(
    r"""(?P<head><text\ [^>]*?)x="(?P<x>[\d.]+)"(?P<middle>[^>]*?)textLength="(?P<length>[\d.]+)"(?P<tail>[^>]*)>"""
    r"""(?P<text>[^<]*)</text>"""
)
BLANK = "\N{NO-BREAK SPACE}"
"""What Rich writes for a blank."""
_BLANK = "&#160;"
_PIECE = re.compile(f"[^{BLANK}]+(?:{BLANK}[^{BLANK}]+)*")
"""Words with single blanks between them."""


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
    return portable(console.export_svg(title="stormscope"))


def portable(picture: str) -> str:
    """Return a picture of Rich's without fonts from the network, in which every text begins where it is drawn.

    Rich writes a line's blanks into its texts. Some programs leave blanks at the beginning of a text out, and draw
    those inside as wide as their own font has them, so that columns would not stand below each other.
    """
    return _TEXT.sub(_in_pieces, _FONT.sub("", picture))


def _in_pieces(match: re.Match[str]) -> str:
    text = html.unescape(match["text"])
    if BLANK not in text:
        return match[0]
    x, unit = float(match["x"]), float(match["length"]) / len(text)  # it counts characters; places are in columns
    return "".join(
        f'{match["head"]}x="{_number(x + unit * cell_len(text[: piece.start()]))}"{match["middle"]}'
        f'textLength="{_number(unit * cell_len(piece[0]))}"{match["tail"]}>'
        f"{html.escape(piece[0]).replace(BLANK, _BLANK)}</text>"
        for piece in _PIECE.finditer(text)
    )


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
