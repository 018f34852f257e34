"""What a model was made from, and what differs between two states of it, in words."""

from __future__ import annotations

import hashlib
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engine.oracle.facts import Oracle
    from engine.verdicts.records import ModelRecord

_UNKNOWN = "its text, the mode it is checked in, or Storm's version is not the same; what it was made from is not noted"
_OWN = "what this version of the program computes of a model is not what the earlier one did"


def made_from(oracle: Oracle) -> dict[str, str] | None:
    """Return what the oracle's identity depends on beside what a record names: texts (hash), Storm, mode as asked for.

    None where the oracle was not asked for the model, or its files are gone.
    """
    if oracle.request is None:
        return None
    try:
        contents = [hashlib.sha256(path.read_bytes()).hexdigest() for path in oracle.request.files]
        storm = version("stormpy")
    except (OSError, PackageNotFoundError):
        return None
    text = hashlib.sha256("".join(contents).encode()).hexdigest()[:16]
    return {"text": text, "storm": storm, "mode": str(oracle.request.mode.value)}


def difference(before: ModelRecord, after: ModelRecord) -> str:
    """Return all that differs between two states of one model, as a clause."""
    return "; ".join(_differences(before, after)) or _last_resort(before, after)


def _differences(before: ModelRecord, after: ModelRecord) -> Iterator[str]:
    for name in ("objective", "danger"):
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            yield f"the {name} was {was or 'none'}, is {now or 'none'}"
    for name in dict.fromkeys((*before.constants, *after.constants)):
        was, now = before.constants.get(name), after.constants.get(name)
        if was != now:
            yield f"the constant {name} was {_value(was)}, is {_value(now)}"
    if before.exact != after.exact:
        kinds = {True: "exact", False: "bounds"}
        yield f"its numbers were {kinds[before.exact]}, are {kinds[after.exact]}"
    if before.states != after.states:
        yield f"it had {before.states:,} states, has {after.states:,}"
    yield from _origins(before.made_from or {}, after.made_from or {})


def _origins(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    found = [name for name in ("text", "storm", "mode") if name in before and name in after]
    for name in found:
        was, now = before[name], after[name]
        if was != now:
            told = {"storm": f"Storm (stormpy) was {was}, is {now}", "mode": f"the mode was {was}, is {now}"}
            yield told.get(name, "the text of the model's file is not the same")


def _last_resort(before: ModelRecord, after: ModelRecord) -> str:
    return _OWN if before.made_from and after.made_from else _UNKNOWN


def _value(text: str | None) -> str:
    return "not given" if text is None else text
