"""Parts of a checked model as files: a state's neighbourhood as DRN or Graphviz dot."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import UsageError
from engine.mdp.drn import UNNAMED, drn_word
from engine.oracle.derivation.graphs import levels
from engine.oracle.numbers import number_text
from engine.oracle.policy.drn_rows import drn_text, header, quoted
from engine.oracle.policy.exact_rows import exact_row, with_exact_rows
from engine.oracle.policy.induced import all_rewards, chain_of, write_atomically
from engine.oracle.policy.policies import Policy
from engine.oracle.policy.policy_moves import moves_of
from engine.oracle.policy.rebuilt import exact_reward

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts

LARGEST = 100_000
_STORMS = ("init", "deadlock")
"""Labels that Storm gives every model."""


def neighbourhood(mdp: Mdp, state: int, depth: int) -> list[int]:
    """Return the states that can be reached from a state in so many steps, itself first, then by distance."""
    level = levels(mdp.graph, np.array([state], dtype=np.int64))
    inside = np.flatnonzero((level >= 0) & (level <= depth))
    if len(inside) > LARGEST:
        raise UsageError(f"{len(inside):,} states are too many to export", hint="choose a smaller depth")
    found: list[int] = inside[np.argsort(level[inside], kind="stable")].tolist()
    return found


def export_neighbourhood(path: Path, mdp: Mdp, facts: Facts | None, state: int, depth: int) -> int:
    """Write a state's neighbourhood, ``.drn`` or ``.dot`` by the file's ending; return its number of states.

    States on the rim keep only a loop (DRN) or are drawn dashed (dot), as their successors are not part of it. DRN has
    the labels and the reward models of the model; the state itself is its initial one. Its numbers are exact: doubles
    are written as fractions that sum to 1 (`exact_row`).
    """
    if not path.parent.is_dir():
        raise UsageError("there is no such folder", where=str(path.parent))
    states = neighbourhood(mdp, state, depth)
    if path.suffix == ".drn":
        write_atomically(path, _drn(mdp, states, labels_of_none(mdp, states)))
    elif path.suffix in {".dot", ".gv"}:
        write_atomically(path, _dot(mdp, facts, states))
    else:
        raise _no_format(path)
    return len(states)


def export_chain(path: Path, mdp: Mdp, facts: Facts, policy: Policy) -> None:
    """Write the chain that a policy makes of the model, ``.drn`` or ``.dot`` by the file's ending.

    Where the objective is settled (in targets and outside φ) a policy need not say anything: there the chain takes the
    first action. Raises UsageError if the policy says nothing about another state: there is no chain then.
    """
    policy = _completed(mdp, facts, policy)
    silent = np.flatnonzero(moves_of(mdp, policy).silent)
    if len(silent):
        raise UsageError(
            f"the policy says nothing about {len(silent):,} states, the first being state {silent[0]}",
            where=policy.name,
            hint="a chain needs an action in every state",
        )
    if not path.parent.is_dir():
        raise UsageError("there is no such folder", where=str(path.parent))
    if path.suffix == ".drn":
        chain = with_exact_rows(chain_of(mdp, policy))
        write_atomically(path, drn_text(chain, comments=_comments(labels_of_none(mdp))))
    elif path.suffix in {".dot", ".gv"}:
        text = ["digraph chain {\n  node [shape=box];\n"]
        for state in range(mdp.states):
            text.append(_dot_state(mdp, facts, state))
            for choice, weight in (policy.distribution(mdp, state) or {}).items():
                text += [
                    f'  s{state} -> s{target} [label="{_escaped(mdp.action_name(choice))} {weight * Fraction(p)}"];\n'
                    for target, p in mdp.successors(choice)
                ]
        write_atomically(path, [*text, "}\n"])
    else:
        raise _no_format(path)


def _no_format(path: Path) -> UsageError:
    return UsageError(f"{path.suffix or 'no ending'} is no format here", where=str(path), hint="use .drn or .dot")


def _completed(mdp: Mdp, facts: Facts, policy: Policy) -> Policy:
    """Return a policy that takes the first action where it says nothing and nothing depends on it."""
    settled = np.asarray(facts.target | ~facts.phi) & moves_of(mdp, policy).silent
    first = {state: {mdp.choices_of(state)[0]: Fraction(1)} for state in np.flatnonzero(settled).tolist()}
    return Policy(policy.name, {**policy.moves, **first})


def labels_of_none(mdp: Mdp, states: Sequence[int] | None = None) -> list[str]:
    """Return the model's labels that none of some states has, of all by default.

    DRN has labels on states only, so such a label does not exist for who reads the file.
    """
    some = slice(None) if states is None else np.asarray(states, dtype=np.int64)
    return [name for name, mask in mdp.labels.items() if name not in _STORMS and not mask[some].any()]


def _comments(absent: Sequence[str]) -> list[str]:
    return [f"labels of the model that no state here has: {', '.join(map(quoted, absent))}"] if absent else []


def _drn(mdp: Mdp, states: list[int], absent: Sequence[str]) -> list[str]:
    number = {state: index for index, state in enumerate(states)}
    inside = {s: all(t in number for c in mdp.choices_of(s) for t, _ in mdp.successors(c)) for s in states}
    choices = sum(len(mdp.choices_of(state)) if inside[state] else 1 for state in states)
    rewards = all_rewards(mdp)
    text = [
        header("DTMC" if choices == len(states) else "MDP", tuple(rewards), len(states), choices, _comments(absent))
    ]
    for state in states:
        labels = ["init"] * (number[state] == 0) + [name for name in mdp.labels_of(state) if name != "init"]
        text.append(f"state {number[state]}{''.join(f' {quoted(name)}' for name in labels)}\n")
        if not inside[state]:
            text.append(f"\taction rim{_earned(['0'] * len(rewards))}\n\t\t{number[state]} : 1\n")
            continue
        for place, choice in enumerate(mdp.choices_of(state)):
            name = mdp.action_name(choice)
            word = UNNAMED if name == f"action {place}" else drn_word(name)
            earned = _earned([str(exact_reward(numbers, choice)) for numbers in rewards.values()])
            text.append(f"\taction {word}{earned}\n")
            targets, row = zip(*sorted(mdp.successors(choice)), strict=True)
            text += [f"\t\t{number[target]} : {p}\n" for target, p in zip(targets, exact_row(row), strict=True)]
    return text


def _earned(rewards: list[str]) -> str:
    return f" [{', '.join(rewards)}]" if rewards else ""


def _dot(mdp: Mdp, facts: Facts | None, states: list[int]) -> list[str]:
    known = set(states)
    text = ["digraph neighbourhood {\n  node [shape=box];\n"]
    for state in states:
        text.append(_dot_state(mdp, facts, state))
        for choice in mdp.choices_of(state):
            targets = mdp.successors(choice)
            if not all(target in known for target, _ in targets):
                text.append(f"  s{state} [style=dashed];\n")
                continue
            text.append(
                f'  c{choice} [shape=point]; s{state} -> c{choice} [label="{_escaped(mdp.action_name(choice))}"];\n'
            )
            text += [f'  c{choice} -> s{target} [label="{p}"];\n' for target, p in targets]
    return [*text, "}\n"]


def _dot_state(mdp: Mdp, facts: Facts | None, state: int) -> str:
    name = ",".join(f"{n}={str(v).lower()}" for n, v in mdp.valuation(state).items()) or f"state {state}"
    value = f"\\nV={number_text(facts.value.at(state))}" if facts is not None else ""
    return f'  s{state} [label="{_escaped(name)}{value}"];\n'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
