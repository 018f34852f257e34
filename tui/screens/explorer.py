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
from engine.figures import counted
from tui.actions import bindings
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
    from tui.messages import FilterRequested, SuccessorEntered
    from tui.services import Services


class ExplorerScreen(Screen[None]):
    """Everything follows the selected state; the trail remembers how it was reached."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("explorer")]
    HELP_GROUPS = ("explorer", "table", "actions", "app")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it an instance variable

    trail: reactive[Trail] = reactive(Trail((0,)), init=False, repaint=False)

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
        self._status = StatusLine(id="status")
        self._bar = FilterBar(id="filter")
        self._table = StateTable(oracle)
        self._left = Vertical(self._bar, self._table, id="left")
        self._picture = Picture(id="picture")
        self._panel = StatePanel(id="state")
        self._actions = ActionsPanel()

    def compose(self) -> ComposeResult:
        """Create the panels."""
        yield self._status
        with Horizontal(id="explorer"):
            yield self._left
            yield Vertical(self._picture, self._panel, self._actions, id="right")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show the initial state, and draw the picture in the background."""
        self._status.oracle = self.oracle
        self._panel.oracle = self.oracle
        self._actions.oracle = self.oracle
        self._left.border_title = "States"
        self._actions.border_title = "Actions"
        self._panel.border_title = "State"
        self.trail = Trail((int(self.oracle.mdp.initial[0]) if len(self.oracle.mdp.initial) else 0,))
        self.watch_trail(self.trail)
        self._name_table()
        self._table.focus()
        start_thread(self.app, self._draw, group="picture", name="drawing the picture")

    def _draw(self) -> None:
        self.post_message(self.Drawn(tiles_of(self.oracle)))

    def on_explorer_screen_drawn(self, event: Drawn) -> None:
        """Show the picture."""
        self._picture.show_tiles(event.tiles)

    def watch_trail(self, trail: Trail) -> None:
        """Let every panel follow the state."""
        if not self.is_mounted:
            return
        state = trail.current
        self._panel.state = state
        self._actions.state = state
        self._picture.state = state
        self._table.show_state(state)

    def on_state_selected(self) -> None:
        """Follow the table's cursor to where it is now, which may be further than the message says."""
        self.settle()

    def settle(self) -> None:
        """Select the state under the table's cursor if it has moved."""
        state = self._table.unsettled
        if state is not None:
            self.trail = self.trail.browse(state)

    def on_successor_entered(self, event: SuccessorEntered) -> None:
        """Walk into a successor, unless another state was selected meanwhile."""
        self.settle()
        if event.source == self.trail.current:
            self.trail = self.trail.visit(event.state)

    def on_state_table_opened(self) -> None:
        """Go on from a state to its actions."""
        self._actions.focus()

    def on_filter_requested(self, event: FilterRequested) -> None:
        """Evaluate a filter in a worker."""
        if not event.text:
            self.action_clear()
            return
        self._wanted = event.text
        self._bar.say("filtering …")
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
        if event.error is not None:
            self._bar.say_error(event.error)
            return
        rows = event.rows
        if rows is None or not len(rows):
            self._bar.say("No state satisfies this; the table is unchanged.", error=True)
            return
        self._bar.say_nothing()
        self._filter = event.text
        self._table.show_rows(rows, self.trail.current)
        self._name_table()
        self._table.focus()

    def _name_table(self) -> None:
        shown, states = self._table.row_count, self.oracle.mdp.states
        self._left.border_title = (
            f"{counted(shown, 'state')} of {counted(states, '').strip().rstrip('s')}" if self._filter else "States"
        )

    @on(Input.Changed, "#filter-input")
    def _typing(self) -> None:
        self._bar.say_nothing()

    def action_filter(self) -> None:
        """Go to the filter."""
        self.query_one("#filter-input").focus()

    def action_clear(self) -> None:
        """Show all states; first leave the filter's input."""
        self._wanted = ""
        self._bar.clear()
        if self._filter:
            self._filter = ""
            self._table.show_rows(np.arange(self.oracle.mdp.states, dtype=np.int64), self.trail.current)
            self._name_table()
        self._table.focus()

    def action_back(self) -> None:
        """Return to the state before."""
        self.settle()
        self.trail = self.trail.back()

    def action_forward(self) -> None:
        """Undo going back."""
        self.settle()
        self.trail = self.trail.forward()

    def action_initial(self) -> None:
        """Select the next initial state after the selected one, round and round."""
        self.settle()
        initial = self.oracle.mdp.initial
        if len(initial):
            later = initial[initial > self.trail.current]
            self.trail = self.trail.visit(int(later[0] if len(later) else initial[0]))

    def action_focus_table(self) -> None:
        """Go to the state table."""
        self._table.focus()

    def action_focus_actions(self) -> None:
        """Go to the actions."""
        self._actions.focus()

    def action_ask(self) -> None:
        """Ask about the selected state."""
        self.settle()
        self.post_message(self.AskRequested())

    def action_campaign(self) -> None:
        """Open the campaign."""
        self.post_message(self.CampaignRequested())
