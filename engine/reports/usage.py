"""What answers took, and why replies were none: latency, tokens, cost, invalid kinds."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from engine.reports.rows import CostRow, InvalidRow, UsageRow
from engine.verdicts.frame import COST_DIGITS, INVALID_KINDS, OUTCOMES, UNKNOWN
from engine.verdicts.tables import grouped
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from engine.verdicts.frame import Frame, IntArray


def usage(frame: Frame) -> list[UsageRow]:
    """Return what each explainer's answers took."""
    return [_row(frame, frame.explainers[code], rows) for (code,), rows in grouped(frame.explainer).items()]


def invalid_kinds(frame: Frame) -> list[InvalidRow]:
    """Return, for each explainer that has them, the kinds of its invalid replies."""
    rows = np.flatnonzero(frame.invalid != UNKNOWN)
    found = []
    for (code,), members in grouped(frame.explainer[rows]).items():
        counts = np.bincount(frame.invalid[rows[members]], minlength=len(INVALID_KINDS))
        kinds = {kind.value: int(count) for kind, count in zip(INVALID_KINDS, counts, strict=True) if count}
        found.append(InvalidRow(explainer=frame.explainers[code], kinds=kinds))
    return found


def _row(frame: Frame, explainer: str, rows: IntArray) -> UsageRow:
    answered = rows[frame.outcome[rows] != OUTCOMES.index(Outcome.ERROR)]
    seconds = frame.seconds[answered]
    some = len(seconds) > 0
    costs = _costs(frame, rows)
    (only,) = costs if len(costs) == 1 else (None,)
    return UsageRow(
        explainer=explainer,
        questions=len(rows),
        attempts=int(frame.attempts[rows].sum()),
        tokens_in=_sum(frame.tokens_in[rows]),
        tokens_out=_sum(frame.tokens_out[rows]),
        tokens_reasoning=_sum(frame.tokens_reasoning[rows]),
        cost=None if only is None else only.cost,
        currency=None if only is None else only.currency,
        costs=costs,
        cached=int(frame.cached[rows].sum()),
        seconds=float(frame.seconds[rows].sum()),
        mean_seconds=float(seconds.mean()) if some else None,
        median_seconds=float(np.median(seconds)) if some else None,
        p95_seconds=float(np.quantile(seconds, 0.95)) if some else None,
    )


def _costs(frame: Frame, rows: IntArray) -> list[CostRow]:
    """Return the cost in each currency, the one that was used first coming first."""
    priced = rows[frame.cost[rows] != UNKNOWN]
    found = []
    for code, name in enumerate(frame.currencies):
        own = priced[frame.currency[priced] == code]
        if len(own):
            total, cached = (sum(frame.cost[part].tolist()) for part in (own, own[frame.cached[own]]))
            found.append(CostRow(currency=name or None, cost=_decimal(total), cached=_decimal(cached)))
    return found


def _sum(values: IntArray) -> int | None:
    known = values[values != UNKNOWN]
    return sum(known.tolist()) if len(known) else None


def _decimal(units: int) -> str:
    text = format(Decimal(units).scaleb(-COST_DIGITS), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
