"""What the registry is made of: one action; and what it is called where another name says more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Action:
    """Something a user can do.

    Attributes
    ----------
    id
        Stable name: a settings file can give it other keys.
    keys
        Textual key names, comma-separated; the first is the one that is shown.
    action
        The Textual action; its method is on the group's screen, widget or app.
    title
        One or two words for the footer.
    help
        One sentence for help and palette.
    group
        Where it works: a key of `GROUPS`.
    footer
        Whether the footer shows it.
    palette
        Whether the command palette offers it.
    """

    id: str
    keys: str
    action: str
    title: str
    help: str
    group: str
    footer: bool = False
    palette: bool = True
    priority: bool = False


class Wording(NamedTuple):
    """What an action is called at one place; an empty text leaves the registry's.

    Attributes
    ----------
    title, help
        As of `Action`.
    """

    title: str = ""
    help: str = ""


@runtime_checkable
class Worded(Protocol):
    """A screen or widget that has names of its own for some of the actions that it has bindings of."""

    def wording(self, name: str) -> Wording:
        """Return what the action with this id is called here."""


def worded(node: object, action: Action) -> Action:
    """Return an action as the node that has its binding calls it."""
    title, said = node.wording(action.id) if isinstance(node, Worded) else Wording()
    return replace(action, title=title or action.title, help=said or action.help)
