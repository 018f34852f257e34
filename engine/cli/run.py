"""``stormscope run``: a campaign with live progress."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.cli.common import (
    Categories,
    Const,
    DangerOption,
    JsonOption,
    MaxStatesOption,
    MemoryOption,
    ModelFileOption,
    ModeOption,
    ObjectiveOption,
    SeedOption,
    TimeoutOption,
    guarded,
)
from engine.cli.opening import Opening


def run(
    env: Annotated[
        list[str] | None, typer.Option("--env", help="A model, with constants if need be.", metavar="MODEL[:k=v,…]")
    ] = None,
    explainer: Annotated[list[str] | None, typer.Option("--explainer", help="Who answers.", metavar="E")] = None,
    category: Categories = None,
    budget: Annotated[int, typer.Option("--budget", help="Cases for each category and strategy.", min=1)] = 20,
    samples: Annotated[int, typer.Option("--samples", help="Answers for each case and wording.", min=1)] = 1,
    strategy: Annotated[
        list[str] | None, typer.Option("--strategy", help="prioritized or random, or both.", metavar="S")
    ] = None,
    variant: Annotated[list[str] | None, typer.Option("--variant", help="A wording, or all.", metavar="V")] = None,
    seed: SeedOption = 0,
    concurrency: Annotated[int, typer.Option("--concurrency", help="Questions in flight, for each model.", min=1)] = 4,
    out: Annotated[
        Path | None, typer.Option("--out", help="The campaign's file; continued if it exists.", metavar="FILE")
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option("--fail-under", help="Exit with 1 if a language model passes less.", metavar="X", min=0, max=1),
    ] = None,
    grader: Annotated[str, typer.Option("--grader", help="verdict or score, for the table.", metavar="G")] = "verdict",
    model_file: ModelFileOption = None,
    const: Const = None,
    objective: ObjectiveOption = None,
    danger: DangerOption = None,
    mode: ModeOption = "auto",
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    max_states: MaxStatesOption = None,
    json: JsonOption = False,
) -> None:
    """Run a campaign: ask every explainer about every model, and print how many answers hold."""

    def command() -> None:
        from engine.campaign.plan import Plan  # noqa: PLC0415  # commands load what they need
        from engine.cli.campaign import Campaign, finish, models_of  # noqa: PLC0415
        from engine.cli.report import read_grader  # noqa: PLC0415
        from engine.queries.registry import all_categories, category_named  # noqa: PLC0415
        from engine.settings import load_settings  # noqa: PLC0415

        settings = load_settings()
        shared = Opening("", const or (), objective, danger, mode, timeout, memory, max_states)
        openings = models_of(env, shared)
        plan = Plan(
            models=tuple(openings),
            explainers=tuple(explainer or ("local",)),
            categories=tuple(category_named(name).name for name in category or all_categories()),
            strategies=tuple(strategy or ("prioritized",)),
            variants=tuple(variant or ()),
            budget=budget,
            samples=samples,
            seed=seed,
            concurrency=concurrency,
            explanation_length=settings.explanation_length,
        )
        read_grader(grader)
        campaign = Campaign(plan, openings, settings, out, model_file)
        finish(campaign.run(), grader, fail_under, json=json)

    guarded(command)
