"""What if: block the state or forbid actions, and see exactly how V changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content

from engine.errors import UsageError
from engine.figures import counted
from engine.oracle.policy.whatif import Change, Consequence, what_if
from tui.actions.action import Wording
from tui.appearance.keymap import keymap_of, with_keys
from tui.explorer.numerals import Figures
from tui.screens.tool import ToolScreen
from tui.text import clean
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable

    from textual.widget import Widget

    from engine.oracle.facts import Oracle
    from tui.screens.tool import Progress

LISTED = 200
NUMBER = 18


class WhatIfScreen(ToolScreen):
    """What can be changed in a list, and below it what changed: enter on a state goes there.

    Parameters
    ----------
    state
        The state whose actions are offered.
    marked
        States that can be blocked as well.
    """

    TITLE_TEXT = "What if"
    HINT: ClassVar[str] = "{tool.switch} changes   {list.choose} computes   tab to the states   {tool.close} closes"
    RUN: ClassVar[Wording] = Wording("Compute", "Check the changed model.")

    def __init__(self, oracle: Oracle, state: int, marked: tuple[int, ...], *, decimal: bool) -> None:
        super().__init__()
        self._oracle = oracle
        self._state = state
        self._figures = Figures(NUMBER, decimal)
        self._blockable = tuple(dict.fromkeys((state, *marked)))
        self._choices = tuple(oracle.mdp.choices_of(state))
        self._change = Change()
        self._options = PickerList(id="what-if-options")
        self._results = PickerList(id="what-if-results")
        self._states: list[int] = []
        self._result: Consequence | None = None

    def contents(self) -> Iterable[Widget]:
        """Return the options and the results."""
        yield self._options
        yield self._results

    def on_mount(self) -> None:
        """Begin at the first option."""
        super().on_mount()
        self._results.display = False
        self._options.show_list(self._option_lines(), 0)
        self._options.focus()

    def _option_lines(self) -> list[Content]:
        lines = [
            Content.assemble((_box(state in self._change.blocked), "$accent"), "block ", (f"s{state}", "bold"))
            for state in self._blockable
        ]
        mdp = self._oracle.mdp
        return lines + [
            Content.assemble(
                (_box(choice in self._change.forbidden), "$accent"),
                "forbid ",
                (clean(mdp.action_name(choice)), "bold"),
                (f" in s{self._state}", "dim"),
            )
            for choice in self._choices
        ]

    def action_switch(self) -> None:
        """Change what is under the cursor, or leave it as it is."""
        if not self._options.has_focus or self.busy:
            return
        line, change = self._options.cursor, self._change
        if line < len(self._blockable):
            self._change = Change(change.blocked ^ {self._blockable[line]}, change.forbidden)
        else:
            self._change = Change(change.blocked, change.forbidden ^ {self._choices[line - len(self._blockable)]})
        self._options.show_list(self._option_lines(), line)
        self._show_result()

    @on(PickerList.Chosen)
    def _chosen(self, event: PickerList.Chosen) -> None:
        event.stop()
        if self._results.has_focus:
            if event.index < len(self._states):
                self.dismiss(self._states[event.index])
            return
        if not self._change:
            self.action_switch()
        self.action_run()

    def action_run(self) -> None:
        """Check the changed model."""
        if self.busy:
            return
        if not self._change:
            self.say_error(UsageError("nothing is changed", hint="block a state or forbid an action with space"))
            return
        change = self._change

        def work(progress: Progress, cancel: threading.Event) -> Consequence:
            return what_if(self._oracle, change, progress=progress, cancel=cancel)

        self.compute(work, "checking the changed model")

    def finished(self, result: object) -> None:
        """Show V before and after at the starts, at the state, and where it changed most."""
        if isinstance(result, Consequence):
            self._result = result
            self._show_result()

    def _show_result(self) -> None:
        """Show the result of the change that is chosen now; of another one it would be taken for this one's."""
        result = self._result
        if result is None:
            self.say("")
            return
        self._results.display = result.change == self._change
        if not self._results.display:
            self.say(f"Changed since: {self._key} computes it again.")
            return
        shown = dict.fromkeys([*self._oracle.mdp.initial.tolist()[:3], self._state, *result.largest(LISTED)])
        self._states = list(shown)
        self._results.show_list([self._result_line(result, state) for state in self._states], 0)
        self.say(summary(self._oracle, result))

    @property
    def _key(self) -> str:
        return with_keys("{list.choose}", keymap_of(self.app))

    def _result_line(self, result: Consequence, state: int) -> Content:
        before, after = (self._figures.text(numbers.at(state)) for numbers in (result.before, result.after))
        role = "start" if state in self._oracle.mdp.initial else "here" if state == self._state else ""
        return Content.assemble(
            (f"s{state:<8} ", "bold"), (f"{role:<6}", "dim"), f"V {before:>{NUMBER}} → {after:<{NUMBER}}"
        )


def summary(oracle: Oracle, result: Consequence) -> str:
    """Return in how many states V changed."""
    changed = f"V changes in {counted(len(result.changed), 'state')} of {oracle.mdp.states:,}"
    left_open = f"; ≈ undecided in {len(result.undecided):,}" if len(result.undecided) else ""
    more = f" (the {LISTED} largest changes are listed)" if len(result.changed) > LISTED else ""
    return changed + left_open + more


def _box(switched: bool) -> str:  # noqa: FBT001 - a yes or no is what it draws
    return "[x] " if switched else "[ ] "
