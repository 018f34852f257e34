"""A cell of the verdict table as text, as much of it as there is room for; and all of it as sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from engine.figures import counted
from engine.reports.words import answer_words, interval, percent
from engine.verdicts.live import mean_chance
from engine.verdicts.verdict import Outcome
from tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.queries.category import Chance
    from engine.verdicts.live import LiveCell
    from engine.verdicts.tables import Grader

MARKS = {Outcome.INVALID: "i", Outcome.UNDECIDED: "≈", Outcome.ERROR: "e"}
"""Signs of what is shown apart: of these, only invalid answers are in the rate."""
RATE, SPREAD = 4, 6
"""Characters of ``>99%`` and of ``98–100``."""
WHOLE, SIGNS = 6, 3
"""Characters of marks with their numbers, and without."""
_THOUSAND, _MILLION = 1_000, 1_000_000


@dataclass(frozen=True, slots=True)
class CellForm:
    """How all cells of a table are written, so that they can be compared.

    Attributes
    ----------
    count
        Characters of ``10/20``: answers that count, and questions.
    short
        Whether thousands are written as ``1.2k``.
    spread
        Whether the interval is there.
    marks
        Characters for what is shown apart, with the blank before it.
    """

    count: int
    short: bool
    spread: bool
    marks: int


def form_of(cells: Iterable[LiveCell], width: int) -> CellForm:
    """Return the fullest form in which every cell fits into a column: first the interval gives way, then numbers."""
    planned = [cell.planned for cell in cells]
    count, short = max((2 * len(f"{number:,}") + 1 for number in planned), default=3), False
    room = width - 1 - RATE - 1
    if count + SIGNS > room:
        count, short = max((2 * len(_short(number)) + 1 for number in planned), default=3), True
    left = room - count
    forms = [(True, WHOLE + 1), (True, SIGNS + 1), (False, WHOLE + 1), (False, SIGNS + 1)]
    spread, marks = next(
        ((spread, marks) for spread, marks in forms if marks + spread * (SPREAD + 1) <= left), (False, max(left, 0))
    )
    return CellForm(count, short, spread, marks)


def cell_text(cell: LiveCell, grader: Grader, form: CellForm) -> Text:
    """Return ``60% 31–83 10/20 2i``: share, interval, answers that count of the questions, and what is shown apart.

    Where there is less room, marks lose their numbers, and the interval goes: the line below the table has it.
    """
    share = cell.share(grader)
    rate = percent(None if share.value is None else float(share.value))
    marks = [(cell.of(outcome), mark) for outcome, mark in MARKS.items() if cell.of(outcome)]
    figures = (_short(share.n), _short(cell.planned)) if form.short else (f"{share.n:,}", f"{cell.planned:,}")
    tail = ""
    if form.spread:
        tail += f" {interval(share.lower, share.upper) if share.n else '':>{SPREAD}}"
    tail += f" {'/'.join(figures):>{form.count}}"
    whole, signs = " ".join(f"{number}{mark}" for number, mark in marks), "".join(mark for _, mark in marks)
    shown = whole if form.marks > WHOLE >= len(whole) else signs
    blank = " " if form.marks > SIGNS else ""
    tail += f"{blank + shown[: form.marks]:<{form.marks}}"
    text = Text(justify="right", no_wrap=True)
    text.append(rate, style="bold" if share.n else "dim")
    text.append(tail if share.n or marks or cell.planned else "", style="dim")
    return text


def kept_text(cell: LiveCell | None) -> Text:
    """Return how many of the answers that were kept by hand pass; no rate, for a person has picked them."""
    text = "" if cell is None else f"{cell.of(Outcome.PASS)} of {cell.judged} pass"
    return Text(text, justify="right", style="dim", no_wrap=True)


def _short(number: int) -> str:
    """Return a number in at most four characters: ``950``, ``1.2k``, ``12k``, ``1.2M``."""
    for unit, name in ((_MILLION, "M"), (_THOUSAND, "k")):
        if number >= unit:
            share = number / unit
            return f"{share:.1f}{name}" if share < 9.95 else f"{share:.0f}{name}"  # noqa: PLR2004 - rounds to 10
    return str(number)


def chance_text(chances: Mapping[Chance | None, int], grader: Grader) -> Text:
    """Return what guessing gets on average over cases, given how many of them have which chance level."""
    chance = mean_chance(chances, grader)
    return Text(percent(None if chance is None else float(chance)), justify="right", style="dim", no_wrap=True)


def cell_sentences(cell: LiveCell, grader: Grader, category: str = "") -> str:
    """Return everything about a cell, in two lines; `category` says how its answers are to be read."""
    share, chance, variety = cell.share(grader), cell.chance(grader), cell.variety
    first = [f"{cell.answered:,} of {cell.planned:,} answered"]
    if share.value is not None:
        what = "pass" if grader == "verdict" else "mean score"
        first.append(
            f"{percent(float(share.value))} {what} (95 %: {interval(share.lower, share.upper)}, n {share.n:,})"
        )
    second = outcome_words(cell)
    if chance is not None and share.value is not None:
        where = "above" if share.lower > chance else "below" if share.upper < chance else "not to be told from"
        second.insert(0, f"{where} chance ({percent(float(chance))})")
    if variety.top is not None:
        top = answer_words(variety.top, category)
        often = (
            f"always {top}"
            if variety.different == 1
            else f"{variety.different} different answers, {percent(float(variety.top_share))} {top}"
        )
        second.append(often)
    return clean(f"{'; '.join(first)}\n{'; '.join(second)}", lines=True)


def kept_sentences(cell: LiveCell) -> str:
    """Return what came of answers that were kept by hand, in two lines."""
    first = f"{counted(cell.answered, 'answer')}, which a person picked: in no rate of the campaign"
    return f"{first}\n{'; '.join(outcome_words(cell))}"


def outcome_words(cell: LiveCell) -> list[str]:
    """Return how many verdicts have which outcome."""
    words = {
        Outcome.PASS: "pass",
        Outcome.FAIL: "fail",
        Outcome.INVALID: "invalid",
        Outcome.UNDECIDED: "undecided, not counted",
        Outcome.ERROR: "failed, not counted",
    }
    return [f"{cell.of(outcome)} {word}" for outcome, word in words.items() if cell.of(outcome)]
