"""What a grid comes to, in sentences; and durations, tokens and costs as short texts."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from engine.campaign.spent import costs_text, money_text
from engine.figures import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.campaign.spent import Spent
    from tui.campaigns.campaign_services import CampaignRequest, Estimate

_THOUSAND, _MILLION = 1_000, 1_000_000
_SHORTEST = 1.0
"""Seconds below which nobody waits."""


def upper_bound(request: CampaignRequest) -> int:
    """Return how many cases a grid has at most, before any is chosen."""
    return max(len(request.models), 1) * len(request.categories) * len(request.strategies) * request.budget


def size_text(estimate: Estimate, explainers: int) -> str:
    """Return how many cases and questions there are."""
    forecast = estimate.forecast
    times = forecast.questions // forecast.cases if forecast.cases else 1
    each = f" × {times}" if times > 1 else ""
    total = forecast.questions * explainers
    return f"{counted(forecast.cases, 'case')}{each} × {counted(explainers, 'explainer')} = {total:,} questions"


def calls_text(estimate: Estimate) -> str:
    """Return how many of them go to language models, how long these will take and what they will cost."""
    pending = estimate.forecast.pending
    before = estimate.forecast.questions * len(pending) - sum(pending.values())
    parts = [f"{before:,} of them answered already"] if before else []
    if not estimate.paces:
        return "; ".join([*parts, "no call to a language model"])
    parts.append(f"{counted(estimate.calls, 'call')} to {', '.join(estimate.paces)}")
    if estimate.calls:
        parts.append(_time(estimate))
        parts.append(_cost(estimate))
    return "; ".join(parts)


def _time(estimate: Estimate) -> str:
    pending = estimate.forecast.pending
    times = {name: pace.duration(pending[name], estimate.concurrency) for name, pace in estimate.paces.items()}
    known = {name: seconds for name, seconds in times.items() if seconds is not None}
    if not known:
        return "time unknown before the first answers"
    longest = max(known.values())
    unknown = [name for name in estimate.paces if name not in known]
    return f"about {duration(longest)}" + (f", without {', '.join(unknown)}" if unknown else "")


def _cost(estimate: Estimate) -> str:
    pending = estimate.forecast.pending
    known = {name: pace.cost for name, pace in estimate.paces.items() if pace.cost is not None}
    if not known:
        return "no prices are set"
    totals: dict[str, Fraction] = {}
    for name, cost in known.items():
        currency = estimate.paces[name].currency
        totals[currency] = totals.get(currency, Fraction(0)) + pending[name] * cost
    told = " + ".join(money_text(total, currency, ".2g") for currency, total in totals.items())
    unknown = [name for name in estimate.paces if name not in known]
    return f"cost about {told}" + (f", without {', '.join(unknown)}" if unknown else "")


def left_out(estimate: Estimate, *, many: bool) -> list[str]:
    """Return what has no cases and why, and what has fewer than the budget; `many` models are named."""
    forecast = estimate.forecast
    reasons: dict[str, list[str]] = {}
    for (model, category), why in forecast.omitted.items():
        reasons.setdefault(why, []).append(f"{model} {category}" if many else category)
    notes = [f"without {', '.join(names)}: {why}" for why, names in reasons.items()]
    short = {(model, category): count for (model, category, _), count in forecast.short.items()}
    fewer = [f"{f'{model} ' if many else ''}{category} {count}" for (model, category), count in short.items()]
    return [*notes, *([f"fewer cases: {', '.join(fewer)}"] if fewer else [])]


def duration(seconds: float) -> str:
    """Return ``0:35``, ``12:05`` or ``1:02:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def spent_text(spent: Spent) -> str:
    """Return tokens and cost, as far as they are known."""
    parts = []
    if spent.tokens_in is not None or spent.tokens_out is not None:
        parts.append(f"{_short(spent.tokens_in)} in {_short(spent.tokens_out)} out")
    return "  ".join(part for part in (*parts, costs_text(spent.costs, ".4g", brief=True)) if part)


def sum_of(all_spent: Iterable[Spent]) -> Spent | None:
    """Return the sum; None of nothing."""
    total: Spent | None = None
    for spent in all_spent:
        total = spent if total is None else total.plus(spent)
    return total


def _short(count: int | None) -> str:
    if count is None:
        return "?"
    if count < _THOUSAND:
        return str(count)
    return f"{count / _THOUSAND:.1f}k" if count < _MILLION else f"{count / _MILLION:.2f}M"


def wait_text(why: str, left: float | None) -> str:
    """Return why somebody waits, and how long still."""
    return f"waits {left:.0f} s: {why}" if left is not None and left >= _SHORTEST else f"waits: {why}"
