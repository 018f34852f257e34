"""A verdict on one answer, with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.queries.case import FactValue


class Outcome(StrEnum):
    """The five outcomes, which never collapse into one another (methods.md 1.4).

    Only pass, fail and invalid are counted in rates and scores.
    """

    PASS = "pass"  # noqa: S105 - an outcome, no password
    FAIL = "fail"
    INVALID = "invalid"
    """There is no usable answer."""
    UNDECIDED = "undecided"
    """The answer was read, and the oracle's enclosure does not decide whether it is right (sound mode)."""
    ERROR = "error"
    """There is no answer: the question is asked again."""

    @property
    def counted(self) -> bool:
        """Whether it belongs to n, to rates and to scores."""
        return self in {Outcome.PASS, Outcome.FAIL, Outcome.INVALID}


class InvalidKind(StrEnum):
    """Why there was no usable answer."""

    BLANK = "blank"
    CUT_OFF = "cut off"
    UNPARSABLE = "unparsable"
    REFUSED = "refused"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an answer held against the truth, and why.

    Attributes
    ----------
    outcome
        Pass, fail, invalid, undecided or error.
    score
        The `score` grader in [0, 1]; 0 for invalid, None for undecided and error (methods.md 1.2).
    reason
        One sentence that says why, with the numbers.
    answer
        The answer as read (canonical text), None if there was none.
    accepted
        The oracle's answer or answers.
    numbers
        The numbers behind the verdict: those of the case, and what the grader found (precision, recall).
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
