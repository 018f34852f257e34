"""All answers to one question side by side, and how they differ."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.message import Message

from engine.verdicts.answer_words import number_words
from engine.verdicts.answer_words import said as shown
from tui.actions.registry import bindings
from tui.asking.asking import Stage
from tui.text import clean, shorten
from tui.widgets.line_panel import LineList, LinePanel
from tui.widgets.verdict_card import OUTCOME_STYLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from tui.asking.asking import Attempt, Attempts

NAME_WIDTH = 20
ANSWER_WIDTH = 22
WORDING_WIDTH = 14
ROOMY, WIDE = 76, 96
"""From so many columns on, names and answers have more room, and regrets are shown."""


class AnswerList(LineList):
    """A line for each answer; the cursor says which one is shown in full."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list")]

    class Looked(Message):
        """The cursor is on another answer."""

    def show_attempts(self, attempts: Attempts) -> None:
        """Show how far every answer is; the cursor stays."""
        now = time.monotonic()
        self.replace_lines([self._line(each, now) for each in attempts.all])
        self.reveal(self.cursor)

    def move_to(self, line: int) -> None:
        """Move the cursor, and tell where it is."""
        before = self.cursor
        super().move_to(line)
        if self.cursor != before:
            self.post_message(self.Looked())

    def _line(self, attempt: Attempt, now: float) -> Content:
        narrow = self.size.width < ROOMY
        name_width, place_width, answer_width = (12, 10, 12) if narrow else (NAME_WIDTH, WORDING_WIDTH, ANSWER_WIDTH)
        name = shorten(clean(attempt.explainer), name_width)
        place = f"{shorten(clean(attempt.wording), place_width - 3)} {attempt.question.sample + 1}"
        head = f" {name:<{name_width}} {place:<{place_width}} "
        if attempt.asked is None:
            seconds = f" {int(now - attempt.since)} s" if attempt.stage.running else ""
            waits = " (waits)" if attempt.note and attempt.stage is Stage.WAITING else ""
            return Content.assemble(head, (f"{attempt.stage.value}{seconds}{waits}", "$text-muted"))
        verdict = attempt.asked.verdict
        said = "-" if verdict.answer is None else shown(verdict.answer, attempt.question.case.space, brief=True)
        word = verdict.outcome.value.upper()
        costs = verdict.regret is not None and verdict.regret != "0" and self.size.width >= WIDE
        of_what = " of range" if "range" in attempt.question.case.numbers else ""
        regret = f"  regret {number_words(verdict.regret or '', brief=True)}{of_what}" if costs else ""
        return Content.assemble(
            head,
            (f"{shorten(said, answer_width):<{answer_width}} ", "bold"),
            (f"{word:<9}", OUTCOME_STYLES[verdict.outcome]),
            (f" {attempt.asked.reply.seconds:5.1f} s{regret}", "dim"),
        )


class SpreadPanel(LinePanel):
    """How often each explainer and wording passed, and which answers it gave."""

    def show_attempts(self, attempts: Attempts, most: int) -> None:
        """Show the spread of what is there in so many lines; nothing where no question was asked twice."""
        lines = spread_lines(attempts)
        self.display = bool(lines)
        self.styles.height = min(len(lines), most)
        self.show_lines(lines)


def spread_lines(attempts: Attempts) -> Sequence[Content]:
    """Return a line for each explainer and wording that was asked more than once."""
    lines = []
    spaces = {each.wording: each.question.case.space for each in attempts.all}
    for spread in attempts.spreads():
        if sum(each.explainer == spread.explainer and each.wording == spread.variant for each in attempts.all) <= 1:
            continue
        given = "; ".join(
            f"{shorten(shown(answer, spaces[spread.variant], brief=True), ANSWER_WIDTH)} ×{count}"
            for answer, count in spread.answers.items()
        )
        different = f"{len(spread.answers)} different" if len(spread.answers) > 1 else "always the same"
        lines.append(
            Content.assemble(
                (f" {shorten(clean(spread.explainer), NAME_WIDTH)} {clean(spread.variant)}", "bold"),
                f"  passes {spread.passes} of {spread.answered}",
                (f"  {different}: {given}" if spread.answers else "  no usable answer", "$text-muted"),
            )
        )
    return lines
