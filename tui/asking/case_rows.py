"""The cases of a cell as lines: columns, order and filter, as values. Knows nothing of Textual's widgets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from textual.content import Content

from engine.verdicts.answer_words import accepted_words, number_words, said
from engine.verdicts.by_hand import told_sample
from engine.verdicts.verdict import Outcome
from tui.text import clean, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.verdicts.browse import Asked

    Order: TypeAlias = "tuple[bool, float | str | tuple[int, ...]]"

STYLES = {
    Outcome.PASS: "$pass",
    Outcome.FAIL: "$fail",
    Outcome.INVALID: "$invalid",
    Outcome.UNDECIDED: "$secondary",
    Outcome.ERROR: "$fail",
}
"""The colour of each outcome's word; the word alone carries the meaning."""
OUTCOMES = tuple(Outcome)
KEPT = "kept by hand"
"""What answers are called that a person kept, beside those of the campaign."""
LEAST = 8
"""Characters that an answer has at least."""


class CellName(NamedTuple):
    """Which cell of the verdict table; None stands for all. `kept` is what was kept by hand, beside the campaign."""

    explainer: str | None = None
    category: str | None = None
    model: str | None = None
    kept: bool = False


@dataclass(frozen=True, slots=True)
class CaseColumn:
    """A column of the list.

    Attributes
    ----------
    key, title
        Which it is, for the program and for people.
    width
        Characters; 0 shares what is left.
    text
        What it shows of a question.
    order
        What it is sorted by: whether there is nothing, then the value.
    """

    key: str
    title: str
    width: int
    text: Callable[[Asked], str]
    order: Callable[[Asked], Order]


@dataclass(frozen=True, slots=True)
class CaseView:
    """How the cases are looked at.

    Attributes
    ----------
    sort, descending
        The key of the column that orders them; empty for the order of the file.
    outcome
        The only verdict that is shown; None for all.
    """

    sort: str = ""
    descending: bool = False
    outcome: Outcome | None = None

    def rows(self, asked: Sequence[Asked], columns: Sequence[CaseColumn]) -> list[Asked]:
        """Return the questions that are shown, in their order; those without a value are last either way."""
        shown = [each for each in asked if self.outcome in {None, each.record.outcome}]
        column = next((each for each in columns if each.key == self.sort), None)
        if column is None:
            return shown[::-1] if self.descending else shown
        having = [each for each in shown if not column.order(each)[0]]
        lacking = [each for each in shown if column.order(each)[0]]
        having.sort(key=lambda each: column.order(each)[1], reverse=self.descending)
        return having + lacking

    def next_outcome(self, asked: Sequence[Asked]) -> CaseView:
        """Show the next verdict that there is, after the last one all."""
        found = [None, *(outcome for outcome in OUTCOMES if any(each.record.outcome is outcome for each in asked))]
        place = found.index(self.outcome) if self.outcome in found else 0
        return replace(self, outcome=found[(place + 1) % len(found)])

    def sorted_beside(self, columns: Sequence[CaseColumn], step: int) -> CaseView:
        """Sort by the column to the right (1) or left (-1), round and round by way of the file's order."""
        keys = ["", *(column.key for column in columns)]
        place = keys.index(self.sort) if self.sort in keys else 0
        return replace(self, sort=keys[(place + step) % len(keys)], descending=False)


