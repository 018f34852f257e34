"""Answers and the numbers behind a verdict for people: a decimal first, then the exact number where it is short."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.figures import decimal_first, short_decimal
from engine.oracle.numbers import Interval, parse_exact
from engine.prompts.listing import told
from engine.queries.categories.action_ranking import classes_of
from engine.queries.spaces import Number, Probability, Ranking
from engine.queries.values import largest_difference, numbers_by_name, parse_number
from engine.text import visible as clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.oracle.numbers import Exact
    from engine.queries.case import Case, FactValue
    from engine.queries.spaces import AnswerSpace

BRIEF = 4
"""Decimal digits in a list, where there is little room."""


def said(answer: str, space: AnswerSpace, *, brief: bool = False) -> str:
    """Return a canonical answer as people read it; `brief` leaves the exact number away."""
    if not isinstance(space, Probability | Number):
        return clean(told(answer, space))
    return number_words(answer, brief=brief)


def accepted_words(case: Case, accepted: Sequence[str] | None = None, *, brief: bool = False) -> str:
    """Return what is accepted, as people read it; of a ranking all that is: tied actions have ``=`` between them.

    Parameters
    ----------
    case
        The question.
    accepted
        The accepted answers by which it was judged, if these are not the case's own.
    brief
        As in `said`.
    """
    if isinstance(case.space, Ranking) and "Q" in case.numbers:
        return " > ".join(" = ".join(clean(name) for name in names) for names in classes_of(case))
    answers = case.accepted if accepted is None else accepted
    return " or ".join(said(answer, case.space, brief=brief) for answer in answers)


def number_words(text: str, *, brief: bool = False) -> str:
    """Return exact text as people read it: ``0.823529… = 14/17``; what is no fraction stays as it is."""
    try:
        number = parse_exact(text)
    except ValueError:
        return clean(text)
    return exact_words(number, brief=brief)


def exact_words(number: Exact, *, brief: bool = False) -> str:
    """Return an exact number as people read it."""
    if not isinstance(number, Fraction):
        return "inf" if number == math.inf else str(number)
    return short_decimal(number, BRIEF) if brief else decimal_first(number)


def regret_words(case: Case, answer: str | None, regret: str) -> str:
    """Return what a wrong action costs; of rewards, the share of the range of values and what that is in reward.

    Parameters
    ----------
    case, answer
        What was asked and said, for the numbers behind the regret.
    regret
        As the verdict states it.
    """
    if "range" not in case.numbers:
        return number_words(regret)
    share = f"{number_words(regret)} of the range of finite values"
    cost = _cost(case, answer)
    return share if cost is None else f"{share}, {cost} in reward"


def _cost(case: Case, answer: str | None) -> str | None:
    """Return abs(V - Q) of an answer itself; None where the case does not say it."""
    try:
        value, q = parse_number(case.numbers["V"]), numbers_by_name(case.numbers["Q"])[answer or ""]
    except (KeyError, TypeError, ValueError):
        return None
    cost = largest_difference(value, q)
    if cost == math.inf:
        return "infinitely much"
    bounded = any(isinstance(number, Interval) for number in (value, q))
    return f"at most {float(cost):.6g}" if bounded else exact_words(cost)


def numbers_words(numbers: Mapping[str, FactValue]) -> str:
    """Return the numbers behind a verdict, one a line."""
    return "\n".join(
        f"{clean(name)}: {_value(value)}" if isinstance(value, dict | list) else f"{clean(name)} = {_value(value)}"
        for name, value in numbers.items()
    )


def _value(value: FactValue | float) -> str:  # noqa: PLR0911 - one for each kind of value
    match value:
        case {"lower": lower, "upper": upper}:
            return f"{lower} ≤ x ≤ {upper}"
        case dict():
            return ", ".join(f"{_named(str(name))} = {_entry(item)}" for name, item in value.items())
        case list():
            return ", ".join(clean(str(item)) for item in value)
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case str():
            return number_words(value)
        case _:
            return clean(str(value))


def _entry(value: FactValue | float) -> str:
    """Return a number of a table: ``0.823529… (14/17)``, since an equals sign follows its name already."""
    decimal, _, exact = _value(value).partition(" = ")
    return f"{decimal} ({exact})" if exact else decimal


def _named(name: str) -> str:
    """Return a key of the numbers; a state's number is marked as one, so that it is not read as part of its value."""
    return f"s{name}" if name.isdecimal() else clean(name)
