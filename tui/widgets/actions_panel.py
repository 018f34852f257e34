"""The actions panel: what can be done in the selected state, what it is worth, and where it leads."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from textual import on
from textual.content import Content
from textual.reactive import reactive

from engine.figures import bar
from engine.oracle.numbers import number_float
from engine.oracle.tri import Tri
from tui.actions.registry import bindings
from tui.explorer.flags import flags_of
from tui.explorer.numerals import Figures
from tui.messages import ActionTaken, SuccessorEntered
from tui.text import clean, distinct
from tui.widgets.line_panel import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from engine.oracle.facts import Facts, Oracle
    from tui.explorer.flags import Flag

WIDE_PANEL = 54
"""From this width on there is room for ``all tied progress`` in words."""
NAME_WIDTHS = (8, 16)
"""Names take at least that much, so that numbers stand still from state to state."""
Q_WIDTH, GAP_WIDTH, BAR_WIDTH = 11, 8, 6
MARKS_WIDTH = len("worst > ")
"""What is kept for an action's marks where room is scarce, and for the bar of a list that scrolls."""
MAX_SUCCESSORS = 200
"""Successors listed per action; a longer list is cut and says so."""


class ActionsPanel(LineList):
    """Actions with Q and marks, a line each; the open one shows its successors, and enter walks into one."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("actions")]

    oracle: reactive[Oracle | None] = reactive(None, init=False, repaint=False)
    state: reactive[int] = reactive(0, init=False, repaint=False)
    decimal: reactive[bool] = reactive(default=False, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__(id="actions")
        self._listed = 0
        self._targets: dict[int, int] = {}
        self._headings: dict[int, int] = {}
        self._open: int | None = None
        self._stale = False
        self._flags: tuple[Flag, ...] = ()
        self._scale = 1.0

    def watch_state(self) -> None:
        """Rebuild once for all cursor moves that are waiting."""
        self._rebuild_soon()

    def watch_oracle(self) -> None:
        """Rebuild for another model."""
        if self.oracle is not None:
            self._flags = tuple(flag for flag in flags_of(self.oracle) if flag.word != "initial")
            self._scale = _scale(self.oracle)
        self._rebuild_soon()

    def watch_decimal(self) -> None:
        """Rebuild with other numbers."""
        self._rebuild_soon()

    def on_resize(self) -> None:
        """Rebuild for another width."""
        self._rebuild_soon()

    def move_to(self, line: int) -> None:
        """Move the cursor; the action that it comes to shows its successors instead of the one before."""
        choice = self._headings.get(line)
        if choice is not None and choice != self._open:
            self._open = choice
            lines = self._lines_of()
            heading = next(at for at, each in self._headings.items() if each == choice)
            self.replace_lines(lines)
            line = heading
        super().move_to(line)
        # What an action leads to is seen with it, as far as there is room.
        if self._headings.get(self.cursor) is not None:
            last = max((at for at in self._targets), default=self.cursor)
            self.reveal(last)

    def move_to_successor(self, state: int) -> None:
        """Put the cursor on the first way into a state; raises ValueError if no action leads there."""
        oracle = self.oracle
        for heading in sorted(self._headings.values()):
            if oracle is not None and any(target == state for target, _ in oracle.mdp.successors(heading)):
                self.move_to(next(at for at, each in self._headings.items() if each == heading))
                self.move_to(next(at for at, target in self._targets.items() if target == state))
                return
        raise ValueError(f"no listed action leads to state {state}")

    def _rebuild_soon(self) -> None:
        if not self._stale:
            self._stale = True
            self.call_later(self._rebuild)

    def _rebuild(self) -> None:
        self._stale = False
        oracle = self.oracle
        if oracle is None:
            return
        self._listed = self.state
        choices = oracle.mdp.choices_of(self.state)
        best = (choice for choice in choices if oracle.facts.best[choice] == Tri.YES)
        progressing = (choice for choice in choices if oracle.facts.progressing[choice] == Tri.YES)
        self._open = next(progressing, next(best, choices[0] if len(choices) else None))
        self.show_list(self._lines_of(), min(self._targets, default=0))

    def _lines_of(self) -> list[Content]:
        """Return the lines of the listed state with one action open, and note which line is what."""
        oracle = self.oracle
        self._targets, self._headings = {}, {}
        if oracle is None:
            return []
        lines: list[Content] = []
        wide = self.size.width >= WIDE_PANEL
        choices = oracle.mdp.choices_of(self._listed)
        full = [clean(oracle.mdp.action_name(choice)) for choice in choices]
        names, barred = _names_within(full, self.size.width, wide=wide)
        for choice, name, whole in zip(choices, names, full, strict=True):
            self._headings[len(lines)] = choice
            look = _Look(name, self._scale, only=len(choices) == 1, wide=wide, barred=barred, decimal=self.decimal)
            lines.append(_action_line(oracle, choice, look))
            if choice != self._open:
                continue
            if name.rstrip() != whole:
                room = max(self.size.width - 3, 1)
                lines += [Content.styled(f" {whole[at : at + room]}", "bold") for at in range(0, len(whole), room)]
            successors = oracle.mdp.successors(choice)
            for state, probability in successors[:MAX_SUCCESSORS]:
                self._targets[len(lines)] = state
                lines.append(_successor_line(oracle, self._flags, state, probability, wide=wide, decimal=self.decimal))
            if len(successors) > MAX_SUCCESSORS:
                lines.append(Content.styled(f"   … and {len(successors) - MAX_SUCCESSORS} more", "dim"))
        return lines or [Content.styled("No action is available here.", "dim")]

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        target = self._targets.get(event.index)
        if target is not None:
            self.post_message(SuccessorEntered(self._listed, target, self._open))
        elif event.index in self._headings:
            self.post_message(ActionTaken(self._listed, self._headings[event.index]))


class _Look(NamedTuple):
    """How an action's line is drawn."""

    name: str
    scale: float
    only: bool
    wide: bool
    barred: bool
    decimal: bool


