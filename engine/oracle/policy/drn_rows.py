"""Models as DRN text: a million states are written in seconds, piece by piece, and the writing can be stopped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import UsageError
from engine.mdp.drn import UNNAMED, drn_word
from engine.oracle.policy.rebuilt import Coded, require_going_on

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Sequence
    from fractions import Fraction

    from engine.oracle.child import Progress
    from engine.oracle.numbers import BoolArray
    from engine.oracle.policy.rebuilt import Rebuilt

HEADER = (
    "@type: {kind}\n@parameters\n\n@reward_models\n{rewards}\n"
    "@nr_states\n{states}\n@nr_choices\n{choices}\n{said}@model\n"
)
PIECE = 20_000
"""States that are written at once: some hundredths of a second, so that a cancelled writing ends soon."""
_MOST_CODES = 2**61


def drn_text(
    model: Rebuilt,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    comments: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the file in pieces; raises CancelledError between two of them."""
    yield header(model.kind, tuple(model.rewards), model.states, model.choices, comments)
    labels, actions = _labels(model.labels, model.states), _actions(model)
    numbers = [str(number) for number in model.probability.values]
    for first in range(0, model.states, PIECE):
        require_going_on(cancel)
        if progress is not None and model.states > PIECE:
            progress("writing", f"{first:,} of {model.states:,} states")
        yield _piece(model, labels, actions, numbers, range(first, min(first + PIECE, model.states)))


def header(kind: str, rewards: Sequence[str], states: int, choices: int, comments: Sequence[str] = ()) -> str:
    """Return the lines before the states; raises UsageError for a reward model that is more than one word."""
    said = "".join(f"// {' '.join(comment.split())}\n" for comment in comments)
    for name in rewards:
        if re.search(r"\s", name):
            raise UsageError(
                f"the reward model {name!r} cannot be written as DRN", hint="give it a name of one word in the model"
            )
    return HEADER.format(said=said, kind=kind, rewards=" ".join(rewards), states=states, choices=choices)


def quoted(name: str) -> str:
    """Return a label as DRN reads it."""
    return name if name.isidentifier() else '"' + name.replace('"', "'") + '"'


def _piece(model: Rebuilt, labels: Coded[str], actions: Coded[str], numbers: Sequence[str], states: range) -> str:
    """Return the lines of some consecutive states."""
    starts = model.choice_start[states.start : states.stop + 1]
    choices = slice(int(starts[0]), int(starts[-1]))
    begins = model.transition_start[choices.start : choices.stop + 1]
    branches = slice(int(begins[0]), int(begins[-1]))
    starts, begins = starts - choices.start, begins - branches.start
    of_choice = np.repeat(np.arange(len(states)), np.diff(starts))
    of_branch = np.repeat(np.arange(len(of_choice)), np.diff(begins))
    lines = np.empty(len(states) + len(of_choice) + len(of_branch), dtype=object)
    # A line's place is the number of states, choices and transitions before it.
    lines[np.arange(len(states)) + starts[:-1] + begins[starts[:-1]]] = _objects(
        f"state {state}{labels.values[code]}\n"
        for state, code in zip(states, labels.code[states.start : states.stop].tolist(), strict=True)
    )
    lines[of_choice + 1 + np.arange(len(of_choice)) + begins[:-1]] = _objects(
        actions.values[code] for code in actions.code[choices].tolist()
    )
    pairs = zip(model.target[branches].tolist(), model.probability.code[branches].tolist(), strict=True)
    lines[of_choice[of_branch] + of_branch + 2 + np.arange(len(of_branch))] = _objects(
        f"\t\t{target} : {numbers[code]}\n" for target, code in pairs
    )
    return "".join(lines.tolist())


def _objects(texts: Iterable[str]) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    return np.array(list(texts), dtype=object)


def _actions(model: Rebuilt) -> Coded[str]:
    """``(choices,)`` whole lines: names and rewards."""
    unnamed = {"", "action 0"} if model.kind == "DTMC" else {""}
    found = Coded(model.action.code, [UNNAMED if name in unnamed else drn_word(name) for name in model.action.values])
    for place, reward in enumerate(model.rewards.values()):
        found = _joined(found, reward, " [" if place == 0 else ", ")
    end = "]\n" if model.rewards else "\n"
    return Coded(found.code, [f"\taction {text}{end}" for text in found.values])


def _joined(texts: Coded[str], numbers: Coded[Fraction], between: str) -> Coded[str]:
    """Return each text with its number behind it."""
    count = len(numbers.values)
    distinct, code = np.unique(texts.code * count + numbers.code, return_inverse=True)
    pairs = [divmod(key, count) for key in distinct.tolist()]
    return Coded(code, [f"{texts.values[text]}{between}{numbers.values[number]}" for text, number in pairs])


def _labels(labels: Sequence[tuple[str, BoolArray]], states: int) -> Coded[str]:
    """``(states,)`` each state's labels, a space before each."""
    code = np.zeros(states, dtype=np.int64)
    for _, mask in labels:
        if code.max(initial=0) > _MOST_CODES:
            code = np.unique(code, return_inverse=True)[1]
        code = code * 2 + mask
    _, where, code = np.unique(code, return_index=True, return_inverse=True)
    texts = ["".join(f" {quoted(name)}" for name, mask in labels if mask[state]) for state in where.tolist()]
    return Coded(code, texts)
