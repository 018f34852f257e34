"""What an explainer's answers depend on beside the question: what the answer cache knows it by."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from engine.errors import StormscopeError

if TYPE_CHECKING:
    from engine.endpoints import Endpoint
    from engine.explainers.base import Explainer


@runtime_checkable
class Fingerprinted(Protocol):
    """An explainer whose answers may be remembered."""

    @property
    def fingerprint(self) -> str:
        """Its endpoint, model and every setting that changes a request, as text; never a key."""
        ...


def fingerprint_of(explainer: Explainer) -> str | None:
    """Return an explainer's fingerprint; None if its answers are not to be remembered.

    That is so of baselines, of explainers that tell none, and of one that lacks something and will say so when it is
    started.
    """
    try:
        return explainer.fingerprint if isinstance(explainer, Fingerprinted) and not explainer.baseline else None
    except StormscopeError:
        return None


_SETTINGS: Final = ("kind", "temperature", "max_tokens", "seed", "structured", "think", "num_ctx", "extra")
"""Settings of an endpoint that change what is sent for a question, or what comes back."""


def endpoint_fingerprint(url: str, model: str, endpoint: Endpoint) -> str:
    """Return the fingerprint of a model behind an endpoint, as JSON text."""
    settings = endpoint.model_dump(mode="json", include=set(_SETTINGS))
    return json.dumps({"url": url, "model": model, **settings}, sort_keys=True)
