"""The table of states that ``check`` prints, fitted to the terminal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from engine.figures import short
from engine.oracle.numbers import Interval, number_text
from engine.oracle.tri import Tri
from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from engine.cli.check_view import CheckView
    from engine.oracle.columns import PropertyColumn
    from engine.oracle.facts import Facts
    from engine.oracle.policy.evaluation import Evaluation


class Layout(NamedTuple):
    """How generous a table is.

    Attributes
    ----------
    digits
        Characters of a number; longer fractions are cut, and ``--json`` gives them whole.
    spread
        Variables that get a column each; more are listed in one.
    kept
        Characters of a cell with words that stay on one line.
    """

    digits: int
    spread: int
    kept: int


LAYOUTS = (Layout(10, 8, 16), Layout(8, 8, 16), Layout(8, 8, 0), Layout(8, 0, 16), Layout(8, 0, 0))
"""From the most generous on; the first that the terminal can hold is taken."""
APART = ", "


@dataclass(frozen=True)
class Column:
    """A column of the table: numbers stay on one line, words may wrap between names."""

    heading: str
    cell: Callable[[int], str]
    number: bool = False


def states_table(view: CheckView, facts: Facts, out: Console) -> Table:
    """Return the listed states, in the most generous layout that fits the terminal."""
    words = [replace(column, cell=cache(column.cell)) for column in _word_columns(view, facts)]
    for layout in LAYOUTS:
        table = _table(view, facts, layout, words)
        if table.__rich_measure__(out, out.options.update(max_width=10_000)).minimum <= out.width:
            return table
    for column in table.columns:
        column.min_width = None
    return table


def value_text(value: Any) -> str:
    """Return the JSON form of a property's value as text."""
    if value is None:
        return "-"
    if isinstance(value, dict):
        if "approximate" in value:
            return f"about {value['approximate']:.6g}, without bounds"
        return number_text(Interval(float(value["lower"]), float(value["upper"])), digits=6)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _table(view: CheckView, facts: Facts, layout: Layout, words: list[Column]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    numbers = _number_columns(view, facts, layout.digits)
    columns = [*_valuation_columns(view, layout.spread), *numbers, *words]
    cells = [[Text(plain(column.cell(state))) for state in view.listed.tolist()] for column in columns]
    for column, texts in zip(columns, cells, strict=True):
        heading = Text(plain(column.heading))
        if column.number:
            table.add_column(heading, justify="right", no_wrap=True)
        else:
            table.add_column(heading, min_width=max(_least_width(text, layout.kept) for text in [heading, *texts]))
    for row in zip(*cells, strict=True):
        table.add_row(*row)
    return table


def _least_width(text: Text, kept: int) -> int:
    """Return the columns that a cell with words must have: its longest name, or all of it if that is short."""
    return max([min(text.cell_len, kept), *map(cell_len, text.plain.replace(APART, ",\n").split("\n"))])


def _valuation_columns(view: CheckView, spread: int) -> list[Column]:
    mdp = view.checked.mdp
    columns = [Column("state", str, number=True)]
    if len(mdp.valuations) > spread:
        columns.append(Column("valuation", lambda state: _joined(mdp.valuation(state))))
        return columns
    for name, values in mdp.valuations.items():
        columns.append(Column(name, partial(_value_of, values), number=True))
    return columns


def _value_of(values: Any, state: int) -> str:
    return str(values[state].item()).lower()


def _joined(valuation: dict[str, int | bool]) -> str:
    return APART.join(f"{name}={str(value).lower()}" for name, value in valuation.items())


def _number_columns(view: CheckView, facts: Facts, digits: int) -> list[Column]:
    # A variable of that name has the heading for itself, as it has the name in --where.
    own = view.checked.mdp.valuations
    headings = {name: words if name in own else name for name, words in (("V", "value"), ("D", "danger"))}
    columns = [Column(headings["V"], lambda state: short(facts.value.at(state), digits), number=True)]
    danger, evaluation = facts.danger, view.evaluation
    if danger is not None:
        columns.append(Column(headings["D"], lambda state: short(danger.at(state), digits), number=True))
    if view.threshold is not None:
        columns.append(Column("loss", lambda state: value_text(view.loss.get(state, "-")), number=True))
    columns += [
        Column(f"#{number}", partial(_property_value, column, digits), number=True)
        for number, row in enumerate(view.checked.meta["properties"], start=1)
        for column in view.checked.columns
        if row["states"] == "all" and column.name == row["property"]
    ]
    if evaluation is not None:
        columns += [
            Column("policy", lambda state: _moves(view, evaluation, digits, state)),
            Column("its V", lambda state: short(evaluation.value.at(state), digits), number=True),
            Column("gap", lambda state: short(evaluation.gap(facts, state), digits), number=True),
        ]
    return columns


def _property_value(column: PropertyColumn, digits: int, state: int) -> str:
    if column.numbers is not None:
        return short(column.numbers.at(state), digits)
    if column.approximate is not None:
        return f"~{column.approximate[state]:.4g}"
    return value_text(column.json(state))


def _word_columns(view: CheckView, facts: Facts) -> list[Column]:
    return [
        Column("best", lambda state: _actions(view, facts.best, state)),
        Column("worst", lambda state: _actions(view, facts.worst, state)),
        Column("flags", lambda state: _flags(view, facts, state)),
    ]


def _moves(view: CheckView, evaluation: Evaluation, digits: int, state: int) -> str:
    mdp = view.checked.mdp
    moves = evaluation.policy.distribution(mdp, state) or {}
    if len(moves) > 1:
        return APART.join(f"{mdp.action_name(choice)} {short(weight, digits)}" for choice, weight in moves.items())
    return APART.join(mdp.action_name(choice) for choice in moves) or "-"


def _actions(view: CheckView, member: Any, state: int) -> str:
    mdp = view.checked.mdp
    sure = [mdp.action_name(choice) for choice in mdp.choices_of(state) if member[choice] == Tri.YES]
    maybe = [f"≈{mdp.action_name(choice)}" for choice in mdp.choices_of(state) if member[choice] == Tri.UNDECIDED]
    return APART.join(sure + maybe)


def _flags(view: CheckView, facts: Facts, state: int) -> str:
    flags = [name for name in view.checked.mdp.labels_of(state) if name != "deadlock"]
    if facts.dead_end[state] == Tri.YES:
        flags.append("dead end")
    if view.bottleneck(facts, state) is True:
        flags.append("bottleneck")
    return APART.join(flags)
