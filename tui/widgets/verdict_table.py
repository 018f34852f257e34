"""The verdict table: categories in rows, explainers in columns, filling while a campaign runs."""

from __future__ import annotations

from dataclasses import dataclass
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
from tui.asking.case_rows import KEPT, CellName
from tui.campaigns.cells import CellForm, cell_text, chance_text, form_of, kept_text
from tui.campaigns.tally import Tally
from tui.text import clean, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual import events
    from textual.binding import BindingType

    from engine.queries.category import Chance
    from engine.verdicts.live import LiveCell

NAME_WIDTH, CHANCE_WIDTH = 21, 6
NARROWEST, WIDEST = 16, 29
ALL = "all"
CHANCE = " chance"
"""Key of the column; no explainer's name begins with a blank."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Rows and columns of the table, and how its cells are written."""

    explainers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    kept: bool = False
    width: int = 0
    form: CellForm = form_of((), 0)  # noqa: RUF009 - a frozen value

    @property
    def rows(self) -> tuple[str, ...]:
        """The keys of the rows."""
        return (*self.categories, *([ALL] if self.categories else []), *([KEPT] if self.kept else []))


class VerdictTable(DataTable[Text], can_focus=True):
    """Each cell: share of passes with its interval, n of the questions, and marks for what is shown apart.

    What was kept by hand has a row of its own below all others.
    """

    BINDINGS: ClassVar[list[BindingType]] = [each for each in bindings("verdicts") if each.action.startswith("cursor_")]

    tally: reactive[Tally] = reactive(Tally(), init=False)
    grader: reactive[Grader] = reactive[Grader]("verdict", init=False)
    model: reactive[str | None] = reactive[str | None](None, init=False)

    class Looked(Message):
        """The cursor is on another cell, or its cell has changed."""

        def __init__(self, name: CellName) -> None:
            super().__init__()
            self.name = name

    class Opened(Looked):
        """A cell was chosen."""

    def __init__(self) -> None:
        super().__init__(cursor_type="cell", zebra_stripes=False, cell_padding=0, fixed_columns=1)
        self._frame = Frame()
        self._drawn: dict[tuple[str, str], Text] = {}
        self._groups: dict[tuple[str, str], tuple[LiveCell, ...]] = {}
        self._sources: dict[tuple[str, str], tuple[LiveCell, ...]] = {}
        self._levels: dict[str, list[Mapping[Chance | None, int]]] = {}

    def watch_tally(self) -> None:
        """Update the cells that changed; rebuild when rows or columns did."""
        self._groups = self.tally.groups(self.model)
        kept = {name: cell for name in self.tally.explainers if (cell := self.tally.kept_of(name, self.model))}
        explainers = tuple(dict.fromkeys([*(explainer for explainer, _ in self._groups), *kept]))
        found = {category for _, category in self._groups}
        order = [name for name in all_categories() if name in found]
        categories = (*order, *sorted(found - set(order)))
        width = self._column_width(len(explainers))
        totals = [self.tally.total_of(explainer, self.model) for explainer in explainers]
        frame = Frame(explainers, categories, bool(kept), width, form_of(totals, width))
        if frame != self._frame:
            self._rebuild(frame)
        for category in categories:
            rows = [self._groups.get((explainer, category), ()) for explainer in explainers]
            for explainer, cells in zip(explainers, rows, strict=True):
                self._draw(category, explainer, cells)
            self._draw_chance(category, {category})
        for explainer in explainers:
            column = [self._groups.get((explainer, category), ()) for category in categories]
            if categories:
                self._draw(ALL, explainer, tuple(cell for cells in column for cell in cells))
            if kept:
                self._put(KEPT, explainer, kept_text(kept.get(explainer)))
        if categories:
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
        if self.is_mounted and self._frame.explainers:
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
        self._put(row, column, cell_text(together(cells), self.grader, self._frame.form) if cells else Text(""))

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

    def _rebuild(self, frame: Frame) -> None:
        before = self.cursor_coordinate
        self.clear(columns=True)
        self._frame = frame
        explainers, width = frame.explainers, frame.width
        self._drawn, self._sources, self._levels = {}, {}, {}
        if not explainers:
            return
        self.add_column(Text(" category"), key="", width=NAME_WIDTH + 1)
        self.add_column(Text("chance", justify="right"), key=CHANCE, width=CHANCE_WIDTH)
        for explainer in explainers:
            label = Text(shorten(clean(explainer), width - 2), justify="right", no_wrap=True)
            self.add_column(label, key=explainer, width=width)
        for category in frame.rows:
            style = {ALL: "bold", KEPT: "dim"}.get(category, "")
            name = Text(" " + shorten(clean(category), NAME_WIDTH), style=style, no_wrap=True)
            self.add_row(name, *(Text("") for _ in range(len(explainers) + 1)), key=category)
        self.move_cursor(row=before.row, column=max(before.column, 2))

    @property
    def place(self) -> CellName:
        """Which cell is under the cursor."""
        explainers, rows = self._frame.explainers, self._frame.rows
        row, column = self.cursor_coordinate
        explainer = explainers[column - 2] if 0 <= column - 2 < len(explainers) else None
        name = rows[row] if row < len(rows) else ALL
        category = None if name in {ALL, KEPT} else name
        return CellName(explainer, category, self.model, name == KEPT)

    def cell(self) -> LiveCell | None:
        """Return the cell under the cursor; None where there is none."""
        explainer, category, _, kept = self.place
        if kept:
            return None if explainer is None else self.tally.kept_of(explainer, self.model)
        cells = [
            cell
            for (name, its_category), group in self._groups.items()
            if name == explainer and category in {None, its_category}
            for cell in group
        ]
        return together(cells) if cells else None

    def _tell(self) -> None:
        self.post_message(self.Looked(self.place))

    def on_data_table_cell_highlighted(self, event: DataTable.CellHighlighted) -> None:
        """Tell which cell it is."""
        event.stop()
        self._tell()

    def on_data_table_cell_selected(self, event: DataTable.CellSelected) -> None:
        """Tell which cell was chosen."""
        event.stop()
        self.post_message(self.Opened(self.place))
