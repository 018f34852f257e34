"""Whether the cases of a file are what the oracle says: every value that it computes is computed again."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.queries.setting import read_formula
from engine.text import plain
from engine.verdicts.casefile import case_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.verdicts.casefile import CaseFile

_HINT = "undo the change, or make the cases again with `stormscope cases MODEL --json`"
_DIGITS = 1e-9
"""How far doubles may be off that another machine has computed: a unit of the last digit of δ. Exact numbers are texts,
and are compared as such."""
_SHOWN = 60
"""Characters of a value that a message shows."""
_DERIVED = ("id", "answer_schema", "chance")
"""What follows from other fields: a message names it only where those are as they were."""


def checked_cases(oracle: Oracle, file: CaseFile) -> list[Case]:
    """Return a file's cases with the oracle's own truth and difficulty.

    Raises
    ------
    UsageError
        If a case cannot be asked of the model, or if the file holds anything else about it than the oracle says: the
        first such case and the fields are named. What the file leaves out is not missed.
    """
    made = _with_difficulty(oracle, [_made(oracle, file, case) for case in file.cases], file.difficulty)
    written = file.written or ({},) * len(made)
    for case, said in zip(made, written, strict=True):
        _compare(json.loads(json.dumps(case_json(oracle, case))), said, file)
    return made


def _made(oracle: Oracle, file: CaseFile, case: Case) -> Case:
    from engine.queries.generation import case_for  # noqa: PLC0415 - loads the array libraries, which --help does without

    try:
        made = case_for(oracle, case.category, case.states, parameters=case.parameters)
    except UsageError as error:
        raise UsageError(
            f"the case {plain(case.id)} cannot be asked: {error.what}", where=str(file.path), hint=_HINT
        ) from None
    return replace(made, strategy=file.strategy)


def _with_difficulty(oracle: Oracle, cases: Sequence[Case], difficulty: str) -> list[Case]:
    """Give cases their difficulty; those of one kind together, since a formula may look at the whole model first."""
    from engine.queries.generation import difficulties  # noqa: PLC0415 - as above

    formula = read_formula(difficulty)
    kinds: dict[tuple[str, int, str], list[int]] = {}
    for place, case in enumerate(cases):
        key = (case.category, len(case.states), json.dumps(dict(case.parameters), sort_keys=True))
        kinds.setdefault(key, []).append(place)
    done = list(cases)
    for places in kinds.values():
        first = cases[places[0]]
        states = [cases[place].states for place in places]
        found = difficulties(oracle, first.category, first.parameters, states, formula)
        for place, (delta, parts) in zip(places, found, strict=True):
            done[place] = replace(cases[place], difficulty=delta, parts=parts)
    return done


def _compare(true: Mapping[str, Any], said: Mapping[str, Any], file: CaseFile) -> None:
    """Refuse a case that says something else than the oracle; raises UsageError."""
    wrong = [name for name in true if name in said and not _same(true[name], said[name])]
    if not wrong:
        return
    wrong = [name for name in wrong if name not in _DERIVED] or wrong
    first, *others = wrong
    more = f"; different as well: {', '.join(others)}" if others else ""
    raise UsageError(
        f"the case {plain(str(said.get('id', true['id'])))} has been changed: its {first} is {_shown(said[first])}, "
        f"which should be {_shown(true[first])}{more}",
        where=str(file.path),
        hint=_HINT,
    )


def _same(one: Any, other: Any) -> bool:
    """Compare JSON values; doubles up to the last digits that machines may disagree on."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=_DIGITS, abs_tol=2 * _DIGITS)
    return type(one) is type(other) and bool(one == other)


def _shown(value: Any) -> str:
    return plain(json.dumps(value, ensure_ascii=False), limit=_SHOWN)
