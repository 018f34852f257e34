"""``stormscope cases``: the generated test cases, with difficulty and the oracle's answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.categories import read_categories
from engine.cli.common import (
    Categories,
    Const,
    DangerOption,
    DifficultyOption,
    JsonOption,
    MaxStatesOption,
    MemoryOption,
    Model,
    ModeOption,
    ObjectiveOption,
    PolicyOption,
    SeedOption,
    TimeoutOption,
    ToleranceOption,
    guarded,
    print_json,
)
from engine.cli.opening import Opening

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.queries.generation import Generated


def cases(
    model: Model,
    category: Categories = None,
    budget: Annotated[int, typer.Option("--budget", help="Cases for each category.", min=1)] = 20,
    strategy: Annotated[str, typer.Option("--strategy", help="prioritized or random.", metavar="S")] = "prioritized",
    seed: SeedOption = 0,
    subset_size: Annotated[int, typer.Option("--subset-size", help="States of a subset question.", min=2)] = 4,
    difficulty: DifficultyOption = "paper",
    tolerance: ToleranceOption = "0.01",
    policy: PolicyOption = None,
    const: Const = None,
    objective: ObjectiveOption = None,
    danger: DangerOption = None,
    mode: ModeOption = "auto",
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    max_states: MaxStatesOption = None,
    json: JsonOption = False,
) -> None:
    """Generate test cases: which states are asked about, how hard that is, and what is true."""
    opening = Opening(model, const or (), objective, danger, mode, timeout, memory, max_states)

    def command() -> None:
        from engine.queries.generation import generate, read_strategy  # noqa: PLC0415  # commands load what they need
        from engine.queries.setting import read_formula, read_tolerance  # noqa: PLC0415
        from engine.verdicts.casefile import case_json, checked_model_json  # noqa: PLC0415

        names = read_categories(category)
        chosen, formula, allowed = read_strategy(strategy), read_formula(difficulty), read_tolerance(tolerance)
        oracle = opening.oracle(policy)
        found = generate(
            oracle,
            names,
            budget=budget,
            strategy=chosen,
            seed=seed,
            subset_size=subset_size,
            difficulty=formula,
            tolerance=allowed,
        )
        if json:
            print_json(
                {
                    "model": model,
                    "checked_model": checked_model_json(oracle, mode),
                    "objective": oracle.facts.objective.text,
                    "mode": "exact" if oracle.exact else "sound",
                    "strategy": strategy,
                    "difficulty": found.difficulty,
                    "tolerance": str(allowed),
                    "policy": None if policy is None else str(policy),
                    "seed": seed,
                    "budget": budget,
                    "cases": [case_json(oracle, case) for case in found.cases],
                    "omitted": dict(found.omitted),
                    "notes": dict(found.notes),
                }
            )
        else:
            _print(oracle, found, strategy)

    guarded(command)


def _print(oracle: Oracle, found: Generated, strategy: str) -> None:
    from rich.table import Table  # noqa: PLC0415  # as above
    from rich.text import Text  # noqa: PLC0415

    from engine.cli.common import console  # noqa: PLC0415
    from engine.queries.names import state_names  # noqa: PLC0415
    from engine.queries.registry import category_named  # noqa: PLC0415
    from engine.verdicts.answer_words import accepted_words  # noqa: PLC0415

    out = console()
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("category", no_wrap=True)
    table.add_column("states")
    table.add_column("δ", justify="right", no_wrap=True)
    table.add_column("chance", justify="right", no_wrap=True)
    table.add_column("the oracle's answer")
    for case in found.cases:
        delta = "-" if case.difficulty is None else f"{case.difficulty:.3f}"
        states = "  ".join(_told(name) for name in state_names(oracle.mdp, case.states))
        answer = accepted_words(case)
        answer += "".join(f" ({name} {value})" for name, value in case.parameters.items())
        chance = float(category_named(case.category).chance(case).verdict)
        table.add_row(case.category, Text(states), delta, f"{chance:.3f}", Text(answer))
    out.print(table)
    out.print(f"strategy {strategy}, difficulty δ by the {found.difficulty} formulas, chance of the verdict grader")
    for name, reason in {**found.omitted, **found.notes}.items():
        out.print(f"{name}: {reason}", style="yellow")


def _told(name: str) -> str:
    return f"state {name}" if name.isdecimal() else name
