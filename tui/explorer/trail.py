"""The states that were walked through, with back and forward, and the choices that were taken between them."""

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
    choices
        For each state the choice that led to it from the state before; None where it was looked up. Left out, all are.
    """

    states: tuple[int, ...]
    position: int = 0
    choices: tuple[int | None, ...] = ()

    limit = 1000

    def __post_init__(self) -> None:
        if len(self.choices) != len(self.states):
            object.__setattr__(self, "choices", (None,) * len(self.states))

    @property
    def current(self) -> int:
        """The state that is selected."""
        return self.states[self.position]

    @property
    def path(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The states that were walked through without a jump up to the current one, and the choices between them."""
        first = self.position
        while first > 0 and self.choices[first] is not None:
            first -= 1
        taken = tuple(choice for choice in self.choices[first + 1 : self.position + 1] if choice is not None)
        return self.states[first : self.position + 1], taken

    def visit(self, state: int, choice: int | None = None) -> Trail:
        """Walk into a state: what lay ahead is forgotten. Without a choice it is looked up, not walked into."""
        if state == self.current and choice is None:
            return self
        states = (*self.states[: self.position + 1], state)[-self.limit :]
        choices = (*self.choices[: self.position + 1], choice)[-self.limit :]
        return Trail(states, len(states) - 1, choices)

    def browse(self, state: int) -> Trail:
        """Look at another state without walking: it replaces the current place."""
        here = self.position
        states = (*self.states[:here], state, *self.states[here + 1 :])
        return Trail(states, here, (*self.choices[:here], None, *(None for _ in self.choices[here + 1 :])))

    def back(self) -> Trail:
        """Return to the state before, if there is one."""
        return replace(self, position=max(self.position - 1, 0))

    def forward(self) -> Trail:
        """Undo going back, if possible."""
        return replace(self, position=min(self.position + 1, len(self.states) - 1))
