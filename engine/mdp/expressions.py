"""PRISM expressions over all states at once, evaluated exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.errors import ExpressionError
from engine.mdp.arithmetic import ARITHMETIC, FUNCTIONS, LOGIC, constant, fractions, is_truth
from engine.mdp.decided import COMPARISONS, CONNECTIVES, Truth, compared, truth_of
from engine.mdp.scope import ABSENT, Scope, names_of, scope_of
from engine.oracle.numbers import Numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lark import Lark, Token, Tree

    from engine.oracle.numbers import BoolArray

__all__ = ["Scope", "decide", "evaluate", "names_of", "scope_of", "select", "select_one"]

_COMPARE = "as in V < 1/2, and connect conditions with & and |"
INFINITE = "inf"
"""What checked numbers may be compared with besides numbers, unless the model has something of that name."""
SPELT = {"Vπ": "Vpi"}
"""Names as they are shown, where they are hard to type, and as they are typed."""


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
    value = _value(scope, text)
    if isinstance(value, Numbers):
        raise ExpressionError(f"{text.strip()} can be compared only", where=text, hint=_COMPARE)
    return np.broadcast_to(np.asarray(value.yes if isinstance(value, Truth) else value), (scope.states,))


def _value(scope: Scope, text: str) -> Any:
    try:
        return _Evaluator(scope, text).evaluate(_parse(text))
    except RecursionError:
        raise ExpressionError("the expression is nested too deeply", where=f"{text[:40]}…") from None


def decide(scope: Scope, text: str) -> Truth:
    """Return where a condition holds, where it does not and where bounds do not tell; errors as in `select`."""
    value = _value(scope, text)
    if not _is_condition(value):
        raise ExpressionError(
            "this is a number, not a condition", where=text, hint="compare it, as in pos = 3 or state = 3"
        )
    return Truth(*(np.broadcast_to(side, (scope.states,)) for side in truth_of(value)))


def select(scope: Scope, text: str) -> BoolArray:
    """Return ``(states,)`` where a condition certainly holds; errors as in `evaluate`, also if it is no condition."""
    return decide(scope, text).yes


def _is_condition(value: Any) -> bool:
    return isinstance(value, Truth) or (not isinstance(value, Numbers) and is_truth(value))


def numbered(text: str) -> str:
    """Return a condition: a lone number of a state (``14`` or ``s14``) is that state, others are as they are."""
    digits = text.strip().removeprefix("s")
    return f"state = {digits}" if digits.isascii() and digits.isdecimal() else text


def select_one(scope: Scope, text: str) -> int:
    """Return the only state where a condition holds, or the state with a number (``14`` or ``s14``).

    ExpressionError if there is none or there are several.
    """
    text = numbered(text)
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
        if (number := SPELT.get(name, name)) in self._scope.numbers:
            return self._scope.numbers[number]()
        if name == INFINITE:
            return Numbers.from_ranks(np.zeros(self._scope.states, dtype=np.int64), [math.inf])
        if name in self._scope.labels:
            raise ExpressionError(
                f"{name} is a label", where=self._text, hint=f'write it in double quotes, as in "{name}"'
            )
        if number in ABSENT:
            raise ExpressionError(f"{name} is not known here", where=self._text, hint=ABSENT[number])
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
            return self._connected(kind, values)
        if kind == "if_then_else":
            self._require(operands[:1], truth=True)
            self._require_plain(operands)
            return np.where(*values)
        if kind in {"equal", "unequal"} and all(map(_is_condition, values)):
            same = self._connected("iff", values)
            return same if kind == "equal" else self._connected("not_", [same])
        self._require(operands, truth=False)
        if kind in COMPARISONS and any(isinstance(value, Numbers) for value in values):
            return compared(kind, *values)
        self._require_plain(operands)
        try:
            return ARITHMETIC[kind](*values)
        except ZeroDivisionError:
            raise ExpressionError("division by zero", where=self._text) from None

    def _call(self, name: str, operands: list[_Operand]) -> Any:
        self._require(operands, truth=False)
        self._require_plain(operands)
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

    def _connected(self, kind: str, values: Sequence[Any]) -> Any:
        """Connect conditions; only those about bounds need more than a mask."""
        if any(isinstance(value, Truth) for value in values):
            return CONNECTIVES[kind](*map(truth_of, values))
        return LOGIC[kind](*values)

    def _require_plain(self, operands: list[_Operand]) -> None:
        wrong = next((each.text for each in operands if isinstance(each.value, Numbers | Truth)), None)
        if wrong is not None:
            raise ExpressionError(f"{wrong} can be compared only", where=self._text, hint=_COMPARE)

    def _require(self, operands: list[_Operand], *, truth: bool) -> None:
        wrong = next((operand.text for operand in operands if _is_condition(operand.value) != truth), None)
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