def _names_within(names: Sequence[str], width: int, *, wide: bool) -> tuple[list[str], bool]:
    """Return the names in columns that fit beside Q and marks, and whether bars fit too: names go first."""
    marks = MARKS_WIDTH if not wide else GAP_WIDTH + len("  all tied progress ")
    room = width - Q_WIDTH - 2 - marks
    longest = max((len(name) for name in names), default=0)
    barred = longest <= max(room - BAR_WIDTH - 1, NAME_WIDTHS[wide])
    column = min(max(longest, NAME_WIDTHS[wide]), max(room, NAME_WIDTHS[wide]))
    return [f"{name:<{column}}" for name in distinct(names, column)], barred


def _action_line(oracle: Oracle, choice: int, look: _Look) -> Content:
    facts, wide = oracle.facts, look.wide
    parts: list[Content | tuple[str, str]] = [
        (f"{look.name} ", "bold"),
        Content(f"{Figures(Q_WIDTH, look.decimal).text(facts.q.at(choice)):>{Q_WIDTH}} "),
    ]
    if look.barred:
        parts.append((f"{bar(_share(oracle, choice, look.scale), BAR_WIDTH):<{BAR_WIDTH}} ", "$secondary"))
    if wide and (gap := _gap_text(oracle, choice, decimal=look.decimal)):
        parts.append((f"{gap:<{GAP_WIDTH + 1}} ", "dim"))  # in the place of the marks that only optimal actions have
    for sign, word, letter, style in _marks(facts, choice, only=look.only):
        if sign == Tri.YES:
            parts.append((f"{word if wide else letter} ", style))
        elif sign == Tri.UNDECIDED:
            parts.append((f"≈{word if wide else letter} ", "dim"))
    return Content.assemble(*parts)


def _gap_text(oracle: Oracle, choice: int, *, decimal: bool) -> str:
    """Return how far Q is from V where that is known exactly and not nothing."""
    state = int(np.searchsorted(oracle.mdp.choice_start, choice, side="right")) - 1
    best, q = oracle.facts.value.at(state), oracle.facts.q.at(choice)
    if not (isinstance(best, Fraction) and isinstance(q, Fraction)) or best == q:
        return ""
    return f"{'+' if q > best else '−'}{Figures(GAP_WIDTH, decimal).text(abs(best - q))}"


def _marks(facts: Facts, choice: int, *, only: bool) -> list[tuple[int, str, str, str]]:
    """Return each mark's sign, its word and short form, and its style."""
    best, worst = int(facts.best[choice]), int(facts.worst[choice])
    progress = (int(facts.progressing[choice]), "progress", ">", "$accent")
    if only:
        return [(Tri.YES, "only action", "only", "dim"), progress]
    if best == worst == Tri.YES:
        return [(best, "all tied", "tied", "bold $primary"), progress]
    if best == worst == Tri.UNDECIDED:
        return [(best, " undecided", "", ""), progress]
    return [(best, "best", "best", "bold $success"), (worst, "worst", "worst", "bold $error"), progress]


def _successor_line(
    oracle: Oracle, flags: tuple[Flag, ...], state: int, probability: Fraction | float, *, wide: bool, decimal: bool
) -> Content:
    width = 9 if wide else 7
    figures = Figures(width, decimal)
    chance = figures.text(probability) if isinstance(probability, Fraction) else f"{probability:.4g}"
    notes = " ".join(word for flag in flags if (word := flag.text(state, short=not wide)))
    value = figures.text(oracle.facts.value.at(state))
    digits = len(str(oracle.mdp.states - 1))
    return Content.assemble(
        (f"{'  ' if wide else ''}{chance:>{width}} ", "dim"),
        f"→ s{state:<{digits}} ",
        (f"V {value:<{width}} ", "dim"),
        (notes, "italic"),
    )


def _scale(oracle: Oracle) -> float:
    """Return the Q of a full bar: 1 for probabilities, the largest finite V for rewards; 0 leaves all bars empty."""
    if not oracle.facts.objective.kind.is_reward:
        return 1.0
    values = oracle.facts.value.floats
    finite = values[np.isfinite(values)]
    return max(float(finite.max()), 0.0) if len(finite) else 0.0


def _share(oracle: Oracle, choice: int, scale: float) -> float:
    q = oracle.facts.q.at(choice)
    return 0.0 if q is None or scale == 0 else number_float(q) / scale
