"""The constants that a model leaves open: their names, types and meanings, read from its file without Storm."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from engine.errors import ModelError, UsageError
from engine.mdp.ranges import fraction_of

if TYPE_CHECKING:
    from pathlib import Path

    from engine.mdp.environment import Environment

ConstantType: TypeAlias = Literal["int", "double", "bool"]

PRISM = {".prism", ".nm", ".pm", ".sm"}
_EXAMPLES = {"int": "a whole number, as in 3", "double": "a number, as in 0.1 or 1/3", "bool": "true or false"}
_DIGITS = 1000
"""Longest number that is read; Python refuses to convert much longer ones."""

_PARTS = re.compile(
    r"\bconst\s+(?:(?P<type>int|double|rational|bool)\s+)?(?P<name>[A-Za-z_]\w*)\s*;(?:[ \t]*//(?P<comment>[^\n]*))?"
    r'|"[^"\n]*"|//[^\n]*'
)
"""A declaration with the comment behind it; or quoted text or a comment, which hide what looks like one."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant that needs a value before the model can be built.

    Attributes
    ----------
    name
        As in the model.
    type
        PRISM's type; ``double`` takes exact fractions.
    meaning
        What it stands for; empty if nobody said.
    default
        The environment's value, as exact text; None if there is none.
    values
        The only values that make sense; empty where all of the type do.
    least, most
        Ends of the values that make sense; None where there is no such end, or where it depends on other constants.
    """

    name: str
    type: ConstantType
    meaning: str = ""
    default: str | None = None
    values: tuple[str, ...] = ()
    least: Fraction | None = None
    most: Fraction | None = None

    def complaint(self, text: str) -> str | None:
        """Return why a text is no value of this constant, as a sentence; None if it is one."""
        value = self._value(text.strip())
        if value is None:
            return f"{self.name} is {_EXAMPLES[self.type]}"
        if self.values and value not in {self._value(known) for known in self.values}:
            return f"{self.name} is one of {', '.join(self.values)}"
        if self.least is not None and value < self.least:
            return f"{self.name} is at least {self.least}"
        if self.most is not None and value > self.most:
            return f"{self.name} is at most {self.most}"
        return None

    def _value(self, text: str) -> Fraction | bool | None:
        if self.type == "bool":
            return {"true": True, "false": False}.get(text.lower())
        try:
            number = Fraction(text) if len(text) <= _DIGITS and "e" not in text.lower() else None
        except (ValueError, ZeroDivisionError):
            return None
        return None if number is None or (self.type == "int" and number.denominator != 1) else number


def undefined_constants(environment: Environment) -> tuple[Constant, ...]:
    """Return the constants of an environment's model that the model does not define, in the order of the file.

    A meaning comes from the environment, else from the comment behind a PRISM declaration. Formats without constants
    have none. Whether a value fits is decided when the model is built; this is what a user can be asked for.

    Raises
    ------
    UsageError
        If the file cannot be read.
    ModelError
        If a JANI file is no JSON object with constants.
    """
    path = environment.model
    ending = path.suffix.lower()
    if ending in PRISM:
        found = _of_prism(_read(path))
    elif ending == ".jani":
        found = _of_jani(_read(path), path)
    else:
        found = []
    return tuple(
        Constant(
            name,
            kind,
            environment.constant_help.get(name, comment),
            environment.constants.get(name),
            environment.constant_values.get(name, ()),
            *_ends(environment, name),
        )
        for name, kind, comment in found
    )


def _ends(environment: Environment, name: str) -> tuple[Fraction | None, Fraction | None]:
    declared = environment.constant_ranges.get(name)
    return (None, None) if declared is None else (fraction_of(declared.least), fraction_of(declared.most))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"the model cannot be read: {error.strerror or error}", where=str(path)) from None


def _of_prism(text: str) -> list[tuple[str, ConstantType, str]]:
    declared = (match for match in _PARTS.finditer(text) if match["name"])
    return [(each["name"], _prism_type(each["type"]), (each["comment"] or "").strip()) for each in declared]


def _prism_type(word: str | None) -> ConstantType:
    match word:
        case "bool":
            return "bool"
        case "double" | "rational":
            return "double"
        case _:
            return "int"  # PRISM: a constant without a type is an integer


def _of_jani(text: str, path: Path) -> list[tuple[str, ConstantType, str]]:
    try:
        constants = json.loads(text).get("constants", [])
        return [
            (str(each["name"]), _jani_type(each["type"]), str(each.get("comment", "")))
            for each in constants
            if "value" not in each
        ]
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError) as error:
        raise ModelError(
            f"the constants cannot be read: {error}", where=str(path), hint="mend the model file"
        ) from None


def _jani_type(kind: Any) -> ConstantType:
    base = kind.get("base") if isinstance(kind, dict) else kind
    if base == "bool":
        return "bool"
    return "int" if base == "int" else "double"
