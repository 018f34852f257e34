"""The order in which a question lists things, drawn anew for each sample, to see whether position decides answers.

Names stay what they are, only their order changes: "State A" is the same state in every order, so that an answer means
the same whatever the order was.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.queries.spaces import OneOf, Ranking, SetOf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.queries.spaces import AnswerSpace


class Order:
    """One order of all names, uniform over names: the same for the same case, seed and sample on every machine.

    A name has one place relative to any other, so that a state's actions and the options of the answer agree.

    Parameters
    ----------
    case_id, seed, sample
        What the order depends on.
    """

    def __init__(self, case_id: str, seed: int, sample: int) -> None:
        self._key = [case_id, seed, sample]

    def of(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names in this order."""
        return tuple(sorted(names, key=self.place))

    def place(self, name: str) -> bytes:
        """Return what a name is sorted by."""
        return hashlib.sha256(json.dumps([*self._key, name]).encode()).digest()


def options_of(space: AnswerSpace) -> tuple[str, ...]:
    """Return what the answer is chosen from; nothing for numbers."""
    return space.options if isinstance(space, OneOf | Ranking | SetOf) else ()


def reordered(space: AnswerSpace, options: tuple[str, ...]) -> AnswerSpace:
    """Return the space with its options listed in another order."""
    return replace(space, options=options) if isinstance(space, OneOf | Ranking | SetOf) else space
