"""The verdict table: categories in rows, explainers in columns, filling while a campaign runs."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import DataTable

from engine.queries.registry import all_categories
from engine.verdicts.live import add_counts, together
from engine.verdicts.tables import Grader
from tui.actions.registry import bindings
from tui.campaigns.cells import cell_text, chance_text
from tui.campaigns.tally import Tally
from tui.text import clean, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual import events
    from textual.binding import BindingType

    from engine.queries.category import Chance
    from engine.verdicts.live import LiveCell

NAME_WIDTH, CHANCE_WIDTH = 21, 6
NARROWEST, WIDEST = 15, 28
ALL = "all"
CHANCE = " chance"
"""Key of the column; no explainer's name begins with a blank."""


class VerdictTable(DataTable[Text], can_focus=True):
    """Each cell: share of passes with its interval, n, marks for what is shown apart, and whether more is to come."""

    BINDINGS: ClassVar[list[BindingType]] = [each for each in bindings("verdicts") if each.action.startswith("cursor_")]

    tally: reactive[Tally] = reactive(Tally(), init=False)
    grader: reactive[Grader] = reactive[Grader]("verdict", init=False)
    model: reactive[str | None] = reactive[str | None](None, init=False)

    class Looked(Message):
        """The cursor is on another cell, or its cell has changed; None stands for all explainers or categories."""

        def __init__(self, explainer: str | None, category: str | None) -> None:
            super().__init__()
            self.explainer = explainer
            self.category = category

    class Opened(Looked):
        """A cell was chosen."""

    def __init__(self) -> None:
        super().__init__(cursor_type="cell", zebra_stripes=False, cell_padding=0, fixed_columns=1)
        self._frame: tuple[tuple[str, ...], tuple[str, ...], int] = ((), (), 0)
        self._drawn: dict[tuple[str, str], Text] = {}
        self._groups: dict[tuple[str, str], tuple[LiveCell, ...]] = {}
        self._sources: dict[tuple[str, str], tuple[LiveCell, ...]] = {}
        self._levels: dict[str, list[Mapping[Chance | None, int]]] = {}

    def watch_tally(self) -> None:
        """Update the cells that changed; rebuild when rows or columns did."""
        self._groups = self.tally.groups(self.model)
        explainers = tuple(dict.fromkeys(explainer for explainer, _ in self._groups))
        found = {category for _, category in self._groups}
        order = [name for name in all_categories() if name in found]
        categories = (*order, *sorted(found - set(order)))
        frame = explainers, categories, self._column_width(len(explainers))
        if frame != self._frame:
            self._rebuild(*frame)
        for category in categories:
            rows = [self._groups.get((explainer, category), ()) for explainer in explainers]
            for explainer, cells in zip(explainers, rows, strict=True):
                self._draw(category, explainer, cells)
            self._draw_chance(category, {category})
        for explainer in explainers:
            column = [self._groups.get((explainer, category), ()) for category in categories]
            self._draw(ALL, explainer, tuple(cell for cells in column for cell in cells))
        if explainers:
            self._draw_chance(ALL, found)
        self._tell()

    def watch_grader(self) -> None:
        """Show the other grader's figures."""
        self._sources, self._levels = {}, {}
        self.watch_tally()

    def watch_model(self) -> None:
        """Show another environment's figures."""
        self.watch_tally()

    def on_resize(self, event: events.Resize) -> None:
        """Let the columns have the room that there is."""
        del event
        if self.is_mounted and self._frame[0]:
            self.watch_tally()

    def _column_width(self, explainers: int) -> int:
        room = self.size.width - NAME_WIDTH - 1 - CHANCE_WIDTH - 1
        return max(NARROWEST, min(WIDEST, room // max(explainers, 1)))

    def _draw(self, row: str, column: str, cells: tuple[LiveCell, ...]) -> None:
        """Draw a cell if what it is made of is not what it was made of before."""
        before = self._sources.get((row, column))
        if before is not None and len(before) == len(cells) and all(map(is_, before, cells)):
            return
        self._sources[row, column] = cells
        self._put(row, column, cell_text(together(cells), self.grader, self._frame[2]) if cells else Text(""))

    def _draw_chance(self, row: str, categories: set[str]) -> None:
        """Draw what guessing gets at the cases of some categories, the same for all explainers.

        Until the cases are known, those that were answered stand for them.
        """
        board = self.tally.board
        known = [levels for place, levels in board.chances.items() if self._shows(*place, categories)]
        known += [
            cell.chances
            for (model, _, category), cell in board.cells.items()
            if (model, category) not in board.chances and self._shows(model, category, categories)
        ]
        before = self._levels.get(row)
        if before is not None and len(before) == len(known) and all(map(is_, before, known)):
            return
        self._levels[row] = known
        chances: dict[Chance | None, int] = {}
        for levels in known:
            add_counts(chances, levels)
        self._put(row, CHANCE, chance_text(chances, self.grader))

    def _shows(self, model: str, category: str, categories: set[str]) -> bool:
        return category in categories and self.model in {None, model}

    def _put(self, row: str, column: str, text: Text) -> None:
        """Put a text where another one stands."""
        if self._drawn.get((row, column)) != text:
            self._drawn[row, column] = text
            self.update_cell(row, column, text)

    def _rebuild(self, explainers: tuple[str, ...], categories: tuple[str, ...], width: int) -> None:
        before = self.cursor_coordinate
        self.clear(columns=True)
        self._frame = (explainers, categories, width)
        self._drawn, self._sources, self._levels = {}, {}, {}
        if not explainers:
            return
        self.add_column(Text(" category"), key="", width=NAME_WIDTH + 1)
        self.add_column(Text("chance", justify="right"), key=CHANCE, width=CHANCE_WIDTH)
        for explainer in explainers:
            label = Text(shorten(clean(explainer), width - 2), justify="right", no_wrap=True)
            self.add_column(label, key=explainer, width=width)
        for category in (*categories, ALL):
            style = "bold" if category == ALL else ""
            name = Text(" " + shorten(clean(category), NAME_WIDTH), style=style, no_wrap=True)
            self.add_row(name, *(Text("") for _ in range(len(explainers) + 1)), key=category)
        self.move_cursor(row=before.row, column=max(before.column, 2))

    @property
    def place(self) -> tuple[str | None, str | None]:
        """The explainer and the category under the cursor; None stands for all of them."""
        explainers, categories, _ = self._frame
        row, column = self.cursor_coordinate
        explainer = explainers[column - 2] if 0 <= column - 2 < len(explainers) else None
        return explainer, categories[row] if row < len(categories) else None

    def cell(self) -> LiveCell | None:
        """Return the cell under the cursor; None where there is none."""
        explainer, category = self.place
        cells = [
            cell
            for (name, its_category), group in self._groups.items()
            if name == explainer and category in {None, its_category}
            for cell in group
        ]
        return together(cells) if cells else None

    def _tell(self) -> None:
        self.post_message(self.Looked(*self.place))

    def on_data_table_cell_highlighted(self, event: DataTable.CellHighlighted) -> None:
        """Tell which cell it is."""
        event.stop()
        self._tell()

    def on_data_table_cell_selected(self, event: DataTable.CellSelected) -> None:
        """Tell which cell was chosen."""
        event.stop()
        self.post_message(self.Opened(*self.place))
