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
from tui.messages import FilterRequested
from tui.states import example_of, same_state
from tui.tiles import Tiles, tiles_of
from tui.trail import Trail
from tui.widgets.actions_panel import ActionsPanel
from tui.widgets.filter_bar import FilterBar
from tui.widgets.picture import Picture
from tui.widgets.state_panel import StatePanel
from tui.widgets.state_table import StateTable
from tui.widgets.status_line import StatusLine
from tui.widgets.text_picture import TextPicture
from tui.workers import start_thread

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray
    from tui.messages import SuccessorEntered
    from tui.services import Services


class ExplorerScreen(Screen[None]):
    """Everything follows the selected state; the trail remembers how it was reached."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("explorer")]
    HELP_GROUPS = ("explorer", "table", "actions", "state", "app")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it an instance variable

    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-high")]  # noqa: RUF012 - as above

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

    class ObjectiveRequested(Message):
        """The user wants another objective."""

    class ConstantsRequested(Message):
        """The user wants other constants."""

    class WordsRequested(Message):
        """The user wants to say what the model is about."""

    def __init__(self, oracle: Oracle, services: Services, before: ExplorerScreen | None = None) -> None:
        super().__init__()
        self.oracle = oracle
        self._services = services
        self._filter = ""
        self._wanted = ""
        self._status = StatusLine(id="status")
        self._first_filter = before.filter_text if before is not None else ""
        self._bar = FilterBar(self._first_filter, example_of(oracle), id="filter")
        self._table = StateTable(oracle, self.settle)
        self._left = Vertical(self._bar, self._table, id="left")
        layout = oracle.environment.layout
        drawn = layout is not None and layout.kind == "text"
        self._picture = TextPicture(oracle, id="picture") if drawn else Picture(id="picture")
        self._panel = StatePanel(id="state")
        self._actions = ActionsPanel()
        self._begin = _begin(oracle, before)

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
        self.trail = self._begin
        self.watch_trail(self.trail)
        self._name_table()
        self._table.focus()
        if isinstance(self._picture, Picture):
            start_thread(self.app, self._draw, group="tiles", name="drawing the picture")
        if self._first_filter:
            self.on_filter_requested(FilterRequested(self._first_filter))

    def on_resize(self) -> None:
        """Say whether the table has columns out of sight."""
        self.call_after_refresh(self._name_table)

    @property
    def filter_text(self) -> str:
        """The filter of the table; empty if all states are shown."""
        return self._filter

    def _draw(self) -> None:
        self.post_message(self.Drawn(tiles_of(self.oracle)))

    def on_explorer_screen_drawn(self, event: Drawn) -> None:
        """Show the picture."""
        if isinstance(self._picture, Picture):
            self._picture.show_tiles(event.tiles)

    def watch_trail(self, trail: Trail) -> None:
        """Let every panel follow the state."""
        state = trail.current
        self._panel.state = state
        self._actions.state = state
        self._picture.state = state
        self._table.show_state(state)
        self._name_table()

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
            self._bar.say(f"No state satisfies this; still shown: {self._filter or 'all states'}", error=True)
            return
        self._bar.say_nothing()
        self._filter = event.text
        self._table.show_rows(rows, self.trail.current)
        self._name_table()
        self._table.focus()

    def _name_table(self) -> None:
        shown, states = self._table.row_count, self.oracle.mdp.states
        title = f"{counted(shown, 'state')} of {counted(states, '').strip().rstrip('s')}" if self._filter else "States"
        if self._table.away:
            title += f", s{self.trail.current} is not among them"
        elif self._table.more_columns:
            title += "  (→ more columns)"
        self._left.border_title = title

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

    def action_objective(self) -> None:
        """Choose another objective."""
        self.settle()
        self.post_message(self.ObjectiveRequested())

    def action_constants(self) -> None:
        """Change the model's constants."""
        self.settle()
        self.post_message(self.ConstantsRequested())

    def action_words(self) -> None:
        """Say what the model is about."""
        self.settle()
        self.post_message(self.WordsRequested())

    def action_campaign(self) -> None:
        """Open the campaign."""
        self.post_message(self.CampaignRequested())


def _begin(oracle: Oracle, before: ExplorerScreen | None) -> Trail:
    """Return where to begin: at the state that was selected before, where this model has it, else at the start."""
    initial = Trail((int(oracle.mdp.initial[0]) if len(oracle.mdp.initial) else 0,))
    if before is None:
        return initial
    if before.oracle.mdp is oracle.mdp:
        return before.trail
    state = same_state(before.oracle.mdp, oracle.mdp, before.trail.current)
    return initial if state is None else Trail((state,))
