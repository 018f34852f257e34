"""The columns of the state table: what a cell says, how wide it gets, and how states are ordered by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

from engine.oracle.tri import Tri
from tui.explorer.findings import Findings, gaps
from tui.explorer.flags import fitting, flags_of
from tui.explorer.numerals import LEAST_WIDTH
from tui.text import clean, distinct, shorten, shorten_list

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray, Number, Numbers
    from engine.oracle.policy.evaluation import Evaluation
    from tui.explorer.flags import Flag
    from tui.explorer.numerals import Figures

NAME_WIDTH = 14
BEST_WIDTH = 18
ROOM = 14
"""What variables may take before the numbers; where they take more, all of them come after the facts."""
MEASURED = 400
"""So many numbers are formatted to find a column's width, spread over all; a wider one is cut when it is drawn."""
TIED = "tied"
"""What is said where there is no room for more."""
LEAST_NAME = 8
"""So much of an action's name is shown where room is scarce."""
LEAST_FACTS = 6
"""Room for one fact in a short word, and an ellipsis for others."""
ALIKE: dict[int, str] = {Tri.YES: "all tied", Tri.UNDECIDED: "undecided"}
"""What is said instead of the names where it holds for all actions."""
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
    cut
        A state's cell in so many columns, where the text is wider; cut with an ellipsis if there is no better way.
    least
        A width in which a cell still says something; None if a cell makes sense as a whole only.
    """

    key: str
    label: str
    help: str
    text: Callable[[int, Figures], str]
    width: Callable[[Figures], int]
    order: Callable[[], npt.NDArray[Any]]
    right: bool = True
    cut: Callable[[int, Figures, int], str] | None = None
    least: int | None = None

    def text_in(self, state: int, figures: Figures, room: int) -> str:
        """Return a state's cell in at most `room` characters, at least 1."""
        text = self.text(state, figures)
        if len(text) <= room:
            return text
        return shorten(text if self.cut is None else self.cut(state, figures, room), room)

    def cell(self, state: int, figures: Figures) -> Text:
        """Return a state's cell."""
        return Text(self.text(state, figures), justify="right" if self.right else "left", no_wrap=True)


def columns_of(oracle: Oracle, findings: Findings | None = None) -> tuple[TableColumn, ...]:
    """Return a model's columns from left to right."""
    facts, mdp, found = oracle.facts, oracle.mdp, findings or Findings()
    widths = [_variable_width(column) for column in mdp.valuations.values()]
    variables = [
        _variable_column(name, column, width)
        for (name, column), width in zip(mdp.valuations.items(), widths, strict=True)
    ]
    early = _are_short(variables, widths)
    columns = [
        TableColumn(
            "state",
            "state",
            "the state's number",
            lambda state, _: str(state),
            lambda _: len(str(mdp.states - 1)),
            lambda: np.arange(mdp.states),
        ),
        *(variables if early else ()),
        _number_column("V", "the optimal value", facts.value),
    ]
    if facts.danger is not None:
        columns.append(_number_column("D", "danger: the risk that no play can avoid", facts.danger))
    if found.loss is not None:
        columns.append(_number_column("loss", "share of V at the start that blocking the state costs", found.loss))
    if found.policy is not None:
        columns += _policy_columns(oracle, found.policy)
    return (*columns, _best_column(oracle), _facts_column(flags_of(oracle)), *(() if early else variables))


def _are_short(variables: Sequence[TableColumn], widths: Sequence[int]) -> bool:
    """Return whether the variables stand before the numbers: they stay side by side."""
    return sum(max(width, len(column.label)) + 2 for column, width in zip(variables, widths, strict=True)) <= ROOM


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


def _number_column(key: str, meaning: str, numbers: Numbers) -> TableColumn:
    return TableColumn(
        key,
        key,
        meaning,
        lambda state, figures: figures.text(numbers.at(state)),
        cache(lambda figures: _numbers_width(numbers, figures)),
        lambda: exact_order(numbers),
        cut=lambda state, figures, room: _number_in(numbers.at(state), figures, room),
    )


def _policy_columns(oracle: Oracle, evaluation: Evaluation) -> list[TableColumn]:
    name = shorten(clean(evaluation.policy.name), NAME_WIDTH)

    def gap(state: int) -> Number | None:
        return evaluation.gap(oracle.facts, state)

    return [
        _number_column("Vπ", f"the value under {name}", evaluation.value),
        TableColumn(
            "gap",
            "gap",
            f"what {name} loses against V",
            lambda state, figures: figures.text(gap(state)),
            lambda figures: _width(gap, oracle.mdp.states, figures),
            lambda: gaps(oracle, evaluation).floats,
            cut=lambda state, figures, room: _number_in(gap(state), figures, room),
        ),
    ]


