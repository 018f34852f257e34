"""Help: every key, from the one registry."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.actions.registry import GROUPS, key_text, of_group
from tui.appearance.keymap import DEFAULT, Keymap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.dom import DOMNode
    from textual.screen import Screen

SIGNS = (
    ("V", "the objective's optimal value from a state"),
    ("Q", "the value of an action, playing optimally afterwards"),
    ("D", "danger: the risk that no play can avoid"),
    ("dead end", "the goal can no longer be reached"),
    ("bottleneck", "every successful run passes through this state"),
    ("progress, >", "an optimal policy takes this action; a best action without it may loop for ever"),
    ("≈", "bounds overlap: undecided, or a number known only between bounds"),
    ("dead, neck", "dead end and bottleneck, where room is scarce"),
    ("tied, only", "all actions are worth the same; there is only one action"),
    ("right here, loses later", "policy: its action is optimal in this state, but one in a later state is not"),
    ("picture", "a tile that several states share shows the one nearest to the selected state in all else"),
    ("e, i, ≈ (verdicts)", "errors, invalid and undecided answers; of these only invalid ones count, as not passed"),
    ("…", "digits cut, not rounded; the state panel has the exact number"),
    (".53, >0, <1", "tiles round to two digits; only 0 and 1 themselves read as 0 and 1"),
)


FIELDS = (
    ("tab, shift+tab", "the next field or button, the one before"),
    ("enter", "in a field: do what the form says; on a button: press it; on a list: choose"),
    ("space", "switch a box on or off, open a list, press a button"),
    ("↑, ↓", "in an open list: the line before, the next"),
    ("→, end", "in a field: take the completion"),
    ("^u, ^k, ^w", "in a field: delete to the start, to the end, the word before"),
)
"""Keys of fields and buttons, which no setting changes."""
WITH_FIELDS = ("form", "tool", "settings", "ask", "campaign")
KEY_WIDTH = 20


class HelpText(Static):
    """The whole text as one widget: a widget for each line takes most of a second to open."""

    def __init__(self, groups: Sequence[str], keymap: Keymap) -> None:
        super().__init__(markup=False)
        self._groups = groups
        self._keymap = keymap

    def on_resize(self, event: events.Resize) -> None:
        """Wrap for another width."""
        self.update(Content("\n").join(self._lines(event.size.width)))

    def _lines(self, width: int) -> Iterator[Content]:
        fields = next((group for group in self._groups if group in WITH_FIELDS), self._groups[-1])
        for group in self._groups:
            yield from (Content(""), Content.styled(GROUPS[group], "bold $primary"))
            for action in of_group(group):
                yield from _row(key_text(self._keymap.keys_of(action)), action.help, width)
            if group == fields:
                yield from (Content(""), Content.styled("Fields and buttons", "bold $primary"))
                for keys, meaning in FIELDS:
                    yield from _row(keys, meaning, width)
        yield from (Content(""), Content.styled("Signs", "bold $primary"))
        for sign, meaning in SIGNS:
            yield from _row(sign, meaning, width)


def _row(left: str, right: str, width: int) -> Iterator[Content]:
    rests = Content(right).wrap(max(width - KEY_WIDTH, 1))
    for heading, rest in zip_longest(Content(left).wrap(KEY_WIDTH - 1), rests, fillvalue=Content("")):
        yield Content.styled(f"{heading.plain.rstrip():<{KEY_WIDTH}}", "bold $accent") + rest


def places(screen: Screen[object]) -> tuple[str, ...]:
    """Return the groups of actions that work on a screen, those of the focused widget and what is around it first."""
    near = [group for node in _around(screen) for group in _groups_of(node)]
    return tuple(dict.fromkeys([*near, *getattr(screen, "HELP_GROUPS", ("app",))]))


def _around(screen: Screen[object]) -> list[DOMNode]:
    return [] if screen.focused is None else [node for node in screen.focused.ancestors_with_self if node is not screen]


def _groups_of(node: DOMNode) -> Iterator[str]:
    """Yield the groups that a widget has bindings of: a binding's id begins with its group."""
    for kind in type(node).__mro__:
        for binding in vars(kind).get("BINDINGS", ()):
            group = (binding.id or "").partition(".")[0] if isinstance(binding, Binding) else ""
            if group in GROUPS and group != "app":
                yield group


class HelpScreen(ModalScreen[None]):
    """Keys by place, this screen's first, then the signs."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,f1", "leave", "Close")]

    def __init__(self, groups: tuple[str, ...], keymap: Keymap = DEFAULT) -> None:
        super().__init__()
        self._groups = (*groups, *(group for group in GROUPS if group not in groups))
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        """Create the box."""
        box = VerticalScroll(HelpText(self._groups, self._keymap), id="help")
        box.border_title = "Keys"
        box.border_subtitle = "esc closes"
        yield box

    def action_leave(self) -> None:
        """Close."""
        self.dismiss()
