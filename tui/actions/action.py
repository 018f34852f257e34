"""What the registry is made of: one action."""

from __future__ import annotations

from dataclasses import dataclass


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
