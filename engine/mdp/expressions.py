"""PRISM expressions over all states at once, evaluated exactly."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import ExpressionError
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lark import Lark, Token, Tree

    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import BoolArray, IntArray

_NAMES_SHOWN = 12
_ROOM = 2**31
"""Products of two smaller integers fit into int64."""


@dataclass(frozen=True)
class Scope:
    """What an expression may name.

    Attributes
    ----------
    states
        The number of states.
    variables
        Name → ``(states,)`` integers or truth values.
    constants
        Name → exact text, or ``true``/``false``.
    labels
        Name → ``(states,)`` mask; written in double quotes.
    """

    states: int
    variables: Mapping[str, Any]
    constants: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, BoolArray] = field(default_factory=dict)


def scope_of(mdp: Mdp, constants: Mapping[str, str], facts: Facts | None = None) -> Scope:
    """Return the scope of a model: its variables, constants and labels.

    ``state`` is the state's number unless a variable has that name. With facts, the labels ``"dead_end"`` and
    ``"bottleneck"`` select the states where the fact is certain, unless the model has labels of these names.
    """
    variables = {"state": np.arange(mdp.states, dtype=np.int64), **mdp.valuations}
    labels = dict(mdp.labels)
    if facts is not None:
        labels = {"dead_end": facts.dead_end == Tri.YES, "bottleneck": facts.bottleneck == Tri.YES, **labels}
    return Scope(mdp.states, variables, constants, labels)


def evaluate(scope: Scope, text: str) -> Any:
    """Return the expression's value in every state.

    Returns
    -------
    ``(states,)`` array of bool, of int64, or of Python fractions where a decimal or a division occurs.

    Raises
    ------
    ExpressionError
        If the text does not parse (with its column), names something unknown, mixes truth values with numbers, or
        divides by zero.
    """
    try:
        value = _Evaluator(scope, text).evaluate(_parse(text))
    except RecursionError:
        raise ExpressionError("the expression is nested too deeply", where=f"{text[:40]}…") from None
    return np.broadcast_to(np.asarray(value), (scope.states,))


def select(scope: Scope, text: str) -> BoolArray:
    """Return ``(states,)`` where a condition holds; errors as in `evaluate`, also if it is no condition."""
    value = evaluate(scope, text)
    if value.dtype != bool:
        raise ExpressionError("this is a number, not a condition", where=text, hint="compare it, as in pos = 3")
    return np.asarray(value)


def select_one(scope: Scope, text: str) -> int:
    """Return the only state where a condition holds; ExpressionError if there is none or there are several."""
    found = np.flatnonzero(select(scope, text))
    if len(found) == 1:
        return int(found[0])
    if not len(found):
        raise ExpressionError("no state matches", where=text, hint=f"use {names_of(scope)}")
    some = ", ".join(str(state) for state in found[:5])
    more = ", …" if len(found) > len(found[:5]) else ""
    raise ExpressionError(
        f"{len(found):,} states match, one is needed", where=text, hint=f"narrow it down; matching states: {some}{more}"
    )


def names_of(scope: Scope) -> str:
    """Return the names that an expression may use, for messages."""
    names = [*scope.variables, *scope.constants, *(f'"{label}"' for label in scope.labels)]
    return ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")


@lru_cache(maxsize=1)
def _parser() -> Lark:
    from lark import Lark  # noqa: PLC0415  # loaded when the first expression is read

    from engine.mdp.grammar import GRAMMAR  # noqa: PLC0415

    return Lark(GRAMMAR, parser="lalr", propagate_positions=True)


def _parse(text: str) -> Tree[Token]:
    from lark.exceptions import UnexpectedEOF, UnexpectedInput  # noqa: PLC0415  # as above

    try:
        return _parser().parse(text)
    except UnexpectedInput as error:
        at_end = isinstance(error, UnexpectedEOF) or getattr(getattr(error, "token", None), "type", "") == "$END"
        column = len(text) + 1 if at_end else error.column
        what = "the expression is incomplete" if at_end else f"unexpected {text[error.column - 1 :][:12]!r}"
        raise ExpressionError(
            what, where=f"{text} (column {column})", hint='write a PRISM expression, as in pos=3 & !"goal"'
        ) from None


class _Evaluator:
    """Walks a parse tree once; numbers are int64 until a fraction occurs."""

    def __init__(self, scope: Scope, text: str) -> None:
        self._scope = scope
        self._text = text

    def evaluate(self, tree: Tree[Token]) -> Any:
        kind = str(tree.data)
        if kind in _LEAVES:
            return _LEAVES[kind](self, *tree.children)
        if kind == "call":
            name, *operands = tree.children
            return self._call(str(name), [self.evaluate(child) for child in operands])  # type: ignore[arg-type]  # trees
        operands = [self.evaluate(child) for child in tree.children]  # type: ignore[arg-type]  # inner nodes hold trees
        return self._apply(kind, operands)

    def number(self, token: Token) -> Any:
        value = Fraction(str(token))
        return np.int64(value) if value.denominator == 1 and abs(value) < 2**62 else _fractions(value)

    def name(self, token: Token) -> Any:
        name = str(token)
        if name in self._scope.variables:
            return self._scope.variables[name]
        if name in self._scope.constants:
            return _constant(self._scope.constants[name])
        raise self._unknown("variable or constant", name)

    def label(self, token: Token) -> Any:
        name = str(token).strip('"')
        if name not in self._scope.labels:
            raise self._unknown("label", name)
        return self._scope.labels[name]

    def _unknown(self, what: str, name: str) -> ExpressionError:
        return ExpressionError(f"the model has no {what} {name}", where=self._text, hint=f"use {names_of(self._scope)}")

    def _apply(self, kind: str, operands: list[Any]) -> Any:
        if kind in _LOGIC:
            self._require(operands, truth=True)
            return _LOGIC[kind](*operands)
        if kind == "if_then_else":
            self._require(operands[:1], truth=True)
            return np.where(*operands)
        if kind in {"equal", "unequal"} and _is_truth(operands[0]) and _is_truth(operands[1]):
            return (operands[0] == operands[1]) == (kind == "equal")
        self._require(operands, truth=False)
        try:
            return _ARITHMETIC[kind](*operands)
        except ZeroDivisionError:
            raise ExpressionError("division by zero", where=self._text) from None

    def _call(self, name: str, operands: list[Any]) -> Any:
        self._require(operands, truth=False)
        count = len(operands)
        if name in {"min", "max"}:
            if count < 1:
                raise ExpressionError(f"{name} takes numbers", where=self._text)
            function = np.minimum if name == "min" else np.maximum
            result = operands[0]
            for operand in operands[1:]:
                result = function(result, operand)
            return result
        if count != (expected := 2 if name in {"pow", "mod"} else 1):
            raise ExpressionError(f"{name} takes {expected} operands, not {count}", where=self._text)
        try:
            return _FUNCTIONS[name](*operands)
        except (ZeroDivisionError, OverflowError, ValueError):
            raise ExpressionError(f"{name} is not defined for these operands", where=self._text) from None

    def _require(self, operands: list[Any], *, truth: bool) -> None:
        for operand in operands:
            if _is_truth(operand) != truth:
                found, needed = ("a condition", "a number") if not truth else ("a number", "a condition")
                raise ExpressionError(f"{found} stands where {needed} is needed", where=self._text)


def _is_truth(value: Any) -> bool:
    return np.asarray(value).dtype == bool


def _fractions(value: Any) -> Any:
    """Return numbers as Python fractions, elementwise; numpy's integers must not stay inside, as they overflow."""
    return np.frompyfunc(_fraction, 1, 1)(np.asarray(value, dtype=object))


