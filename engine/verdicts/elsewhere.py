"""Grading answers that came from elsewhere, and putting them into a campaign so that reports include them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine import __version__
from engine.errors import UsageError
from engine.verdicts.answer_file import GivenAnswer, LineError, read_answer_file
from engine.verdicts.casefile import read_case_file
from engine.verdicts.database import is_sqlite
from engine.verdicts.grading import judge_with
from engine.verdicts.records import Answer, Key, ModelRecord, Selection
from engine.verdicts.store import Store, now
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from engine.queries.case import Case
    from engine.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True)
class KnownCases:
    """The cases that answers can be about.

    Attributes
    ----------
    models
        By name.
    cases
        Id → the model's name and the case.
    strategies
        Id → the strategies that chose the case.
    """

    models: Mapping[str, ModelRecord]
    cases: Mapping[str, tuple[str, Case]]
    strategies: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """An answer of a file with its verdict; `explainer` is never empty."""

    given: GivenAnswer
    explainer: str
    model: str
    case: Case
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class GradedFile:
    """What a file of answers is worth: its graded answers, and the lines that could not be used."""

    graded: tuple[GradedAnswer, ...]
    errors: tuple[LineError, ...]


def known_cases(paths: Sequence[Path]) -> KnownCases:
    """Read the cases of case files and campaigns; raises UsageError, also if two differ about a model."""
    models: dict[str, ModelRecord] = {}
    cases: dict[str, tuple[str, Case]] = {}
    strategies: dict[str, tuple[str, ...]] = {}
    for path in paths:
        found: list[tuple[ModelRecord, Case, tuple[str, ...]]]
        if is_sqlite(path):
            with Store(path, write=False) as store, store.snapshot():
                by_name = {model.name: model for model in store.models()}
                found = [(by_name[each.model], each.case, each.strategies) for each in store.cases().values()]
        else:
            file = read_case_file(path)
            found = [(file.model, case, (file.strategy,)) for case in file.cases]
        for model, case, chosen in found:
            if models.setdefault(model.name, model).identity != model.identity:
                raise UsageError(f"another file has another model called {model.name!r}", where=str(path))
            cases.setdefault(case.id, (model.name, case))
            strategies[case.id] = tuple(dict.fromkeys((*strategies.get(case.id, ()), *chosen)))
    return KnownCases(models, cases, strategies)


def grade_file(path: Path, known: KnownCases, explainer: str) -> GradedFile:
    """Judge every answer of a file; raises UsageError if the file cannot be read or holds none.

    Parameters
    ----------
    path
        The answers (`engine.verdicts.answer_file`).
    known
        The cases.
    explainer
        Who answered, where a line does not say.
    """
    graded: list[GradedAnswer] = []
    errors: list[LineError] = []
    seen: dict[tuple[str, Key], int] = {}
    for given in read_answer_file(path):
        if isinstance(given, LineError):
            errors.append(given)
            continue
        name = given.explainer or explainer
        key = Key(given.case, given.variant, given.sample)
        first = seen.setdefault((name, key), given.line)
        if given.case not in known.cases:
            errors.append(LineError(given.line, f"there is no case {given.case!r} in the case files"))
        elif first != given.line:
            errors.append(LineError(given.line, f"{name} has answered this question on line {first} already"))
        else:
            model, case = known.cases[given.case]
            verdict = judge_with(known.models[model].synonyms or {}, case, given.reply)
            if verdict.outcome is Outcome.ERROR:
                errors.append(LineError(given.line, verdict.reason))
            else:
                graded.append(GradedAnswer(given, name, model, case, verdict))
    if not graded and not errors:
        raise UsageError("the file holds no answer", where=str(path), hint='a line is {"case": "…", "answer": "…"}')
    return GradedFile(tuple(graded), tuple(errors))


def add_to_campaign(store: Store, known: KnownCases, graded: Sequence[GradedAnswer], source: str) -> None:
    """Put graded answers into a campaign, all or none; a question that has an answer keeps it.

    Parameters
    ----------
    store
        Open for writing; it may be new, or hold other answers to the same cases.
    known
        The cases.
    graded
        The answers.
    source
        Where they came from, for the record.

    Raises
    ------
    StoreError
        If the file holds another version of a model, or fails.
    """
    used = dict.fromkeys(answer.model for answer in graded)
    with store.together():
        store.add_models([known.models[name] for name in used])
        store.add_explainers(dict.fromkeys((answer.explainer for answer in graded), False))
        _add_cases(store, known, used)
        total = len(graded)
        run = store.start_run({"imported": source}, __version__, total=total, done=total)
        moment = now()
        store.add_answers(
            [
                Answer(
                    Key(each.case.id, each.given.variant, each.given.sample),
                    each.explainer,
                    "",
                    "",
                    each.given.reply,
                    each.verdict,
                    moment,
                )
                for each in graded
            ]
        )
        store.end_run(run, done=total)


def _add_cases(store: Store, known: KnownCases, models: Iterable[str]) -> None:
    """Record the cases that the campaign lacks, as chosen by their strategies; all of a model, so that none is odd."""
    there = store.cases()
    for model in models:
        groups: dict[tuple[str, str], list[Case]] = {}
        for name, (its_model, case) in known.cases.items():
            if its_model == model:
                have = there[name].strategies if name in there else ()
                for strategy in known.strategies[name]:
                    if strategy not in have:
                        groups.setdefault((strategy, case.category), []).append(case)
        for (strategy, category), cases in groups.items():
            # A budget that is taken is another selection; the next free number keeps both.
            budget = len(cases)
            while store.selection(model, category, strategy, budget) is not None:
                budget += 1
            store.add_selections(model, strategy, budget, {category: Selection(tuple(cases))})
