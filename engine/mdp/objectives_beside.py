"""Objectives that a model file brings along: in a file of properties beside it, or in the model file itself."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

ENDINGS = (".props", ".prop", ".pctl", ".csl")
"""Endings of property files, as PRISM's own models use them."""
MOST_BYTES = 1_000_000
"""A larger file is no list of properties that anybody chooses from."""

_SKIPPED = re.compile(r"//[^\n]*")
_BEGINNING = re.compile(
    r"""(?:"(?P<name>[^"\n]+)"\s*:\s*)?(?P<text>\b(?:P|R(?:\{"[^"\n]*"\})?)(?:max|min)\s*=\s*\?\s*\[)"""
)
_BEFORE = re.compile(r"(?:\A|[;\]])\s*\Z")
"""Only what stands alone is an objective: the inside of a filter or of a sum is not."""
_QUANTITIES = {"Pmax", "Pmin", "Emax", "Emin"}


def objectives_beside(model: Path) -> dict[str, str]:
    """Return the objectives that a model file brings along, by name.

    Returns
    -------
    Name → property. That of a file beside the model is its text, that of a JANI model its name, which the oracle
    finds in the model. Properties without a name are numbered. A file that cannot be read brings nothing: what is
    wrong with the model file, the oracle says.
    """
    own = _of_jani(model) if model.suffix.lower() == ".jani" else {}
    path = properties_file(model)
    return {**own, **(objectives_in(_read(path)) if path is not None else {})}


def properties_file(model: Path) -> Path | None:
    """Return the file of properties beside a model; None if there is none.

    It is called as the model; of ``consensus.2.prism`` it may also be ``consensus.props``: instances of a family share
    their properties.
    """
    stem = model.stem
    while True:
        for ending in ENDINGS:
            path = model.with_name(stem + ending)
            if path.is_file():
                return path
        shorter = stem.rpartition(".")[0]
        if not shorter:
            return None
        stem = shorter


def objectives_in(text: str) -> dict[str, str]:
    """Return the objectives in a text of properties: optima of probabilities and of expected rewards."""
    text = _SKIPPED.sub("", text)
    found: dict[str, str] = {}
    for match in _BEGINNING.finditer(text):
        end = _closed(text, match.end() - 1)
        if end is None or not _BEFORE.search(text[: match.start()]):
            continue
        name = match["name"] or f"property {len(found) + 1}"
        found[name] = " ".join(text[match.start("text") : end].split())
    return found


def _closed(text: str, opened: int) -> int | None:
    """Return where the bracket that opens at a place is closed, as the place behind it; None if it never is."""
    depth = 0
    for place in range(opened, len(text)):
        depth += {"[": 1, "]": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return None


def _of_jani(model: Path) -> dict[str, str]:
    try:
        properties = json.loads(_read(model)).get("properties", [])
        return {str(each["name"]): str(each["name"]) for each in properties if _is_optimum(each.get("expression"))}
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return {}


def _is_optimum(expression: Any) -> bool:
    """Return whether a JANI property is an optimum, bare or as the values of a filter for the initial states."""
    if not isinstance(expression, dict):
        return False
    inner = expression.get("values") if expression.get("op") == "filter" else expression
    return isinstance(inner, dict) and inner.get("op") in _QUANTITIES


def _read(path: Path) -> str:
    try:
        if path.suffix.lower() != ".jani" and path.stat().st_size > MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
