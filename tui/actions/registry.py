"""The one registry of actions: keys, footer, command palette and help are all made from it."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from textual.binding import Binding

from tui.actions.app import APP
from tui.actions.asking import ASKING
from tui.actions.campaign import CAMPAIGN
from tui.actions.explorer import EXPLORER
from tui.actions.tools import FILTER, LISTS, LOOKING, WORKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tui.actions.action import Action

GROUPS = {
    "app": "Everywhere",
    "explorer": "Explorer",
    "table": "State table",
    "actions": "Actions panel",
    "state": "State panel",
    "filter": "Filter",
    "tool": "Tools",
    "list": "Lists",
    "ask": "Ask",
    "card": "Verdict card",
    "campaign": "Campaign",
    "verdicts": "Campaign: verdicts",
    "choices": "Campaign: grid",
    "file": "Campaign file",
    "cases": "Campaign: cases",
    "case": "Campaign: one case",
    "duel": "Campaign: two explainers",
    "report": "Campaign: report",
    "form": "Forms",
    "start": "Start",
    "path": "Path",
    "settings": "Settings",
    "tour": "Tour",
}

WITHIN = {
    "table": "explorer",
    "actions": "explorer",
    "state": "explorer",
    "filter": "explorer",
    "path": "start",
    "card": "ask",
    "verdicts": "campaign",
    "choices": "campaign",
}
"""Panels and fields, and the screen that each is a part of: their keys must differ."""

REGISTRY: tuple[Action, ...] = (*APP, *EXPLORER, *LOOKING, *WORKING, *FILTER, *LISTS, *ASKING, *CAMPAIGN)


def of_group(group: str) -> Iterator[Action]:
    """Yield the actions of one group, in the order of the registry."""
    return (action for action in REGISTRY if action.group == group)


def bindings(group: str) -> list[Binding]:
    """Return a group's key bindings, with stable ids."""
    return bindings_of(*(action.id for action in of_group(group)))


def bindings_of(*names: str, target: str = "") -> list[Binding]:
    """Return the key bindings of single actions; `target` names whose method they call if it is another's, as app."""
    return [
        Binding(
            action.keys,
            f"{target}.{action.action}" if target else action.action,
            action.title,
            show=action.footer,
            tooltip=action.help,
            id=action.id,
            priority=action.priority and not target,
        )
        for name in names
        for action in REGISTRY
        if action.id == name
    ]


_KEY_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "colon": ":",
    "comma": ",",
    "plus": "+",
    "minus": "-",
    "full_stop": ".",
    "apostrophe": "'",
    "equals_sign": "=",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "pagedown": "page down",
    "pageup": "page up",
    "escape": "esc",
}


def key_text(keys: str) -> str:
    """Return key names as people read them: ``backspace, b, [``."""
    return ", ".join(_key_text(key) for key in keys.split(","))


def is_sign(key: str) -> bool:
    """Return whether a key, by Textual's name, writes one sign in a field; of slash and others Textual tells none."""
    return len(_key_text(key)) == 1


def _key_text(key: str) -> str:
    *modifiers, last = key.split("+")
    return "+".join([*modifiers, _KEY_NAMES.get(last) or _sign(last)]).replace("ctrl+", "^")


def _sign(name: str) -> str:
    """Return the sign that a key has by its Unicode name, else the name."""
    try:
        sign = unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        return name
    return sign if sign.isprintable() and not sign.isspace() else name
