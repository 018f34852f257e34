"""Figures of a report as short texts, the same in every format."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

from engine.prompts.listing import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.reports.rows import Figures

NONE = "-"
AND = " + "
"""Between amounts in different currencies, which are never added up."""
_RANKED = "action-ranking"
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


def costs_text(costs: Iterable[tuple[str, str | None]]) -> str:
    """Return costs with their currencies, each for itself: ``2.10 USD + 1.00 EUR``."""
    return AND.join(f"{money(cost)} {currency or ''}".rstrip() for cost, currency in costs) or NONE


def questions_words(answered: int, total: int, kept: int) -> str:
    """Return how far a campaign file is, in one sentence without its end."""
    beside = f", and {kept:,} kept by hand" if kept else ""
    return f"{answered:,} of {total:,} questions of the file are answered{beside}"


def seconds(value: float | None) -> str:
    """Return a latency in seconds."""
    return NONE if value is None else f"{value:.2f}"


def answers_text(figures: Figures, category: str) -> str:
    """Return how varied the answers are: ``always up``, or how many there are and the most frequent one's share."""
    if figures.top is None:
        return NONE
    top = answer_words(figures.top, category)
    if figures.different == 1:
        return f"always {top}"
    return f"{figures.different}, {percent(figures.top_share)} {top}"


def answer_words(answer: str, category: str) -> str:
    """Return an answer to a category's questions as people write it: ``up > left``, ``State 1, State 3``, ``none``."""
    if not answer.startswith("["):
        return answer
    try:
        names = json.loads(answer)
    except ValueError:
        return answer
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return answer
    return " > ".join(names) if category == _RANKED else listed(names) or "none"


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
