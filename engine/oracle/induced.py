"""The chain that a policy makes of an MDP, as a DRN file with exact probabilities."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import ModelError
from engine.oracle.numbers import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts, Objective
    from engine.oracle.numbers import BoolArray
    from engine.oracle.policies import Policy

HEADER = (
    "@type: {kind}\n@parameters\n\n@reward_models\n{rewards}\n@nr_states\n{states}\n@nr_choices\n{choices}\n@model\n"
)


def write_chain(path: Path, mdp: Mdp, facts: Facts, policy: Policy) -> None:
    """Write the induced chain: labels ``phi`` and ``aim`` beside the model's own, the objective's reward as ``r``.

    States keep their numbers. A state about which the policy says nothing gets a loop.
    """
    text = [
        HEADER.format(
            kind="MDP", rewards="r" if facts.reward is not None else "", states=mdp.states, choices=mdp.states
        )
    ]
    for state in range(mdp.states):
        moves = policy.distribution(mdp, state) or {}
        text.append(f"state {state}{labels_of(mdp, facts, state)}\n")
        reward = f" [{_reward(facts, moves)}]" if facts.reward is not None else ""
        text.append(f"\taction {_name(mdp, moves)}{reward}\n")
        successors: defaultdict[int, Fraction] = defaultdict(Fraction)
        for choice, weight in moves.items():
            for target, probability in mdp.successors(choice):
                successors[target] += weight * Fraction(probability)
        text += [f"\t\t{target} : {value}\n" for target, value in sorted((successors or {state: Fraction(1)}).items())]
    write_atomically(path, text)


def objective_of(objective: Objective, phi: BoolArray, target: BoolArray) -> str:
    """Return an objective in the labels ``phi`` and ``aim`` and the reward ``r`` of such a file.

    A label that no state has does not exist in the format; ``false`` says the same.
    """
    left, right = ('"phi"' if phi.any() else "false"), ('"aim"' if target.any() else "false")
    kind, bound = objective.kind.value, "" if objective.bound is None else f"<={objective.bound}"
    if objective.kind.is_reward:
        return f'{kind[0]}{{"r"}}{kind[1:]}=? [F{bound} {right}]'
    return f"{kind}=? [{left} U{bound} {right}]"


def without_empty_labels(text: str, labels: Mapping[str, BoolArray]) -> str:
    """Return a property with ``false`` for every label that no state has."""
    return re.sub(r'"([^"]*)"', lambda found: found[0] if labels[found[1]].any() else "false", text)


def labels_of(mdp: Mdp, facts: Facts | None, state: int) -> str:
    """Return a state's labels as DRN writes them, a space before each."""
    names = [name for name in mdp.labels_of(state) if name not in {"phi", "aim"}]
    if facts is not None:
        names += ["phi"] * bool(facts.phi[state]) + ["aim"] * bool(facts.target[state])
    return "".join(f" {quoted(name)}" for name in names)


def quoted(name: str) -> str:
    """Return a label or action as DRN reads it."""
    return name if name.isidentifier() else '"' + name.replace('"', "'") + '"'


def write_atomically(path: Path, parts: Sequence[str]) -> None:
    """Write a text file that is either whole or not there; raises ModelError if that fails."""
    scratch = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_text("".join(parts), encoding="utf-8")
        scratch.replace(path)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)
        raise ModelError(f"the file cannot be written: {error.strerror}", where=str(path)) from None


def _name(mdp: Mdp, moves: dict[int, Fraction]) -> str:
    return quoted(mdp.action_name(next(iter(moves)))) if len(moves) == 1 else "__NOLABEL__"


def _reward(facts: Facts, moves: dict[int, Fraction]) -> Fraction:
    total = Fraction(0)
    for choice, weight in moves.items():
        reward = facts.reward.at(choice) if facts.reward is not None else None
        middle = (reward.lower + reward.upper) / 2 if isinstance(reward, Interval) else reward
        total += weight * Fraction(middle or 0)
    return total
