"""Explicit models: ``.tra`` and ``.lab`` files, with the rewards beside them, read exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import ModelError
from engine.mdp.drn import Choice, Explicit
from engine.mdp.rewards import read_rewards
from engine.mdp.tables import lines_of, numbers_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from engine.mdp.rewards import Rewards

_MDP_FIELDS = (4, 5)


@dataclass
class _Transitions:
    """Transitions by state and choice while they are read."""

    states: int
    with_choices: bool
    rows: dict[int, dict[int, dict[int, Fraction]]] = field(default_factory=dict)
    actions: dict[tuple[int, int], str] = field(default_factory=dict)


def read_explicit(transitions: Path, labels: Path | None, rewards: Sequence[Path] = ()) -> Explicit:
    """Read a transitions file with the labels file and the reward files beside it.

    PRISM's and Storm's explicit formats are read: ``states choices transitions`` on the first line (or Storm's model
    type), then ``source choice target probability [action]``, or without the choice for a DTMC. Raises ModelError
    with file and line.
    """
    model = _read_transitions(transitions)
    for state in range(model.states):
        if state not in model.rows:
            raise ModelError(
                f"state {state} has no transition", where=str(transitions), hint="give absorbing states a loop"
            )
    names = _read_labels(labels, model.states) if labels is not None else {0: ["init"]}
    found = read_rewards(rewards, model.states, with_choices=model.with_choices)
    _require_choices(model, found)
    states = [
        [_choice(model, found, state, choice) for choice in sorted(model.rows[state])] for state in range(model.states)
    ]
    return Explicit(
        kind="MDP" if model.with_choices else "DTMC",
        states=states,
        labels=names,
        reward_models=tuple(found),
        state_rewards={name: rewards.states for name, rewards in found.items()},
    )


def _choice(model: _Transitions, rewards: dict[str, Rewards], state: int, choice: int) -> Choice:
    distribution = model.rows[state][choice]
    expected = {
        name: sum(
            (probability * found.moves.get((state, choice, target), 0) for target, probability in distribution.items()),
            Fraction(0),
        )
        for name, found in rewards.items()
    }
    return Choice(distribution, model.actions.get((state, choice)), expected)


def _require_choices(model: _Transitions, rewards: dict[str, Rewards]) -> None:
    """Raise ModelError for a reward on a transition that the model does not have: it would be lost."""
    for found in rewards.values():
        for (state, choice, target), where in found.where.items():
            if target not in model.rows[state].get(choice, {}):
                raise ModelError(
                    f"the model has no transition from {state} to {target} there", where=where, hint="mend this line"
                )


def _read_transitions(path: Path) -> _Transitions:
    lines = lines_of(path)
    number, first = next(lines, (1, []))
    if len(first) == 1 and first[0].lower() in {"mdp", "dtmc"}:
        number, first = next(lines, (number, []))
    if first and all(re.fullmatch(r"\d+", word) for word in first) and len(first) in {2, 3}:
        model = _Transitions(int(first[0]), len(first) == len(("states", "choices", "transitions")))
        known, pending = True, []
    else:
        model = _Transitions(0, len(first) in _MDP_FIELDS)
        known, pending = False, [(number, first)] if first else []
    for line, words in (*pending, *lines):
        _add(model, words, where=f"{path}:{line}", known=known)
    if not model.rows:
        raise ModelError("there are no transitions", where=str(path), hint="was it written to the end?")
    return model


def _add(model: _Transitions, words: list[str], *, where: str, known: bool) -> None:
    expected = "source choice target probability [action]" if model.with_choices else "source target probability"
    fields = words[:4] if model.with_choices and len(words) in _MDP_FIELDS else words
    integers, probability = numbers_of(fields, 3 if model.with_choices else 2, expected, where)
    source, target = integers[0], integers[-1]
    choice = integers[1] if model.with_choices else 0
    if not 0 < probability <= 1:
        raise ModelError(f"{fields[-1]} is no probability of a transition", where=where, hint="mend this line")
    if not known:
        model.states = max(model.states, source + 1, target + 1)
    if not (0 <= source < model.states and 0 <= target < model.states):
        raise ModelError(f"the model has the states 0 to {model.states - 1} only", where=where, hint="mend this line")
    row = model.rows.setdefault(source, {}).setdefault(choice, {})
    row[target] = row[target] + probability if target in row else probability
    if len(words) == _MDP_FIELDS[1]:
        model.actions[source, choice] = words[4]


def _read_labels(path: Path, states: int) -> dict[int, list[str]]:
    """Read PRISM's (``0="init" 1="goal"``, ``5: 1``) or Storm's (``#DECLARATION``, ``5 goal``) label file."""
    names: dict[int, list[str]] = {}
    numbered: dict[str, str] = {}
    declared: set[str] | None = None
    inside = False
    for line, words in lines_of(path):
        text, where = " ".join(words), f"{path}:{line}"
        if text in {"#DECLARATION", "#END"}:
            inside, declared = text == "#DECLARATION", declared or set()
        elif inside and declared is not None:
            declared.update(words)
        elif not numbered and declared is None:
            numbered = dict(re.findall(r'(\d+)="([^"]*)"', text))
            if not numbered:
                raise ModelError(
                    f'expected labels such as 0="init", found {text!r}', where=where, hint="mend this line"
                )
        else:
            state, found = _labels_of(words, numbered, declared, where)
            if not 0 <= state < states:
                raise ModelError(f"the model has the states 0 to {states - 1} only", where=where, hint="mend this line")
            names.setdefault(state, []).extend(found)
    if not any("init" in found for found in names.values()):
        names.setdefault(0, []).append("init")
    return names


def _labels_of(
    words: list[str], numbered: dict[str, str], declared: set[str] | None, where: str
) -> tuple[int, list[str]]:
    try:
        state = int(words[0].rstrip(":"))
        found = [numbered[word] for word in words[1:]] if numbered else words[1:]
    except (ValueError, KeyError):
        raise ModelError(f"expected a state and its labels, found {' '.join(words)!r}", where=where) from None
    unknown = [name for name in found if declared is not None and name not in declared]
    if unknown:
        raise ModelError(f"the label {unknown[0]} is not declared", where=where, hint="mend this line")
    return state, found
