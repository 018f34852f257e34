"""Help: every key, from the one registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.actions import GROUPS, key_text, of_group

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

SIGNS = (
    ("V", "the objective's optimal value from a state"),
    ("Q", "the value of an action, playing optimally afterwards"),
    ("D", "danger: the risk that no play can avoid"),
    ("dead end", "the goal can no longer be reached"),
    ("bottleneck", "every successful run passes through this state"),
    ("progress, >", "an optimal policy takes this action; a best action without it may loop for ever"),
    ("≈", "bounds overlap: undecided, or a number known only between bounds"),
    ("dead, neck", "dead end and bottleneck, where room is scarce"),
    ("picture", "a tile that several states share shows the one nearest to the selected state in all else"),
    ("e, i, ≈ (verdicts)", "errors, invalid and undecided answers; of these only invalid ones count, as not passed"),
    ("…", "digits cut, not rounded; the state panel has the exact number"),
)


class HelpScreen(ModalScreen[None]):
    """Keys by place, this screen's first, then the signs."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,f1", "leave", "Close")]

    def __init__(self, groups: tuple[str, ...]) -> None:
        super().__init__()
        self._groups = (*groups, *(group for group in GROUPS if group not in groups))

    def compose(self) -> ComposeResult:
        """Create the list."""
        box = VerticalScroll(id="help")
        box.border_title = "Keys"
        box.border_subtitle = "esc closes"
        with box:
            for group in self._groups:
                yield Static(Content(GROUPS[group]), classes="help-group")
                for action in of_group(group):
                    yield _row(key_text(action.keys), action.help)
            yield Static(Content("Signs"), classes="help-group")
            for sign, meaning in SIGNS:
                yield _row(sign, meaning)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss()


def _row(left: str, right: str) -> Horizontal:
    return Horizontal(Static(Content(left), classes="help-key"), Static(Content(right)), classes="help-row")
