"""Grading a stored campaign again: every reply is read and judged anew, and nothing is asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.verdicts.grading import judge_with
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction

    from engine.explainers.base import Reply
    from engine.queries.case import Case
    from engine.verdicts.records import Key, ModelRecord, StoredCase
    from engine.verdicts.store import Store
    from engine.verdicts.verdict import Verdict

    Synonyms = Mapping[str, Sequence[str]]

_PORTION = 500


@dataclass(frozen=True, slots=True)
class Regraded:
    """What grading again has brought.

    Attributes
    ----------
    answers
        Answers that were graded.
    changed
        ``(before, after)`` → how many verdicts became another one.
    rescored
        Answers whose verdict stayed and whose score, or reading of the answer, is another one.
    failed
        Answers that the grader failed on: they keep the verdict that they had.
    tolerance
        What ``satisfy`` is graded with now, as exact text; None if the file does not say.
    """

    answers: int
    changed: Mapping[tuple[str, str], int]
    rescored: int
    failed: int
    tolerance: str | None


def regrade(
    store: Store,
    *,
    tolerance: Fraction | None = None,
    synonyms: Callable[[ModelRecord], Synonyms] | None = None,
    judge: Callable[[Synonyms, Case, Reply], Verdict] = judge_with,
) -> Regraded:
    """Judge every answer of a campaign again, all of them or, if anything fails, none.

    Parameters
    ----------
    store
        Open for writing.
    tolerance
        Another tolerance for ``satisfy``; it is recorded, and the file can only be continued with it.
    synonyms
        Where the synonyms of a model come from that an older format did not store; none by default.
    judge
        The grader.

    Raises
    ------
    StoreError
        If the file fails; then nothing has changed.
    """
    with store.together():
        if tolerance is not None:
            _set_tolerance(store, tolerance)
        cases = store.cases()
        words = {model.name: _synonyms(model, synonyms) for model in store.models()}
        changed: Counter[tuple[str, str]] = Counter()
        answers = rescored = failed = 0
        portion: list[tuple[str, Key, Verdict]] = []
        for answer in store.answers():
            answers += 1
            stored = cases[answer.key.case]
            verdict = judge(words[stored.model], stored.case, answer.reply)
            if verdict.outcome is Outcome.ERROR:
                failed += 1
                continue
            if verdict.outcome is not answer.verdict.outcome:
                changed[answer.verdict.outcome.value, verdict.outcome.value] += 1
            elif (verdict.score, verdict.answer) != (answer.verdict.score, answer.verdict.answer):
                rescored += 1
            if verdict != answer.verdict:
                portion.append((answer.explainer, answer.key, verdict))
            if len(portion) >= _PORTION:
                store.replace_verdicts(portion)
                portion = []
        store.replace_verdicts(portion)
        return Regraded(answers, dict(changed), rescored, failed, store.setting("tolerance"))


def with_tolerance(case: Case, tolerance: Fraction) -> Case:
    """Return a case that is graded with another tolerance; the same case if it has none."""
    if "tolerance" not in case.numbers:
        return case
    return replace(case, numbers={**case.numbers, "tolerance": str(tolerance)})


def _set_tolerance(store: Store, tolerance: Fraction) -> None:
    store.set_setting("tolerance", str(tolerance))
    stored: Sequence[StoredCase] = list(store.cases().values())
    store.replace_numbers([case for each in stored if (case := with_tolerance(each.case, tolerance)) != each.case])


def _synonyms(model: ModelRecord, otherwise: Callable[[ModelRecord], Synonyms] | None) -> Synonyms:
    if model.synonyms is not None:
        return model.synonyms
    return {} if otherwise is None else otherwise(model)
