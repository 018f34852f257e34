"""The state panel: everything that is known about the selected state."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.reactive import reactive

from engine.figures import full
from engine.oracle.tri import Tri
from tui.actions import bindings
from tui.flags import flags_of
from tui.text import clean
from tui.widgets.line_panel import LineScroll

if TYPE_CHECKING:
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from tui.flags import Flag

DECIMAL_ROOM = 16
"""Columns of a number's line beside its fraction: the name, `` = `` and up to nine of the decimal."""
SIGNS = {Tri.YES: "yes", Tri.NO: "no", Tri.UNDECIDED: "≈ undecided", Tri.UNDEFINED: "not defined"}


class StatePanel(LineScroll):
    """Valuation, labels, V, D and the facts that are questions in the taxonomy; a small panel scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("state")]

    oracle: reactive[Oracle | None] = reactive(None, init=False, repaint=False)
    state: reactive[int] = reactive(0, init=False, repaint=False)

    _flags: tuple[Flag, ...] = ()

    def watch_state(self) -> None:
        """Show another state."""
        self._show()

    def watch_oracle(self) -> None:
        """Show another model."""
        self._flags = flags_of(self.oracle) if self.oracle is not None else ()
        self._show()

    def on_resize(self) -> None:
        """Wrap for another width."""
        self._show()

    def _show(self) -> None:
        if self.oracle is not None and self.size.width > 0:
            width = self.size.width - 1  # the last column is the scroll bar's
            lines = _lines(self.oracle, self._flags, self.state, width - DECIMAL_ROOM)
            self.show_lines([part for line in lines for part in line.wrap(width)])


def _lines(oracle: Oracle, flags: tuple[Flag, ...], state: int, room: int) -> list[Content]:
    """Return the lines; a fraction of more than `room` characters is not written out, so that none is broken."""
    facts, mdp = oracle.facts, oracle.mdp
    valuation = "  ".join(
        f"{clean(name)}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in mdp.valuation(state).items()
    )
    labels = ["initial" if label == "init" else clean(label) for label in mdp.labels_of(state) if label != "deadlock"]
    lines = [
        _line("s", Content.assemble((f"{state}", "bold"), "  ", valuation)),
        _line("V", Content.styled(full(facts.value.at(state), room), "bold")),
        _line("D", Content(full(facts.danger.at(state), room) if facts.danger is not None else "no danger property")),
    ]
    words: list[Content | str] = []
    for flag in flags:
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
