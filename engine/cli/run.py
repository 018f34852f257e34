"""``stormscope run``: a campaign with live progress."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.common import (
    Const,
    DangerOption,
    DifficultyOption,
    JsonOption,
    MaxStatesOption,
    MemoryOption,
    ModelFileOption,
    ModeOption,
    ObjectiveOption,
    PolicyOption,
    SeedOption,
    TimeoutOption,
    guarded,
)
from engine.cli.opening import Opening
from engine.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.campaign.frozen import Frozen


def run(
    context: typer.Context,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", help="A model, with constants if need be; or all, the default.", metavar="MODEL[:k=v,…]"),
    ] = None,
    cases: Annotated[
        list[Path] | None,
        typer.Option("--cases", help="Ask the cases of a file that `cases --json` has written.", metavar="FILE"),
    ] = None,
    explainer: Annotated[list[str] | None, typer.Option("--explainer", help="Who answers.", metavar="E")] = None,
    category: Annotated[
        list[str] | None,
        typer.Option("--category", help="What to ask; or paper (its ten, the default), extensions, all.", metavar="C"),
    ] = None,
    budget: Annotated[int, typer.Option("--budget", help="Cases for each category and strategy.", min=1)] = 20,
    samples: Annotated[int, typer.Option("--samples", help="Answers for each case and wording.", min=1)] = 1,
    strategy: Annotated[
        list[str] | None,
        typer.Option("--strategy", help="prioritized (the default), random or both, which RQ1 needs.", metavar="S"),
    ] = None,
    difficulty: DifficultyOption = "paper",
    variant: Annotated[list[str] | None, typer.Option("--variant", help="A wording, or all.", metavar="V")] = None,
    shuffle: Annotated[
        bool, typer.Option("--shuffle", help="Show the options in another order for each case and sample.")
    ] = False,
    tolerance: Annotated[
        str | None,
        typer.Option("--tolerance", help="How far an answer to satisfy may be off; 0.01 by default.", metavar="X"),
    ] = None,
    seed: SeedOption = 0,
    concurrency: Annotated[int, typer.Option("--concurrency", help="Questions in flight, for each model.", min=1)] = 4,
    out: Annotated[
        Path | None, typer.Option("--out", help="The campaign's file; continued if it exists.", metavar="FILE")
    ] = None,
    retry_errors: Annotated[
        bool,
        typer.Option("--retry-errors", help="Ask again what ended in an error before; a refused key never counts."),
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask anew what another campaign has asked in the very same way.")
    ] = False,
    probe: Annotated[bool, typer.Option("--probe", help="First find out what the endpoints do.")] = False,
    fail_under: Annotated[
        float | None,
        typer.Option("--fail-under", help="Exit with 1 if a language model passes less.", metavar="X", min=0, max=1),
    ] = None,
    grader: Annotated[str, typer.Option("--grader", help="verdict or score, for the table.", metavar="G")] = "verdict",
    export_failures: Annotated[
        Path | None,
        typer.Option("--export-failures", help="Write failed cases in chat format.", metavar="FILE.jsonl"),
    ] = None,
    model_file: ModelFileOption = None,
    const: Const = None,
    policy: PolicyOption = None,
    objective: ObjectiveOption = None,
    danger: DangerOption = None,
    mode: ModeOption = "auto",
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    max_states: MaxStatesOption = None,
    json: JsonOption = False,
) -> None:
    """Run a campaign: ask every explainer about every model, and print how many answers hold.

    The same command with the same file goes on where it stopped; a larger grid adds what is missing.
    """

    def command() -> None:
        from functools import partial  # noqa: PLC0415  # commands load what they need

        from engine.campaign.plan import Plan  # noqa: PLC0415
        from engine.cli.campaign import Campaign, finish, models_of, models_of_cases  # noqa: PLC0415
        from engine.cli.categories import read_categories  # noqa: PLC0415
        from engine.cli.report import read_grader  # noqa: PLC0415
        from engine.cli.resume import resume_command  # noqa: PLC0415
        from engine.settings import load_settings  # noqa: PLC0415

        read_grader(grader)
        settings = load_settings()
        shared = Opening("", const or (), objective, danger, mode, timeout, memory, max_states)
        settled = {"--env": env, "--strategy": strategy, "--tolerance": tolerance, "--const": const, "--policy": policy}
        frozen = _frozen(cases, {**settled, "--objective": objective, "--danger": danger})
        openings = models_of(env, shared) if frozen is None else models_of_cases(frozen, shared)
        if policy is not None and len(openings) > 1:
            raise UsageError("a policy belongs to one model", where="--policy", hint="name the model with --env MODEL")
        plan = Plan(
            models=tuple(openings),
            explainers=tuple(explainer or ("local",)),
            categories=read_categories(category) if frozen is None or category else frozen.categories,
            strategies=_strategies(strategy) if frozen is None else frozen.strategies,
            variants=tuple(variant or ()),
            budget=budget if frozen is None else frozen.largest,
            samples=samples,
            seed=seed,
            concurrency=concurrency,
            explanation_length=settings.explanation_length,
            difficulty=difficulty if frozen is None else frozen.difficulty,
            shuffle=shuffle,
            tolerance=tolerance or (None if frozen is None else frozen.tolerance) or "1/100",
            frozen="" if frozen is None else frozen.digest,
            policy="" if policy is None else _named(policy),
        )
        campaign = Campaign(
            plan,
            openings,
            settings,
            out,
            model_file,
            frozen=frozen,
            policy=policy,
            fresh=fresh,
            retry_errors=retry_errors,
            probe=probe,
        )
        outcome = campaign.run()
        if export_failures is not None:
            _export(outcome.file, export_failures)
        resume = partial(resume_command, context, outcome.file)
        finish(outcome, grader, fail_under, lambda *add: resume(add=add), json=json)

    guarded(command)


def _strategies(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return the strategies that are named, ``both`` being all there are; `Plan` refuses what does not exist."""
    from engine.campaign.plan import STRATEGIES  # noqa: PLC0415  # as above

    named = [name for text in texts or ("prioritized",) for name in (STRATEGIES if text == "both" else (text,))]
    return tuple(dict.fromkeys(named)) if "both" in (texts or ()) else tuple(named)


def _frozen(cases: Sequence[Path] | None, settled: Mapping[str, object]) -> Frozen | None:
    """Return the cases of the files, None if none is given; raises UsageError for options that they have settled."""
    from engine.campaign.frozen import Frozen  # noqa: PLC0415  # as above
    from engine.verdicts.casefile import read_case_file  # noqa: PLC0415

    if not cases:
        return None
    given = next((name for name, value in settled.items() if value), None)
    if given is not None:
        raise UsageError(f"{given} has no meaning with --cases: the files have settled that", hint="leave it out")
    return Frozen(tuple(read_case_file(path) for path in cases))


def _named(policy: Path) -> str:
    """Return what a campaign file calls a policy: another one, or a changed one, has another name."""
    import hashlib  # noqa: PLC0415  # as above

    try:
        content = policy.read_bytes()
    except OSError as error:
        raise UsageError(f"the policy cannot be read: {error.strerror}", where=str(policy)) from None
    return f"{policy.name} ({hashlib.sha256(content).hexdigest()[:16]})"


def _export(campaign: Path, path: Path) -> None:
    from engine.cli.common import say  # noqa: PLC0415  # as above
    from engine.verdicts.failures import export_failures  # noqa: PLC0415
    from engine.verdicts.store import Store  # noqa: PLC0415

    with Store(campaign, write=False) as store:
        count = export_failures(store, path)
    say(f"{count:,} failed cases are in {path}")
