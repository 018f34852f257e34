"""What an answer costs at the prices of the settings."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from engine.endpoints import Endpoint

_MILLION: Final = Decimal(10) ** 6
_EXACT: Final = Context(prec=80)
"""Digits beyond any price and token count, so that no product and no sum is rounded."""


def cost_of(endpoint: Endpoint, tokens_in: int | None, tokens_out: int | None) -> str | None:
    """Return a reply's price as exact decimal text in the endpoint's currency; None without prices or counts.

    A kind of token without a price costs nothing, if the other kind has one.
    """
    if endpoint.price_in is None and endpoint.price_out is None:
        return None
    if tokens_in is None or tokens_out is None:
        return None
    paid_in = _EXACT.multiply(endpoint.price_in or Decimal(0), Decimal(tokens_in))
    paid_out = _EXACT.multiply(endpoint.price_out or Decimal(0), Decimal(tokens_out))
    total = _EXACT.divide(_EXACT.add(paid_in, paid_out), _MILLION)
    return f"{total.normalize(_EXACT):f}"
