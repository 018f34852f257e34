"""The state panel: everything that is known about the selected state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from engine.oracle.tri import Tri
from tui.figures import full
from tui.flags import flags_of
from tui.text import clean

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle

SIGNS = {Tri.YES: "yes", Tri.NO: "no", Tri.UNDECIDED: "≈ undecided", Tri.UNDEFINED: "not defined"}


class StatePanel(Widget):
    """Valuation, labels, V, D and the facts that are questions in the taxonomy."""

    oracle: reactive[Oracle | None] = reactive(None, init=False)
    state: reactive[int] = reactive(0, init=False)

    def on_mount(self) -> None:
        """Name the first state."""
        self.watch_state(self.state)

    def watch_state(self, state: int) -> None:
        """Name the state in the frame."""
        self.border_title = f"State {state}"

    def render(self) -> Content:
        """Return the panel's lines, most important first: a small panel cuts from below."""
        oracle = self.oracle
        if oracle is None:
            return Content("")
        return Content("\n").join(_lines(oracle, self.state))


def _lines(oracle: Oracle, state: int) -> list[Content]:
    facts, mdp = oracle.facts, oracle.mdp
    valuation = "  ".join(
        f"{clean(name)}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in mdp.valuation(state).items()
    )
    labels = ["initial" if label == "init" else clean(label) for label in mdp.labels_of(state) if label != "deadlock"]
    lines = [
        _line("V", Content.styled(full(facts.value.at(state)), "bold")),
        _line("D", Content(full(facts.danger.at(state)) if facts.danger is not None else "no danger property")),
        _line("at", Content(valuation or "no variables")),
    ]
    words: list[Content | str] = []
    for flag in flags_of(oracle):
        if flag.word in {"dead end", "bottleneck"}:
            sign = SIGNS[Tri(int(flag.column[state]))]
            style = f"bold ${flag.style}" if sign == "yes" else "dim"
            words += [Content.assemble(f"{flag.word} ", (sign, style)), "   "]
    lines.append(_line("", Content("").join(words)))
    if labels:
        lines.append(_line("is", Content(", ".join(labels))))
    return lines


def _line(name: str, content: Content) -> Content:
    return Content.assemble((f"{name:<3}", "dim"), content)
