"""The line of keys at the bottom: whole entries only, and how to get help and to go back are always among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from tui.actions.action import Worded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual import events
    from textual.binding import ActiveBinding
    from textual.screen import Screen

BACK = frozenset({"leave", "escape"})
"""Actions that lead out of where one is; the second is that of Textual's own palette."""
HELP = frozenset({"help", "app.help"})
LAST = frozenset({"leave_app"})
PADDING = 3
"""Columns of an entry beside its two texts: one before the key, one after it, one at the end."""


class Entry(NamedTuple):
    """A key that works where the focus is.

    Attributes
    ----------
    key
        The key by Textual's name.
    shown
        The key as it is written.
    description
        As of the binding, unless its screen or widget has a word of its own for it.
    action
        As of the binding.
    enabled
        Whether it does something now.
    """

    key: str
    shown: str
    description: str
    action: str
    enabled: bool = True

    @property
    def width(self) -> int:
        """Columns that it takes."""
        return PADDING + cell_len(self.shown) + cell_len(self.description)


class KeyFooter(Widget):
    """The keys that work where the focus is, as many as there is room for, in one line that can be clicked.

    One widget draws them all: Textual's own footer makes new widgets for all keys whenever the focus moves.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-footer--key", "key-footer--description"}
    DEFAULT_CSS = """
    KeyFooter {
        dock: bottom;
        height: 1;
        color: $footer-foreground;
        background: $panel;
    }
    KeyFooter > .key-footer--key {
        color: $footer-key-foreground;
        background: $footer-key-background;
        text-style: bold;
    }
    KeyFooter > .key-footer--description {
        color: $footer-description-foreground;
        background: $footer-description-background;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[Entry, ...] = ()

    @property
    def entries(self) -> list[Entry]:
        """The keys that are shown, from left to right."""
        return fitting(self._entries, self.app.size.width)

    def on_mount(self) -> None:
        """Follow the focus."""
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)

    def on_unmount(self) -> None:
        """Follow no longer."""
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _bindings_updated(self, screen: Screen[object]) -> None:
        if self.is_attached and screen is self.screen and self.app.app_focus:
            self.call_after_refresh(self._look)

    def _look(self) -> None:
        if self.is_attached:
            self._entries = tuple(sorted(self._offered(), key=_place))
            self.refresh()

    def _offered(self) -> Iterable[Entry]:
        """Return an entry for each action; of its keys, one that works everywhere comes last."""
        shown = [active for active in self.screen.active_bindings.values() if active.binding.show]
        best: dict[str, ActiveBinding] = {}
        for active in shown:
            before = best.setdefault(active.binding.action, active)
            if before.binding.priority and not active.binding.priority:
                best[active.binding.action] = active
        for node, binding, enabled, _ in best.values():
            own = node.wording(binding.id or "").title if isinstance(node, Worded) else ""
            shown_key = self.app.get_key_display(binding)
            yield Entry(binding.key, shown_key, own or binding.description, binding.action, enabled=enabled)

    def render(self) -> Content:
        """Draw the line."""
        key, description = (
            self.get_visual_style(f"key-footer--{part}", partial=True) for part in ("key", "description")
        )
        parts: list[Content] = []
        for entry in self.entries:
            drawn = Content.assemble((f" {entry.shown} ", key), (f"{entry.description} ", description))
            parts.append(drawn if entry.enabled else drawn.stylize("dim"))
        return Content("").join(parts)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Press the key under the mouse."""
        right = 0
        for entry in self.entries:
            right += entry.width
            if event.x < right:
                if entry.enabled:
                    self.app.simulate_key(entry.key)
                return


def fitting(entries: Sequence[Entry], room: int) -> list[Entry]:
    """Return the entries that fit in `room` columns, in their order; left out are the last ones that are not kept."""
    wanted = sorted(entries, key=lambda entry: entry.action not in BACK | HELP)
    taken: list[Entry] = []
    for entry in wanted:
        if entry.width > room:
            break
        room -= entry.width
        taken.append(entry)
    return [entry for entry in entries if entry in taken]


def _place(entry: Entry) -> int:
    """Return where an entry stands: dialogs inherit help, whose place is behind their own keys all the same."""
    return 2 if entry.action in LAST else 1 if entry.action in HELP else 0
