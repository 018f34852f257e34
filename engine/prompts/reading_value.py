"""What reading a piece of text as an answer gives."""

from __future__ import annotations

from typing import NamedTuple

from engine.verdicts.verdict import InvalidKind


class Value(NamedTuple):
    """A canonical answer, or why there is none.

    Attributes
    ----------
    answer
        An option's own text, or a number as exact text; None if there is none.
    invalid
        The kind of failure; None if there is an answer.
    detail
        The failure in words.
    """

    answer: str | None
    invalid: InvalidKind | None = None
    detail: str = ""


def blank(what: str = "the answer") -> Value:
    """Return that nothing was said."""
    return Value(None, InvalidKind.BLANK, f"{what} is blank")


def unparsable(detail: str) -> Value:
    """Return that something was said which is no valid answer."""
    return Value(None, InvalidKind.UNPARSABLE, detail)


def ambiguous(detail: str) -> Value:
    """Return that more than one answer was given, or one that is taken back."""
    return Value(None, InvalidKind.AMBIGUOUS, detail)
