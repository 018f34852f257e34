"""Checked numbers on the screen: as fractions or as decimals, always cut and never rounded."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from engine.figures import full, short, short_decimal

if TYPE_CHECKING:
    from engine.oracle.numbers import Number


LEAST_WIDTH = 6
"""Any number can be written in so many columns."""
LONG_DECIMAL = 12
"""Digits of a decimal that stands alone."""


class Figures(NamedTuple):
    """How numbers are written.

    Attributes
    ----------
    width
        Columns that one may take, at least 6.
    decimal
        Decimals instead of fractions.
    """

    width: int
    decimal: bool = False

    def text(self, number: Number | None) -> str:
        """Return a number in at most `width` characters; ``-`` where it is not defined."""
        if self.decimal and isinstance(number, Fraction) and number.denominator != 1:
            head = len(str(math.floor(abs(number)))) + (number < 0)
            text = short_decimal(number, max(self.width - head - 2, 1))
            if len(text) <= self.width:
                return text
        return short(number, self.width)


def written_out(number: Number | None, room: int, *, decimal: bool = False) -> str:
    """Return a number with its decimal value: ``14/17 = 0.823529…``, or the decimal alone with more digits."""
    if decimal and isinstance(number, Fraction) and number.denominator != 1:
        return short_decimal(number, LONG_DECIMAL)
    return full(number, room)
