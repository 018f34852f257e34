"""From a reply to a verdict: reading, then grading against the oracle's answer (methods.md 1.2, 1.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.prompts.reading import read_answer
from engine.queries.registry import category_named
from engine.verdicts.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.explainers.base import Reply
    from engine.oracle.facts import Oracle
    from engine.prompts.reading import Reading
    from engine.queries.case import Case
    from engine.queries.category import Grade


def judge(oracle: Oracle, case: Case, reply: Reply) -> Verdict:
    """Return the verdict on a reply; never raises for anything that a reply can hold.

    The outcome is ``error`` if the reply is a transport failure or the grader itself fails, and ``undecided`` in the
    rare case that the oracle's enclosure does not decide whether the answer is right (sound mode only). Neither is ever
    counted.

    Parameters
    ----------
    oracle
        The model that the case is about; only its environment's synonyms are used.
    case
        The case.
    reply
        What came back.
    """
    return judge_with(oracle.environment.synonyms, case, reply)


def judge_with(synonyms: Mapping[str, Sequence[str]], case: Case, reply: Reply) -> Verdict:
    """Return the verdict on a reply without the model, as `judge`: for answers that are graded again.

    Parameters
    ----------
    synonyms
        Action → other words for it.
    case, reply
        As for `judge`.
    """
    if reply.error:
        return _verdict(case, Outcome.ERROR, None, reply.error)
    try:
        wanted = category_named(case.category).wanted
        return _graded(case, read_answer(reply.text, reply.finish, case.space, synonyms, wanted))
    except Exception as error:  # noqa: BLE001 - whatever a grader fails with, it is no low score and loses no answer
        return _verdict(case, Outcome.ERROR, None, f"the grader failed: {type(error).__name__}: {error}")


def _graded(case: Case, reading: Reading) -> Verdict:
    if reading.answer is None or reading.invalid is not None:
        return _verdict(case, Outcome.INVALID, reading, reading.detail or "there is no usable answer", score=0.0)
    grade = category_named(case.category).grade(case, reading.answer)
    if grade.passed is None:
        return _verdict(case, Outcome.UNDECIDED, reading, grade.reason, grade=grade)
    outcome = Outcome.PASS if grade.passed else Outcome.FAIL
    score = None if grade.score is None else float(grade.score)
    return _verdict(case, outcome, reading, grade.reason, score=score, grade=grade)


def _verdict(
    case: Case,
    outcome: Outcome,
    reading: Reading | None,
    reason: str,
    *,
    score: float | None = None,
    grade: Grade | None = None,
) -> Verdict:
    return Verdict(
        outcome=outcome,
        score=score,
        reason=reason,
        answer=reading.answer if reading else None,
        accepted=case.accepted,
        numbers={**case.numbers, **grade.figures} if grade else case.numbers,
        regret=grade.regret if grade else None,
        invalid_kind=reading.invalid if reading and outcome is Outcome.INVALID else None,
        explanation=reading.explanation if reading else "",
    )
