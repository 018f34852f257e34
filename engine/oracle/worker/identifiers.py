"""The names in a property that Storm cannot read: Storm's own sentence is about syntax, not about a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.oracle.worker.storm import known_names

if TYPE_CHECKING:
    from collections.abc import Iterable

_OPERATORS = {
    f"{operator}{end}" for operator in ("P", "R", "S", "T", "LRA", "E", "A") for end in ("", "min", "max")
} | set("FGUWXCI")
_FILTERS = {
    *("filter", "min", "max", "argmin", "argmax", "sum", "avg", "count", "range", "first", "state"),
    *("values", "print", "printall", "forall", "exists", "quantile", "multi", "discount"),
}
_FUNCTIONS = {"true", "false", "pow", "mod", "log", "floor", "ceil", "round", "func"}
_WORDS = _OPERATORS | _FILTERS | _FUNCTIONS
"""Names that mean something in every property."""
_NAME = re.compile(r'"[^"]*"|\{[^}]*\}|\d[\w.]*|(?P<name>[A-Za-z_]\w*)')
"""A name; or something else that holds letters: a label, a reward's name, a number."""


def require_identifiers(text: str, symbolic: Any) -> None:
    """Raise UsageError for the first name in a property's text that the model does not have.

    Parameters
    ----------
    symbolic
        The model; None for an explicit one, whose properties know labels only.
    """
    known = known_names(symbolic)
    for found in _NAME.finditer(text):
        name = found["name"]
        if name is None or name in _WORDS or name in known:
            continue
        where = f"{text} (column {found.start() + 1})"
        labels = known_labels(symbolic)
        if symbolic is None:
            raise UsageError(
                f"a property of an explicit model cannot speak of {name}",
                where=where,
                hint="it knows labels only; write them in double quotes",
            )
        if name in labels:
            raise UsageError(f"{name} is a label", where=where, hint=f'write labels in double quotes: "{name}"')
        quoted = [f'"{label}"' for label in labels]
        parts = [f"it has: {_listed(known)}" if known else "it has none"]
        parts += [f"labels, in double quotes: {_listed(quoted)}"] if quoted else []
        raise UsageError(f"the model has no variable or constant {name}", where=where, hint="; ".join(parts))


def known_labels(symbolic: Any) -> set[str]:
    """Return the labels that a PRISM program defines; none elsewhere, where they are known once it is built."""
    return {str(label.name) for label in getattr(symbolic, "labels", ())}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
