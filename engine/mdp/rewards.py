"""Rewards of explicit models: PRISM's ``.srew`` and ``.trew`` files and Storm's of the same columns."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.errors import ModelError
from engine.mdp.tables import lines_of, numbers_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction
    from pathlib import Path

ENDINGS = (".srew", ".trew", ".rew")
"""Of reward files beside a ``.tra`` file."""

_NAME = re.compile(r'# Reward structure:?(?: "(?P<name>[^"]*)")?')
_STATE, _CHAIN, _MDP = 2, 3, 4


@dataclass
class Rewards:
    """One reward model.

    Attributes
    ----------
    states
        State → reward on leaving it.
    moves
        State, choice, successor → reward of that transition; the choice of a DTMC is 0.
    where
        File and line of each of `moves`.
    """

    states: dict[int, Fraction] = field(default_factory=dict)
    moves: dict[tuple[int, int, int], Fraction] = field(default_factory=dict)
    where: dict[tuple[int, int, int], str] = field(default_factory=dict)


def reward_files(transitions: Path) -> tuple[Path, ...]:
    """Return the reward files of ``model.tra``: ``model.srew``, or ``model1.srew``, ``model2.srew``, ….

    Files beside another model of that name, ``model6.tra``, are that model's.
    """
    stem = re.escape(transitions.stem)
    return tuple(
        sorted(
            path
            for path in transitions.parent.iterdir()
            if path.suffix.lower() in ENDINGS
            and re.fullmatch(rf"{stem}\d*", path.stem)
            and path.is_file()
            and (path.stem == transitions.stem or not path.with_suffix(transitions.suffix).exists())
        )
    )


def read_rewards(paths: Sequence[Path], states: int, *, with_choices: bool) -> dict[str, Rewards]:
    """Read reward files; those of the same reward model are joined.

    The name is that of PRISM's comment line, else ``rewards`` with the number in the file's name. What a line holds is
    told by its columns: ``state reward``, ``source target reward`` (DTMC), ``source choice target reward`` (MDP).

    Parameters
    ----------
    states
        How many states the model has: a first line that starts with that number is a header.

    Raises
    ------
    ModelError
        With file and line.
    """
    found: dict[str, Rewards] = {}
    for path in paths:
        number = re.search(r"\d*$", path.stem)
        name = f"rewards{number[0] if number and len(paths) > 1 else ''}"
        data: list[tuple[int, list[str]]] = []
        for line, words in lines_of(path):
            if words[0].startswith("#"):
                named = _NAME.match(" ".join(words))
                name = re.sub(r"\s+", "_", named["name"]) if named and named["name"] else name
            else:
                data.append((line, words))
        if data and data[0][1][0] == str(states):
            del data[0]
        for line, words in data:
            _add(found.setdefault(name, Rewards()), words, states, f"{path}:{line}", with_choices=with_choices)
    return found


def _add(rewards: Rewards, words: list[str], states: int, where: str, *, with_choices: bool) -> None:
    columns = _MDP if with_choices else _CHAIN
    if len(words) not in {_STATE, columns}:
        expected = "source choice target reward" if with_choices else "source target reward"
        raise ModelError(f"expected 'state reward' or {expected!r}, found {' '.join(words)!r}", where=where)
    integers, reward = numbers_of(words, len(words) - 1, "numbers", where)
    source, target = integers[0], integers[-1]
    if not (0 <= source < states and 0 <= target < states):
        raise ModelError(f"the model has the states 0 to {states - 1} only", where=where)
    if len(words) == _STATE:
        if source in rewards.states:
            raise ModelError(f"state {source} has two rewards", where=where)
        rewards.states[source] = reward
        return
    move = (source, integers[1] if with_choices else 0, target)
    if move in rewards.moves:
        raise ModelError(f"the transition from {source} to {target} has two rewards", where=where)
    rewards.moves[move] = reward
    rewards.where[move] = where
