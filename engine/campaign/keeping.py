"""Keeping single answers in a campaign file: questions that were asked by hand, apart from those of its plans."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.campaign.grid import check_resumable
from engine.campaign.plan import Plan
from engine.queries.case import MANUAL
from engine.verdicts.by_hand import kept_sample
from engine.verdicts.records import Answer, Key, ModelRecord, Selection
from engine.verdicts.store import now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.explainers.base import Question, Reply
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.verdicts.store import Store
    from engine.verdicts.verdict import Verdict

_OF_GENERATION = ("subset_size", "difficulty", "frozen")
"""Fixed settings of a campaign that say how its cases were chosen: cases asked by hand do not depend on them."""


@dataclass(frozen=True, slots=True)
class HandAsked:
    """A question that was asked by hand, what came back, and the verdict; `shuffled` says how it listed its options."""

    explainer: str
    baseline: bool
    question: Question
    reply: Reply
    verdict: Verdict
    shuffled: bool = False


def keep_answers(
    store: Store, model: str, oracle: Oracle, asked: Sequence[HandAsked], *, explanation_length: int
) -> int:
    """Put answers into a campaign, all or none; return how many are new. A question that has a kept answer keeps it.

    No run is recorded: what the campaign was asked to do, how far it is and what its rates are stays as it is.

    Parameters
    ----------
    store
        Open for writing; it may be new.
    model
        What the campaign calls the model.
    oracle
        The model.
    asked
        At least one answer.
    explanation_length
        What the questions were put into words with.

    Raises
    ------
    StoreError
        If the campaign was made with other settings or another version of the model, or the file fails.
    """
    for each in asked:
        check_resumable(_plan(store, model, each, explanation_length), store)
    moment = now()
    with store.together():
        store.add_models([ModelRecord.of(model, oracle)])
        store.add_explainers({each.explainer: each.baseline for each in asked})
        _add_cases(store, model, [each.question.case for each in asked])
        before = {name: store.answered(name) for name in {each.explainer for each in asked}}
        store.add_answers([_answer(each, moment) for each in asked])
        return sum(len(store.answered(name)) - len(keys) for name, keys in before.items())


def _plan(store: Store, model: str, asked: HandAsked, explanation_length: int) -> Plan:
    """Return the plan that would have asked this, its cases being chosen as the campaign's are."""
    question = asked.question
    plan = Plan(
        (model,),
        (asked.explainer,),
        (question.case.category,),
        seed=question.seed,
        explanation_length=explanation_length,
        shuffle=asked.shuffled,
    )
    tolerance = question.case.numbers.get("tolerance") or store.setting("tolerance") or plan.tolerance
    before = next((run.plan for run in store.runs() if "models" in run.plan), {})
    chosen = {name: before[name] for name in _OF_GENERATION if name in before}
    return replace(plan, tolerance=str(tolerance), **chosen)


def _add_cases(store: Store, model: str, cases: Sequence[Case]) -> None:
    """Record the cases that were not asked by hand before: all that were so far, as one more selection."""
    there = {name: each for name, each in store.cases().items() if MANUAL in each.strategies}
    lacking = {case.id: case for case in cases if case.id not in there}
    for category in dict.fromkeys(case.category for case in lacking.values()):
        earlier = [each.case for each in there.values() if each.model == model and each.case.category == category]
        chosen = (*earlier, *(case for case in lacking.values() if case.category == category))
        store.add_selections(model, MANUAL, len(chosen), {category: Selection(chosen)})


def _answer(asked: HandAsked, moment: str) -> Answer:
    question = asked.question
    return Answer(
        Key(question.case.id, question.variant, kept_sample(question.sample)),
        asked.explainer,
        question.system,
        question.user,
        asked.reply,
        asked.verdict,
        moment,
        question.shown if asked.shuffled else (),
    )
