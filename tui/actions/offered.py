"""Which actions a screen offers: those that it or a widget of it has bindings of, and that it does not refuse now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.binding import Binding

from tui.actions.action import worded
from tui.actions.registry import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.dom import DOMNode
    from textual.screen import Screen

    from tui.actions.action import Action


def offered(screen: Screen[Any]) -> tuple[Action, ...]:
    """Return the registry's actions that work on a screen, wherever on it the focus is, in the registry's order.

    Each is called what the place calls it that has its binding.
    """
    # Of widgets that share an action the focused one is asked what it is called, else the first.
    nodes: tuple[DOMNode, ...] = (screen, *screen.walk_children())
    nodes = nodes if screen.focused is None else (screen.focused, *nodes)
    found: dict[str, DOMNode] = {}
    for node in nodes:
        for name in _offered_by(node):
            found.setdefault(name, node)
    app = set(_offered_by(screen.app))
    if screen.is_modal:
        app &= {action.id for action in REGISTRY if action.priority}
    return tuple(worded(found.get(action.id), action) for action in REGISTRY if action.id in app | set(found))


def bound(node: DOMNode) -> Iterator[Binding]:
    """Yield the bindings that a node has by its class and those above it; each has its action's id."""
    for kind in type(node).__mro__:
        for binding in vars(kind).get("BINDINGS", ()):
            if isinstance(binding, Binding) and binding.id:
                yield binding


def _offered_by(node: DOMNode) -> Iterator[str]:
    for binding in bound(node):
        target, _, name = binding.action.rpartition(".")
        asked = node.app if target == "app" else node
        if binding.id and asked.check_action(name, ()) is not False:
            yield binding.id
