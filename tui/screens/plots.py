"""Plots: how V is spread over the states, how much decisions matter, and V against a constant."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.widgets import Input, Label
from textual_plotext import PlotextPlot

from engine.errors import UsageError
from engine.figures import counted
from engine.mdp.sweeps import parse_sweep
from engine.oracle.again import Swept, sweep
from tui.actions.action import Wording
from tui.explorer.plots import Histogram, are_probabilities, curve, gap_histogram, value_histogram, value_range
from tui.screens.tool import ToolScreen
from tui.text import clean

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable

    from textual import events
    from textual.widget import Widget

    from engine.oracle.facts import Oracle
    from tui.screens.tool import Progress

TICKS = 5
BRACKETS = ("[", "]")
KINDS = ("values", "gaps", "sweep")


class SweepInput(Input):
    """No sweep has brackets: they keep changing the plot."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Leave brackets to the dialog."""
        return character not in BRACKETS and super().check_consume_key(key, character)

    async def _on_key(self, event: events.Key) -> None:
        if event.character in BRACKETS:
            event.prevent_default()  # it is not typed, and goes on to the dialog's bindings
            await self.handle_key(event)
        else:
            await super()._on_key(event)


class PlotsScreen(ToolScreen):
    """One plot at a time; brackets change to the next."""

    TITLE_TEXT = "Plots"
    HINT: ClassVar[str] = "{tool.before} and {tool.next}, page up and down: another plot   {tool.close} closes"
    RUN: ClassVar[Wording] = Wording("Run", "Check the model for each value of the constant.")

    def __init__(self, oracle: Oracle) -> None:
        super().__init__()
        self._oracle = oracle
        self._kind = 0
        self._rows: list[Swept] = []
        self._plot = PlotextPlot(id="plot")
        self._field = SweepInput(_example(oracle), compact=True, id="plot-sweep", select_on_focus=False)

    def contents(self) -> Iterable[Widget]:
        """Return the field of the sweep and the plot."""
        yield Label("", classes="form-label", id="plot-title", markup=False)
        yield self._field
        yield self._plot

    def on_mount(self) -> None:
        """Begin with the values."""
        super().on_mount()
        self._plot.can_focus = True
        if self.app.native_ansi_color or self.app.no_color:
            self._plot.theme = "clear"  # the terminal's own colours: a theme of such has no values to compute with
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to run only the sweep: the other plots are drawn at once."""
        if action == "run" and KINDS[self._kind] != "sweep":
            return False
        return super().check_action(action, parameters)

    def action_next(self) -> None:
        """Show the next plot."""
        self._turn(1)

    def action_before(self) -> None:
        """Show the plot before."""
        self._turn(-1)

    def _turn(self, step: int) -> None:
        if not self.busy:
            self._kind = (self._kind + step) % len(KINDS)
            self._show()

    def _show(self) -> None:
        kind = KINDS[self._kind]
        self._field.display = kind == "sweep"
        self.refresh_bindings()
        self.say("")
        titles = {
            "values": "States by V",
            "gaps": "States by the gap between the best and the next action",
            "sweep": "V at the start against a constant; enter runs the sweep",
        }
        self.query_one("#plot-title", Label).update(f"{self._kind + 1} of {len(KINDS)}   {titles[kind]}")
        self._plot.plt.clear_figure()
        if kind == "sweep":
            self._field.focus()
            self._draw_curve()
            return
        self._plot.focus()
        counting: Callable[[Oracle], Histogram] = value_histogram if kind == "values" else gap_histogram

        def work(progress: Progress, cancel: threading.Event) -> Histogram:
            del progress, cancel
            return counting(self._oracle)

        self.compute(work, "counting")

    def action_run(self) -> None:
        """Check the model for each value of the constant."""
        if KINDS[self._kind] != "sweep" or self.busy:
            return
        try:
            name, values = parse_sweep(self._field.value)
        except UsageError as error:
            self.say_error(UsageError(error.what, hint=error.hint))
            return
        self._rows = []
        self.compute(partial(self._sweep, name, values), "checking")

    def _sweep(self, name: str, values: list[str], progress: Progress, cancel: threading.Event) -> list[Swept]:
        rows: list[Swept] = []
        for row in sweep(self._oracle, name, values, progress=progress, cancel=cancel):
            rows.append(row)
            progress(f"{name}={row.constant}", f"{len(rows)} of {len(values)}")
        return rows

    def finished(self, result: object) -> None:
        """Draw what was computed."""
        if isinstance(result, Histogram):
            self._draw_histogram(result)
        elif isinstance(result, list):
            self._rows = result
            self._draw_curve()

    def _draw_histogram(self, found: Histogram) -> None:
        plt = self._plot.plt
        plt.clear_figure()
        if not found.counts.sum():
            self.say(f"There is nothing to count. {_reasons(found)}")
        else:
            plt.bar(found.middles, found.counts.tolist(), width=1, marker="sd")
            low, high = float(found.edges[0]), float(found.edges[-1])
            plt.xticks(*_ticks(low, high))
            most = int(found.counts.max())
            counts = sorted({0, most // 2, most})
            plt.yticks([float(count) for count in counts], [f"{count:,}" for count in counts])
            self.say(_reasons(found))
        self._plot.refresh()

    def _draw_curve(self) -> None:
        plt = self._plot.plt
        plt.clear_figure()
        xs, ys = curve(self._rows)
        if xs:
            plt.plot(xs, ys, marker="braille")
            plt.scatter(xs, ys, marker="dot")
            plt.xticks(*_ticks(min(xs), max(xs)))
            low, high = value_range(ys, probabilities=are_probabilities(self._oracle))
            plt.ylim(low, high)
            plt.yticks(*_ticks(low, high))
            left_out = len(self._rows) - len(xs)
            self.say(f"{left_out} values left out: infinite" if left_out else "")
        self._plot.refresh()


def _reasons(found: Histogram) -> str:
    """Return how many states are not drawn, and why."""
    if not found.left_out:
        return ""
    why = ", ".join(f"{count:,} {reason}" for reason, count in found.reasons if count)
    return f"{counted(found.left_out, 'state')} left out: {why}"


def _ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Return places on an axis and their labels: its ends and between."""
    places = [low + (high - low) * part / (TICKS - 1) for part in range(TICKS)] if high > low else [low]
    return places, [f"{place:.3g}" for place in places]


def _example(oracle: Oracle) -> str:
    """Return a sweep of the last constant that is a fraction, else of the first whole number."""
    constants = oracle.constants
    shares = [name for name, value in constants.items() if "/" in value or "." in value]
    if shares:
        return f"{clean(shares[-1])}=0:1/20:{constants[shares[-1]]}"
    whole = [name for name, value in constants.items() if value.isdecimal() and int(value) > 1]
    return f"{clean(whole[0])}=1..{constants[whole[0]]}" if whole else ""
