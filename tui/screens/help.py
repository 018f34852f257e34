"""Help: every key, from the one registry."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.keys import key_to_character
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Select, Static, TextArea

from tui.actions.offered import bound, offered
from tui.actions.registry import GROUPS, is_sign, key_text, of_group
from tui.appearance.keymap import DEFAULT, Keymap
from tui.widgets.key_footer import KeyFooter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.dom import DOMNode
    from textual.screen import Screen
    from textual.widget import Widget

    Row: TypeAlias = tuple[str, str]
    Sections: TypeAlias = Mapping[str, Sequence[Row]]

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
    (".53, >0, <1", "tiles round to two digits, narrow ones to one; only 0 and 1 themselves read as 0 and 1"),
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
KEY_WIDTH = 20
ELSEWHERE = "In other places"
OUTSIDE = "Outside of the field"
"""Keys of the place that write a letter where the focus is."""


class HelpText(Static):
    """The whole text as one widget: a widget for each line takes most of a second to open.

    Parameters
    ----------
    here
        Heading → keys and what they do at the place that help was asked for.
    fields
        Whether that place has fields or buttons.
    elsewhere
        The same of all other places; over a dialog, where nothing else can be done, only what its field keeps out.
    """

    def __init__(self, here: Sections, elsewhere: Sections, *, fields: bool) -> None:
        super().__init__(markup=False)
        self._here = here
        self._elsewhere = elsewhere
        self._fields = fields

    def on_resize(self, event: events.Resize) -> None:
        """Wrap for another width."""
        self.update(Content("\n").join(self._lines(event.size.width)))

    def _lines(self, width: int) -> Iterator[Content]:
        own = list(self._here.items())
        fields = [("Fields and buttons", FIELDS)] if self._fields else []
        # What works everywhere comes last: it is what is known best.
        sections = [*own[:-1], *fields, *own[-1:], ("Signs", SIGNS)]
        for title, rows in sections:
            yield from _section(title, rows, width)
        if self._elsewhere:
            yield from (Content(""), Content(""), Content.styled(ELSEWHERE, "bold"))
        for title, rows in self._elsewhere.items():
            yield from _section(title, rows, width)


def _section(title: str, rows: Sequence[Row], width: int) -> Iterator[Content]:
    yield from (Content(""), Content.styled(title, "bold $primary"))
    for keys, meaning in rows:
        yield from _row(keys, meaning, width)


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
    for binding in bound(node):
        group = (binding.id or "").partition(".")[0]
        if group in GROUPS and group != "app":
            yield group


def working_keys(focused: Widget | None, keys: str) -> str:
    """Return those of an action's keys that are no letters where the focus is."""
    return ",".join(key for key in keys.split(",") if not _is_letter(focused, key))


def _is_letter(focused: Widget | None, key: str) -> bool:
    if focused is None:
        return False
    return focused.check_consume_key(key, key_to_character(key)) or (
        isinstance(focused, Input | TextArea) and is_sign(key)
    )


class HelpScreen(ModalScreen[None]):
    """Keys by place, this screen's first, then the signs.

    Parameters
    ----------
    screen
        What help was asked for.

    Attributes
    ----------
    listed
        The actions that work there.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,f1", "leave", "Close", id="help.close")]

    def __init__(self, screen: Screen[object], keymap: Keymap = DEFAULT) -> None:
        super().__init__()
        here = offered(screen)
        self._fields = any(isinstance(each, Input | Button | TextArea | Select) for each in screen.walk_children())
        groups = places(screen)
        working = {action.id: working_keys(screen.focused, keymap.keys_of(action)) for action in here}
        self.listed = tuple(each for group in groups for each in here if each.group == group and working[each.id])
        self._here = {
            GROUPS[group]: rows
            for group in groups
            if (rows := [(key_text(working[each.id]), each.help) for each in self.listed if each.group == group])
        }
        others = () if screen.is_modal else tuple(group for group in GROUPS if group not in groups)
        kept_out = [each for group in groups for each in here if each.group == group and not working[each.id]]
        elsewhere = {OUTSIDE: kept_out} if kept_out else {}
        elsewhere |= {GROUPS[group]: list(of_group(group)) for group in others}
        self._elsewhere = {
            title: [(key_text(keymap.keys_of(each)), each.help) for each in actions]
            for title, actions in elsewhere.items()
        }

    def compose(self) -> ComposeResult:
        """Create the box."""
        text = HelpText(self._here, self._elsewhere, fields=self._fields)
        box = VerticalScroll(text, id="help")
        box.border_title = "Keys"
        box.border_subtitle = "esc closes"
        yield box
        yield KeyFooter()

    def action_leave(self) -> None:
        """Close."""
        self.dismiss()
