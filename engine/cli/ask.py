"""``stormscope ask``: one question, one verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.common import (
    Const,
    DangerOption,
    JsonOption,
    MaxStatesOption,
    MemoryOption,
    Model,
    ModelFileOption,
    ModeOption,
    ObjectiveOption,
    SeedOption,
    TimeoutOption,
    guarded,
    print_json,
    say,
)
from engine.cli.opening import Opening
from engine.errors import EndpointError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.explainers.base import Explainer, Question, Reply
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.verdicts.verdict import Verdict


def ask(
    model: Model,
    category: Annotated[str, typer.Option("--category", help="What to ask.", metavar="C", show_default=False)],
    state: Annotated[
        list[str],
        typer.Option("--state", help="A PRISM expression that selects a state; twice for a pair.", metavar="EXPR"),
    ],
    explainer: Annotated[str, typer.Option("--explainer", help="Who answers.", metavar="E")] = "local",
    variant: Annotated[str | None, typer.Option("--variant", help="The wording.")] = None,
    seed: SeedOption = 0,
    model_file: ModelFileOption = None,
    show_prompt: Annotated[bool, typer.Option("--show-prompt", help="Print the prompt and do not send it.")] = False,
    const: Const = None,
    objective: ObjectiveOption = None,
    danger: DangerOption = None,
    mode: ModeOption = "auto",
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    max_states: MaxStatesOption = None,
    json: JsonOption = False,
) -> None:
    """Ask one question and say whether the answer holds."""
    opening = Opening(model, const or (), objective, danger, mode, timeout, memory, max_states)

    def command() -> None:
        from engine.explainers.registry import make_explainer  # noqa: PLC0415  # commands load what they need
        from engine.prompts.rendering import render  # noqa: PLC0415
        from engine.queries.generation import case_for  # noqa: PLC0415
        from engine.queries.registry import category_named  # noqa: PLC0415
        from engine.settings import load_settings  # noqa: PLC0415
        from engine.verdicts.grading import judge  # noqa: PLC0415

        kind, settings = category_named(category), load_settings()
        who = make_explainer(explainer, settings, model_file=model_file, on_event=_say)
        oracle = opening.oracle()
        case = case_for(oracle, kind.name, find_states(oracle, state, subset=kind.scope == "subset"))
        length = settings.explanation_length
        question = render(oracle, case, variant=variant, seed=seed, explanation_length=length)
        if show_prompt:
            _show_prompt(question, json=json)
            return
        reply = _answer(who, question)
        verdict = judge(oracle, case, reply)
        if json:
            print_json({"model": model, "explainer": explainer, **_as_json(oracle, question, reply, verdict)})
        else:
            from engine.cli.ask_text import print_verdict  # noqa: PLC0415  # as above

            print_verdict(oracle, question, explainer, reply, verdict)
        if reply.error:
            raise EndpointError(reply.error, where=explainer)

    guarded(command)


def find_states(oracle: Oracle, expressions: Sequence[str], *, subset: bool) -> tuple[int, ...]:
    """Return the states that the expressions select: one each, or for a subset question all that one selects."""
    import numpy as np  # noqa: PLC0415  # as above

    from engine.mdp.expressions import scope_of, select, select_one  # noqa: PLC0415

    scope = scope_of(oracle.mdp, oracle.constants, oracle.facts)
    if subset and len(expressions) == 1:
        found = np.flatnonzero(select(scope, expressions[0]))
        if not len(found):
            raise UsageError("no state matches", where=expressions[0])
        return tuple(found.tolist())
    return tuple(select_one(scope, text) for text in expressions)


def _answer(explainer: Explainer, question: Question) -> Reply:
    import asyncio  # noqa: PLC0415  # as above

    async def run() -> Reply:
        try:
            await explainer.start()
            return await explainer.ask(question)
        finally:
            await explainer.close()

    return asyncio.run(run())


def _say(text: str) -> None:
    from engine.text import plain  # noqa: PLC0415  # as above

    say(plain(text))


def _show_prompt(question: Question, *, json: bool) -> None:
    if json:
        prompt = {"system": question.system, "user": question.user, "response_schema": dict(question.schema)}
        print_json({"variant": question.variant, **prompt})
    else:
        typer.echo(f"{question.system}\n\n{question.user}")


def _as_json(oracle: Oracle, question: Question, reply: Reply, verdict: Verdict) -> dict[str, Any]:
    case: Case = question.case
    return {
        "category": case.category,
        "case": case.id,
        "states": [{"state": state, "valuation": oracle.mdp.valuation(state)} for state in case.states],
        "variant": question.variant,
        "system": question.system,
        "prompt": question.user,
        "text": reply.text,
        "reasoning": reply.reasoning,
        "answer": verdict.answer,
        "explanation": verdict.explanation,
        "verdict": verdict.outcome.value,
        "invalid_kind": verdict.invalid_kind.value if verdict.invalid_kind is not None else None,
        "score": verdict.score,
        "reason": verdict.reason,
        "accepted": list(verdict.accepted),
        "numbers": dict(verdict.numbers),
        "regret": verdict.regret,
        "seconds": reply.seconds,
        "attempts": reply.attempts,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
    }
