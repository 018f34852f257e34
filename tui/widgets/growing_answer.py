"""An answer while it is written, its reasoning folded away."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Collapsible, Static

from tui.asking.asking import Stage
from tui.asking.card import bounded
from tui.text import clean

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from tui.asking.asking import Attempt

WORDS = {
    Stage.WAITING: "has not answered yet",
    Stage.THINKING: "is thinking",
    Stage.WRITING: "is writing",
    Stage.CANCELLED: "was cancelled: nothing was judged",
}
SHOWN = 4000
"""Characters of the answer's end that are drawn while it grows."""


class GrowingAnswer(VerticalScroll, can_focus=True):
    """The text so far. It is drawn only when it has changed, and follows its end."""

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(id="ask-growing")
        self._attempt = attempt
        self._status = Static("", markup=False)
        self._text = Static("", markup=False, id="growing-text")
        self._thinking = Static("", markup=False)
        self._fold = Collapsible(self._thinking, title="Reasoning", collapsed=True)

    def compose(self) -> ComposeResult:
        """Create the parts."""
        yield self._status
        yield self._fold
        yield self._text

    def on_mount(self) -> None:
        """Show what there is."""
        self.border_title = "Answer"
        self._fold.display = False
        self.show(self._attempt, first=True)

    def show(self, attempt: Attempt, *, first: bool = False) -> None:
        """Show how far it is."""
        before, self._attempt = self._attempt, attempt
        self._status.update(status_line(attempt, time.monotonic()))
        if first or attempt.reasoning != before.reasoning:
            self._fold.display = bool(attempt.reasoning)
            self._fold.title = f"Reasoning, {len(attempt.reasoning):,} characters"
            self._thinking.update(Content(bounded(attempt.reasoning[-SHOWN:])))
        if first or attempt.text != before.text:
            self._text.update(Content(bounded(attempt.text[-SHOWN:])))
            self.scroll_end(animate=False)


def status_line(attempt: Attempt, now: float) -> Content:
    """Return who does what, for how long."""
    name = (clean(attempt.explainer), "bold")
    if not attempt.stage.running:
        return Content.assemble(name, f" {WORDS.get(attempt.stage, '')}")
    seconds = int(now - attempt.since)
    note = f"\n{clean(attempt.note)}" if attempt.note else ""
    return Content.assemble(name, f" {WORDS[attempt.stage]}  {seconds} s  (esc cancels)", (note, "$invalid"))
