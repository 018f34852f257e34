"""The states that were walked through, with back and forward."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Trail:
    """A browser-like history of states.

    Attributes
    ----------
    states
        The states, oldest first; never empty.
    position
        The current one.
    """

    states: tuple[int, ...]
    position: int = 0

    limit = 1000

    @property
    def current(self) -> int:
        """The state that is selected."""
        return self.states[self.position]

    def visit(self, state: int) -> Trail:
        """Walk into a state: what lay ahead is forgotten."""
        if state == self.current:
            return self
        states = (*self.states[: self.position + 1], state)[-self.limit :]
        return Trail(states, len(states) - 1)

    def browse(self, state: int) -> Trail:
        """Look at another state without walking: it replaces the current place."""
        return replace(self, states=(*self.states[: self.position], state, *self.states[self.position + 1 :]))

    def back(self) -> Trail:
        """Return to the state before, if there is one."""
        return replace(self, position=max(self.position - 1, 0))

    def forward(self) -> Trail:
        """Undo going back, if possible."""
        return replace(self, position=min(self.position + 1, len(self.states) - 1))
