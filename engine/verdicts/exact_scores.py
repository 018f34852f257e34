"""The exact scores behind the stored doubles: equal ones tie, and differences are never rounding (methods.md 1.2, 1.5).

A campaign file keeps a score as a double, for people and for other programs. What is compared is the fraction that the
grader finds for the stored answer: a third is 1/3, and 1 - abs(answer - V) has all its digits.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from engine.queries.registry import all_categories

if TYPE_CHECKING:
    from engine.queries.case import Case

LONGEST: Final = 1 << 13
"""Bits of an exact denominator: some 2,500 digits. Sums of many longer ones would take minutes."""
SIMPLE: Final = 10**6
"""The largest denominator of a fraction that is recognised from its double alone."""


def exact_score(case: Case, answer: str | None, stored: float) -> tuple[Fraction, bool]:
    """Return the fraction that a stored score stands for, and whether it is certain to be that one.

    Parameters
    ----------
    case
        What was asked, as the file keeps it.
    answer
        The answer as read, in canonical form; None if there was none.
    stored
        The score in [0, 1] as the file keeps it.

    Returns
    -------
    The grader's own fraction where it rounds to the stored double; if its denominator is longer than `LONGEST` the
    double itself, which is not certain. Otherwise (a grader of another version, a category that is no longer known) the
    simple fraction that rounds to the double, or again the double itself.
    """
    found = None if answer is None else _regraded(case, answer)
    if found is not None and float(found) == stored:
        short = found.denominator.bit_length() <= LONGEST
        return (found, True) if short else (Fraction(stored), False)
    simple = Fraction(stored).limit_denominator(SIMPLE)
    return (simple, True) if float(simple) == stored else (Fraction(stored), False)


def _regraded(case: Case, answer: str) -> Fraction | None:
    category = all_categories().get(case.category)
    if category is None:
        return None
    try:
        return category.score(case, answer)
    except (ValueError, KeyError, TypeError, ArithmeticError):
        return None  # a case or an answer of another version, which has its stored score
