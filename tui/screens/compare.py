"""Two states side by side, as the questions about pairs see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual.content import Content

from engine.oracle.numbers import EQUAL, LARGER, SMALLER, UNDECIDED_SIGN
from engine.oracle.tri import Tri
from tui.explorer.flags import flags_of
from tui.explorer.numerals import Figures
from tui.screens.tool import ToolScreen
from tui.text import clean, shorten
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.widget import Widget

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import Numbers

LABEL, CELL = 12, 26
_MARKS = {Tri.YES: "yes", Tri.NO: "no", Tri.UNDECIDED: "≈ undecided", Tri.UNDEFINED: "not defined"}


class CompareScreen(ToolScreen):
    """Rows of a label and two cells; what differs is marked by a sign, not only by colour."""

    TITLE_TEXT = "Compare"
    HINT: ClassVar[str] = "≠ marks what differs   {tool.close} closes"

    def __init__(self, oracle: Oracle, left: int, right: int, *, decimal: bool) -> None:
        super().__init__()
        self._lines = list(comparison(oracle, left, right, Figures(CELL - 2, decimal)))
        self._list = PickerList()

    def contents(self) -> Iterable[Widget]:
        """Return the rows."""
        yield self._list

    def on_mount(self) -> None:
        """Show them."""
        super().on_mount()
        self._list.show_list(self._lines, 0)
        self._list.focus()


def comparison(oracle: Oracle, left: int, right: int, figures: Figures) -> Iterator[Content]:
    """Yield the rows: values with who is better, facts, variables, actions."""
    facts, mdp, pair = oracle.facts, oracle.mdp, (left, right)
    yield _row("state", f"s{left}", f"s{right}", style="bold")
    yield _row("V", *(figures.text(facts.value.at(state)) for state in pair), sign=_differs(facts.value, left, right))
    better = larger_of(facts.value, left, right, largest=facts.objective.kind.maximises)
    yield _verdict("more promising", better, pair)
    if facts.danger is not None:
        yield _row(
            "D", *(figures.text(facts.danger.at(state)) for state in pair), sign=_differs(facts.danger, left, right)
        )
        yield _verdict("safer", larger_of(facts.danger, left, right, largest=False), pair)
    for flag in flags_of(oracle):
        signs = [_MARKS[Tri(int(flag.column[state]))] for state in pair]
        yield _row(flag.word, *signs)
    for name, column in mdp.valuations.items():
        yield _row(clean(name), *(str(column[state].item()).lower() for state in pair))
    yield Content("")
    yield _row("Q", "", "", style="bold")
    names = dict.fromkeys(name for state in pair for name in mdp.action_names_of(state))
    for name in names:
        yield _row(clean(name), *(_q_of(oracle, state, name, figures) for state in pair))


def larger_of(numbers: Numbers, left: int, right: int, *, largest: bool) -> int | str:
    """Return the index (0, 1) of the larger (or smaller) number of two, or why there is none: tied, undecided, …."""
    sign = int(numbers.sign(np.array([left]), np.array([right]))[0])
    match sign:
        case _ if sign == EQUAL:
            return "tied"
        case _ if sign == UNDECIDED_SIGN:
            return "≈ undecided"
        case _ if sign in {SMALLER, LARGER}:
            return int((sign == LARGER) != largest)
        case _:
            return "not defined"


def _differs(numbers: Numbers, left: int, right: int) -> str:
    found = larger_of(numbers, left, right, largest=True)
    return "≠" if isinstance(found, int) else "≈" if found == "≈ undecided" else " "


def _verdict(question: str, answer: int | str, pair: tuple[int, int]) -> Content:
    text = f"s{pair[answer]}" if isinstance(answer, int) else str(answer)
    return Content.assemble(("  ", ""), (f"{question}: ", "dim"), (text, "bold $accent"))


def _q_of(oracle: Oracle, state: int, name: str, figures: Figures) -> str:
    for choice in oracle.mdp.choices_of(state):
        if oracle.mdp.action_name(choice) == name:
            best = oracle.facts.best[choice] == Tri.YES
            return figures._replace(width=CELL - 8).text(oracle.facts.q.at(choice)) + (" best" if best else "")
    return "-"


def _row(label: str, left: str, right: str, *, style: str = "", sign: str | None = None) -> Content:
    mark = sign if sign is not None else "≠" if left != right and style != "bold" else " "
    return Content.assemble(
        (f"{mark} ", "bold $warning"),
        (f"{shorten(label, LABEL):<{LABEL}} ", "dim"),
        (f"{shorten(left, CELL):<{CELL}}", style),
        (shorten(right, CELL), style),
    )
