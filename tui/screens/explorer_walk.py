"""Walking through the model: into successors, back and forward, and along an optimal policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from textual.reactive import reactive
from textual.screen import Screen

from tui.explorer.trail import Trail
from tui.explorer.walking import drawn_successor
from tui.messages import OptimalFound
from tui.workers import start_thread

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray
    from tui.messages import ActionTaken, SuccessorEntered

SEED = 0
"""Steps draw their successors from this seed: the same keys give the same walk."""


class ExplorerWalk(Screen[None]):
    """The trail of the explorer, and the ways to move on it.

    Attributes
    ----------
    trail
        The states that were walked through; the current one is the selected one.
    """

    oracle: Oracle

    trail: reactive[Trail] = reactive(Trail((0,)), init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self._optimal: IntArray | None = None
        self._chance = np.random.default_rng(SEED)

    def settle(self) -> None:
        """Select the state under the table's cursor if it has moved."""
        raise NotImplementedError

    def on_successor_entered(self, event: SuccessorEntered) -> None:
        """Walk into a successor, unless another state was selected meanwhile."""
        self.settle()
        if event.source == self.trail.current:
            self.trail = self.trail.visit(event.state, event.choice)

    def on_action_taken(self, event: ActionTaken) -> None:
        """Take an action; chance draws the successor."""
        self.settle()
        if event.source == self.trail.current:
            self._take(event.choice)

    def _take(self, choice: int) -> None:
        self.trail = self.trail.visit(drawn_successor(self.oracle.mdp, choice, self._chance), choice)

    def go_to(self, state: int | None) -> None:
        """Select a state that was chosen elsewhere."""
        if state is not None:
            self.settle()
            self.trail = self.trail.visit(state)

    def action_step(self) -> None:
        """Take an optimal action; chance draws the successor."""
        self.settle()
        if self._optimal is not None:
            self._step(self._optimal)
            return
        start_thread(self.app, self._find_optimal, group="optimal", name="looking for an optimal policy")

    def _find_optimal(self) -> None:
        from engine.oracle.derivation.optimal import optimal_choices  # noqa: PLC0415 - loads with the first step

        self.post_message(OptimalFound(optimal_choices(self.oracle.mdp, self.oracle.facts)))

    def on_optimal_found(self, event: OptimalFound) -> None:
        """Take the first step."""
        event.stop()
        self._optimal = event.choices
        self._step(event.choices)

    def _step(self, choices: IntArray) -> None:
        choice = int(choices[self.trail.current])
        if choice >= 0:
            self._take(choice)
        else:
            self.notify("The run ends here.")

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
