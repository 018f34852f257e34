"""A cell of the verdict table as text, as much of it as there is room for; and all of it as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from engine.reports.words import interval, percent
from engine.verdicts.live import mean_chance
from engine.verdicts.verdict import Outcome
from tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.queries.category import Chance
    from engine.verdicts.live import LiveCell
    from engine.verdicts.tables import Grader

MARKS = {Outcome.INVALID: "i", Outcome.UNDECIDED: "≈", Outcome.ERROR: "e"}
"""Signs of what is shown apart: of these, only invalid answers are in the rate."""
OPEN = "…"
"""More is to come."""


def cell_text(cell: LiveCell, grader: Grader, width: int) -> Text:
    """Return ``60% 31–83 10/20 2i``: share, interval, answers that count of those planned, and what is shown apart.

    Where there is less room, marks lose their numbers, then the planned number becomes ``…`` while more is to come,
    then the interval goes: the line below the table has it.
    """
    share = cell.share(grader)
    rate = percent(None if share.value is None else float(share.value))
    spread = interval(share.lower, share.upper) if share.n else ""
    marks = [(cell.of(outcome), mark) for outcome, mark in MARKS.items() if cell.of(outcome)]
    more = OPEN if cell.answered < cell.planned else " "
    whole = " ".join(f"{number}{mark}" for number, mark in marks)
    signs = "".join(mark for _, mark in marks)
    n = f"{share.n:,}/{cell.planned:,}"
    tails = [
        f" {spread:>6} {n:>7} {whole:<6}",
        f" {spread:>6} {n:>7} {signs:<3}",
        f" {spread:>5} {n:>5}{signs:<1}",
        f" {spread:>5} {share.n:>3}{more}{signs:<1}",
        f" {spread:>5} {share.n:>3}{more}",
        f" {share.n:>4}{more}",
    ]
    tail = next((tail for tail in tails if len(rate) + len(tail) < width), tails[-1])
    text = Text(justify="right", no_wrap=True)
    text.append(rate, style="bold" if share.n else "dim")
    text.append(tail if share.n or marks or cell.planned else "", style="dim")
    return text


def chance_text(chances: Mapping[Chance | None, int], grader: Grader) -> Text:
    """Return what guessing gets on average over cases, given how many of them have which chance level."""
    chance = mean_chance(chances, grader)
    return Text(percent(None if chance is None else float(chance)), justify="right", style="dim", no_wrap=True)


def cell_sentences(cell: LiveCell, grader: Grader) -> str:
    """Return everything about a cell, in two lines."""
    share, chance, variety = cell.share(grader), cell.chance(grader), cell.variety
    first = [f"{cell.answered:,} of {cell.planned:,} answered"]
    if share.value is not None:
        what = "pass" if grader == "verdict" else "mean score"
        first.append(
            f"{percent(float(share.value))} {what} (95 %: {interval(share.lower, share.upper)}, n {share.n:,})"
        )
    if chance is not None and share.value is not None:
        where = "above" if share.lower > chance else "below" if share.upper < chance else "not to be told from"
        first.append(f"{where} chance ({percent(float(chance))})")
    words = {
        Outcome.PASS: "pass",
        Outcome.FAIL: "fail",
        Outcome.INVALID: "invalid",
        Outcome.UNDECIDED: "undecided, not counted",
        Outcome.ERROR: "failed, not counted",
    }
    second = [f"{cell.of(outcome)} {word}" for outcome, word in words.items() if cell.of(outcome)]
    if variety.top is not None:
        often = (
            f"always {variety.top}"
            if variety.different == 1
            else (f"{variety.different} different answers, {percent(float(variety.top_share))} {variety.top}")
        )
        second.append(often)
    return clean(f"{'; '.join(first)}\n{'; '.join(second)}", lines=True)
