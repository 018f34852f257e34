"""Values for a model's undefined constants, read exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.oracle.worker.storm import constant_types, defined_constants

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS = {"rational": "double"}
"""Types as PRISM's language calls them, where Storm has another word."""


def read_constants(model: Any, given: Mapping[str, str], where: str) -> dict[str, bool | int | Fraction]:
    """Match the given texts with the model's undefined constants.

    Raises UsageError that lists the constants with their types if one is missing, unknown, already defined in the
    model, or not of its type.
    """
    types = constant_types(model)
    listed = ", ".join(f"{name} ({_WORDS.get(kind, kind)})" for name, kind in types.items()) or "none"
    fixed = defined_constants(model)
    for name in given:
        if name in fixed:
            raise UsageError(f"the constant {name} is defined in the model itself", where=where)
        if name not in types:
            defined = f"; the model itself defines {', '.join(sorted(fixed))}" if fixed else ""
            raise UsageError(f"the model has no constant {name}", where=where, hint=f"it takes: {listed}{defined}")
    missing = [name for name in types if name not in given]
    if missing:
        raise UsageError(
            f"the model needs values for its constants: {listed}",
            where=where,
            hint=f"give them with --const {','.join(f'{name}=…' for name in missing)}",
        )
    return {name: _read(name, types[name], text) for name, text in given.items()}


def _read(name: str, kind: str, text: str) -> bool | int | Fraction:
    if kind == "bool":
        if text.lower() not in {"true", "false"}:
            raise UsageError(f"the constant {name} is true or false, not {text!r}", where="--const")
        return text.lower() == "true"
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise UsageError(
            f"the constant {name} takes a number, not {text!r}", where="--const", hint="write 3, 0.1 or 1/3"
        ) from None
    if kind != "int":
        return value
    if value.denominator != 1:
        raise UsageError(f"the constant {name} takes an integer, not {text}", where="--const")
    if not -(2**63) <= value < 2**63:
        raise UsageError(f"{text} is too large for the integer {name}", where="--const")
    return int(value)
