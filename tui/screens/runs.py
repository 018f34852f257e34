"""Sample runs from a state, and see how the share that reaches the target compares with V."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Label, Static

from engine.errors import CancelledError, UsageError
from engine.oracle.numbers import number_float
from engine.oracle.policy.simulation import simulate
from engine.verdicts.statistics import wilson
from tui.actions.action import Wording
from tui.explorer.numerals import written_out
from tui.screens.tool import ToolScreen
from tui.text import clean

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable

    from textual.widget import Widget

    from engine.mdp.paths import Runs
    from engine.oracle.facts import Oracle
    from engine.oracle.policy.evaluation import Evaluation
    from tui.screens.tool import Progress

FIRST_RUNS = 10_000
Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: 95 % lie between minus and plus this."""


class RunsScreen(ToolScreen):
    """Number and seed of the runs, and what came of them; a loaded policy is followed where there is one."""

    TITLE_TEXT = "Sample runs"
    HINT: ClassVar[str] = "enter samples   {tool.close} closes"
    RUN: ClassVar[Wording] = Wording("Sample", "Sample the runs.")

    def __init__(self, oracle: Oracle, state: int, policy: Evaluation | None) -> None:
        super().__init__()
        self._oracle = oracle
        self._state = state
        self._policy = policy
        self._text = Static("", markup=False, id="runs-text")

    def contents(self) -> Iterable[Widget]:
        """Return two fields and the result."""
        follows = "an optimal policy" if self._policy is None else clean(self._policy.policy.name)
        yield Label(f"From s{self._state}, following {follows}.", classes="form-label", markup=False)
        fields = Horizontal(
            Vertical(Label("runs", classes="form-label"), Input(str(FIRST_RUNS), compact=True, id="runs-count")),
            Vertical(Label("seed", classes="form-label"), Input("1", compact=True, id="runs-seed")),
            id="runs-fields",
        )
        yield fields
        yield self._text

    def on_mount(self) -> None:
        """Begin at the number of runs."""
        super().on_mount()
        self.query_one("#runs-count", Input).focus()

    def action_run(self) -> None:
        """Sample."""
        if self.busy:
            return
        try:
            runs, seed = (self._whole(f"#runs-{name}", name) for name in ("count", "seed"))
        except UsageError as error:
            self.say_error(error)
            return
        policy = None if self._policy is None else self._policy.policy

        def work(progress: Progress, cancel: threading.Event) -> tuple[Runs, float]:
            del progress
            began = time.perf_counter()
            found = simulate(self._oracle, self._state, runs=runs, seed=seed, policy=policy, stopped=cancel.is_set)
            if cancel.is_set():
                raise CancelledError("cancelled")
            return found, time.perf_counter() - began

        self.compute(work, "sampling")

    def _whole(self, field: str, name: str) -> int:
        text = self.query_one(field, Input).value.strip().replace(",", "").replace("_", "").replace(" ", "")
        if not (text.isascii() and text.isdecimal() and len(text) < 16):  # noqa: PLR2004 - more digits are no number of runs
            raise UsageError(f"{text!r} is no whole number", where="runs" if name == "count" else name)
        return int(text)

    def finished(self, result: object) -> None:
        """Show the share with its interval beside V."""
        if isinstance(result, tuple):
            runs, seconds = result
            self._text.update(Content("\n").join(report(self._oracle, self._state, self._policy, runs, seconds)))


def report(oracle: Oracle, state: int, policy: Evaluation | None, runs: Runs, seconds: float) -> list[Content]:
    """Return what the runs came to, and whether their interval covers the value; chance misses it one time in 20."""
    low, high = wilson(runs.reached, runs.runs)
    name = "V" if policy is None else "Vπ"
    value = oracle.facts.value.at(state) if policy is None else policy.value.at(state)
    lines = [
        Content.assemble(
            (f"{runs.reached / runs.runs:.4f}", "bold"),
            f" of {runs.runs:,} runs reached the target",
            (f"   95 % interval {low:.4f} to {high:.4f}", "dim"),
        )
    ]
    if oracle.facts.objective.kind.is_reward:
        lines += _reward_lines(runs)
        if runs.total is not None and runs.spread is not None and value is not None:
            half = Z * runs.spread / math.sqrt(max(runs.reached, 1))
            lines.append(
                _beside(name, written_out(value, 40), number_float(value), runs.total - half, runs.total + half)
            )
    else:
        known = "not defined" if value is None else written_out(value, 40)
        lines.append(_beside(name, known, math.nan if value is None else number_float(value), low, high))
    if runs.steps is not None:
        lines.append(Content(f"{runs.steps:.2f} steps on average to the target"))
    rest = [f"{runs.failed:,} ended where the target is out of reach"] if runs.failed else []
    rest += [f"{runs.cut:,} were not over after 100,000 steps"] if runs.cut else []
    lines += [Content.styled(", ".join(rest), "dim")] if rest else []
    lines.append(Content.styled(f"seed {runs.seed}: the same seed gives the same runs   {seconds:.2f} s", "dim"))
    return lines


def _reward_lines(runs: Runs) -> list[Content]:
    return [] if runs.total is None else [Content(f"{runs.total:.4f} is the mean reward of the runs that reached it")]


def _beside(name: str, text: str, value: float, low: float, high: float) -> Content:
    covered = low <= value <= high
    word = "inside the interval" if covered else "outside the interval (chance does that once in 20 times)"
    return Content.assemble(
        f"{name} = {text}   ", (word if not math.isnan(value) else "", "$success" if covered else "$warning")
    )
