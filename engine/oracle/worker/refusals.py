"""Properties that Storm refuses: what its sentence means, and what to write instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.oracle.worker.storm_error import StormError

_EXAMPLE = 'Pmax=? [F "goal"]'
_OPERATOR = re.compile(r"\s*(?:filter\s*\(\s*\w+\s*,\s*)?(?P<name>LRA|S|P|R(?:\s*\{[^}]*\})?)\s*=")
_CURVES = {"quantile": "a quantile", "multi": "several objectives at once", "<<": "the players of a game"}
_HINTS = (
    ("reward model", 'name one that the model has, as in R{"steps"}min=? [F "goal"]'),
    ("<filter type>", "use min, max, sum or avg of numbers, forall, exists or count of truth values, or values"),
    ("upper step bound", 'Storm checks steps up to a bound only: write it as in Pmax=? [F<=3 "goal"]'),
    ("Could not parse", f"write P>0 [F …] for E, P>=1 [F …] for A; or a value, as in {_EXAMPLE}"),
)
"""What a refusal's sentence holds, and what to do then."""


def property_error(error: StormError, text: str, labels: Iterable[str] = ()) -> UsageError:
    """Return the error for a property that Storm refuses.

    Parameters
    ----------
    error
        What Storm says.
    text
        The property as the user wrote it, or its formula.
    labels
        The model's labels, to choose from.
    """
    column = error.column_in(text)
    where = f"{text} (column {column})" if column else text
    about = next((words for start, words in _CURVES.items() if text.lstrip().startswith(start)), None)
    if about is not None and "curve" in error.message:
        what = f"this asks about {about}, which has no value by state"
        return UsageError(what, where=where, hint=f"write a property with one value, as in {_EXAMPLE}")
    if "unknown label" in error.message:
        listed = ", ".join(f'"{name}"' for name in sorted(labels))
        hint = f"the model's labels: {listed}" if listed else "choose one of the model's labels"
    elif "minimal or maximal" in error.message:
        hint = f"an MDP has several choices: write {operator_of(text)}max or {operator_of(text)}min"
    else:
        known = (hint for part, hint in _HINTS if part in error.message)
        hint = next(known, _syntax_hint(error.message, text, column))
    return UsageError(error.message, where=where, hint=hint)


def operator_of(text: str) -> str:
    """Return a property's operator as it is written before ``max`` or ``min``: ``P``, ``R{"steps"}``, ``LRA``."""
    found = _OPERATOR.match(text)
    name = "".join(found["name"].split()) if found else "P"
    return "LRA" if name == "S" else name


def _syntax_hint(message: str, text: str, column: int | None) -> str:
    if column is None:
        return f"write it in PRISM's syntax, as in {_EXAMPLE}"
    if '{""}' in text:
        return "rewards without a name are R alone, as in Rmin=?; where there are several, give them one in the model"
    if text.lstrip().startswith("LRA"):
        return 'LRA takes a state formula, as in LRAmax=? ["goal"]'
    expected = re.search(r'expecting "([^"]+)"', message)
    if column > len(text) and expected is not None and expected[1] != ",":
        return f"add {expected[1]} at the end"
    if text.lstrip().startswith("filter") and expected is not None and expected[1] == ",":
        return f"a filter names its states, true for all: filter(min, {_EXAMPLE}, true)"
    return f"write it in PRISM's syntax, as in {_EXAMPLE}"
