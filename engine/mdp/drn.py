"""Explicit models as DRN files: Storm's text format, in which numbers are read exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

UNNAMED = "__NOLABEL__"
"""What stands for the name of a choice that has none."""

_UNWORDED = re.compile(r"[\s%\x00-\x1f\x7f]|^\[|^_(?=_NOLABEL__$)")
_ENCODED = re.compile(r"(?:%[0-9A-F]{2})+")


def drn_word(name: str) -> str:
    """Return an action's name as one word: Storm reads names up to the first space, and quotes as part of them.

    Spaces, control characters and ``%`` become ``%20`` and the like; `named_by` is the way back.
    """
    return _UNWORDED.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), name)


def named_by(word: str) -> str:
    """Return the action's name that a word of a DRN file stands for; a word that nobody encoded is the name itself."""
    try:
        name = _ENCODED.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode(), word)
    except UnicodeDecodeError:
        return word
    return name if drn_word(name) == word else word


@dataclass(frozen=True)
class Choice:
    """One choice of a state.

    Attributes
    ----------
    distribution
        Successor → probability.
    action
        Its name; None if it has none.
    rewards
        Reward model → expected immediate reward of the choice.
    """

    distribution: Mapping[int, Fraction]
    action: str | None = None
    rewards: Mapping[str, Fraction] = field(default_factory=dict)


@dataclass(frozen=True)
class Explicit:
    """A model as a list of its states.

    Attributes
    ----------
    kind
        ``MDP`` or ``DTMC``.
    states
        The choices of every state, in order.
    labels
        State → its labels; at least one state is labelled ``init``.
    reward_models
        Names of the reward models.
    state_rewards
        Reward model → state → reward on leaving it.
    """

    kind: str
    states: Sequence[Sequence[Choice]]
    labels: Mapping[int, Sequence[str]]
    reward_models: Sequence[str] = ()
    state_rewards: Mapping[str, Mapping[int, Fraction]] = field(default_factory=dict)


def write_drn(model: Explicit, path: Path, where: str) -> None:
    """Write the model; raises ModelError about `where` for a name that the format cannot hold.

    The format separates names by spaces, and an action of two words would lose its rewards without a message: actions
    are written by `drn_word`, reward models must be one word.
    """
    names = [name for found in model.labels.values() for name in found] + list(model.reward_models)
    actions = [choice.action for choices in model.states for choice in choices if choice.action is not None]
    for name in (*names, *actions):
        if '"' in name or not name.strip() or any(ord(character) < ord(" ") for character in name):
            raise ModelError(f"{name!r} is no usable name", where=where, hint="use letters, digits and _")
    for name in model.reward_models:
        if re.search(r"\s", name):
            raise ModelError(f"the name {name!r} has spaces", where=where, hint="write it as one word")
    with path.open("w", encoding="utf-8") as out:
        out.write(f"@type: {model.kind}\n@value_type: rational\n@parameters\n\n@reward_models\n")
        out.write(f"{' '.join(model.reward_models)}\n@nr_states\n{len(model.states)}\n")
        out.write(f"@nr_choices\n{sum(map(len, model.states))}\n@model\n")
        for state, choices in enumerate(model.states):
            rewards = _list([model.state_rewards.get(name, {}).get(state, Fraction(0)) for name in model.reward_models])
            labels = [f'"{name}"' if re.search(r"\W", name) else name for name in model.labels.get(state, ())]
            out.write(" ".join(filter(None, (f"state {state}", rewards, *labels))) + "\n")
            for choice in choices:
                rewards = _list([choice.rewards.get(name, Fraction(0)) for name in model.reward_models])
                action = drn_word(choice.action) if choice.action else UNNAMED
                out.write(f"\taction {action} {rewards}".rstrip() + "\n")
                out.writelines(
                    f"\t\t{target} : {choice.distribution[target]}\n" for target in sorted(choice.distribution)
                )


def _list(rewards: Sequence[Fraction]) -> str:
    return f"[{', '.join(map(str, rewards))}]" if rewards else ""
