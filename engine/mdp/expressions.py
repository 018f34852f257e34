"""PRISM expressions over all states at once, evaluated exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.errors import ExpressionError
from engine.mdp.arithmetic import ARITHMETIC, FUNCTIONS, LOGIC, constant, fractions, is_truth
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lark import Lark, Token, Tree

    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import BoolArray

_NAMES_SHOWN = 12


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
        raise ExpressionError(
            "this is a number, not a condition", where=text, hint="compare it, as in pos = 3 or state = 3"
        )
    return np.asarray(value)


def select_one(scope: Scope, text: str) -> int:
    """Return the only state where a condition holds, or the state with a number (``14`` or ``s14``).

    ExpressionError if there is none or there are several.
    """
    digits = text.strip().removeprefix("s")
    if digits.isascii() and digits.isdecimal():
        text = f"state = {digits}"
    found = np.flatnonzero(select(scope, text))
    if len(found) == 1:
        return int(found[0])
    if not len(found):
        raise ExpressionError("no state matches", where=text, hint=f"use {names_of(scope)}")
    some = ", ".join(str(state) for state in found[:5])
    more = ", …" if len(found) > len(found[:5]) else ""
    raise ExpressionError(
        f"{len(found):,} states match, one is needed",
        where=text,
        hint=f"narrow it down, or give one by its number: {some}{more}",
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
        if text.count('"') % 2:
            opened = text.rindex('"') + 1
            raise ExpressionError(
                "the quote is not closed",
                where=f"{text} (column {opened})",
                hint='labels stand between two double quotes, as in "goal"',
            ) from None
        at_end = isinstance(error, UnexpectedEOF) or getattr(getattr(error, "token", None), "type", "") == "$END"
        column = len(text) + 1 if at_end else error.column
        what = "the expression is incomplete" if at_end else f"unexpected {text[error.column - 1 :][:12]!r}"
        raise ExpressionError(
            what, where=f"{text} (column {column})", hint='write a PRISM expression, as in pos=3 & !"goal"'
        ) from None


class _Operand(NamedTuple):
    value: Any
    text: str


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
            name, *trees = tree.children
            return self._call(str(name), self._operands(trees))
        return self._apply(kind, self._operands(tree.children))

    def _operands(self, trees: Sequence[Any]) -> list[_Operand]:
        """Evaluate the trees below a node, each with the text that it was read from."""
        return [_Operand(self.evaluate(tree), self._text[tree.meta.start_pos : tree.meta.end_pos]) for tree in trees]

    def number(self, token: Token) -> Any:
        value = Fraction(str(token))
        return np.int64(value) if value.denominator == 1 and abs(value) < 2**62 else fractions(value)

    def name(self, token: Token) -> Any:
        name = str(token)
        if name in self._scope.variables:
            return self._scope.variables[name]
        if name in self._scope.constants:
            return constant(self._scope.constants[name])
        if name in self._scope.labels:
            raise ExpressionError(
                f"{name} is a label", where=self._text, hint=f'write it in double quotes, as in "{name}"'
            )
        raise self._unknown("variable or constant", name)

    def label(self, token: Token) -> Any:
        name = str(token).strip('"')
        if name not in self._scope.labels:
            raise self._unknown("label", name)
        return self._scope.labels[name]

    def _unknown(self, what: str, name: str) -> ExpressionError:
        return ExpressionError(f"the model has no {what} {name}", where=self._text, hint=f"use {names_of(self._scope)}")

    def _apply(self, kind: str, operands: list[_Operand]) -> Any:
        values = [operand.value for operand in operands]
        if kind in LOGIC:
            self._require(operands, truth=True)
            return LOGIC[kind](*values)
        if kind == "if_then_else":
            self._require(operands[:1], truth=True)
            return np.where(*values)
        if kind in {"equal", "unequal"} and is_truth(values[0]) and is_truth(values[1]):
            return (values[0] == values[1]) == (kind == "equal")
        self._require(operands, truth=False)
        try:
            return ARITHMETIC[kind](*values)
        except ZeroDivisionError:
            raise ExpressionError("division by zero", where=self._text) from None

    def _call(self, name: str, operands: list[_Operand]) -> Any:
        self._require(operands, truth=False)
        values, count = [operand.value for operand in operands], len(operands)
        if name in {"min", "max"}:
            if count < 1:
                raise ExpressionError(f"{name} takes numbers", where=self._text)
            function = np.minimum if name == "min" else np.maximum
            result = values[0]
            for value in values[1:]:
                result = function(result, value)
            return result
        if count != (expected := 2 if name in {"pow", "mod"} else 1):
            raise ExpressionError(f"{name} takes {expected} operands, not {count}", where=self._text)
        try:
            return FUNCTIONS[name](*values)
        except (ZeroDivisionError, OverflowError, ValueError):
            raise ExpressionError(f"{name} is not defined for these operands", where=self._text) from None

    def _require(self, operands: list[_Operand], *, truth: bool) -> None:
        wrong = next((operand.text for operand in operands if is_truth(operand.value) != truth), None)
        if wrong is not None:
            found, needed = ("a number", "a condition") if truth else ("a condition", "a number")
            hint = f"compare it, as in {wrong} = 1" if truth else f"make it a number, as in ({wrong} ? 1 : 0)"
            raise ExpressionError(f"{found} stands where {needed} is needed: {wrong}", where=self._text, hint=hint)


_LEAVES: dict[str, Callable[..., Any]] = {
    "number": _Evaluator.number,
    "name": _Evaluator.name,
    "label": _Evaluator.label,
    "true": lambda _: np.bool_(True),  # noqa: FBT003  # numpy's constructor
    "false": lambda _: np.bool_(False),  # noqa: FBT003
}
