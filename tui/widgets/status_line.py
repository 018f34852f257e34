"""The line at the top: which model, which objective, how big, what runs in the background, and short hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from engine.figures import counted
from tui.text import clean, shorten

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle


class StatusLine(Widget):
    """One line; it gives up the least important part first when it gets narrow."""

    oracle: reactive[Oracle | None] = reactive(None, init=False)
    background: reactive[str] = reactive("")
    hint: reactive[str] = reactive("")

    def fits(self, hint: str) -> bool:
        """Whether a hint has room."""
        return len(hint) + 2 <= self.size.width

    def render(self) -> Content:
        """Return the line for the present width."""
        width = self.size.width
        oracle = self.oracle
        if self.hint:
            return Content.styled(f" {self.hint}", "bold $accent")
        if oracle is None:
            return Content.assemble((" stormscope ", "bold $primary"))
        constants = " ".join(f"{clean(name)}={clean(value)}" for name, value in oracle.constants.items())
        right = self.background or (
            f"{counted(oracle.mdp.states, 'state')}  {'exact' if oracle.exact else '≈ sound bounds'}"
        )
        left: list[tuple[str, str]] = [(" stormscope", "bold $primary")]
        room = width - len(left[0][0]) - len(right) - 3
        for text, style in (
            (clean(oracle.environment.title), "bold"),
            (clean(oracle.facts.objective.text), ""),
            (constants, "dim"),
        ):
            if not text or room < min(len(text), 12) + 2:
                continue
            part = "  " + shorten(text, room - 2)
            left.append((part, style))
            room -= len(part)
        used = sum(len(text) for text, _ in left)
        gap = max(width - used - len(right) - 1, 1)
        style = "bold $accent" if self.background else "dim"
        return Content.assemble(*left, " " * gap, (right, style), " ")
