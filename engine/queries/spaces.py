"""Answer spaces: what the valid answers to a question are, as a schema and as values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable


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


@dataclass(frozen=True, slots=True)
class Number:
    """An expected reward. An answer is exact text, ``13``, ``27/2``, or ``inf`` for a reward without bound.

    Attributes
    ----------
    least, most
        The range of the model's finite values as exact texts: a guess is drawn from it. Other numbers are answers too.
    """

    least: str
    most: str

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the answer."""
        return {"anyOf": [{"type": "number"}, {"type": "string", "enum": ["inf"]}]}

    def random(self, rng: random.Random) -> str:
        """Return a number drawn uniformly from 1,001 evenly spaced ones in the range."""
        return str(self._at(Fraction(rng.randint(0, 1000), 1000)))

    def first(self) -> str:
        """Return the smallest value of the range."""
        return self.least

    def middle(self) -> str:
        """Return the middle of the range."""
        return str(self._at(Fraction(1, 2)))

    def _at(self, share: Fraction) -> Fraction:
        least, most = Fraction(self.least), Fraction(self.most)
        return least + share * (most - least)


@dataclass(frozen=True, slots=True)
class Ranking:
    """All options in an order, best first. An answer is the JSON text of the ordered list (`listed`)."""

    options: tuple[str, ...]

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the answer; that no option comes twice is checked where it is read."""
        size = len(self.options)
        return {"type": "array", "items": _items(self.options), "minItems": size, "maxItems": size}

    def random(self, rng: random.Random) -> str:
        """Return an order drawn uniformly."""
        return listed(rng.sample(self.options, len(self.options)))

    def first(self) -> str:
        """Return the options as they are listed."""
        return listed(self.options)

    def middle(self) -> str:
        """Return the options as they are listed."""
        return listed(self.options)


@dataclass(frozen=True, slots=True)
class SetOf:
    """Any number of the options, none included. An answer is the JSON text of a list in the options' order."""

    options: tuple[str, ...]

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the answer."""
        return {"type": "array", "items": _items(self.options), "minItems": 0, "maxItems": len(self.options)}

    def random(self, rng: random.Random) -> str:
        """Return a set drawn uniformly from all sets."""
        return self.of(option for option in self.options if rng.random() < 1 / 2)

    def first(self) -> str:
        """Return the set of the first option."""
        return listed(self.options[:1])

    def middle(self) -> str:
        """Return the first half of the options."""
        return listed(self.options[: (len(self.options) + 1) // 2])

    def of(self, chosen: Iterable[str]) -> str:
        """Return the answer that names these options, in whatever order and however often they come."""
        wanted = set(chosen)
        return listed(option for option in self.options if option in wanted)


def listed(options: Iterable[str]) -> str:
    """Return the answer that lists these options, in this order."""
    return json.dumps(list(options), ensure_ascii=False)


def _items(options: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "string", "enum": list(options)}


AnswerSpace: TypeAlias = OneOf | Probability | Number | Ranking | SetOf

YES_NO = OneOf(("yes", "no"))
A_B = OneOf(("A", "B"))
