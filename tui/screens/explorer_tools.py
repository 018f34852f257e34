"""What the explorer can do beside walking: look at the table in other ways, and open its tools."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.errors import CancelledError, StoreError
from tui.appearance.keymap import keymap_of, with_keys
from tui.appearance.toasts import LONG, take_back
from tui.explorer.bookshelf import Shelf, place_of, read_shelf, write_shelf
from tui.messages import LossesFound
from tui.screens.explorer_walk import ExplorerWalk
from tui.workers import start_thread

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray
    from engine.oracle.policy.evaluation import Evaluation
    from engine.oracle.policy.policy_diff import Shortfall
    from tui.explorer.findings import Findings
    from tui.explorer.view import View
    from tui.screens.tool import ToolScreen
    from tui.widgets.states_pane import StatesPane


COMPUTING = "Computing losses …"


class ExplorerTools(ExplorerWalk):
    """The explorer's actions that open a dialog or change the table; the explorer itself gives what they work on.

    Attributes
    ----------
    findings
        What was computed about the model so far.
    loaded
        A policy that was loaded, and where it falls short.
    """

    pane: StatesPane
    findings: Findings
    _jumped: str = ""
    loaded: tuple[Evaluation, list[Shortfall]] | None = None
    _shelf: Shelf | None = None
    _stop_losses: threading.Event | None = None

    def show_findings(self, findings: Findings) -> None:
        """Show what was computed meanwhile."""
        raise NotImplementedError

    def select_states(self, oracle: Oracle, text: str) -> BoolArray:
        """Return ``(states,)`` where a PRISM expression holds; may block."""
        raise NotImplementedError

    @property
    def here(self) -> int:
        """The selected state, once the table's cursor is followed."""
        self.settle()
        return self.trail.current

    def _open(self, screen: ToolScreen) -> None:
        self.app.push_screen(screen, self.go_to)

    @property
    def shelf(self) -> Shelf:
        """Saved filters and bookmarks, read when they are first needed."""
        if self._shelf is None:
            self._shelf = read_shelf(self.oracle.environment.name)
        return self._shelf

    def _keep(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def action_columns(self) -> None:
        """Sort by a column; hide and show columns."""
        from tui.screens.columns import ColumnsScreen  # noqa: PLC0415 - dialogs load when they are opened

        self._open(ColumnsScreen(self.pane.columns, self.pane.view, self.pane.look_at))

    def action_sort_next(self) -> None:
        """Sort by the next column."""
        self.pane.look_at(self.pane.view.neighbour(self.pane.columns, 1))

    def action_sort_before(self) -> None:
        """Sort by the column before."""
        self.pane.look_at(self.pane.view.neighbour(self.pane.columns, -1))

    def action_reverse(self) -> None:
        """Turn the order of the states round."""
        self.pane.look_at(self.pane.view.sorted_by(self.pane.view.sort))

    def action_filters(self) -> None:
        """Save the filter, or use a saved one."""
        from tui.screens.shelves import FiltersScreen  # noqa: PLC0415 - as above

        name, present = self.oracle.environment.name, self.pane.view.filter
        self._open(FiltersScreen(name, self.shelf, self._keep, present, self.pane.show_filter))

    def action_jump(self) -> None:
        """Go to a state by its number or by an expression."""
        from tui.explorer.completion import names_in  # noqa: PLC0415 - as above
        from tui.explorer.findings import numbers_of  # noqa: PLC0415 - as above
        from tui.screens.jump import JumpScreen  # noqa: PLC0415 - as above

        names = names_in(self.oracle, numbers_of(self.oracle, self.findings))
        screen = JumpScreen(self.oracle, self.select_states, self.here, self._jumped, names)

        def arrived(state: int | None) -> None:
            self._jumped = screen.text
            self.go_to(state)

        self.app.push_screen(screen, arrived)

    def action_bookmark(self) -> None:
        """Remember the selected state, or forget it."""
        state = self.here
        shelf = self.shelf.toggled(place_of(self.oracle.mdp, state))
        try:
            write_shelf(self.oracle.environment.name, shelf)
        except StoreError as error:
            self.notify(f"{error.what}; {error.hint}", severity="warning", markup=False)
            return
        kept = len(shelf.bookmarks) > len(self.shelf.bookmarks)
        self._shelf = shelf
        lists = with_keys("{explorer.bookmarks} lists them", keymap_of(self.app))
        self.notify(f"s{state} has a bookmark; {lists}" if kept else f"s{state} has no bookmark any more", markup=False)

    def action_bookmarks(self) -> None:
        """Go to a state with a bookmark."""
        from tui.screens.shelves import BookmarksScreen  # noqa: PLC0415 - as above

        self._open(BookmarksScreen(self.oracle, self.shelf, self._keep))

    def action_copy(self) -> None:
        """Copy a cell, a row, or the states as CSV; or write a file."""
        from tui.screens.copy import CopyScreen, offers_of  # noqa: PLC0415 - as above

        columns = self.pane.view.columns(self.pane.columns)
        rows = self.pane.table.states.rows
        offers = offers_of(columns, self.here, self.pane.marks, rows, decimal=self.pane.view.decimal)
        self._open(CopyScreen(offers, self.oracle.environment.name))

    def action_unmark(self) -> None:
        """Forget all marks."""
        self.pane.mark(())

    def action_compare(self) -> None:
        """Set two states side by side: the two last marked ones, or the marked one and the selected one."""
        from tui.screens.compare import CompareScreen  # noqa: PLC0415 - as above

        here, marks = self.here, self.pane.marks
        pair = marks[-2:] if len(marks) > 1 else tuple(dict.fromkeys((*marks, here)))
        if len(pair) == 1:
            initial = self.oracle.mdp.initial.tolist()[:1]
            pair = tuple(dict.fromkeys((*initial, here)))
        if len(pair) == 1:
            hint = with_keys("Mark another state with {table.mark} first, then compare.", keymap_of(self.app))
            self.notify(hint, severity="warning", markup=False)
            return
        self._open(CompareScreen(self.oracle, pair[0], pair[1], decimal=self.pane.view.decimal))

    def action_what_if(self) -> None:
        """Block the state or forbid an action; see V change."""
        from tui.screens.what_if import WhatIfScreen  # noqa: PLC0415 - as above

        self._open(WhatIfScreen(self.oracle, self.here, self.pane.marks, decimal=self.pane.view.decimal))

    def action_runs(self) -> None:
        """Sample runs from here and compare their share with V."""
        from tui.screens.runs import RunsScreen  # noqa: PLC0415 - as above

        self._open(RunsScreen(self.oracle, self.here, self.findings.policy))

    def action_plots(self) -> None:
        """Plot V, the gaps, or V against a constant."""
        from tui.screens.plots import PlotsScreen  # noqa: PLC0415 - as above

        self._open(PlotsScreen(self.oracle))

    def action_reproduce(self) -> None:
        """Show the storm commands for the state's values."""
        from tui.screens.reproduce import ReproduceScreen  # noqa: PLC0415 - as above

        self._open(ReproduceScreen(self.oracle, self.here))

    def action_policy(self) -> None:
        """Load a policy; list where it is not optimal."""
        self.open_policy()

    def open_policy(self, path: str = "") -> None:
        """Open the policy dialog, and load a file at once if one is given."""
        from tui.screens.policy import PolicyScreen  # noqa: PLC0415 - as above

        self.settle()
        self._open(PolicyScreen(self.oracle, None if path else self.loaded, self._policy_found, path))

    def _policy_found(self, evaluation: Evaluation, found: list[Shortfall]) -> None:
        self.loaded = evaluation, found
        self.show_findings(replace(self.findings, policy=evaluation))

    def action_losses(self) -> None:
        """Compute what blocking each state would cost."""
        if self._stop_losses is None and self.findings.loss is None:
            self.notify(COMPUTING, timeout=LONG)
            self._stop_losses = threading.Event()
            work = partial(self._find_losses, self._stop_losses)
            start_thread(self.app, work, group="losses", name="computing losses")

    def _find_losses(self, cancel: threading.Event) -> None:
        from engine.oracle.again import all_losses  # noqa: PLC0415 - loads when it is needed

        try:
            self.post_message(LossesFound(all_losses(self.oracle, cancel=cancel)))
        except CancelledError:
            self._losses_over()
        except BaseException:
            self._losses_over()  # it can be tried again; the app shows why it failed
            raise

    def _losses_over(self) -> None:
        self._stop_losses = None
        self.app.call_later(take_back, self.app, COMPUTING)

    def on_losses_found(self, event: LossesFound) -> None:
        """Show the losses as a column and in the state panel."""
        event.stop()
        self._losses_over()
        self.show_findings(replace(self.findings, loss=event.loss))
        from tui.explorer.findings import losses_told  # noqa: PLC0415 - loads with the first losses

        self.notify(losses_told(event.loss))

    def stop_work(self) -> None:
        """Stop what runs for this screen."""
        if self._stop_losses is not None:
            self._stop_losses.set()

    def look(self, **changes: Any) -> View:
        """Change how the table is looked at; return the new view."""
        view = replace(self.pane.view, **changes)
        self.pane.look_at(view)
        return view
