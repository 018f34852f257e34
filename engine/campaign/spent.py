"""What answers took: tokens, and cost by currency with what was not spent again."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.explainers.base import Reply
    from engine.verdicts.records import OutcomeRecord


@dataclass(frozen=True, slots=True)
class Cost:
    """A cost in one currency, exact.

    Attributes
    ----------
    total
        What the answers took when they were asked.
    cached
        The part of `total` that answers from the cache took, for the campaign that asked them: not spent again.
    """

    total: Fraction
    cached: Fraction = Fraction(0)

    def plus(self, other: Cost) -> Cost:
        """Return the sum."""
        return Cost(self.total + other.total, self.cached + other.cached)


@dataclass(frozen=True, slots=True)
class Spent:
    """What answers took, as far as the servers told.

    Attributes
    ----------
    tokens_in, tokens_out
        Sums; None if no server told.
    tokens_reasoning
        Those of `tokens_out` that were thinking.
    costs
        Currency → cost; no currency is added to another one, and a text that is empty stands for one that nobody
        named. Empty without prices.
    """

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_reasoning: int | None = None
    costs: Mapping[str, Cost] = field(default_factory=dict)

    def plus(self, other: Spent) -> Spent:
        """Return the sum; what nobody told stays unknown."""
        costs = dict(self.costs)
        for currency, cost in other.costs.items():
            costs[currency] = costs[currency].plus(cost) if currency in costs else cost
        return Spent(
            _sum(self.tokens_in, other.tokens_in),
            _sum(self.tokens_out, other.tokens_out),
            _sum(self.tokens_reasoning, other.tokens_reasoning),
            costs,
        )

    @classmethod
    def of(cls, answer: Reply | OutcomeRecord) -> Spent:
        """Return what one answer took."""
        costs = {}
        if answer.cost is not None:
            paid = Fraction(answer.cost)
            costs[answer.currency] = Cost(paid, paid if answer.cached else Fraction(0))
        return cls(answer.tokens_in, answer.tokens_out, answer.tokens_reasoning, costs)


def costs_text(costs: Mapping[str, Cost], form: str = ".4f", *, brief: bool = False) -> str:
    """Return costs as ``cost 2.1000 USD, of which 2.1000 USD from the answer cache, not spent again``; empty for none.

    With `brief`, where there is little room, as ``cost 2.1000 USD (2.1000 USD cached)``.
    """
    if not costs:
        return ""
    told = _added(((currency, cost.total) for currency, cost in costs.items()), form)
    cached = [(currency, cost.cached) for currency, cost in costs.items() if cost.cached]
    if not cached:
        return f"cost {told}"
    again = _added(cached, form)
    return (
        f"cost {told} ({again} cached)"
        if brief
        else (f"cost {told}, of which {again} from the answer cache, not spent again")
    )


def money_text(amount: Fraction, currency: str, form: str = ".4f") -> str:
    """Return an amount with its currency, if that is known."""
    return f"{float(amount):{form}} {plain(currency)}".rstrip()


def _added(amounts: Iterable[tuple[str, Fraction]], form: str) -> str:
    return " + ".join(money_text(amount, currency, form) for currency, amount in amounts)


def _sum(left: int | None, right: int | None) -> int | None:
    return right if left is None else left + (right or 0)
