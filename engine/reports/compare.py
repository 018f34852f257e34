"""Two campaigns over the cases that both have: what got better, what got worse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import UsageError
from engine.reports.model import Comparison, ComparisonRow, FlipRow
from engine.verdicts.answer_words import accepted_words
from engine.verdicts.frame import UNKNOWN
from engine.verdicts.paired import RANK_METHOD, SIGN_METHOD, rank_test, sign_test
from engine.verdicts.statistics import mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from engine.verdicts.frame import IntArray
    from engine.verdicts.records import StoredCase
    from engine.verdicts.tables import Table


@dataclass(frozen=True, slots=True)
class Side:
    """One of the campaigns: its file's name, its table, and whether each explainer is a baseline."""

    file: str
    table: Table
    baselines: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class _Pair:
    """One case of one explainer in both campaigns, with its mean grades and its rows."""

    stored: StoredCase
    explainer: str
    reference: str
    before: Fraction
    after: Fraction
    rows_before: IntArray
    rows_after: IntArray


def compare(here: Side, there: Side) -> Comparison:
    """Compare a campaign with an earlier one, or with another model's.

    Explainers of the same name are compared, and where each campaign has a single language model, these two whatever
    their names. One case is one observation: its grade is the mean over the wordings and samples that both have and
    that count in both.

    Raises
    ------
    UsageError
        If the campaigns have no case, or no explainer, in common.
    """
    common = set(here.table.frame.cases.ids) & set(there.table.frame.cases.ids)
    if not common:
        raise UsageError(
            f"{here.file} and {there.file} have no case in common",
            where="--compare",
            hint="compare campaigns over the same models, with the same seed and budget",
        )
    matches = _matches(here, there)
    if not matches:
        raise UsageError(
            f"{here.file} and {there.file} have no explainer in common",
            where="--compare",
            hint=f"there are {', '.join(here.baselines)} here and {', '.join(there.baselines)} there",
        )
    pairs = [pair for explainer, reference in matches for pair in _pairs(here, there, explainer, reference)]
    by_verdict = here.table.grader == "verdict"
    return Comparison(
        reference=there.file,
        test=SIGN_METHOD if by_verdict else RANK_METHOD,
        rows=_rows(pairs, here.table.frame.categories, by_verdict=by_verdict),
        flips=[_flip(here, there, pair) for pair in pairs if pair.before != pair.after],
        only_here=len(here.table.frame.cases.ids) - len(common),
        only_there=len(there.table.frame.cases.ids) - len(common),
    )


def _matches(here: Side, there: Side) -> list[tuple[str, str]]:
    shared = [name for name in here.table.frame.explainers if name in there.baselines]
    same = [(name, name) for name in shared]
    models = [[name for name, baseline in side.baselines.items() if not baseline] for side in (here, there)]
    if all(len(names) == 1 for names in models) and models[0] != models[1]:
        return [(models[0][0], models[1][0]), *same]
    return same


def _pairs(here: Side, there: Side, explainer: str, reference: str) -> list[_Pair]:
    after, before = _questions(here.table, explainer), _questions(there.table, reference)
    found: dict[str, list[tuple[int, int]]] = {}
    for question, row in after.items():
        if question in before:
            found.setdefault(question[0], []).append((before[question], row))
    frame = here.table.frame
    stored = dict(zip(frame.cases.ids, frame.cases.stored, strict=True))
    pairs = []
    for case, rows in found.items():
        rows_before, rows_after = np.array(rows, dtype=np.int64).T
        old, new = (
            table.grades.total(each) / len(rows)
            for table, each in ((there.table, rows_before), (here.table, rows_after))
        )
        pairs.append(_Pair(stored[case], explainer, reference, old, new, rows_before, rows_after))
    return pairs


def _questions(table: Table, explainer: str) -> dict[tuple[str, str, int], int]:
    """Return the row of each question of an explainer whose outcome counts."""
    frame = table.frame
    if explainer not in frame.explainers:
        return {}
    rows = np.flatnonzero(frame.counted & (frame.explainer == frame.explainers.index(explainer)))
    return {
        (frame.cases.ids[frame.case[row]], frame.variants[frame.variant[row]], int(frame.sample[row])): int(row)
        for row in rows
    }


def _rows(pairs: Sequence[_Pair], categories: Sequence[str], *, by_verdict: bool) -> list[ComparisonRow]:
    groups: dict[tuple[str, str], list[_Pair]] = {}
    for pair in pairs:
        groups.setdefault((pair.explainer, pair.reference), []).append(pair)
    rows = []
    for members in groups.values():
        rows.append(_row(members, None, by_verdict=by_verdict))
        for category in categories:
            chosen = [pair for pair in members if pair.stored.case.category == category]
            if chosen:
                rows.append(_row(chosen, category, by_verdict=by_verdict))
    return rows


def _row(pairs: Sequence[_Pair], category: str | None, *, by_verdict: bool) -> ComparisonRow:
    differences = [pair.after - pair.before for pair in pairs]
    better, worse = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    statistic, p = (None, sign_test(better, worse)) if by_verdict else rank_test(differences)
    return ComparisonRow(
        explainer=pairs[0].explainer,
        reference=pairs[0].reference,
        category=category,
        cases=len(pairs),
        before=float(mean([pair.before for pair in pairs]) or 0),
        after=float(mean([pair.after for pair in pairs]) or 0),
        better=better,
        worse=worse,
        same=len(pairs) - better - worse,
        statistic=statistic,
        p=p,
    )


def _flip(here: Side, there: Side, pair: _Pair) -> FlipRow:
    case = pair.stored.case
    return FlipRow(
        case=case.id,
        model=pair.stored.model,
        category=case.category,
        states=[int(state) for state in case.states],
        explainer=pair.explainer,
        change="better" if pair.after > pair.before else "worse",
        before=float(pair.before),
        after=float(pair.after),
        answers_before=_answers(there.table, pair.rows_before),
        answers_after=_answers(here.table, pair.rows_after),
        accepted=list(case.accepted),
        right=accepted_words(case),
    )


def _answers(table: Table, rows: IntArray) -> list[str | None]:
    codes = dict.fromkeys(table.frame.answer[rows].tolist())
    return [None if code == UNKNOWN else table.frame.answers[code] for code in codes]
