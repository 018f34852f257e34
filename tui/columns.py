"""The columns of the state table: what a cell says, how wide it gets, and how states are ordered by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

from engine.oracle.tri import Tri
from tui.findings import Findings, gaps
from tui.flags import flags_of
from tui.text import clean, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from engine.oracle.evaluation import Evaluation
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray, Number, Numbers
    from tui.flags import Flag
    from tui.numerals import Figures

NAME_WIDTH = 14
BEST_WIDTH = 18
ROOM = 12
"""Columns that variables may take before the facts; more of them come after the facts, which must be seen."""
MEASURED_VALUES = 2000
"""So many distinct numbers are formatted to find a column's width; more than that get the full width at once."""
VARIABLE = "variable "
"""Before a variable's name in a column's key: a variable may be named like another column."""


@dataclass(frozen=True)
class TableColumn:
    """One column.

    Attributes
    ----------
    key
        Stable name.
    label
        Its heading.
    help
        What it shows, in a few words.
    text
        A state's cell in plain text.
    width
        The widest cell.
    order
        ``(states,)`` numbers that order the states, computed when asked for; NaN where undefined.
    right
        Whether cells end at the right edge.
    """

    key: str
    label: str
    help: str
    text: Callable[[int, Figures], str]
    width: Callable[[Figures], int]
    order: Callable[[], npt.NDArray[Any]]
    right: bool = True

    def cell(self, state: int, figures: Figures) -> Text:
        """Return a state's cell."""
        return Text(self.text(state, figures), justify="right" if self.right else "left", no_wrap=True)


def columns_of(oracle: Oracle, findings: Findings | None = None) -> tuple[TableColumn, ...]:
    """Return a model's columns from left to right."""
    facts, mdp, found = oracle.facts, oracle.mdp, findings or Findings()
    variables = [_variable_column(name, column) for name, column in mdp.valuations.items()]
    early = sum(_variable_width(column) + 2 for column in mdp.valuations.values()) <= ROOM
    columns = [
        TableColumn(
            "state",
            "state",
            "the state's number",
            lambda state, _: str(state),
            lambda _: len(str(mdp.states - 1)),
            lambda: np.arange(mdp.states),
        ),
        _number_column("V", "the optimal value", facts.value, mdp.states),
        _number_column("D", "danger: the risk that no play can avoid", facts.danger, mdp.states),
    ]
    if found.loss is not None:
        columns.append(
            _number_column("loss", "share of V at the start that blocking the state costs", found.loss, mdp.states)
        )
    if found.policy is not None:
        columns += _policy_columns(oracle, found.policy)
    flags = flags_of(oracle)
    columns += [*(variables if early else ()), _facts_column(flags), _best_column(oracle), *variables * (not early)]
    return tuple(columns)


def ordered(column: TableColumn, states: IntArray, *, descending: bool) -> IntArray:
    """Return the states in a column's order; undefined ones last either way, equal ones by their number."""
    keys = np.asarray(column.order())[states]
    if keys.dtype == np.bool_:
        keys = keys.astype(np.int8)
    found: IntArray = states[np.argsort(-keys if descending else keys, kind="stable")]
    return found


def exact_order(numbers: Numbers) -> npt.NDArray[Any]:
    """Return ``(n,)`` keys that order numbers exactly where they are exact; NaN where undefined."""
    if numbers.rank is None:
        return numbers.floats
    return np.where(numbers.rank < 0, np.nan, numbers.rank.astype(np.float64))


def _number_column(key: str, meaning: str, numbers: Numbers | None, states: int) -> TableColumn:
    def text(state: int, figures: Figures) -> str:
        return "-" if numbers is None else figures.text(numbers.at(state))

    return TableColumn(
        key,
        key,
        meaning,
        text,
        lambda figures: _numbers_width(numbers, figures),
        lambda: np.full(states, np.nan) if numbers is None else exact_order(numbers),
    )


def _policy_columns(oracle: Oracle, evaluation: Evaluation) -> list[TableColumn]:
    name = shorten(clean(evaluation.policy.name), NAME_WIDTH)

    def gap(state: int) -> Number | None:
        return evaluation.gap(oracle.facts, state)

    return [
        _number_column("Vπ", f"the value under {name}", evaluation.value, oracle.mdp.states),
        TableColumn(
            "gap",
            "gap",
            f"what {name} loses against V",
            lambda state, figures: figures.text(gap(state)),
            lambda figures: figures.width,
            lambda: gaps(oracle, evaluation).floats,
        ),
    ]


def _variable_column(name: str, column: npt.NDArray[Any]) -> TableColumn:
    def text(state: int, _: Figures) -> str:
        value = column[state].item()
        return ("true" if value else "false") if isinstance(value, bool) else str(value)

    label = shorten(clean(name), NAME_WIDTH)
    return TableColumn(VARIABLE + name, label, "a variable", text, lambda _: _variable_width(column), lambda: column)


def _facts_column(flags: Sequence[Flag]) -> TableColumn:
    def text(state: int, _: Figures) -> str:
        return " ".join(word for flag in flags if (word := flag.text(state)))

    def order() -> npt.NDArray[Any]:
        total = np.zeros(len(flags[0].column), dtype=np.int64)
        for place, flag in enumerate(reversed(flags)):
            total -= (np.asarray(flag.column) == Tri.YES) * np.int64(2**place)
        return total

    width = _facts_width(flags)
    return TableColumn("facts", "facts", "what is known about the state", text, lambda _: width, order, right=False)


def _best_column(oracle: Oracle) -> TableColumn:
    mdp, facts = oracle.mdp, oracle.facts

    def text(state: int, _: Figures) -> str:
        choices = mdp.choices_of(state)
        names = [mdp.action_name(choice) for choice in choices if facts.best[choice] == Tri.YES]
        if len(names) == len(choices) > 1:
            return "all tied"
        return shorten(" ".join(clean(name) for name in names), BEST_WIDTH) or "-"

    def order() -> npt.NDArray[Any]:
        place = np.argsort(np.argsort(np.array(mdp.action_names)))
        best = np.flatnonzero(np.asarray(facts.best) == Tri.YES)
        states, first = np.unique(mdp.state_of_choice[best], return_index=True)
        keys = np.full(mdp.states, np.nan)
        keys[states] = place[mdp.action[best[first]]]
        return keys

    longest = max((len(clean(name)) for name in mdp.action_names), default=1)
    width = min(max(longest * 2 + 1, len("all tied")), BEST_WIDTH)
    return TableColumn("best", "best", "the optimal actions", text, lambda _: width, order, right=False)


def _variable_width(column: npt.NDArray[Any]) -> int:
    if column.dtype == np.bool_:
        return len("false")
    return max(len(str(column.min().item())), len(str(column.max().item()))) if len(column) else 1


def _facts_width(flags: Sequence[Flag]) -> int:
    """Return the width of the longest list of facts that a state has."""
    if not len(flags[0].column):
        return 0
    total = np.zeros(len(flags[0].column), dtype=np.int16)
    for flag in flags:
        total += (flag.column == Tri.YES) * np.int16(len(flag.word) + 1)
        total += (flag.column == Tri.UNDECIDED) * np.int16(len(flag.word) + 2)
    return max(int(total.max()) - 1, 0)


def _numbers_width(numbers: Numbers | None, figures: Figures) -> int:
    if numbers is None:
        return 1
    if numbers.table is None or len(numbers.table) > MEASURED_VALUES:
        return figures.width
    return max((len(figures.text(value)) for value in numbers.table), default=1)
