"""Checked numbers as text of a known width, exact where it fits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.oracle.numbers import Interval, number_text

if TYPE_CHECKING:
    from engine.oracle.numbers import Number


_LONGEST_INTEGER = 24


def short(number: Number | None, width: int = 10) -> str:
    """Return a number in at most `width` characters (at least 6).

    A fraction is shown whole if it fits. Otherwise its decimal digits are cut, never rounded, and an ellipsis says so:
    a probability below 1 never looks like 1. Enclosed numbers keep their ``≈``, and show no digit beyond those
    that both bounds round to.
    """
    digits = max(width - 6, 1)
    if isinstance(number, Interval):
        digits = _agreed_digits(number, digits)
    text = number_text(number, digits=digits)
    if len(text) <= width or not isinstance(number, Fraction):
        return text
    return _cut_decimal(number, width)


def _agreed_digits(number: Interval, most: int) -> int:
    """Return up to how many significant digits both bounds round to the same text; at least 1."""
    return next((n for n in range(most, 1, -1) if f"{number.lower:.{n}g}" == f"{number.upper:.{n}g}"), 1)


def _cut_decimal(number: Fraction, width: int) -> str:
    """Return as many decimal digits as fit, with an ellipsis where more follow."""
    sign = "-" if number < 0 else ""
    whole, rest = divmod(abs(number), 1)
    head = f"{sign}{whole}."
    room = width - len(head)
    if rest != 0 and _ends_within(rest, room):
        return head + _digits(rest, room).rstrip("0")
    digits = room - 1
    if digits < 1 or (whole == 0 and not _digits(rest, digits).strip("0")):
        return _cut_scientific(number, width)
    return f"{head}{_digits(rest, digits)}…"


def _ends_within(rest: Fraction, digits: int) -> bool:
    """Return whether the decimals of a number in [0, 1) end after so many digits."""
    return digits > 0 and (rest * 10**digits).denominator == 1


def _digits(rest: Fraction, digits: int) -> str:
    """Return the first digits after the point of a number in [0, 1)."""
    return str(math.floor(rest * 10**digits)).rjust(digits, "0")


def _cut_scientific(number: Fraction, width: int) -> str:
    """Return ``1.4e-5…`` with as many digits as fit, cut like all others; a word where not even one fits."""
    sign = "-" if number < 0 else ""
    size = abs(number)
    exponent = len(str(size.numerator)) - len(str(size.denominator))
    if size < Fraction(10) ** exponent:
        exponent -= 1
    significand = size / Fraction(10) ** exponent
    leading, rest = divmod(significand, 1)
    room = width - len(f"{sign}0.e{exponent}")
    if rest == 0 or _ends_within(rest, room):
        text = f"{sign}{leading}.{_digits(rest, max(room, 0)).rstrip('0')}".rstrip(".") + f"e{exponent}"
    else:
        text = f"{sign}{leading}.{_digits(rest, room - 1)}".rstrip(".") if room > 1 else f"{sign}{leading}"
        text += f"e{exponent}…"
    if len(text) <= width:
        return text
    return f"{sign}{'huge' if exponent > 0 else 'tiny'}"


def full(number: Number | None, limit: int = 60) -> str:
    """Return a number with its decimal value beside it: ``14/17 = 0.82352…``; an enclosure as its bounds."""
    match number:
        case None:
            return "not defined"
        case Interval(lower, upper):
            return "inf" if lower == math.inf else _bounds(lower, upper)
        case Fraction() if number.denominator == 1 and len(str(number)) > _LONGEST_INTEGER:
            return f"{_cut_scientific(number, 16)} (a number of {len(str(number))} digits)"
        case Fraction() if number.denominator != 1:
            text = str(number)
            decimal = short_decimal(number)
            return f"{text} = {decimal}" if len(text) <= limit else f"{decimal} (a fraction of {len(text)} characters)"
        case _:
            return number_text(number)


def decimal_first(number: Fraction, limit: int = 40) -> str:
    """Return ``0.823529… = 14/17``, or ``0.8235… (a fraction of 87 characters)`` where it is longer than `limit`."""
    text = str(number)
    if number.denominator == 1:
        return text if len(text) <= limit else f"{_cut_scientific(number, 16)} (a number of {len(text)} digits)"
    decimal = short_decimal(number)
    return f"{decimal} = {text}" if len(text) <= limit else f"{decimal} (a fraction of {len(text)} characters)"


def _bounds(lower: float, upper: float, digits: int = 6) -> str:
    """Return ``between 0.823528 and 0.823531``, rounded outward, so that the text still encloses the number."""
    if lower == upper:
        return f"{lower:g}"
    low = Fraction(math.floor(Fraction(lower) * 10**digits), 10**digits)
    least = "0" if lower == 0 else f"{float(low):.{digits}f}"
    if upper == math.inf:
        return f"at least {least}"
    high = Fraction(math.ceil(Fraction(upper) * 10**digits), 10**digits)
    return f"{least} to {float(high):.{digits}f}"


def short_decimal(number: Fraction, digits: int = 6) -> str:
    """Return a fraction's decimals: whole where they end by then, cut (not rounded) with an ellipsis elsewhere."""
    head = len(str(math.floor(abs(number)))) + (number < 0)
    if _ends_within(abs(number) % 1, digits):
        return _cut_decimal(number, head + 1 + digits) if number.denominator != 1 else str(number)
    return _cut_decimal(number, head + 1 + digits + 1)


def bar(share: float, width: int) -> str:
    """Return a horizontal bar for a share in [0, 1], in eighths of a cell; any share above 0 is visible."""
    if not math.isfinite(share) or share <= 0:
        return ""
    eighths = max(1, round(min(share, 1.0) * width * 8))
    whole, rest = divmod(eighths, 8)
    return "█" * whole + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[rest]


def counted(number: int, noun: str) -> str:
    """Return ``1 state``, ``2 states``, ``1,257,000 states``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
