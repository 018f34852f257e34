"""A verdict on one answer, with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.queries.case import FactValue


class Outcome(StrEnum):
    """The four outcomes, which never collapse into one another (methods.md 1.4)."""

    PASS = "pass"
    FAIL = "fail"
    INVALID = "invalid"
    ERROR = "error"


class InvalidKind(StrEnum):
    """Why there was no usable answer."""

    BLANK = "blank"
    CUT_OFF = "cut off"
    UNPARSABLE = "unparsable"
    REFUSED = "refused"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Did the answer hold against the truth?

    Attributes
    ----------
    outcome
        Pass, fail, invalid or error.
    score
        The `score` grader in [0, 1]; 0 for invalid, None for error (methods.md 1.2).
    reason
        One sentence that says why, with the numbers.
    answer
        The answer as read (canonical text), None if there was none.
    accepted
        The oracle's answer or answers.
    numbers
        The numbers behind the verdict.
    regret
        For action answers abs(V(s) - Q(s, answer)), exact text or an enclosure's upper bound; None elsewhere.
    invalid_kind
        For invalid: its kind.
    explanation
        The model's explanation as read.
    """

    outcome: Outcome
    score: float | None
    reason: str
    answer: str | None
    accepted: tuple[str, ...]
    numbers: Mapping[str, FactValue]
    regret: str | None = None
    invalid_kind: InvalidKind | None = None
    explanation: str = ""
