"""What an endpoint's refusals mean, and what a user does about them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.explainers.failure import RequestFailed
from engine.explainers.response import failure_of, server_message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_UNAUTHORIZED, _FORBIDDEN = 401, 403
_MODELS_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class Advice:
    """What a user does about a failing endpoint: about its URL, about its key; and the setting that holds the URL."""

    url: str = "start the server or check OPENAI_BASE_URL"
    key: str = "check OPENAI_API_KEY"
    setting: str = "OPENAI_BASE_URL"


def refusal_of(
    status: int, headers: Mapping[str, str], body: bytes, advice: Advice, *, key_sent: bool
) -> RequestFailed:
    """Return the failure that an error status stands for; an unknown model is the caller's to explain."""
    said = said_in(body)
    if status == _UNAUTHORIZED:
        what = "the server refuses the key" if key_sent else "the server wants a key"
        return RequestFailed(f"{what}{said}; {advice.key}", fatal=True, key_refused=True)
    if status == _FORBIDDEN:
        return RequestFailed(f"the server forbids this{said}; {advice.key}", fatal=True)
    return failure_of(status, headers, body)


def said_in(body: bytes) -> str:
    """Return what a server says in an error's body, as a parenthesis with a blank before it; empty if nothing."""
    said = server_message(body)
    return f" ({said})" if said else ""


def missing_model(model: str, models: Sequence[str], said: str) -> str:
    """Return why a server that lists these models answers 404 for one: the nearest names if it is not among them."""
    if model in models:
        return f"the server lists the model '{model}' but does not answer for it{said}"
    near = (difflib.get_close_matches(model, models, n=_MODELS_SHOWN) or models)[:_MODELS_SHOWN]
    more = f" and {len(models) - len(near)} more" if len(models) > len(near) else ""
    return f"the server has no model '{model}'; it has {', '.join(near)}{more}"
