"""Keys that a user has changed: read from the settings, checked, and told apart from keys that cannot work."""

from __future__ import annotations

import difflib
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.keys import KEY_NAME_REPLACEMENTS, KEY_TO_UNICODE_NAME, REPLACED_KEYS, Keys

from tui.actions.registry import REGISTRY, WITHIN, key_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import App

    from tui.actions.action import Action

_NAMED = frozenset(key.value for key in Keys)
_MODIFIERS = ("ctrl", "shift", "alt", "super", "hyper", "meta")


@dataclass(frozen=True, slots=True)
class Keymap:
    """The keys that work.

    Attributes
    ----------
    changed
        Action id → keys, comma-separated, for those actions whose keys were changed.
    problems
        One sentence for each change that was left out, with the reason.
    """

    changed: Mapping[str, str]
    problems: tuple[str, ...] = ()

    def keys_of(self, action: Action) -> str:
        """Return the keys of an action, comma-separated."""
        return self.changed.get(action.id, action.keys)


DEFAULT = Keymap({})
_BY_ID = {action.id: action for action in REGISTRY}
_NAMED_ACTION = re.compile(r"\{([a-z]+\.[a-z_]+)\}")


def with_keys(text: str, keymap: Keymap) -> str:
    """Return a text in which ``{explorer.filter}`` is replaced by the first key of that action."""
    return _NAMED_ACTION.sub(lambda found: key_text(keymap.keys_of(_BY_ID[found[1]]).partition(",")[0]), text)


def keymap_of(app: App[Any]) -> Keymap:
    """Return the keys that work in an app; those that come with the program in an app without a keymap."""
    found = getattr(app, "keymap", DEFAULT)
    return found if isinstance(found, Keymap) else DEFAULT


def read_keymap(wanted: Mapping[str, str]) -> Keymap:
    """Return the keymap of a settings table: action id → keys, comma-separated.

    A change is left out, and said, if there is no such action, a key has no such name, or the key belongs to another
    action that works at the same place; the action then keeps the keys that it comes with.
    """
    known = {action.id: action for action in REGISTRY}
    changed: dict[str, str] = {}
    problems = []
    for name, text in wanted.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            problems.append(f"keys.{name}: there is no such action" + (f"; did you mean '{near[0]}'?" if near else ""))
            continue
        keys = [_key(part) for part in text.split(",") if part.strip() or part == " "]
        bad = next((key for key in keys if not _is_key(key)), None)
        if bad is not None or not keys:
            problems.append(f"keys.{name}: {bad!r} is no key; write for example 'x', 'ctrl+x', 'f6' or 'pagedown'")
            continue
        changed[name] = ",".join(dict.fromkeys(keys))
    # A change that is left out gives its action the old keys back, which another change may have wanted.
    while (found := _first_clash(known, changed)) is not None:
        name, key, other = found
        problems.append(f"keys.{name}: {key} is the key of {other.id} already ({other.title}), so it is left out")
        del changed[name]
    return Keymap(changed, tuple(problems))


def _first_clash(known: Mapping[str, Action], changed: Mapping[str, str]) -> tuple[str, str, Action] | None:
    for name in changed:
        if (clash := _clash(known[name], changed)) is not None:
            return name, *clash
    return None


def _clash(action: Action, changed: Mapping[str, str]) -> tuple[str, Action] | None:
    """Return a key of the action that another one has at the same place, and that one."""
    own = changed[action.id].split(",")
    for other in REGISTRY:
        if other.id == action.id or not _together(action.group, other.group):
            continue
        theirs = changed.get(other.id, other.keys).split(",")
        shared = next((key for key in own if key in theirs and key not in action.keys.split(",")), None)
        if shared is not None:
            return shared, other
    return None


def _together(one: str, other: str) -> bool:
    """Return whether two groups can be active at once: one of them contains the other."""
    return other in _places(one) or one in _places(other)


def _places(group: str) -> tuple[str, ...]:
    """Return a group and those around it, up to the one that works everywhere."""
    found = [group]
    while found[-1] in WITHIN:
        found.append(WITHIN[found[-1]])
    return tuple(found) if found[-1] == "app" else (*found, "app")


def _key(text: str) -> str:
    """Return a key as Textual names it, from what people write: ``?``, ``^x``, ``esc``."""
    text = text.strip() or "space"
    for short in ("^", "control+"):
        if text.startswith(short) and len(text) > len(short):
            text = f"ctrl+{text.removeprefix(short)}"
    head, plus, last = text.rpartition("+")
    if not last:
        head, plus, last = text[:-2], text[-2:-1], "+"
    if len(last) == 1 and not last.isalnum():
        name = unicodedata.name(last, last).lower().replace(" ", "_").replace("-", "_")
        last = KEY_NAME_REPLACEMENTS.get(name, name)
    return f"{head}{plus}{'escape' if last == 'esc' else last}"


def _is_key(key: str) -> bool:
    *modifiers, last = key.split("+")
    return all(modifier in _MODIFIERS for modifier in modifiers) and (
        last in _NAMED or (len(last) == 1 and last.isalnum()) or _is_sign(last)
    )


def _is_sign(name: str) -> bool:
    full = KEY_TO_UNICODE_NAME.get(REPLACED_KEYS.get(name, name), name.replace("_", " ").upper())
    try:
        return len(name) > 1 and unicodedata.lookup(full).isascii()
    except KeyError:
        return False
