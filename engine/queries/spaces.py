"""Answer spaces: what the valid answers to a question are, as a schema and as values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import random


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few listed options: yes or no, A or B, an action's name. An answer is the option's text."""

    options: tuple[str, ...]

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the answer."""
        return {"type": "string", "enum": list(self.options)}

    def random(self, rng: random.Random) -> str:
        """Return an answer drawn uniformly."""
        return rng.choice(self.options)

    def first(self) -> str:
        """Return the first option."""
        return self.options[0]

    def middle(self) -> str:
        """Return the option in the middle, the earlier one of two (yes for yes/no)."""
        return self.options[(len(self.options) - 1) // 2]


@dataclass(frozen=True, slots=True)
class Probability:
    """A number in [0, 1]. An answer is exact text: ``0.25``, ``1/4``."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the answer."""
        return {"type": "number", "minimum": 0, "maximum": 1}

    def random(self, rng: random.Random) -> str:
        """Return a number drawn uniformly from the thousandths in [0, 1]."""
        return str(Fraction(rng.randint(0, 1000), 1000))

    def first(self) -> str:
        """Return the smallest answer."""
        return "0"

    def middle(self) -> str:
        """Return one half."""
        return "1/2"


AnswerSpace: TypeAlias = OneOf | Probability

YES_NO = OneOf(("yes", "no"))
A_B = OneOf(("A", "B"))
