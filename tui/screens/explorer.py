"""The explorer: table, picture, state and actions of one model."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal, Vertical
from textual.message import Message

from tui.actions.registry import bindings
from tui.explorer.findings import Findings, numbers_of
from tui.explorer.layers import Layer, layers_of
from tui.explorer.states import same_state
from tui.explorer.tiles import Tiles, tiles_of
from tui.explorer.trail import Trail
from tui.explorer.view import View
from tui.screens.explorer_tools import ExplorerTools
from tui.widgets.actions_panel import ActionsPanel
from tui.widgets.key_footer import KeyFooter
from tui.widgets.path_strip import PathStrip
from tui.widgets.picture import NO_PICTURE, Picture
from tui.widgets.state_panel import StatePanel
from tui.widgets.states_pane import StatesPane
from tui.widgets.status_line import StatusLine
from tui.widgets.text_picture import TextPicture
from tui.workers import start_thread

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray
    from tui.services.services import Services


LEAST_PICTURE = 72
"""Columns of a terminal in which the picture and the panels below it have room beside the table."""


class ExplorerScreen(ExplorerTools):
    """Everything follows the selected state; the trail remembers how it was reached."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("explorer")]
    HELP_GROUPS = ("explorer", "table", "actions", "state", "app")
    HORIZONTAL_BREAKPOINTS = [(0, "-tight"), (LEAST_PICTURE, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it an instance variable

    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-high")]  # noqa: RUF012 - as above

    class Drawn(Message):
        """The tiles of the picture were computed, and what they can show."""

        def __init__(self, tiles: Tiles | None, layers: tuple[Layer, ...]) -> None:
            super().__init__()
            self.tiles = tiles
            self.layers = layers

    class AskRequested(Message):
        """The user wants to ask about these states: the marked ones, else the selected one."""

        def __init__(self, states: tuple[int, ...]) -> None:
            super().__init__()
            self.states = states

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
        self._status = StatusLine(id="status")
        self.findings = Findings()
        if before is not None and before.oracle.facts is oracle.facts:
            self.findings, self.loaded = before.findings, before.loaded
        self.pane = StatesPane(oracle, services.decide, self.settle, View() if before is None else before.pane.view)
        layout = oracle.environment.layout
        drawn = layout is not None and layout.kind == "text"
        self._picture = TextPicture(oracle, id="picture") if drawn else Picture(id="picture")
        self._tiles: Tiles | None = None
        self._layers: tuple[Layer, ...] = ()
        self._layer = ""
        self._panel = StatePanel(id="state")
        self._actions = ActionsPanel()
        self._path = PathStrip(oracle.mdp)
        self._begin = _begin(oracle, before)
        self._marked = _marked(oracle, before)

    def compose(self) -> ComposeResult:
        """Create the panels."""
        yield self._status
        with Horizontal(id="explorer"):
            yield self.pane
            yield Vertical(self._picture, self._panel, self._actions, id="right")
        yield self._path
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show the initial state, and draw the picture in the background."""
        self._status.oracle = self.oracle
        self._panel.oracle = self.oracle
        self._actions.oracle = self.oracle
        self._actions.border_title = "Actions"
        self._panel.border_title = "State"
        self.set_class(self.oracle.environment.layout is None, "-plain")  # the picture's room is for the other panels
        self.trail = self._begin
        self.watch_trail(self.trail)
        self.pane.mark(self._marked)
        self.show_findings(self.findings)
        self.pane.table.focus()

    def on_screen_resume(self) -> None:
        """Name the keys that work now: the settings may have changed them."""
        self.pane.bar.show_key()

    def on_unmount(self) -> None:
        """Stop what runs for this screen only."""
        self.stop_work()

    @property
    def filter_text(self) -> str:
        """The filter of the table; empty if all states are shown."""
        return self.pane.view.filter

    def _draw(self, findings: Findings) -> None:
        tiles = self._tiles if self._tiles is not None else tiles_of(self.oracle)
        self.post_message(self.Drawn(tiles, layers_of(self.oracle, findings) if tiles is not None else ()))

    def on_explorer_screen_drawn(self, event: Drawn) -> None:
        """Show the picture."""
        self._layers = event.layers
        if isinstance(self._picture, Picture):
            if self._tiles is None:
                self._tiles = event.tiles
                self._picture.show_tiles(event.tiles)
            self._show_layer()

    def show_findings(self, findings: Findings) -> None:
        """Show what was computed meanwhile: as columns, in the state panel, in the picture."""
        self.findings = findings
        self._panel.findings = findings
        if findings != Findings():
            self.pane.take(findings)
        if isinstance(self._picture, Picture):
            start_thread(self.app, partial(self._draw, findings), group="tiles", name="drawing the picture")

    def _show_layer(self, step: int = 0) -> None:
        """Show the layer that was shown before, or the next one."""
        if isinstance(self._picture, Picture) and self._layers:
            keys = [layer.key for layer in self._layers]
            place = keys.index(self._layer) if self._layer in keys else 0
            shown = self._layers[(place + step) % len(keys)]
            self._layer = shown.key
            self._picture.show_layer(shown)

    def select_states(self, oracle: Oracle, text: str) -> BoolArray:
        """Return ``(states,)`` where a PRISM expression holds."""
        return self._services.decide(oracle, text, numbers_of(oracle, self.findings)).yes

    def watch_trail(self, trail: Trail) -> None:
        """Let every panel follow the state."""
        state = trail.current
        self._panel.state = state
        self._actions.state = state
        self._picture.state = state
        self.pane.follow(state)
        self._path.follow(trail)

    def settle(self) -> None:
        """Select the state under the table's cursor if it has moved."""
        state = self.pane.table.unsettled
        if state is not None:
            self.trail = self.trail.browse(state)

    def on_state_table_opened(self) -> None:
        """Go on from a state to its actions."""
        self._actions.focus()

    def action_filter(self) -> None:
        """Go to the filter."""
        self.query_one("#filter-input").focus()

    def action_clear(self) -> None:
        """Show all states; first leave the filter's input."""
        self.pane.clear()

    def action_decimals(self) -> None:
        """Write numbers as decimals or as fractions; bounds have no fractions."""
        if not self.oracle.exact:
            self.notify("These values are bounds, which have no fractions: they are decimals anyway.")
            return
        decimal = self.look(decimal=not self.pane.view.decimal).decimal
        self._panel.decimal = self._actions.decimal = self._path.decimal = decimal
        self._path.refresh()

    def action_picture(self) -> None:
        """Draw something else about the states."""
        if self.has_class("-plain"):
            self.notify(NO_PICTURE)
        elif self.has_class("-tight"):
            self.notify(
                f"There is no room for the picture: it needs {LEAST_PICTURE} columns, here are {self.size.width}."
            )
        elif isinstance(self._picture, Picture):
            self._show_layer(1)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer no other picture where it is a drawing of one state, which has no colours to choose."""
        if action == "picture" and isinstance(self._picture, TextPicture):
            return False
        return super().check_action(action, parameters)

    def action_definitions(self) -> None:
        """Say what each fact means."""
        self._panel.explained = not self._panel.explained
        if self._panel.explained:
            self._panel.focus()

    def action_focus_table(self) -> None:
        """Go to the state table."""
        self.pane.table.focus()

    def action_focus_actions(self) -> None:
        """Go to the actions."""
        self._actions.focus()

    def action_ask(self) -> None:
        """Ask about the marked states, else about the selected one."""
        self.settle()
        self.post_message(self.AskRequested(self.pane.marks or (self.trail.current,)))

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


def _marked(oracle: Oracle, before: ExplorerScreen | None) -> tuple[int, ...]:
    """Return the states that were marked before, where this model has them."""
    if before is None:
        return ()
    if before.oracle.mdp is oracle.mdp:
        return before.pane.marks
    found = (same_state(before.oracle.mdp, oracle.mdp, state) for state in before.pane.marks)
    return tuple(state for state in found if state is not None)
