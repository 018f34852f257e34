"""The path so far, as one line with its probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from engine.mdp.paths import path_probability
from tui.explorer.numerals import Figures
from tui.text import clean, shorten

if TYPE_CHECKING:
    from fractions import Fraction

    from engine.mdp.model import Mdp
    from tui.explorer.trail import Trail

NAME_WIDTH = 10
NUMBER_WIDTH = 14


class PathStrip(Widget):
    """One line, there only while a path was walked: the end of the path is what stays in sight."""

    path: reactive[tuple[tuple[int, ...], tuple[int, ...]]] = reactive(((0,), ()), init=False)

    def __init__(self, mdp: Mdp) -> None:
        super().__init__(id="path")
        self._mdp = mdp
        self.decimal = False
        self.display = False

    def follow(self, trail: Trail) -> None:
        """Show another path."""
        self.path = trail.path
        self.display = bool(self.path[1])

    def render(self) -> Content:
        """Return the line for the present width."""
        states, choices = self.path
        chance = path_probability(self._mdp, states, choices)
        figures = Figures(NUMBER_WIDTH, decimal=self.decimal)
        steps = f"{len(choices)} step{'' if len(choices) == 1 else 's'}"
        right = f"  {steps}, probability {_figure(chance, figures)} "
        parts = [f"s{states[0]}"]
        for choice, state in zip(choices, states[1:], strict=True):
            parts.append(f" {shorten(clean(self._mdp.action_name(choice)), NAME_WIDTH)}→ s{state}")
        return Content.assemble(
            (" path ", "bold $primary"), _fitting(parts, self.size.width - len(right) - 6), (right, "dim")
        )


def _figure(chance: Fraction | float, figures: Figures) -> str:
    return f"≈{chance:.4g}" if isinstance(chance, float) else figures.text(chance)


def _fitting(parts: list[str], room: int) -> str:
    """Return the last parts that fit, an ellipsis standing for those before."""
    text = "".join(parts)
    if len(text) <= room:
        return text.ljust(max(room, 0))
    kept: list[str] = []
    for part in reversed(parts):
        if sum(map(len, kept)) + len(part) + 2 > room:
            break
        kept.insert(0, part)
    return ("… " + "".join(kept).lstrip()).ljust(max(room, 0))
