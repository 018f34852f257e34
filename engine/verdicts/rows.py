"""The rows of a campaign file, made from values and read back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

from pydantic import TypeAdapter

from engine.explainers.base import Reply
from engine.queries.case import Case
from engine.queries.spaces import AnswerSpace
from engine.text import storable
from engine.verdicts.records import Answer, Key, OutcomeRecord
from engine.verdicts.verdict import InvalidKind, Outcome, Verdict

if TYPE_CHECKING:
    import sqlite3

_SPACES = {space.__name__: TypeAdapter(space) for space in get_args(AnswerSpace)}


def dumps(value: object) -> str:
    """Return compact JSON; values that JSON lacks become text, so that a server's odd details never lose an answer."""
    return json.dumps(value, default=str, separators=(",", ":"))


def case_row(model: str, case: Case) -> tuple[object, ...]:
    """Return a row of ``cases``."""
    kind = type(case.space).__name__
    space = {"kind": kind, **_SPACES[kind].dump_python(case.space, mode="json")}
    return (
        case.id,
        model,
        case.category,
        dumps([int(state) for state in case.states]),
        dumps(space),
        dumps(list(case.accepted)),
        dumps(dict(case.numbers)),
        case.difficulty,
        dumps(dict(case.parts)),
    )


def read_space(text: str) -> AnswerSpace:
    """Read an answer space back; raises KeyError for a kind that does not exist."""
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
    )
