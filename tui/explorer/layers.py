"""What a picture can show about the states: V, danger, loss, or what the optimal policy does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.tri import Tri
from tui.explorer.tile_text import tile_text
from tui.text import clean, shorten

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import FloatArray, Numbers
    from tui.explorer.findings import Findings

ARROWS = {
    **dict.fromkeys(("left", "west", "l", "w"), "←"),
    **dict.fromkeys(("right", "east", "r", "e"), "→"),
    **dict.fromkeys(("up", "north", "u", "n"), "↑"),
    **dict.fromkeys(("down", "south", "d", "s"), "↓"),
    **dict.fromkeys(("stay", "wait", "noop"), "·"),
}
"""Signs of usual action names; other names are shortened."""


@dataclass(frozen=True)
class Layer:
    """One way to draw states.

    Attributes
    ----------
    key
        Stable name.
    title
        What the picture's title says.
    values
        ``(states,)`` doubles that choose the colour; NaN where undefined.
    low, high
        The range of the colour scale.
    text
        What a state's tile says in so many columns.
    """

    key: str
    title: str
    values: FloatArray
    low: float
    high: float
    text: Callable[[int, int], str]

    def share(self, state: int) -> float:
        """Return where a state lies on the colour scale, in [0, 1]; 0 where it is not defined."""
        value = float(self.values[state])
        if math.isnan(value):
            return 0.0
        span = self.high - self.low
        return (value - self.low) / span if span > 0 and math.isfinite(value) else float(value > self.low)


def layers_of(oracle: Oracle, findings: Findings) -> tuple[Layer, ...]:
    """Return the layers that a model has, V first."""
    reward = oracle.facts.objective.kind.is_reward
    value = _numbers_layer("V", oracle.facts.value, probability=not reward)
    layers = [value]
    if oracle.facts.danger is not None:
        layers.append(_numbers_layer("D", oracle.facts.danger, probability=True))
    if findings.loss is not None:
        layers.append(_numbers_layer("loss", findings.loss, probability=True))
    if findings.policy is not None:
        layers.append(_numbers_layer("Vπ", findings.policy.value, probability=not reward))
    policy = Layer("policy", "Optimal actions", value.values, value.low, value.high, _policy_text(oracle))
    return (*layers, policy)


def _numbers_layer(name: str, numbers: Numbers, *, probability: bool) -> Layer:
    values = numbers.floats
    finite = values[np.isfinite(values)]
    low, high = (0.0, 1.0) if probability or not len(finite) else (float(finite.min()), float(finite.max()))
    return Layer(name, name, values, low, high, lambda state, width: tile_text(float(values[state]), width))


def _policy_text(oracle: Oracle) -> Callable[[int, int], str]:
    mdp, best, target = oracle.mdp, oracle.facts.best, oracle.facts.target

    def text(state: int, width: int) -> str:
        if target[state]:
            return ""
        choices = mdp.choices_of(state)
        names = [clean(mdp.action_name(choice)) for choice in choices if best[choice] == Tri.YES]
        if len(names) == len(choices) > 1:
            return "any" if width >= len("any") else "*"
        signs = [ARROWS.get(name.lower()) for name in names]
        drawn = "".join(sign for sign in signs if sign is not None) if None not in signs else " ".join(names)
        return shorten(drawn, width)

    return text