def _fraction(value: Any) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(int(value))


def _roomy(left: Any, right: Any) -> tuple[Any, Any]:
    """Return the operands as fractions if sums or products could leave the range of int64."""
    sizes = [
        int(np.max(np.abs(side), initial=0)) for side in (np.asarray(left), np.asarray(right)) if side.dtype != object
    ]
    small = all(size < _ROOM for size in sizes)
    return (left, right) if small else (_fractions(left), _fractions(right))


def _constant(text: str) -> Any:
    if text.lower() in {"true", "false"}:
        return np.bool_(text.lower() == "true")
    value = Fraction(text)
    return np.int64(value) if value.denominator == 1 else _fractions(value)


def _floor(value: Any) -> IntArray:
    return np.asarray(np.frompyfunc(lambda number: number.__floor__(), 1, 1)(_fractions(value)), dtype=np.int64)


def _mod(left: Any, right: Any) -> Any:
    if np.any(np.asarray(right) == 0):
        raise ZeroDivisionError
    return np.mod(left, right)


def _pow(left: Any, right: Any) -> Any:
    if np.any(np.abs(np.asarray(right)) > 64):  # noqa: PLR2004  # beyond that no state variable needs it
        raise OverflowError
    return np.frompyfunc(lambda base, exponent: Fraction(base) ** int(exponent), 2, 1)(left, right)


_LEAVES: dict[str, Callable[..., Any]] = {
    "number": _Evaluator.number,
    "name": _Evaluator.name,
    "label": _Evaluator.label,
    "true": lambda _: np.bool_(True),  # noqa: FBT003  # numpy's constructor
    "false": lambda _: np.bool_(False),  # noqa: FBT003
}
_LOGIC: dict[str, Callable[..., Any]] = {
    "not_": np.logical_not,
    "and_": np.logical_and,
    "or_": np.logical_or,
    "implies": lambda left, right: np.logical_or(np.logical_not(left), right),
    "iff": lambda left, right: np.logical_not(np.logical_xor(left, right)),
}
_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": lambda left, right: operator.add(*_roomy(left, right)),
    "subtract": lambda left, right: operator.sub(*_roomy(left, right)),
    "multiply": lambda left, right: operator.mul(*_roomy(left, right)),
    "divide": lambda left, right: _fractions(left) / _fractions(right),
    "negate": lambda value: -value,
    "less": lambda left, right: np.asarray(left < right, dtype=bool),
    "at_most": lambda left, right: np.asarray(left <= right, dtype=bool),
    "greater": lambda left, right: np.asarray(left > right, dtype=bool),
    "at_least": lambda left, right: np.asarray(left >= right, dtype=bool),
    "equal": lambda left, right: np.asarray(left == right, dtype=bool),
    "unequal": lambda left, right: np.asarray(left != right, dtype=bool),
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "floor": _floor,
    "ceil": lambda value: -_floor(-_fractions(value)),
    "round": lambda value: _floor(_fractions(value) + Fraction(1, 2)),
    "mod": _mod,
    "pow": _pow,
}
