"""Looking into a campaign file: the questions of a cell one by one, and where two explainers differ. It blocks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import StoreError
from engine.explainers.base import Reply
from engine.queries.registry import all_categories
from engine.verdicts import queries
from engine.verdicts.by_hand import picked_cases, told_sample
from engine.verdicts.paired import sign_test
from engine.verdicts.records import Answer
from engine.verdicts.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.verdicts.records import ModelRecord, OutcomeRecord, StoredCase
    from engine.verdicts.store import Store


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of a campaign and what became of it, without the texts.

    Attributes
    ----------
    stored
        The case, with its model and strategies.
    record
        Who was asked, the outcome, the answer as read and what it took.
    kept
        Whether a person picked the question: it is beside the campaign (`engine.verdicts.by_hand`).
    """

    stored: StoredCase
    record: OutcomeRecord
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """One question that two explainers were asked."""

    first: Asked
    second: Asked

    @property
    def differs(self) -> bool:
        """Whether one of them passes and the other one does not; only answers that count can."""
        outcomes = self.first.record.outcome, self.second.record.outcome
        return all(each.counted for each in outcomes) and (Outcome.PASS in outcomes) and outcomes[0] != outcomes[1]


@dataclass(frozen=True, slots=True)
class Duel:
    """Two explainers over the questions that both have answered with a verdict that counts.

    Attributes
    ----------
    both, only_first, only_second, neither
        Questions by who passes.
    p
        Of McNemar's exact test over these questions; None if they never differ, or if a case was asked several times:
        such answers are alike, and the test would count them as independent.
    pairs
        The questions in which they differ, in the order of the file.
    left_out
        Questions that one of them lacks, or has no verdict on that counts.
    """

    both: int
    only_first: int
    only_second: int
    neither: int
    p: float | None
    pairs: tuple[Pair, ...]
    left_out: int


def questions(
    store: Store,
    *,
    explainer: str | None = None,
    category: str | None = None,
    model: str | None = None,
    kept: bool = False,
) -> list[Asked]:
    """Return what was asked, all of it or that of a cell, in the order of the taxonomy and then of the cases.

    Parameters
    ----------
    store
        The file.
    explainer, category, model
        The cell; None for all.
    kept
        Whether the answers that were kept by hand are wanted, or those of the campaign.
    """
    with store.snapshot():
        cases, records = store.cases(), store.outcomes()
    order = {name: place for place, name in enumerate(all_categories())}
    places = {name: place for place, name in enumerate(cases)}
    picked = picked_cases({name: stored.strategies for name, stored in cases.items()})
    found = [
        Asked(cases[record.key.case], record, kept)
        for record in records
        if kept is (record.key.sample < 0 or record.key.case in picked)
        and explainer in {None, record.explainer}
        and category in {None, cases[record.key.case].case.category}
        and model in {None, cases[record.key.case].model}
    ]
    found.sort(
        key=lambda each: (
            order.get(each.stored.case.category, len(order)),
            places[each.record.key.case],
            each.record.explainer,
            each.record.key.variant,
            told_sample(each.record.key.sample),
        )
    )
    return found


def answer_to(store: Store, asked: Asked) -> Answer:
    """Return a question's prompt, reply and verdict; those of a failure say how it failed last.

    Raises
    ------
    StoreError
        If the file has no such question any more.
    """
    record, case = asked.record, asked.stored.case
    for answer in store.answers(explainer=record.explainer, case=record.key.case):
        if answer.key == record.key:
            return answer
    for row in queries.reasons(store):
        question = row["case"], row["variant"], row["sample"]
        if question == tuple(record.key) and row["explainer"] == record.explainer and row["failure"]:
            verdict = Verdict(Outcome.ERROR, None, row["reason"], None, case.accepted, case.numbers)
            reply = Reply(error=row["reason"], seconds=row["seconds"])
            return Answer(record.key, record.explainer, "", "", reply, verdict, "")
    raise StoreError("the question is not in this campaign", where=str(store.path))


def models_of(store: Store) -> Mapping[str, ModelRecord]:
    """Return the models by their names in the campaign."""
    return {model.name: model for model in store.models()}


def duel(store: Store, first: str, second: str, *, category: str | None = None, model: str | None = None) -> Duel:
    """Compare two explainers question by question."""
    asked = {
        name: {each.record.key: each for each in questions(store, explainer=name, category=category, model=model)}
        for name in (first, second)
    }
    common = [key for key in asked[first] if key in asked[second]]
    pairs = [Pair(asked[first][key], asked[second][key]) for key in common]
    counted = [pair for pair in pairs if pair.first.record.outcome.counted and pair.second.record.outcome.counted]
    tally = Counter(
        (pair.first.record.outcome is Outcome.PASS, pair.second.record.outcome is Outcome.PASS) for pair in counted
    )
    only_first, only_second = tally[True, False], tally[False, True]
    once = len({pair.first.record.key.case for pair in counted}) == len(counted)
    every = asked[first].keys() | asked[second].keys()
    return Duel(
        both=tally[True, True],
        only_first=only_first,
        only_second=only_second,
        neither=tally[False, False],
        p=sign_test(only_first, only_second) if once else None,
        pairs=tuple(pair for pair in counted if pair.differs),
        left_out=len(every) - len(counted),
    )
