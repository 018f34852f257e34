"""A slow, independent oracle for small MDPs, without Storm: every fact by its plain definition (methods.md 1.1)."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from reference_solver import Distribution, Model, bottlenecks, expected, progressing, reachability

from engine.mdp.environment import Environment, load_environment
from engine.mdp.model import Mdp
from engine.oracle.facts import Facts, Kind, Objective, Oracle
from engine.oracle.numbers import Numbers
from engine.oracle.tri import Tri
from environments import packaged


def arrays(model: Model) -> Mdp:
    """Return the model as arrays."""
    choice_start, transition_start = [0], [0]
    successors: list[int] = []
    probabilities: list[Fraction] = []
    names: list[str] = []
    for actions in model.moves:
        for name, distribution in actions.items():
            names.append(name)
            successors += sorted(distribution)
            probabilities += [distribution[target] for target in sorted(distribution)]
            transition_start.append(len(successors))
        choice_start.append(len(names))
    table = tuple(sorted(set(probabilities)))
    distinct = tuple(dict.fromkeys(names))
    return Mdp(
        choice_start=np.array(choice_start, dtype=np.int64),
        transition_start=np.array(transition_start, dtype=np.int64),
        target=np.array(successors, dtype=np.int64),
        probability=np.array([float(p) for p in probabilities]),
        initial=np.array(sorted(model.initial), dtype=np.int64),
        action_names=distinct,
        action=np.array([distinct.index(name) for name in names], dtype=np.int64),
        labels={
            label: np.array([state in states for state in model.states], dtype=bool)
            for label, states in {**model.labels, "init": set(model.initial)}.items()
        },
        valuations={name: np.array(column, dtype=np.int64) for name, column in model.valuations.items()},
        exact_probability=np.array([table.index(p) for p in probabilities], dtype=np.int64),
        probability_table=table,
    )


def oracle(
    model: Model,
    *,
    kind: Kind = Kind.PMAX,
    target: str = "goal",
    danger: str | None = "unsafe",
    allowed: set[int] | None = None,
    environment: Environment | None = None,
    constants: dict[str, str] | None = None,
) -> Oracle:
    """Return the checked model, every fact by its definition."""
    targets = model.labels[target]
    phi = set(model.states) if allowed is None else allowed
    value = reachability(model, targets, kind, phi)
    better = max if kind is Kind.PMAX else min
    worse = min if kind is Kind.PMAX else max
    q: list[Fraction | None] = []
    best: list[Tri] = []
    worst: list[Tri] = []
    optimal: dict[int, list[str]] = {}
    for state, actions in enumerate(model.moves):
        if state in targets or state not in phi:
            q += [None] * len(actions)
            best += [Tri.UNDEFINED] * len(actions)
            worst += [Tri.UNDEFINED] * len(actions)
            continue
        here = {name: expected(value, distribution) for name, distribution in actions.items()}
        q += here.values()
        best += [Tri(here[name] == better(here.values())) for name in actions]
        worst += [Tri(here[name] == worse(here.values())) for name in actions]
        optimal[state] = [name for name in actions if here[name] == better(here.values())]
    progress = [
        Tri(name in optimal[state] and progressing(model, targets, optimal, state, name))
        if kind is Kind.PMAX and state in optimal and value[state] > 0
        else Tri.UNDEFINED
        for state, actions in enumerate(model.moves)
        for name in actions
    ]
    dead = [value[s] == 0 if kind is Kind.PMAX else value[s] == 1 and s not in targets for s in model.states]
    narrow = bottlenecks(model, targets, phi)
    risk = None if danger is None else reachability(model, model.labels[danger], Kind.PMIN)
    text = f'{kind}=? [F "{target}"]'
    facts = Facts(
        objective=Objective(text, kind),
        value=Numbers.from_exact(value),
        q=Numbers.from_exact(q),
        best=np.array(best, dtype=np.int8),
        worst=np.array(worst, dtype=np.int8),
        progressing=np.array(progress, dtype=np.int8),
        dead_end=np.array(dead, dtype=np.int8),
        bottleneck=np.array(
            [Tri(s in narrow) if kind is Kind.PMAX else Tri.UNDEFINED for s in model.states], dtype=np.int8
        ),
        danger=None if risk is None else Numbers.from_exact(risk),
        danger_text=None if danger is None else f'Pmin=? [F "{danger}"]',
        phi=np.array([s in phi for s in model.states]),
        target=np.array([s in targets for s in model.states]),
    )
    identity = hashlib.sha256(repr((model, text, danger, sorted(phi))).encode()).hexdigest()
    bare = Environment(name="small", title="A small model", summary="", model=Path("small.prism"))
    return Oracle(identity, environment or bare, constants or {}, arrays(model), facts, exact=True)


def enclosed(exact: Oracle, slack: float) -> Oracle:
    """Return the same facts as sound mode would know them: intervals, and comparisons only where these are apart.

    Values 0 and 1 stay points, as they come from the graph.
    """
    value, q = (_intervals(numbers, slack) for numbers in (exact.facts.value, exact.facts.q))
    facts = exact.facts
    best, worst = facts.best.copy(), facts.worst.copy()
    for state in range(exact.mdp.states):
        span = list(exact.mdp.choices_of(state))
        for members, largest in (
            (best, facts.objective.kind.maximises),
            (worst, not facts.objective.kind.maximises),
        ):
            for choice in span:
                if members[choice] != Tri.UNDEFINED:
                    members[choice] = _extreme(q, choice, [c for c in span if c != choice], largest=largest)
    known = replace(facts, value=value, q=q, best=best, worst=worst)
    return replace(exact, identity=f"{exact.identity} ±{slack}", facts=known, exact=False)


def _intervals(numbers: Numbers, slack: float) -> Numbers:
    point = (numbers.lower == 0) | (numbers.lower == 1)
    width = np.where(point, 0.0, slack)
    return Numbers(numbers.lower - width, numbers.lower + width)


def _extreme(q: Numbers, choice: int, others: list[int], *, largest: bool) -> Tri:
    def beats(a: int, b: int) -> bool:
        return bool(q.lower[a] > q.upper[b]) if largest else bool(q.upper[a] < q.lower[b])

    def holds(a: int, b: int) -> bool:
        return bool(q.lower[a] >= q.upper[b]) if largest else bool(q.upper[a] <= q.lower[b])

    if any(beats(other, choice) for other in others):
        return Tri.NO
    return Tri.YES if all(holds(choice, other) for other in others) else Tri.UNDECIDED


LAKE_4X4 = "SFFFFHFHFFFHHFFG"


def frozen_lake_4x4() -> Oracle:
    """Return slippery Frozen Lake: the intended direction and both sideways ones with probability 1/3 each."""
    steps = {"left": (0, -1), "down": (1, 0), "right": (0, 1), "up": (-1, 0)}
    sideways = {"left": ("up", "down"), "right": ("up", "down"), "up": ("left", "right"), "down": ("left", "right")}

    def step(tile: int, direction: str) -> int:
        row, column = divmod(tile, 4)
        down, right = steps[direction]
        return min(3, max(0, row + down)) * 4 + min(3, max(0, column + right))

    moves: list[dict[str, Distribution]] = []
    for tile, kind in enumerate(LAKE_4X4):
        if kind in "HG":
            moves.append({"stay": {tile: Fraction(1)}})
            continue
        actions: dict[str, Distribution] = {}
        for name in steps:
            distribution: Distribution = {}
            for direction in (name, *sideways[name]):
                there = step(tile, direction)
                distribution[there] = distribution.get(there, Fraction(0)) + Fraction(1, 3)
            actions[name] = distribution
        moves.append(actions)
    labels = {
        "goal": {tile for tile, kind in enumerate(LAKE_4X4) if kind == "G"},
        "unsafe": {tile for tile, kind in enumerate(LAKE_4X4) if kind == "H"},
    }
    model = Model(moves, labels, valuations={"pos": list(range(16))})
    environment = load_environment(packaged()["frozen_lake"])
    return oracle(model, environment=environment, constants={"map": "4", "slip": "1/3"})
