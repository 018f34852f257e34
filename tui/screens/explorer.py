"""The explorer: table, picture, state and actions of one model."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual import on
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Footer, Input

from engine.errors import ExpressionError, StormscopeError
from tui.actions import bindings
from tui.figures import counted
from tui.tiles import Tiles, tiles_of
from tui.trail import Trail
from tui.widgets.actions_panel import ActionsPanel
from tui.widgets.filter_bar import FilterBar
from tui.widgets.picture import Picture
from tui.widgets.state_panel import StatePanel
from tui.widgets.state_table import StateTable
from tui.widgets.status_line import StatusLine
from tui.workers import start_thread

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray
    from tui.messages import FilterRequested, StateSelected, SuccessorEntered
    from tui.services import Services


class ExplorerScreen(Screen[None]):
    """Everything follows the selected state; the trail remembers how it was reached."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("explorer")]
    HELP_GROUPS = ("explorer", "table", "actions", "app")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it an instance variable

    trail: reactive[Trail] = reactive(Trail((0,)), init=False)

    class Filtered(Message):
        """A filter was evaluated: rows, or what is wrong with the expression."""

        def __init__(self, text: str, rows: IntArray | None, error: StormscopeError | None = None) -> None:
            super().__init__()
            self.text = text
            self.rows = rows
            self.error = error

    class Drawn(Message):
        """The tiles of the picture were computed."""

        def __init__(self, tiles: Tiles | None) -> None:
            super().__init__()
            self.tiles = tiles

    class AskRequested(Message):
        """The user wants to ask about the selected state."""

    class CampaignRequested(Message):
        """The user wants to see or start a campaign."""

    def __init__(self, oracle: Oracle, services: Services) -> None:
        super().__init__()
        self.oracle = oracle
        self._services = services
        self._filter = ""
        self._wanted = ""

    def compose(self) -> ComposeResult:
        """Create the panels."""
        yield StatusLine(id="status")
        with Horizontal(id="explorer"):
            with Vertical(id="left"):
                yield FilterBar(id="filter")
                yield StateTable(self.oracle)
            with Vertical(id="right"):
                yield Picture(id="picture")
                yield StatePanel(id="state")
                yield ActionsPanel()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show the initial state, and draw the picture in the background."""
        self.query_one(StatusLine).oracle = self.oracle
        self.query_one(StatePanel).oracle = self.oracle
        self.query_one(ActionsPanel).oracle = self.oracle
        self.query_one("#left").border_title = "States"
        self.query_one(ActionsPanel).border_title = "Actions"
        self.trail = Trail((int(self.oracle.mdp.initial[0]) if len(self.oracle.mdp.initial) else 0,))
        self.watch_trail(self.trail)
        self._name_table()
        self.query_one(StateTable).focus()
        start_thread(self.app, self._draw, group="picture", name="drawing the picture")

    def _draw(self) -> None:
        self.post_message(self.Drawn(tiles_of(self.oracle)))

    def on_explorer_screen_drawn(self, event: Drawn) -> None:
        """Show the picture."""
        self.query_one(Picture).show_tiles(event.tiles)

    def watch_trail(self, trail: Trail) -> None:
        """Let every panel follow the state."""
        if not self.is_mounted:
            return
        state = trail.current
        self.query_one(StatePanel).state = state
        self.query_one(ActionsPanel).state = state
        self.query_one(Picture).state = state
        self.query_one(StateTable).show_state(state)

    def on_state_selected(self, event: StateSelected) -> None:
        """Follow the table's cursor."""
        self.trail = self.trail.browse(event.state)

    def on_successor_entered(self, event: SuccessorEntered) -> None:
        """Walk into a successor."""
        self.trail = self.trail.visit(event.state)

    def on_state_table_opened(self) -> None:
        """Go on from a state to its actions."""
        self.query_one(ActionsPanel).focus()

    def on_filter_requested(self, event: FilterRequested) -> None:
        """Evaluate a filter in a worker."""
        if not event.text:
            self.action_clear()
            return
        self._wanted = event.text
        self.query_one(FilterBar).say("filtering …")
        start_thread(self.app, partial(self._select, event.text), group="filter", name="filtering states")

    def _select(self, text: str) -> None:
        try:
            rows = np.flatnonzero(self._services.select(self.oracle, text))
        except ExpressionError as error:
            self.post_message(self.Filtered(text, None, error))
        else:
            self.post_message(self.Filtered(text, rows))

    def on_explorer_screen_filtered(self, event: Filtered) -> None:
        """Show a filter's result, unless another one was asked for meanwhile."""
        if event.text != self._wanted:
            return
        bar = self.query_one(FilterBar)
        if event.error is not None:
            bar.say_error(event.error)
            return
        rows = event.rows
        if rows is None or not len(rows):
            bar.say("No state satisfies this; the table is unchanged.", error=True)
            return
        bar.say_nothing()
        self._filter = event.text
        self.query_one(StateTable).show_rows(rows, self.trail.current)
        self._name_table()
        self.query_one(StateTable).focus()

    def _name_table(self) -> None:
        table = self.query_one(StateTable)
        shown, states = table.row_count, self.oracle.mdp.states
        self.query_one("#left").border_title = (
            f"{counted(shown, 'state')} of {counted(states, '').strip().rstrip('s')}" if self._filter else "States"
        )

    @on(Input.Changed, "#filter-input")
    def _typing(self) -> None:
        self.query_one(FilterBar).say_nothing()

    def action_filter(self) -> None:
        """Go to the filter."""
        self.query_one("#filter-input").focus()

    def action_clear(self) -> None:
        """Show all states; first leave the filter's input."""
        self._wanted = ""
        self.query_one(FilterBar).clear()
        table = self.query_one(StateTable)
        if self._filter:
            self._filter = ""
            table.show_rows(np.arange(self.oracle.mdp.states, dtype=np.int64), self.trail.current)
            self._name_table()
        table.focus()

    def action_back(self) -> None:
        """Return to the state before."""
        self.trail = self.trail.back()

    def action_forward(self) -> None:
        """Undo going back."""
        self.trail = self.trail.forward()

    def action_initial(self) -> None:
        """Select the next initial state after the selected one, round and round."""
        initial = self.oracle.mdp.initial
        if len(initial):
            later = initial[initial > self.trail.current]
            self.trail = self.trail.visit(int(later[0] if len(later) else initial[0]))

    def action_focus_table(self) -> None:
        """Go to the state table."""
        self.query_one(StateTable).focus()

    def action_focus_actions(self) -> None:
        """Go to the actions."""
        self.query_one(ActionsPanel).focus()

    def action_ask(self) -> None:
        """Ask about the selected state."""
        self.post_message(self.AskRequested())

    def action_campaign(self) -> None:
        """Open the campaign."""
        self.post_message(self.CampaignRequested())
