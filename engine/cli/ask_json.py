"""``ask --json``: one flat object for one answer, a list of answers with their spread for several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.cli.asking import spreads
from engine.queries.registry import category_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.cli.asking import Asked, Spread
    from engine.explainers.base import Explainer, Question, Reply
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case


def asked_json(model: str, oracle: Oracle, asked: Sequence[Asked]) -> dict[str, Any]:
    """Return one answer as a flat object, several as the case with a list; all of them are about the same case."""
    case = {"model": model, **_case(oracle, asked[0].question.case)}
    if len(asked) == 1:
        return {**case, **_answer(asked[0])}
    return {
        **case,
        "numbers": dict(asked[0].question.case.numbers),
        "answers": [_answer(each) for each in asked],
        "spread": [_spread(each) for each in spreads(asked)],
    }


def prompts_json(explainers: Sequence[tuple[str, Explainer]], questions: Sequence[Question]) -> dict[str, Any]:
    """Return what would be sent: a flat object for one request, a list for several."""
    prompts = [
        {
            "explainer": name,
            "variant": question.variant,
            "sample": question.sample,
            "system": question.system,
            "user": question.user,
            "response_schema": dict(question.schema),
            "request": request_of(explainer, question),
        }
        for name, explainer in explainers
        for question in questions
    ]
    return prompts[0] if len(prompts) == 1 else {"prompts": prompts}


def request_of(explainer: Explainer, question: Question) -> dict[str, Any] | None:
    """Return the HTTP request that an explainer would send, ``url`` and ``body``; None if it sends none by itself."""
    from engine.explainers.endpoint import HttpExplainer  # noqa: PLC0415  # loads the network libraries

    return explainer.request_of(question) if isinstance(explainer, HttpExplainer) else None


def answer_source(reply: Reply) -> str:
    """Return what a reply's text was taken from: ``content``, ``reasoning`` or ``tool call``."""
    source = str(reply.details.get("content_from", "content"))
    return {"tool_calls": "tool call"}.get(source, source)


def _case(oracle: Oracle, case: Case) -> dict[str, Any]:
    chance = category_named(case.category).chance(case)
    return {
        "category": case.category,
        "case": case.id,
        "states": [{"state": state, "valuation": oracle.mdp.valuation(state)} for state in case.states],
        "parameters": dict(case.parameters),
        "accepted": list(case.accepted),
        "chance": {"verdict": float(chance.verdict), "score": float(chance.score)},
    }


def _answer(asked: Asked) -> dict[str, Any]:
    question, reply, verdict = asked.question, asked.reply, asked.verdict
    return {
        "explainer": asked.explainer,
        "variant": question.variant,
        "sample": question.sample,
        "shown": list(question.shown),
        "system": question.system,
        "prompt": question.user,
        "text": reply.text,
        "reasoning": reply.reasoning,
        "answer_from": answer_source(reply),
        "answer": verdict.answer,
        "explanation": verdict.explanation,
        "verdict": verdict.outcome.value,
        "invalid_kind": verdict.invalid_kind.value if verdict.invalid_kind is not None else None,
        "score": verdict.score,
        "reason": verdict.reason,
        "numbers": dict(verdict.numbers),
        "regret": verdict.regret,
        "seconds": reply.seconds,
        "attempts": reply.attempts,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "tokens_reasoning": reply.tokens_reasoning,
        "cost": reply.cost,
        "currency": reply.currency or None,
    }


def _spread(spread: Spread) -> dict[str, Any]:
    read = sum(spread.answers.values())
    most = next(iter(spread.answers), None)
    return {
        "explainer": spread.explainer,
        "variant": spread.variant,
        "answered": spread.answered,
        "passes": spread.passes,
        "score": spread.score,
        "different": len(spread.answers),
        "most_frequent": most,
        "share": None if most is None else spread.answers[most] / read,
    }
