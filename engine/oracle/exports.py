"""Parts of a checked model as files: a state's neighbourhood as DRN or Graphviz dot."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import UsageError
from engine.oracle.derivation.graphs import levels
from engine.oracle.numbers import number_text
from engine.oracle.policy.drn_rows import HEADER, drn_text, quoted
from engine.oracle.policy.induced import induced, labels_of, write_atomically
from engine.oracle.policy.policy_moves import moves_of

if TYPE_CHECKING:
    from pathlib import Path

    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.policy.policies import Policy

LARGEST = 100_000


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

    States on the rim keep only a loop (DRN) or are drawn dashed (dot), as their successors are not part of it.
    """
    if not path.parent.is_dir():
        raise UsageError("there is no such folder", where=str(path.parent))
    states = neighbourhood(mdp, state, depth)
    if path.suffix == ".drn":
        write_atomically(path, _drn(mdp, facts, states))
    elif path.suffix in {".dot", ".gv"}:
        write_atomically(path, _dot(mdp, facts, states))
    else:
        raise _no_format(path)
    return len(states)


def export_chain(path: Path, mdp: Mdp, facts: Facts, policy: Policy) -> None:
    """Write the chain that a policy makes of the model, ``.drn`` or ``.dot`` by the file's ending.

    Raises UsageError if the policy says nothing about a state: there is no chain then.
    """
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
        write_atomically(path, drn_text(induced(mdp, facts, policy)))
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


def _drn(mdp: Mdp, facts: Facts | None, states: list[int]) -> list[str]:
    number = {state: index for index, state in enumerate(states)}
    inside = {s: all(t in number for c in mdp.choices_of(s) for t, _ in mdp.successors(c)) for s in states}
    choices = sum(len(mdp.choices_of(state)) if inside[state] else 1 for state in states)
    text = [HEADER.format(kind="MDP", rewards="", states=len(states), choices=choices)]
    for state in states:
        start = " init" if number[state] == 0 else ""
        text.append(f"state {number[state]}{start}{labels_of(mdp, facts, state).replace(' init', '')}\n")
        if not inside[state]:
            text.append(f"\taction rim\n\t\t{number[state]} : 1\n")
            continue
        for choice in mdp.choices_of(state):
            text.append(f"\taction {quoted(mdp.action_name(choice))}\n")
            text += [f"\t\t{number[target]} : {p}\n" for target, p in sorted(mdp.successors(choice))]
    return text


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
