"""What a user keeps about models between sessions: saved filters and bookmarks, in one small file."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import StoreError
from engine.folders import data_dir

if TYPE_CHECKING:
    from pathlib import Path

    from engine.mdp.model import Mdp

MOST = 100
"""Filters and bookmarks that are kept for a model; the oldest go first."""

Place = tuple[tuple[str, int | bool], ...] | int
"""A state: its valuation, which stays the same with other constants, or its number where it has none."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """What is kept about one model."""

    filters: tuple[str, ...] = ()
    bookmarks: tuple[Place, ...] = ()

    def with_filter(self, text: str) -> Shelf:
        """Return the shelf with one more filter."""
        return replace(self, filters=tuple(dict.fromkeys([*self.filters, text]))[-MOST:])

    def without_filter(self, text: str) -> Shelf:
        """Return the shelf without a filter."""
        return replace(self, filters=tuple(each for each in self.filters if each != text))

    def toggled(self, place: Place) -> Shelf:
        """Return the shelf with a bookmark more, or without that one."""
        if place in self.bookmarks:
            return replace(self, bookmarks=tuple(each for each in self.bookmarks if each != place))
        return replace(self, bookmarks=(*self.bookmarks, place)[-MOST:])


def place_of(mdp: Mdp, state: int) -> Place:
    """Return what a bookmark keeps of a state."""
    return tuple(sorted(mdp.valuation(state).items())) or state


def state_at(mdp: Mdp, place: Place) -> int | None:
    """Return the state of a bookmark in a model; None if there is none there, or not exactly one."""
    if isinstance(place, int):
        return place if not mdp.valuations and place < mdp.states else None
    if {name for name, _ in place} != set(mdp.valuations):
        return None
    matches = np.ones(mdp.states, dtype=bool)
    for name, value in place:
        matches &= mdp.valuations[name] == value
    found = np.flatnonzero(matches)
    return int(found[0]) if len(found) == 1 else None


def shelf_file() -> Path:
    """Return the file; it may not exist yet."""
    return data_dir() / "shelf.json"


def read_shelf(model: str) -> Shelf:
    """Return what is kept about a model; nothing if the file is missing or broken: it is a convenience."""
    entry = _read().get(model)
    if not isinstance(entry, dict):
        return Shelf()
    filters = [text for text in entry.get("filters", ()) if isinstance(text, str)]
    places = [place for each in entry.get("bookmarks", ()) if (place := _place(each)) is not None]
    return Shelf(tuple(filters), tuple(places))


def write_shelf(model: str, shelf: Shelf) -> None:
    """Keep it, in a file that is either whole or as before; raises StoreError if that fails."""
    file = shelf_file()
    bookmarks = [each if isinstance(each, int) else dict(each) for each in shelf.bookmarks]
    data = {**_read(), model: {"filters": list(shelf.filters), "bookmarks": bookmarks}}
    scratch = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        scratch.replace(file)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink()
        raise StoreError(
            f"this cannot be kept: {error.strerror or error}",
            where=str(file),
            hint="make that place writable, or set XDG_DATA_HOME to a folder that is",
        ) from None


def _read() -> dict[str, Any]:
    try:
        data = json.loads(shelf_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _place(value: Any) -> Place | None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if isinstance(value, dict) and value and all(isinstance(part, int) for part in value.values()):
        return tuple(sorted((str(name), part) for name, part in value.items()))
    return None
