"""The rows of a campaign file, made from values and read back."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, get_args

from pydantic import TypeAdapter

from engine.explainers.base import Reply
from engine.queries.case import Case
from engine.queries.spaces import AnswerSpace
from engine.text import storable
from engine.verdicts.records import Answer, Key, ModelRecord, OutcomeRecord
from engine.verdicts.verdict import InvalidKind, Outcome, Verdict

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

_SPACES = {space.__name__: TypeAdapter(space) for space in get_args(AnswerSpace)}


def dumps(value: object) -> str:
    """Return compact JSON; values that JSON lacks become text, so that a server's odd details never lose an answer."""
    return json.dumps(value, default=str, separators=(",", ":"))


def case_row(model: str, case: Case) -> tuple[object, ...]:
    """Return a row of ``cases``."""
    return (
        case.id,
        model,
        case.category,
        dumps([int(state) for state in case.states]),
        dumps(space_json(case.space)),
        dumps(list(case.accepted)),
        dumps(dict(case.numbers)),
        case.difficulty,
        dumps(dict(case.parts)),
        dumps(dict(case.parameters)),
    )


def space_json(space: AnswerSpace) -> dict[str, object]:
    """Return an answer space as JSON values, with its kind."""
    kind = type(space).__name__
    return {"kind": kind, **_SPACES[kind].dump_python(space, mode="json")}


def read_space(text: str) -> AnswerSpace:
    """Read an answer space back; raises KeyError for a kind that does not exist, ValidationError for wrong values."""
    data = json.loads(text)
    space: AnswerSpace = _SPACES[data.pop("kind")].validate_python(data)
    return space


def read_case(row: sqlite3.Row, strategy: str = "") -> Case:
    """Read a row of ``cases`` back; its strategy is kept apart from it, since several can choose one case."""
    return Case(
        id=row["id"],
        category=row["category"],
        states=tuple(json.loads(row["states"])),
        space=read_space(row["space"]),
        accepted=tuple(json.loads(row["accepted"])),
        numbers=json.loads(row["numbers"]),
        difficulty=row["difficulty"],
        parts=json.loads(row["parts"]),
        strategy=strategy,
        parameters=json.loads(row["parameters"]),
    )


def answer_row(answer: Answer, system: int, user: int) -> tuple[object, ...]:
    """Return a row of ``answers``; `system` and `user` are the prompt's rows in ``texts``."""
    reply, verdict = answer.reply, answer.verdict
    return (
        answer.key.case,
        answer.explainer,
        answer.key.variant,
        answer.key.sample,
        answer.at,
        system,
        user,
        storable(reply.text),
        storable(reply.reasoning),
        storable(reply.finish),
        reply.seconds,
        reply.attempts,
        reply.tokens_in,
        reply.tokens_out,
        dumps(dict(reply.details)),
        *verdict_row(verdict),
        reply.tokens_reasoning,
        reply.cost,
        dumps(list(answer.shown)) if answer.shown else None,
    )


def verdict_row(verdict: Verdict) -> tuple[object, ...]:
    """Return the columns of ``answers`` that a grader fills."""
    return (
        verdict.outcome.value,
        verdict.score,
        storable(verdict.reason),
        None if verdict.answer is None else storable(verdict.answer),
        dumps(list(verdict.accepted)),
        dumps(dict(verdict.numbers)),
        verdict.regret,
        None if verdict.invalid_kind is None else verdict.invalid_kind.value,
        storable(verdict.explanation),
    )


def error_row(answer: Answer) -> tuple[object, ...]:
    """Return a row of ``errors``, without its number."""
    reply = answer.reply
    return (
        answer.key.case,
        answer.explainer,
        answer.key.variant,
        answer.key.sample,
        answer.at,
        storable(reply.error or answer.verdict.reason),
        int(reply.fatal),
        reply.seconds,
        reply.attempts,
        storable(reply.text),
        dumps(dict(reply.details)),
    )


def read_answer(row: sqlite3.Row) -> Answer:
    """Read a row of ``answers`` back, joined with the prompt's texts as ``system_text`` and ``user_text``."""
    kind = row["invalid_kind"]
    return Answer(
        key=Key(row["case"], row["variant"], row["sample"]),
        explainer=row["explainer"],
        system=row["system_text"],
        user=row["user_text"],
        reply=Reply(
            text=row["text"],
            reasoning=row["reasoning"],
            finish=row["finish"],
            seconds=row["seconds"],
            attempts=row["attempts"],
            tokens_in=row["tokens_in"],
            tokens_out=row["tokens_out"],
            tokens_reasoning=row["tokens_reasoning"],
            cost=row["cost"],
            details=json.loads(row["details"]),
        ),
        verdict=Verdict(
            outcome=Outcome(row["outcome"]),
            score=row["score"],
            reason=row["reason"],
            answer=row["answer"],
            accepted=tuple(json.loads(row["accepted"])),
            numbers=json.loads(row["numbers"]),
            regret=row["regret"],
            invalid_kind=None if kind is None else InvalidKind(kind),
            explanation=row["explanation"],
        ),
        at=row["answered"],
        shown=_shown(row),
    )


def read_outcome(row: sqlite3.Row) -> OutcomeRecord:
    """Read what tables need."""
    return OutcomeRecord(
        Key(row["case"], row["variant"], row["sample"]),
        row["explainer"],
        Outcome(row["outcome"]),
        row["score"],
        row["answer"],
        row["seconds"],
        row["tokens_in"],
        row["tokens_out"],
        row["tokens_reasoning"],
        row["cost"],
        row["regret"],
        None if row["invalid_kind"] is None else InvalidKind(row["invalid_kind"]),
        _shown(row),
        currency_of(row),
        bool(row["cached"]),
    )


def currency_of(row: sqlite3.Row) -> str:
    """Return the currency that an answer's cost is in; empty if nobody has named it."""
    return row["currency"] if isinstance(row["currency"], str) else ""


def _shown(row: sqlite3.Row) -> tuple[str, ...]:
    return () if row["shown"] is None else tuple(json.loads(row["shown"]))


def model_row(model: ModelRecord) -> dict[str, object]:
    """Return a row of ``models``."""
    return {
        **asdict(model),
        "constants": dumps(dict(model.constants)),
        "exact": int(model.exact),
        "synonyms": synonyms_text(model.synonyms),
    }


def synonyms_text(synonyms: Mapping[str, tuple[str, ...]] | None) -> str | None:
    """Return synonyms as a row holds them."""
    return None if synonyms is None else dumps(dict(synonyms))


def read_model(row: sqlite3.Row) -> ModelRecord:
    """Read a row of ``models`` back."""
    synonyms = None if row["synonyms"] is None else json.loads(row["synonyms"])
    return ModelRecord(
        name=row["name"],
        identity=row["identity"],
        environment=row["environment"],
        title=row["title"],
        objective=row["objective"],
        danger=row["danger"],
        constants=json.loads(row["constants"]),
        exact=bool(row["exact"]),
        states=row["states"],
        synonyms=None if synonyms is None else {name: tuple(words) for name, words in synonyms.items()},
        made_from=None if row["made_from"] is None else json.loads(row["made_from"]),
    )
