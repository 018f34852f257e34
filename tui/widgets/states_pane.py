"""The left side of the explorer: the filter, the state table, and how it is looked at."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.message import Message

from engine.errors import StormscopeError
from engine.figures import counted
from tui.explorer.columns import columns_of
from tui.explorer.completion import names_in
from tui.explorer.findings import Findings, numbers_of
from tui.explorer.states import example_of
from tui.explorer.view import View, rows_of
from tui.widgets.filter_bar import FilterBar
from tui.widgets.state_table import StateTable
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from textual.app import ComposeResult

    from engine.mdp.decided import Truth
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, IntArray, Numbers
    from tui.explorer.columns import TableColumn
    from tui.messages import FilterRequested

    Decide: TypeAlias = Callable[[Oracle, str, Mapping[str, Callable[[], Numbers]]], Truth]


class StatesPane(Vertical):
    """Filters and sorts in a thread; the table keeps its old rows until the new ones are there.

    Parameters
    ----------
    oracle
        The checked model.
    decide
        Evaluates a filter, which may name the numbers that are given with it; it may block.
    moved
        Called when the table's cursor has moved.
    view
        How to begin.

    Attributes
    ----------
    view
        How the table is looked at now.
    marks
        The marked states, in the order in which they were marked.
    """

    class Arranged(Message):
        """The rows of a view were computed, or its filter makes no sense."""

        def __init__(
            self, view: View, rows: IntArray | None, error: StormscopeError | None = None, undecided: int = 0
        ) -> None:
            super().__init__()
            self.view = view
            self.rows = rows
            self.error = error
            self.undecided = undecided

    def __init__(self, oracle: Oracle, decide: Decide, moved: Callable[[], None], view: View) -> None:
        super().__init__(id="left")
        self._oracle = oracle
        self._decide = decide
        self._findings = Findings()
        self._undecided = 0
        self._first = view
        self._wanted = View()
        self._state = 0
        self._title = ""
        self.columns: Sequence[TableColumn] = columns_of(oracle)
        self.view = View()
        self.marks: tuple[int, ...] = ()
        self.bar = FilterBar(view.filter, example_of(oracle), names_in(oracle), id="filter")
        self.table = StateTable(oracle, moved)

    def compose(self) -> ComposeResult:
        """Create filter and table."""
        yield self.bar
        yield self.table

    def on_mount(self) -> None:
        """Begin with the given view."""
        if self._first != View():
            self.look_at(self._first)
        self.show_title()

    def on_resize(self) -> None:
        """Say whether the table has columns out of sight."""
        self.call_after_refresh(self.show_title)

    def follow(self, state: int) -> None:
        """Move the cursor to a state that was selected elsewhere."""
        self._state = state
        self.table.show_state(state)
        self.show_title()

    def take(self, findings: Findings) -> None:
        """Show what was computed meanwhile as columns."""
        self._findings = findings
        self.columns = columns_of(self._oracle, findings)
        self._show_columns(self.view)
        self.bar.complete_with(names_in(self._oracle, numbers_of(self._oracle, findings)))
        if self.view.filter and not self.view.filter.isspace():
            # It may name what is another number now.
            self._start(self.view)

    def mark(self, states: Sequence[int]) -> None:
        """Mark exactly these states."""
        changed = set(self.marks) ^ set(states)
        self.marks = tuple(dict.fromkeys(states))
        self.table.show_marks(frozenset(self.marks), changed)
        self.show_title()

    def look_at(self, view: View) -> None:
        """Look at the states in another way; what takes time is done in a thread, and the last wish counts."""
        self._wanted = view
        if (view.filter, view.sort, view.descending) == (self.view.filter, self.view.sort, self.view.descending):
            self._adopt(view)
        elif view.plain:
            self.on_states_pane_arranged(self.Arranged(view, np.arange(self._oracle.mdp.states, dtype=np.int64)))
        else:
            if view.filter != self.view.filter:
                self.bar.say("filtering …")
            self._start(view)

    def _start(self, view: View) -> None:
        self._wanted = view
        start_thread(self.app, partial(self._compute, view), group="filter", name="filtering states")

    def _compute(self, view: View) -> None:
        undecided = 0

        def select(text: str) -> BoolArray:
            nonlocal undecided
            truth = self._decide(self._oracle, text, numbers_of(self._oracle, self._findings))
            undecided = int(np.count_nonzero(truth.undecided))
            return truth.yes

        try:
            rows = rows_of(view, self.columns, self._oracle.mdp.states, select)
        except StormscopeError as error:
            self.post_message(self.Arranged(view, None, error))
        else:
            self.post_message(self.Arranged(view, rows, undecided=undecided))

    def on_states_pane_arranged(self, event: Arranged) -> None:
        """Show the rows, unless something else was wanted meanwhile."""
        event.stop()
        if event.view != self._wanted:
            return
        if event.error is not None:
            self.bar.say_error(event.error)
            return
        if event.rows is None or not len(event.rows):
            shown = self.view.filter or "all states"
            left = f" certainly, {event.undecided:,} undecided" if event.undecided else ""
            self.bar.say(f"No state satisfies this{left}; still shown: {shown}", error=True)
            return
        filtered = event.view.filter != self.view.filter
        if filtered:
            self.bar.say_nothing()
        self._undecided = event.undecided
        self._adopt(event.view)
        self.table.show_rows(event.rows, self._state)
        self.show_title()
        if filtered:
            self.table.focus()

    def _adopt(self, view: View) -> None:
        before, self.view = self.view, view
        if before.decimal != view.decimal:
            self.table.show_decimals(decimal=view.decimal)
        if (before.hidden, before.sort, before.descending) != (view.hidden, view.sort, view.descending):
            self._show_columns(view)
        self.show_title()

    def _show_columns(self, view: View) -> None:
        arrow = "" if view.plain or (view.sort == "state" and not view.descending) else view.sort
        self.table.show_columns(view.columns(self.columns), sort=arrow, descending=view.descending)
        self.call_after_refresh(self.show_title)

    def show_title(self) -> None:
        """Say in the title what is shown."""
        shown, states = self.table.row_count, self._oracle.mdp.states
        filtered = bool(self.view.filter)
        title = f"{counted(shown, 'state')} of {states:,}" if filtered else "States"
        if filtered and self._undecided:
            title += f", {self._undecided:,} undecided"
        if self.marks:
            title += f", {len(self.marks):,} marked"
        if self.table.away:
            title += f", s{self._state} is not among them"
        elif any(more := self.table.more_columns):
            arrows = " ".join(arrow for arrow, there in zip("←→", more, strict=True) if there)
            title += f"  ({arrows} more columns)"
        if title != self._title:
            self._title = title
            # Through the public property all of the pane would be painted again: 12 KB over SSH for each mark.
            self._border_title = Content(title)
            self.refresh(Region(0, -1, self.size.width, 1))

    def on_filter_requested(self, event: FilterRequested) -> None:
        """Filter the states."""
        event.stop()
        if event.text:
            self.look_at(replace(self.view, filter=event.text))
        else:
            self.clear()

    def clear(self) -> None:
        """Show all states; first leave the filter's input."""
        self.bar.clear()
        if self.view.filter or self._wanted.filter:
            self.look_at(replace(self.view, filter=""))
        self.table.focus()

    def show_filter(self, text: str) -> None:
        """Filter by an expression that comes from elsewhere."""
        self.bar.show(text)
        self.look_at(replace(self.view, filter=text))

    @on(StateTable.HeadingChosen)
    def _sort(self, event: StateTable.HeadingChosen) -> None:
        event.stop()
        self.look_at(self.view.sorted_by(event.column))

    @on(StateTable.Turned)
    def _turned(self, event: StateTable.Turned) -> None:
        event.stop()
        self.show_title()

    @on(StateTable.MarkToggled)
    def _mark(self, event: StateTable.MarkToggled) -> None:
        event.stop()
        state = self._state if event.state is None else event.state
        if state in self.marks:
            self.mark([each for each in self.marks if each != state])
        else:
            self.mark([*self.marks, state])
