"""How far each explainer is: a line each, with its rate, what it took, and why it waits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual.content import Content

from tui.campaigns.estimates import duration, spent_text, wait_text
from tui.text import clean, shorten
from tui.widgets.line_panel import LineScroll

if TYPE_CHECKING:
    from textual.style import Style

    from tui.campaigns.tally import Tally

NAME_WIDTH, BAR, COUNTS = 18, 12, 11
MOST, MOST_WIDE = 4, 8
"""Lines at most, in a low and in a high terminal; more explainers scroll."""


class LanesPanel(LineScroll):
    """As high as there are explainers, as far as there is room."""

    def show_tally(self, tally: Tally) -> None:
        """Show a campaign's present state."""
        now = time.monotonic()
        most = MOST_WIDE if self.screen.has_class("-high") else MOST
        lines = [lane_line(tally, name, now) for name in lane_order(tally, most)]
        height = min(len(lines), most)
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height  # only then: a layout paints the whole screen
        top = self._top
        self.replace_all(lines, top)

    def replace_all(self, lines: list[Content], top: int) -> None:
        """Show other lines without scrolling back."""
        self._lines = tuple(lines)
        self._show_from(top)


def lane_order(tally: Tally, most: int) -> list[str]:
    """Return the explainers of the plan; where not all have room, those that are still asked come first."""
    far = {name: tally.planned_of(name) for name in tally.explainers}
    names = [name for name, (_, planned) in far.items() if planned]
    if not tally.running or len(names) <= most:
        return names
    return sorted(names, key=lambda name: far[name][0] >= far[name][1] or name in tally.given_up)


def lane_line(tally: Tally, explainer: str, now: float) -> Content:
    """Return one explainer's line; what it waits for, or why it was given up, takes the place of its figures."""
    answered, planned = tally.planned_of(explainer)
    filled = BAR * answered // planned if planned else 0
    rate = tally.rates.get(explainer, 0.0)
    counts = f"{answered:,}/{planned:,}"
    head: list[str | tuple[str, str | Style]] = [
        (f" {shorten(clean(explainer), NAME_WIDTH):<{NAME_WIDTH}} ", "bold"),
        ("━" * filled, "$primary"),
        ("━" * (BAR - filled), "$panel"),
        f" {counts:>{COUNTS}}  ",
    ]
    wait, failure = tally.waits.get(explainer), tally.given_up.get(explainer)
    if failure is not None:
        return Content.assemble(*head, (clean(f"given up: {failure}"), "$fail"))
    if wait is not None:
        return Content.assemble(*head, (clean(wait_text(wait.why, wait.left(now))), "$warning"))
    left = planned - answered
    parts: list[str] = []
    if tally.running and left:
        parts.append(f"{rate:.1f}/s" if rate else "asking again" if answered else "no answer yet")
        parts += [f"{duration(left / rate)} left"] if rate and not tally.paused else []
    spent = tally.board.spent.get(explainer)
    parts += [spent_text(spent)] if spent is not None else []
    return Content.assemble(*head, ("  ".join(part for part in parts if part), "$text-muted"))
