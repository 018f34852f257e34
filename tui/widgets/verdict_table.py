"""The verdict table: categories in rows, explainers in columns, filling while a campaign runs."""

from __future__ import annotations

from rich.text import Text
from textual.reactive import reactive
from textual.widgets import DataTable

from engine.verdicts.report_text import percent
from engine.verdicts.verdict import Outcome
from tui.tally import Count, Tally
from tui.text import clean, shorten

NAME_WIDTH = 21
COLUMN_WIDTH = 15
ALL = "all"
MARKS = {Outcome.ERROR: "e", Outcome.UNDECIDED: "≈", Outcome.INVALID: "i"}
"""Signs of what is shown apart: of these, only invalid answers are in the rate."""


class VerdictTable(DataTable[Text], can_focus=True):
    """Each cell: share of passes, passes of verdicts, and what is still to come; the last row is over all."""

    tally: reactive[Tally] = reactive(Tally(), init=False)

    def __init__(self) -> None:
        super().__init__(cursor_type="row", zebra_stripes=False)
        self._frame: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._drawn: dict[tuple[str, str], Count] = {}

    def watch_tally(self, tally: Tally) -> None:
        """Update the cells that changed; rebuild when rows or columns did."""
        if (tally.explainers, tally.categories) != self._frame:
            self._rebuild(tally)
        for (explainer, category), count in tally.counts.items():
            self._draw(explainer, category, count)
        for explainer in tally.explainers:
            self._draw(explainer, ALL, tally.total_of(explainer))

    def _draw(self, explainer: str, category: str, count: Count) -> None:
        if self._drawn.get((explainer, category)) != count:
            self._drawn[explainer, category] = count
            self.update_cell(category, explainer, cell_text(count))

    def _rebuild(self, tally: Tally) -> None:
        self.clear(columns=True)
        self._frame = (tally.explainers, tally.categories)
        self._drawn = {}
        if not tally.counts:
            return
        self.add_column(Text("category"), key="", width=NAME_WIDTH)
        for explainer in tally.explainers:
            label = Text(shorten(clean(explainer), COLUMN_WIDTH), justify="right", no_wrap=True)
            self.add_column(label, key=explainer, width=COLUMN_WIDTH)
        for category in (*tally.categories, ALL):
            name = Text(shorten(clean(category), NAME_WIDTH), style="bold" if category == ALL else "", no_wrap=True)
            self.add_row(name, *(Text("") for _ in tally.explainers), key=category)


def cell_text(count: Count) -> Text:
    """Return ``60% 6/10``: share as in a report, passes of verdicts; marks for what is shown apart and what is open."""
    judged, passed = count.judged, count.of(Outcome.PASS)
    text = Text(justify="right", no_wrap=True)
    for outcome, mark in MARKS.items():
        if number := count.of(outcome):
            text.append(f"{number}{mark} ")
    if judged:
        text.append(f"{percent(passed / judged)} ", style="bold").append(f"{passed}/{judged}", style="dim")
    else:
        text.append("-", style="dim")
    text.append(" …" if count.answered < count.planned else "  ", style="dim")
    return text
