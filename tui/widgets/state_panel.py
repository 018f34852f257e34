"""The state panel: everything that is known about the selected state, with what it means at a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.reactive import reactive

from engine.oracle.tri import Tri
from tui.actions.registry import bindings
from tui.explorer.definitions import definitions
from tui.explorer.findings import Findings
from tui.explorer.flags import flags_of
from tui.explorer.numerals import written_out
from tui.explorer.wrapping import side_by_side
from tui.text import clean
from tui.widgets.line_panel import LineScroll

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from tui.explorer.flags import Flag

DECIMAL_ROOM = 16
"""Columns of a number's line beside its fraction: the name, `` = `` and up to nine of the decimal."""
INDENT = 3
"""Columns before what a line says."""
SIGNS = {Tri.YES: "yes", Tri.NO: "no", Tri.UNDECIDED: "≈ undecided", Tri.UNDEFINED: "not defined"}


class StatePanel(LineScroll):
    """V, D, the facts that are questions in the taxonomy, labels, and the valuation, which goes first if it is short.

    A small panel scrolls.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("state")]

    oracle: reactive[Oracle | None] = reactive(None, init=False, repaint=False)
    state: reactive[int] = reactive(0, init=False, repaint=False)
    decimal: reactive[bool] = reactive(default=False, init=False, repaint=False)
    explained: reactive[bool] = reactive(default=False, init=False, repaint=False)
    findings: reactive[Findings] = reactive(Findings(), init=False, repaint=False)

    _flags: tuple[Flag, ...] = ()
    _meanings: Mapping[str, str] = {}

    def watch_oracle(self) -> None:
        """Show another model."""
        if self.oracle is not None:
            self._flags = flags_of(self.oracle)
            self._meanings = definitions(self.oracle.facts)
        self._show()

    def watch_state(self) -> None:
        """Show another state."""
        self._show()

    def watch_decimal(self) -> None:
        """Write numbers in the other way."""
        self._show()

    def watch_explained(self) -> None:
        """Show or hide what the facts mean."""
        self._show()

    def watch_findings(self) -> None:
        """Show what was computed meanwhile."""
        self._show()

    def on_resize(self) -> None:
        """Wrap for another width."""
        self._show()

    def _show(self) -> None:
        if self.oracle is not None and self.size.width > 0:
            width = self.size.width - 1  # the last column is the scroll bar's
            lines = self._described(self.oracle, width - DECIMAL_ROOM)
            self.show_lines([part for line in lines for part in line.wrap(width)])

    def _described(self, oracle: Oracle, room: int) -> list[Content]:
        """Return the lines; a fraction of more than `room` characters is not written out, so that none is broken."""
        mdp, state = oracle.mdp, self.state
        valuation = [
            f"{clean(name)}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in mdp.valuation(state).items()
        ]
        short = "  ".join(valuation)
        beside = len(f"{state}  {short}") <= room + DECIMAL_ROOM - INDENT
        labels = [
            "initial" if label == "init" else clean(label) for label in mdp.labels_of(state) if label != "deadlock"
        ]
        lines = [_line("s", Content.assemble((f"{state}", "bold"), "  ", short if beside else ""))]
        for name, text in self._numbers(oracle, room):
            lines.append(_line(name, Content.styled(text, "bold") if name == "V" else Content(text)))
            lines += self._meaning(name)
        lines += self._facts()
        if labels:
            lines.append(_line("is", Content(", ".join(labels))))
        if not beside:
            lines += [Content(line) for line in side_by_side(valuation, room + DECIMAL_ROOM)]
        return lines

    def _numbers(self, oracle: Oracle, room: int) -> list[tuple[str, str]]:
        facts, state = oracle.facts, self.state
        danger = "no danger property"
        if facts.danger is not None:
            danger = written_out(facts.danger.at(state), room, decimal=self.decimal)
        found = [("V", written_out(facts.value.at(state), room, decimal=self.decimal)), ("D", danger)]
        policy, loss = self.findings.policy, self.findings.loss
        if policy is not None:
            found += [
                ("Vπ", written_out(policy.value.at(state), room, decimal=self.decimal)),
                ("gap", written_out(policy.gap(facts, state), room, decimal=self.decimal)),
            ]
        if loss is not None:
            found.append(("loss", written_out(loss.at(state), room, decimal=self.decimal)))
        return found

    def _facts(self) -> list[Content]:
        parts: list[tuple[str, Content]] = []
        for flag in self._flags:
            if flag.word in {"dead end", "bottleneck"}:
                sign = SIGNS[Tri(int(flag.column[self.state]))]
                style = f"bold ${flag.style}" if sign == "yes" else "dim"
                parts.append((flag.word, Content.assemble(f"{flag.word} ", (sign, style), "   ")))
        if not self.explained:
            return [_line("", Content("").join(part for _, part in parts))]
        return [line for word, part in parts for line in (_line("", part), *self._meaning(word))]

    def _meaning(self, name: str) -> list[Content]:
        return [Content.styled(f"   {clean(self._meanings.get(name, ''))}", "italic dim")] if self.explained else []


def _line(name: str, content: Content) -> Content:
    return Content.assemble((f"{name:<3}" if len(name) < len("gap") else f"{name} ", "dim"), content)