def _variable_column(name: str, column: npt.NDArray[Any], width: int) -> TableColumn:
    def text(state: int, _: Figures) -> str:
        value = column[state].item()
        return ("true" if value else "false") if isinstance(value, bool) else str(value)

    label = shorten(clean(name), NAME_WIDTH)
    return TableColumn(VARIABLE + name, label, "a variable", text, lambda _: width, lambda: column)


def _facts_column(flags: Sequence[Flag]) -> TableColumn:
    def text(state: int, _: Figures) -> str:
        return " ".join(word for flag in flags if (word := flag.text(state)))

    def order() -> npt.NDArray[Any]:
        total = np.zeros(len(flags[0].column), dtype=np.int64)
        for place, flag in enumerate(reversed(flags)):
            total -= (np.asarray(flag.column) == Tri.YES) * np.int64(2**place)
        return total

    width = _facts_width(flags)
    return TableColumn(
        "facts",
        "facts",
        "what is known about the state",
        text,
        lambda _: width,
        order,
        right=False,
        cut=lambda state, _, room: fitting(flags, state, room),
        least=LEAST_FACTS,
    )


def _best_column(oracle: Oracle) -> TableColumn:
    mdp, facts = oracle.mdp, oracle.facts

    def names(state: int) -> list[str]:
        found = [(int(facts.best[choice]), clean(mdp.action_name(choice))) for choice in mdp.choices_of(state)]
        certain = [name for best, name in found if best == Tri.YES]
        return certain + [f"≈{name}" for best, name in found if best == Tri.UNDECIDED]

    def text(state: int, _: Figures) -> str:
        choices = mdp.choices_of(state)
        optimal = {int(facts.best[choice]) for choice in choices}
        if len(choices) > 1 and len(optimal) == 1 and optimal <= ALIKE.keys():
            return ALIKE[optimal.pop()]
        return " ".join(names(state)) or "-"

    def cut(state: int, figures: Figures, room: int) -> str:
        found = names(state)
        if text(state, figures) == ALIKE[Tri.YES]:
            return TIED
        if found and len(found[0]) > room:
            sign = "≈" * found[0].startswith("≈")
            return sign + brief(room - len(sign))[found[0].removeprefix(sign)]
        return shorten_list(found, room)

    @cache
    def brief(room: int) -> dict[str, str]:
        every = [clean(name) for name in mdp.action_names]
        return dict(zip(every, distinct(every, room), strict=True))

    def order() -> npt.NDArray[Any]:
        place = np.argsort(np.argsort(np.array(mdp.action_names)))
        best = np.flatnonzero(np.asarray(facts.best) == Tri.YES)
        states, first = np.unique(mdp.state_of_choice[best], return_index=True)
        keys = np.full(mdp.states, np.nan)
        keys[states] = place[mdp.action[best[first]]]
        return keys

    longest = max((len(clean(name)) for name in mdp.action_names), default=1)
    width = min(max(longest * 2 + 1, *map(len, ALIKE.values())), BEST_WIDTH)
    return TableColumn(
        "best",
        "best",
        "the optimal actions, ≈ where that is undecided",
        text,
        lambda _: width,
        order,
        right=False,
        cut=cut,
        least=max(len(TIED), min(longest, LEAST_NAME)),
    )


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


def _numbers_width(numbers: Numbers, figures: Figures) -> int:
    if numbers.table is None:
        return _width(numbers.at, len(numbers.floats), figures)
    return _width(numbers.table.__getitem__, len(numbers.table), figures)


def _width(number_at: Callable[[int], Number | None], count: int, figures: Figures) -> int:
    """Return what so many numbers take; if not all are measured, at least what any number can be written in."""
    places = np.unique(np.linspace(0, max(count - 1, 0), min(count, MEASURED), dtype=np.int64))
    least = LEAST_WIDTH if count > MEASURED else 1
    return max([least, *(len(figures.text(number_at(place))) for place in places.tolist())])


def _number_in(number: Number | None, figures: Figures, room: int) -> str:
    """Return a number in a narrower column: with fewer digits, else only that there is one."""
    return figures._replace(width=room).text(number) if room >= LEAST_WIDTH else "…"
