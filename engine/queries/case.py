"""A test case: one question whose true answer the oracle knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.oracle.numbers import JsonNumber
    from engine.queries.spaces import AnswerSpace

FactValue: TypeAlias = "JsonNumber | bool | int | list[str] | dict[str, JsonNumber]"

MANUAL = "manual"
"""The strategy of cases that a person chose."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question with its true answer.

    Attributes
    ----------
    id
        Stable hash of the oracle's identity, category, states and parameters: the same on every machine.
    category
        The category's name (methods.md 1.2).
    states
        The states asked about: one, a pair (A, B), or a subset.
    space
        The valid answers.
    accepted
        Answers that pass: all of them among listed options; of numbers and rankings one that does.
    numbers
        The numbers behind the truth, as JSON values: V, Q by action, D, …
    difficulty
        δ in [0, 1], rounded to 9 digits (methods.md 1.3); None for a case that was asked for by hand.
    parts
        What δ came from, by name.
    strategy
        ``prioritized``, ``random`` or ``manual``.
    parameters
        What the question is about beside its states: the threshold λ of ``holds`` as exact text.
    """

    id: str
    category: str
    states: tuple[int, ...]
    space: AnswerSpace
    accepted: tuple[str, ...]
    numbers: Mapping[str, FactValue]
    difficulty: float | None
    parts: Mapping[str, float]
    strategy: str
    parameters: Mapping[str, str] = field(default_factory=dict)