def columns_of(asked: Sequence[Asked]) -> list[CaseColumn]:
    """Return the columns that say something about these questions: what is the same in all of them is left out."""
    columns = [
        CaseColumn("model", "model", 14, lambda each: each.stored.model, lambda each: (False, each.stored.model)),
        CaseColumn(
            "explainer",
            "explainer",
            14,
            lambda each: each.record.explainer,
            lambda each: (False, each.record.explainer),
        ),
        CaseColumn(
            "category",
            "category",
            21,
            lambda each: each.stored.case.category,
            lambda each: (False, each.stored.case.category),
        ),
    ]
    varied = [column for column in columns if len({column.text(each) for each in asked}) > 1]
    several = len({each.record.key[1:] for each in asked}) > 1
    regrets = any(each.record.regret is not None for each in asked)
    # Of rewards the regret is a share of the range of values, which a card gives in reward as well.
    title = "regret/range" if any("range" in each.stored.case.numbers for each in asked) else "regret"
    return [
        *varied,
        CaseColumn("states", "states", 11, states_text, lambda each: (False, each.stored.case.states)),
        CaseColumn("difficulty", "δ", 5, _difficulty, lambda each: _known(each.stored.case.difficulty)),
        CaseColumn("verdict", "verdict", 9, lambda each: each.record.outcome.value, _outcome_order),
        CaseColumn("answer", "answer", 0, answer_text, lambda each: (each.record.answer is None, answer_text(each))),
        CaseColumn("right", "right", 0, right_text, lambda each: (False, right_text(each))),
        *([CaseColumn("regret", title, len(title) + 2, _regret, _regret_order)] if regrets else []),
        *([CaseColumn("sample", "wording", 9, _sample, lambda each: (False, _sample(each)))] if several else []),
        CaseColumn(
            "seconds", "s", 5, lambda each: f"{each.record.seconds:.1f}", lambda each: (False, each.record.seconds)
        ),
    ]


def states_text(asked: Asked) -> str:
    """Return the states that a question is about."""
    return " ".join(f"s{state}" for state in asked.stored.case.states)


def answer_text(asked: Asked) -> str:
    """Return the answer as read, or why there is none."""
    record = asked.record
    if record.answer is not None:
        return said(record.answer, asked.stored.case.space, brief=True)
    return record.invalid_kind.value if record.invalid_kind is not None else "-"


def right_text(asked: Asked) -> str:
    """Return the oracle's answers."""
    return accepted_words(asked.stored.case, brief=True)


def _regret(asked: Asked) -> str:
    regret = asked.record.regret
    return "" if regret is None else number_words(regret, brief=True)


def _difficulty(asked: Asked) -> str:
    delta = asked.stored.case.difficulty
    return "" if delta is None else f"{delta:.3f}"[:5]


def _known(value: float | None) -> Order:
    return value is None, value or 0.0


def _outcome_order(asked: Asked) -> Order:
    return False, float(OUTCOMES.index(asked.record.outcome))


def _regret_order(asked: Asked) -> Order:
    regret = asked.record.regret
    if regret is None:
        return True, 0.0
    return False, float("inf") if regret == "inf" else float(Fraction(regret))


def _sample(asked: Asked) -> str:
    _, variant, sample = asked.record.key
    return f"{variant} {'kept ' if asked.kept else ''}{told_sample(sample)}"


def widths_of(columns: Sequence[CaseColumn], width: int) -> list[int]:
    """Return the characters of each column; those without a width of their own share what is left."""
    fixed = sum(column.width for column in columns) + 2 * len(columns)
    open_ = sum(not column.width for column in columns)
    share = max((width - fixed) // open_, LEAST) if open_ else 0
    return [column.width or share for column in columns]


def heading(columns: Sequence[CaseColumn], view: CaseView, width: int) -> Content:
    """Return the line of titles; a sign marks the column that orders."""
    sign = "▼" if view.descending else "▲"
    titles = [f"{sign}{column.title}" if column.key == view.sort else column.title for column in columns]
    parts = [f" {shorten(title, room):<{room}} " for title, room in zip(titles, widths_of(columns, width), strict=True)]
    return Content.styled("".join(parts), "$text-muted")


def line(asked: Asked, columns: Sequence[CaseColumn], width: int) -> Content:
    """Return a question's line."""
    parts: list[tuple[str, str]] = []
    for column, room in zip(columns, widths_of(columns, width), strict=True):
        style = STYLES[asked.record.outcome] if column.key == "verdict" else ""
        parts.append((f" {shorten(clean(column.text(asked)), room):<{room}} ", style))
    return Content.assemble(*parts)
