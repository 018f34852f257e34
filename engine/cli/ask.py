"""``stormscope ask``: one question, one verdict; or several explainers, wordings and samples side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

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
    PolicyOption,
    SeedOption,
    TimeoutOption,
    guarded,
    print_json,
    say,
)
from engine.cli.opening import Opening
from engine.errors import EndpointError, UsageError
from engine.queries.limits import MOST_SAMPLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.mdp.environment import Environment
    from engine.oracle.facts import Oracle

LOCAL = "local"
MOST_ANSWERS = 10_000


def ask(
    model: Model,
    category: Annotated[str, typer.Option("--category", help="What to ask.", metavar="C", show_default=False)],
    state: Annotated[
        list[str],
        typer.Option("--state", help="A PRISM expression that selects a state; again for each state.", metavar="EXPR"),
    ],
    explainer: Annotated[
        list[str] | None,
        typer.Option("--explainer", help="Who answers; again for several. [default: local]", metavar="E"),
    ] = None,
    variant: Annotated[
        list[str] | None, typer.Option("--variant", help="The wording, or all; again for several.", metavar="NAME")
    ] = None,
    samples: Annotated[int, typer.Option("--samples", help="Ask so often.", min=1, max=MOST_SAMPLES)] = 1,
    shuffle: Annotated[bool, typer.Option("--shuffle", help="List options in another order in each sample.")] = False,
    tolerance: Annotated[
        str | None, typer.Option("--tolerance", help="How far an answer to satisfy may be off.", metavar="X")
    ] = None,
    threshold: Annotated[str | None, typer.Option("--threshold", help="The bound λ of holds.", metavar="X")] = None,
    seed: SeedOption = 0,
    model_file: ModelFileOption = None,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print what would be sent, and send nothing.")
    ] = False,
    const: Const = None,
    objective: ObjectiveOption = None,
    danger: DangerOption = None,
    policy: PolicyOption = None,
    mode: ModeOption = "auto",
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    max_states: MaxStatesOption = None,
    json: JsonOption = False,
) -> None:
    """Ask one question and say whether the answer holds.

    With several explainers, wordings or samples the same question is asked of all, and the answers are set side by
    side.
    """
    opening = Opening(model, const or (), objective, danger, mode, timeout, memory, max_states)
    parameters = {"tolerance": tolerance, "threshold": threshold}

    def command() -> None:
        from engine.explainers.registry import make_explainer  # noqa: PLC0415  # commands load what they need
        from engine.prompts.rendering import render  # noqa: PLC0415
        from engine.queries.generation import case_for  # noqa: PLC0415
        from engine.queries.registry import category_named  # noqa: PLC0415
        from engine.settings import load_settings  # noqa: PLC0415
        from engine.verdicts.grading import judge  # noqa: PLC0415

        kind, settings = category_named(category), load_settings()
        names = _distinct(explainer or [LOCAL])
        who = [(name, make_explainer(name, settings, model_file=model_file, on_event=_say)) for name in names]
        oracle = opening.oracle(policy)
        given = {name: text for name, text in parameters.items() if text is not None}
        states = find_states(oracle, state, subset=kind.scope == "subset")
        case = case_for(oracle, kind.name, states, seed=seed, parameters=given)
        questions = [
            render(
                oracle,
                case,
                variant=wording,
                sample=sample,
                seed=seed,
                explanation_length=settings.explanation_length,
                shuffle=shuffle,
            )
            for wording in _wordings(oracle.environment, variant or ())
            for sample in range(samples)
        ]
        if len(who) * len(questions) > MOST_ANSWERS:
            raise UsageError(f"these are {len(who) * len(questions):,} answers", hint="stormscope run is for many")
        if show_prompt:
            from engine.cli.ask_json import prompts_json  # noqa: PLC0415  # as above
            from engine.cli.ask_text import print_prompts  # noqa: PLC0415  # as above

            print_json(prompts_json(who, questions)) if json else print_prompts(who, questions)
            return
        from engine.cli.ask_json import asked_json  # noqa: PLC0415  # as above
        from engine.cli.ask_text import print_answers  # noqa: PLC0415  # as above
        from engine.cli.asking import ask_all  # noqa: PLC0415  # as above

        asked = ask_all(who, questions, lambda question, reply: judge(oracle, question.case, reply), live=not json)
        print_json(asked_json(model, oracle, asked)) if json else print_answers(oracle, asked)
        failed = next((each for each in asked if each.reply.error), None)
        if failed is not None:
            raise EndpointError(failed.reply.error, where=failed.explainer)

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


def _wordings(environment: Environment, asked: Sequence[str]) -> tuple[str | None, ...]:
    """Return the wordings to ask in; None is the environment's first."""
    if "all" in asked and "all" not in environment.variants:
        return environment.variants
    return tuple(_distinct(asked)) or (None,)


def _distinct(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in names))


def _say(text: str) -> None:
    from engine.text import plain  # noqa: PLC0415  # as above

    say(plain(text))
