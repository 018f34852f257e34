"""Go to a state by its number or by an expression."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.errors import ExpressionError, UsageError
from engine.queries.category import Scope
from tui.actions.action import Wording
from tui.explorer.completion import names_in
from tui.explorer.states import example_of, parse_states
from tui.screens.tool import ToolScreen
from tui.widgets.expression_input import ExpressionInput

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable

    from textual.widget import Widget

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray
    from tui.screens.tool import Progress


class JumpScreen(ToolScreen):
    """One line; it closes with the state to go to: of several that match, the next one after the selected state."""

    TITLE_TEXT = "Go to a state"
    HINT: ClassVar[str] = "a number, or an expression: enter again goes to the next match"
    RUN: ClassVar[Wording] = Wording("Go", "Go to the state.")

    def __init__(
        self,
        oracle: Oracle,
        select: Callable[[Oracle, str], BoolArray],
        here: int,
        before: str = "",
        names: tuple[str, ...] = (),
    ) -> None:
        super().__init__()
        self._oracle = oracle
        self._select = select
        self._here = here
        hint = f"14, or {example_of(oracle)}"
        known = names or names_in(oracle)
        self._input = ExpressionInput(before, hint, known, id="jump-input", select=True, sends=self.RUN)

    @property
    def text(self) -> str:
        """What was typed."""
        return self._input.value.strip()

    def contents(self) -> Iterable[Widget]:
        """Return the input."""
        yield self._input

    def on_mount(self) -> None:
        """Begin to type."""
        super().on_mount()
        self._input.focus()

    def action_run(self) -> None:
        """Look for the state."""
        if self.text:
            self.compute(partial(self._find, self.text), "searching")

    def _find(self, text: str, progress: Progress, cancel: threading.Event) -> int:
        del progress, cancel
        if text.removeprefix("s").isdecimal():
            try:
                return parse_states(text, self._oracle.mdp.states, Scope.STATE)[0]
            except ValueError as error:
                raise UsageError(str(error)) from None
        found = np.flatnonzero(self._select(self._oracle, text))
        if not len(found):
            raise ExpressionError("no state satisfies this", where=text)
        later = found[found > self._here]
        return int(later[0] if len(later) else found[0])

    def finished(self, result: object) -> None:
        """Go there."""
        if isinstance(result, int):
            self.dismiss(result)
