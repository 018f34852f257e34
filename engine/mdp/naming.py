"""Action names that are distinct within every state (methods.md 1.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.oracle.numbers import IntArray


def name_actions(label: IntArray, texts: Sequence[str], choice_start: IntArray) -> tuple[IntArray, tuple[str, ...]]:
    """Name every choice by its label, unlabelled ones by their position.

    Equal labels within one state become ``a#1``, ``a#2`` in choice order; choices without a label become
    ``action 0``, ``action 1``, … by their position in the state.

    Parameters
    ----------
    label
        ``(choices,)`` position in `texts`.
    choice_start
        ``(states + 1,)`` row starts.

    Returns
    -------
    ``(choices,)`` position of each name in the tuple of names, and that tuple.
    """
    choices = len(label)
    counts = np.diff(choice_start)
    state = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    within = np.arange(choices, dtype=np.int64) - np.repeat(choice_start[:-1], counts)
    order = np.lexsort((within, label, state))
    starts = np.ones(choices, dtype=bool)
    starts[1:] = (state[order][1:] != state[order][:-1]) | (label[order][1:] != label[order][:-1])
    group = np.cumsum(starts) - 1
    first = np.flatnonzero(starts)
    occurrence = np.empty(choices, dtype=np.int64)
    occurrence[order] = np.arange(choices) - first[group] + 1
    size = np.empty(choices, dtype=np.int64)
    size[order] = np.bincount(group)[group] if choices else 0
    unlabelled = np.array([not text for text in texts], dtype=bool)[label]
    suffix = np.where(unlabelled, within, np.where(size > 1, occurrence, 0))
    width = int(suffix.max(initial=0)) + 1
    key = label * width + suffix
    used = np.flatnonzero(np.bincount(key, minlength=1))
    position = np.zeros(len(texts) * width, dtype=np.int64)
    position[used] = np.arange(len(used))
    return position[key], tuple(_name(texts[text], number) for text, number in (divmod(int(k), width) for k in used))


def _name(text: str, number: int) -> str:
    if not text:
        return f"action {number}"
    return f"{text}#{number}" if number else text
