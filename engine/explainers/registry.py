"""Explainers by the names that the command line uses. Importing this loads no network library."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.explainers.baselines import BASELINES

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.explainers.base import Explainer
    from engine.settings import Settings

_DEFAULT_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class ExplainerInfo:
    """One kind of explainer for lists and help.

    Attributes
    ----------
    spec
        What to type.
    summary
        What it does, as a clause.
    baseline
        Whether no language model is behind it.
    """

    spec: str
    summary: str
    baseline: bool


def known_explainers() -> list[ExplainerInfo]:
    """Return every kind of explainer that `make_explainer` knows."""
    models = [
        ExplainerInfo("local", "the embedded language model (--model FILE.gguf for another one)", baseline=False),
        ExplainerInfo("openai:MODEL", "a model behind OPENAI_BASE_URL, with OPENAI_API_KEY", baseline=False),
    ]
    return [ExplainerInfo(each.name, each.explanation, baseline=True) for each in BASELINES] + models


def make_explainer(
    spec: str,
    settings: Settings,
    *,
    model_file: Path | None = None,
    on_event: Callable[[str], None] | None = None,
) -> Explainer:
    """Return the explainer of a name, not yet started.

    Parameters
    ----------
    spec
        ``random``, ``first``, ``half``, ``oracle``, ``local``, ``local:FILE.gguf`` or ``openai:MODEL``.
    settings
        Endpoints and limits.
    model_file
        The model of ``local``, if it is not the packaged one.
    on_event
        Called with one sentence whenever a request is repeated or waits.

    Raises
    ------
    UsageError
        If there is no such explainer, its model is missing or no GGUF file, or its endpoint is not set.
    """
    spec = spec.strip()
    kind, _, rest = spec.partition(":")
    for baseline in BASELINES:
        if spec == baseline.name:
            return baseline
    match kind:
        case "local":
            from engine.explainers.local import LocalModel  # noqa: PLC0415 - loads the network libraries

            file = Path(rest).expanduser() if rest else model_file
            return LocalModel(settings.local, model_file=file, on_event=on_event)
        case "openai":
            return _openai(rest, settings, on_event)
        case _:
            raise _unknown(spec)


def _openai(model: str, settings: Settings, on_event: Callable[[str], None] | None) -> Explainer:
    if not model:
        raise UsageError("openai needs the name of a model", where="--explainer", hint="openai:MODEL")
    endpoint = settings.openai
    if endpoint.api_key is None and endpoint.base_url.rstrip("/") == _DEFAULT_URL:
        hint = (
            "set OPENAI_API_KEY, or OPENAI_BASE_URL to a server of your own, such as http://localhost:11434/v1\n"
            "    (without any of these, the embedded model is 'local')"
        )
        raise UsageError("no endpoint is set for language models", where=f"openai:{model}", hint=hint)
    from engine.explainers.openai import OpenAI  # noqa: PLC0415 - loads the network libraries

    return OpenAI(model, endpoint=endpoint, on_event=on_event)


def _unknown(spec: str) -> UsageError:
    known = [each.spec for each in known_explainers()]
    near = difflib.get_close_matches(spec.lower(), known, n=1)
    meant = f"did you mean '{near[0]}'? " if near else ""
    return UsageError(
        f"there is no explainer '{spec}'", where="--explainer", hint=f"{meant}there are {', '.join(known)}"
    )
