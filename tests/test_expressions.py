"""State expressions: PRISM's grammar and precedences, exact arithmetic, errors with their place."""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ExpressionError
from engine.mdp.expressions import Scope, evaluate, select, select_one

X = list(range(6))
SCOPE = Scope(
    6,
    {"x": np.arange(6), "b": np.array([True, False] * 3), "m.y": np.arange(6) - 3},
    {"N": "3", "p": "1/3", "t": "true"},
    {"goal": np.arange(6) == 5, "init": np.arange(6) == 0},
)


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("x=3", {3}),
        ("x==3", {3}),
        ("x!=3 & x<4", {0, 1, 2}),
        ("x<2 | x>4", {0, 1, 5}),
        ("b", {0, 2, 4}),
        ("!b & x>=N", {3, 5}),
        ('"goal"', {5}),
        ('!"goal" & !"init"', {1, 2, 3, 4}),
        ("x/2 = 3/2", {3}),
        ("x*p = 1", {3}),
        ("0.1+0.2 = 0.3", {0, 1, 2, 3, 4, 5}),
        ("floor(x/2) = 1 & mod(x,2) = 1", {3}),
        ("ceil(x/2) = 2", {3, 4}),
        ("round(x/2) = 1", {1, 2}),
        ("min(x, 4, 3) = x", {0, 1, 2, 3}),
        ("max(x, 4) = 5", {5}),
        ("pow(x, 2) = 16", {4}),
        ("x>=N ? b : !b", {1, 4}),
        ("x=1 => false", {0, 2, 3, 4, 5}),
        ("x=1 => x=2 => x=3", {0, 1, 2, 3, 4, 5}),
        ("b <=> x<3", {0, 2, 3, 5}),
        ("true", {0, 1, 2, 3, 4, 5}),
        ("t & x=0", {0}),
        ("m.y = -1", {2}),
        ("-x = -2", {2}),
        ("x - -1 = 3", {2}),
        ("2+2*x = 6", {2}),
        ("!x=1 & x<3", {0, 2}),
        ("b = true", {0, 2, 4}),
        ("x*4000000000*4000000000*4000000000 > 0", {1, 2, 3, 4, 5}),
        ("x = 99999999999999999999999", set()),
    ],
)
def test_conditions_select_what_they_say(text: str, states: set[int]) -> None:
    """Each condition selects exactly the states that arithmetic on paper gives."""
    assert set(np.flatnonzero(select(SCOPE, text)).tolist()) == states


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x=", "column 3"),
        ("x=3 |", "incomplete"),
        ("((x)", "incomplete"),
        ("x $ 3", "column 3"),
        ("foo=1", "no variable or constant foo"),
        ('"nix"', "no label nix"),
        ("x & b", "a number stands where a condition is needed: x"),
        ("b & (x + 1)", "a number stands where a condition is needed: x + 1"),
        ("min(x, x = 1) = 1", "a condition stands where a number is needed: x = 1"),
        ("b + 1 = 2", "a condition stands where a number is needed"),
        ("x/0 = 1", "division by zero"),
        ("mod(x, 0) = 1", "mod is not defined"),
        ("pow(2, 100) = x", "pow is not defined"),
        ("floor(x, 2) = 1", "takes 1"),
        ("x", "a number, not a condition"),
        ("x=b", "a condition stands where a number is needed"),
        ("!" * 30_000 + "b", "nested too deeply"),
        ("", "incomplete"),
        ('x=1 & "goal', "the quote is not closed"),
        ('"goal" & "init', "column 10"),
        ('"', "the quote is not closed"),
    ],
)
def test_bad_expressions_say_where_and_why(text: str, says: str) -> None:
    """Whatever is wrong with an expression, the message names it."""
    with pytest.raises(ExpressionError) as caught:
        select(SCOPE, text)
    assert says in str(caught.value)


def test_one_state_is_needed() -> None:
    """No state and several states are different mistakes, and the latter names some."""
    assert select_one(SCOPE, "x=4") == 4
    with pytest.raises(ExpressionError, match="no state matches"):
        select_one(SCOPE, "x=9")
    with pytest.raises(ExpressionError, match="3 states match") as caught:
        select_one(SCOPE, "b")
    assert "0, 2, 4" in str(caught.value)


_BINARY: dict[str, Any] = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


@st.composite
def _sums(draw: st.DrawFn, depth: int = 3) -> tuple[str, list[Fraction] | None]:
    """Draw an arithmetic expression in brackets with its value in every state, None where it divides by zero."""
    if depth == 0 or draw(st.booleans()):
        leaf = draw(st.sampled_from(["x", "N", "p", "7", "0.25"]))
        values: dict[str, Fraction | list[Fraction]] = {
            "x": [Fraction(x) for x in X],
            "N": Fraction(3),
            "p": Fraction(1, 3),
            "7": Fraction(7),
        }
        value = values.get(leaf, Fraction(1, 4))
        return leaf, value if isinstance(value, list) else [value] * len(X)
    sign = draw(st.sampled_from(sorted(_BINARY)))
    (left, a), (right, b) = draw(_sums(depth=depth - 1)), draw(_sums(depth=depth - 1))
    if a is None or b is None or (sign == "/" and 0 in b):
        return f"({left} {sign} {right})", None
    return f"({left} {sign} {right})", [_BINARY[sign](p, q) for p, q in zip(a, b, strict=True)]


@given(_sums())
def test_arithmetic_is_exact(drawn: tuple[str, list[Fraction] | None]) -> None:
    """Random arithmetic gives the fractions that Python's own arithmetic gives, or says that it divides by zero."""
    text, expected = drawn
    if expected is None:
        with pytest.raises(ExpressionError, match="division by zero"):
            evaluate(SCOPE, text)
    else:
        assert [
            Fraction(value) if isinstance(value, Fraction) else Fraction(int(value)) for value in evaluate(SCOPE, text)
        ] == expected


@given(st.text(max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    """Any text either has a value in every state or is an ExpressionError."""
    try:
        value = evaluate(SCOPE, text)
    except ExpressionError:
        return
    assert value.shape == (6,)
