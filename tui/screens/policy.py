"""Load a policy, and list where it is not optimal: what it loses there times how likely it comes there."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content
from textual.widgets import Input, Label

from engine.figures import counted
from engine.mdp.expressions import scope_of
from engine.oracle.again import as_checked
from engine.oracle.policy.evaluation import evaluate_policy
from engine.oracle.policy.policies import read_policy
from engine.oracle.policy.policy_diff import shortfalls, wrong_moves
from engine.oracle.tri import Tri
from tui.actions.action import Wording
from tui.explorer.numerals import Figures
from tui.screens.tool import ToolScreen
from tui.text import clean, shorten
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable

    from textual.widget import Widget

    from engine.oracle.facts import Oracle
    from engine.oracle.policy.evaluation import Evaluation
    from engine.oracle.policy.policy_diff import Shortfall
    from tui.screens.tool import Progress

ACTION, BEST, GAP = 12, 23, 12
LATER = "right here, loses later"
LEAST = 0.001
"""Shares below read as 0.0 % when rounded."""


class PolicyScreen(ToolScreen):
    """A file's name, and below it the states; enter goes to one.

    Parameters
    ----------
    loaded
        The policy that is loaded already.
    found
        Called with a policy once it has been checked.
    """

    TITLE_TEXT = "Policy"
    HINT: ClassVar[str] = "{list.choose} loads, or goes to a state   tab to the list   {tool.close} closes"
    RUN: ClassVar[Wording] = Wording("Load", "Load the policy file and check it.")

    def __init__(
        self,
        oracle: Oracle,
        loaded: tuple[Evaluation, list[Shortfall]] | None,
        found: Callable[[Evaluation, list[Shortfall]], None],
        path: str = "",
    ) -> None:
        super().__init__()
        self._oracle = oracle
        self._loaded = loaded
        self._found = found
        self._path = path
        self._list = PickerList()
        self._file = Input(path, placeholder="policy.json", compact=True, id="policy-file", select_on_focus=False)

    def contents(self) -> Iterable[Widget]:
        """Return the file's name and the list."""
        yield Label(f"policy file: {example_of_policy(self._oracle)}", classes="form-label", markup=False)
        yield self._file
        yield self._list

    def on_mount(self) -> None:
        """Show the loaded policy's states, or ask for a file."""
        super().on_mount()
        self._list.display = False
        if self._loaded is not None:
            self._show(*self._loaded)
        else:
            self._file.focus()
            if self._path:
                self.action_run()

    def action_run(self) -> None:
        """Read the policy and check it."""
        name = self._file.value.strip()
        if name and not self.busy:
            self.compute(partial(evaluated, self._oracle, Path(name).expanduser()), "reading the policy")

    def finished(self, result: object) -> None:
        """Show where it is not optimal."""
        if isinstance(result, tuple):
            self._loaded = evaluation, found = result
            self._found(evaluation, found)
            self._show(evaluation, found)

    def _show(self, evaluation: Evaluation, found: list[Shortfall]) -> None:
        wrong = int((evaluation.optimal == Tri.NO).sum())
        here = int(((evaluation.optimal == Tri.NO) & (wrong_moves(self._oracle, evaluation) == Tri.YES)).sum())
        self._list.display = bool(found)
        self._list.show_list([self._heading(), *(self._line(evaluation, each) for each in found)], 1)
        if found:
            self._list.focus()
        silent = int((evaluation.optimal == Tri.UNDEFINED).sum())
        parts = [f"not optimal in {counted(wrong, 'state')}" if wrong else "optimal wherever it is defined"]
        counts = f": {counted(here, 'wrong action')}, {wrong - here:,} lose later" if wrong else ""
        self.query_one(".tool").border_title = f"{self.TITLE_TEXT}{counts}"
        parts += [f"the {len(found)} that weigh most are listed"] if wrong > len(found) else []
        parts += [f"says nothing in, or on the way from, {counted(silent, 'state')}"] if silent else []
        self.say(f"{clean(evaluation.policy.name)}: " + "; ".join(parts))

    @staticmethod
    def _heading() -> Content:
        return Content.styled(f"{'state':<7} {'takes':<{ACTION}} {'best':<{BEST}} {'gap':>{GAP}}  visited", "dim")

    def _line(self, evaluation: Evaluation, each: Shortfall) -> Content:
        mdp, facts = self._oracle.mdp, self._oracle.facts
        moves = evaluation.policy.distribution(mdp, each.state) or {}
        takes = " ".join(clean(mdp.action_name(choice)) for choice in moves) or "-"
        best = [choice for choice in mdp.choices_of(each.state) if facts.best[choice] == Tri.YES]
        wrong = each.wrong == Tri.YES
        shown = " ".join(clean(mdp.action_name(choice)) for choice in best) if wrong else LATER
        if each.wrong == Tri.UNDECIDED:
            shown = "≈ undecided"
        return Content.assemble(
            (f"s{each.state:<6} ", "bold"),
            (f"{shorten(takes, ACTION):<{ACTION}} ", "$error" if wrong else ""),
            (f"{shorten(shown, BEST):<{BEST}} ", "$success" if wrong else "dim"),
            f"{Figures(GAP).text(each.gap):>{GAP}}  ",
            (how_often(each.visited), "dim"),
        )

    @on(PickerList.Chosen)
    def _chosen(self, event: PickerList.Chosen) -> None:
        event.stop()
        if self._loaded is not None and 0 < event.index <= len(self._loaded[1]):
            self.dismiss(self._loaded[1][event.index - 1].state)


def example_of_policy(oracle: Oracle) -> str:
    """Return in one line how a file of a policy of this model looks: states by number or expression, and actions."""
    mdp = oracle.mdp
    state = int(mdp.initial[0]) if len(mdp.initial) else 0
    choices = mdp.choices_of(state)
    action = shorten(clean(mdp.action_name(choices[0])), ACTION) if len(choices) else "…"
    name, value = next(iter(mdp.valuation(state).items()), ("state", state))
    place = f"{shorten(clean(name), ACTION)}={str(value).lower()}"
    return f'JSON, as in {{"{place}": "{action}", "{state + 1}": …}}'


def how_often(probability: float) -> str:
    """Return a share of runs in words where rounding would say that it is none."""
    if probability == 0:
        return "never"
    return f"{probability:.1%}" if probability >= LEAST else "<0.1%"


def evaluated(
    oracle: Oracle, path: Path, progress: Progress, cancel: threading.Event
) -> tuple[Evaluation, list[Shortfall]]:
    """Read a policy, check it, and rank the states where it is not optimal; errors as in those."""
    policy = read_policy(path, oracle.mdp, scope_of(oracle.mdp, oracle.constants, oracle.facts))
    evaluation = evaluate_policy(as_checked(oracle), policy, progress=progress, cancel=cancel)
    progress("ranking", "the states where it is not optimal")
    return evaluation, shortfalls(oracle, evaluation)
