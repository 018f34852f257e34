"""Figures of a report as short texts, the same in every format."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.reports.rows import Figures

NONE = "-"
_LEAST_P = 0.0001


def percent(share: float | None) -> str:
    """Return a share as whole per cents; only 0 and 1 themselves are 0 % and 100 %."""
    if share is None:
        return NONE
    rounded = round(share * 100)
    if rounded == 0 and share > 0:
        return "<1%"
    if rounded == 100 and share < 1:  # noqa: PLR2004 - per cents
        return ">99%"
    return f"{rounded}%"


def interval(lower: float | None, upper: float | None) -> str:
    """Return an interval as whole per cents."""
    return NONE if lower is None or upper is None else f"{lower * 100:.0f}–{upper * 100:.0f}"


def decimal(value: float | None, digits: int = 3) -> str:
    """Return a figure with a fixed number of decimals."""
    return NONE if value is None else f"{value:z.{digits}f}"


def probability(p: float | None) -> str:
    """Return a p value with four decimals; a smaller one is never 0."""
    if p is None:
        return NONE
    return f"<{_LEAST_P:.4f}" if p < _LEAST_P else f"{p:.4f}"


def number(value: int | None) -> str:
    """Return a whole number with its thousands apart."""
    return NONE if value is None else f"{value:,}"


def money(cost: str | None) -> str:
    """Return a cost with at least two decimals, and at most four digits that count."""
    if cost is None:
        return NONE
    value = Decimal(cost)
    digits = 2 if value == 0 or value >= 1 else min(2 - value.adjusted(), 12)
    return f"{value:.{digits}f}"


def seconds(value: float | None) -> str:
    """Return a latency in seconds."""
    return NONE if value is None else f"{value:.2f}"


def answers_text(figures: Figures) -> str:
    """Return how varied the answers are: ``always up``, or how many there are and the most frequent one's share."""
    if figures.top is None:
        return NONE
    if figures.different == 1:
        return f"always {figures.top}"
    return f"{figures.different}, {percent(figures.top_share)} {figures.top}"


def shares(counts: Sequence[int]) -> str:
    """Return counts as per cents of their sum: ``50 % 30 % 20 %``."""
    total = sum(counts)
    return " ".join(percent(count / total) for count in counts) if total else NONE


def tone(figures: Figures) -> str:
    """Return whether a value differs from chance: ``good`` above, ``bad`` below, empty where the interval holds it."""
    if figures.chance is None or figures.n == 0:
        return ""
    if figures.lower > figures.chance:
        return "good"
    return "bad" if figures.upper < figures.chance else ""
