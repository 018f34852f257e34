"""Explainers by the names that the command line uses. Importing this loads no network library."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.explainers.baselines import BASELINES

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.endpoints import Endpoint
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


def known_explainers(settings: Settings | None = None) -> list[ExplainerInfo]:
    """Return every kind of explainer that `make_explainer` knows, with the settings' endpoints if they are given."""
    models = [
        ExplainerInfo("local", "the embedded language model (--model FILE.gguf for another one)", baseline=False),
        ExplainerInfo("openai:MODEL", "a model behind OPENAI_BASE_URL, with OPENAI_API_KEY", baseline=False),
        ExplainerInfo("ollama:MODEL", "a model of the Ollama server at OLLAMA_HOST", baseline=False),
    ]
    named = settings.endpoints.items() if settings is not None else ()
    for name, endpoint in named:
        spec = name if endpoint.model else f"{name}:MODEL"
        what = f"{endpoint.model} behind" if endpoint.model else "a model behind"
        models.append(ExplainerInfo(spec, f"{what} {endpoint.base_url}", baseline=False))
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
        ``random``, ``first``, ``half``, ``oracle``, ``local``, ``local:FILE.gguf``, ``openai:MODEL``,
        ``ollama:MODEL``, or an endpoint of the settings: ``NAME`` or ``NAME:MODEL``.
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
        case "ollama":
            return _endpoint(spec, rest, settings.ollama, on_event)
        case name if name in settings.endpoints:
            return _endpoint(spec, rest, settings.endpoints[name], on_event)
        case _:
            raise _unknown(spec, settings)


def _openai(model: str, settings: Settings, on_event: Callable[[str], None] | None) -> Explainer:
    endpoint = settings.openai
    keyless = endpoint.api_key is None and not endpoint.api_key_env and not endpoint.api_key_command
    if model and keyless and endpoint.base_url.rstrip("/") == _DEFAULT_URL:
        hint = (
            "set OPENAI_API_KEY, or OPENAI_BASE_URL to a server of your own, such as http://localhost:8000/v1\n"
            "    (without any of these, the embedded model is 'local')"
        )
        raise UsageError("no endpoint is set for language models", where=f"openai:{model}", hint=hint)
    return _endpoint(f"openai:{model}", model, endpoint, on_event)


def _endpoint(spec: str, model: str, endpoint: Endpoint, on_event: Callable[[str], None] | None) -> Explainer:
    """Return the explainer of an endpoint; its name is what was typed, so that two endpoints never share one."""
    kind = spec.partition(":")[0]
    if not (model := model or endpoint.model):
        raise UsageError(f"{kind} needs the name of a model", where="--explainer", hint=f"{kind}:MODEL")
    from engine.explainers.advice import Advice  # noqa: PLC0415 - loads the network libraries
    from engine.explainers.ollama import Ollama  # noqa: PLC0415 - as above
    from engine.explainers.openai import OpenAI  # noqa: PLC0415 - as above

    made = Ollama if endpoint.kind == "ollama" else OpenAI
    advice = Advice(
        url=_check_url(kind, endpoint),
        key=f"check {_key_source(endpoint)}" if _key_source(endpoint) else _no_key(kind),
        setting=f"endpoints.{kind}.base_url",
    )
    if kind == made.kind:
        advice = replace(made.advice, key=f"check {_key_source(endpoint)}") if _key_source(endpoint) else made.advice
        if kind == "ollama" and not _key_source(endpoint):
            advice = replace(made.advice, key="set api_key_env under [ollama] in the settings file")
    return made(model, name=spec.rstrip(":"), endpoint=endpoint, on_event=on_event, advice=advice)


def _check_url(name: str, endpoint: Endpoint) -> str:
    """Return what to check about the URL of an endpoint of the settings, which need not have a line for it."""
    from engine.endpoints import ollama_url  # noqa: PLC0415 - loads pydantic, which lists of explainers do not need

    own = ollama_url(os.environ.get("OLLAMA_HOST", "")) if endpoint.kind == "ollama" else _DEFAULT_URL
    if endpoint.base_url.rstrip("/") == own:
        default = (
            f"{own} is the default where [endpoints.{name}] has no base_url; set base_url there for another server"
        )
        return f"start it with: ollama serve ({default})" if endpoint.kind == "ollama" else default
    return f"start the server or check endpoints.{name}.base_url in the settings file"


def _key_source(endpoint: Endpoint) -> str:
    """Return where the key comes from, for the advice about a refused one."""
    if endpoint.api_key_env:
        return f"the environment variable {endpoint.api_key_env}"
    return "the command that prints the key" if endpoint.api_key_command else ""


def _no_key(name: str) -> str:
    """Return what to do where an endpoint of the settings has no key and its server wants one."""
    return f"set api_key_env or api_key_command under [endpoints.{name}] in the settings file"


def _unknown(spec: str, settings: Settings) -> UsageError:
    known = [each.spec for each in known_explainers(settings)]
    near = difflib.get_close_matches(spec.lower(), known, n=1)
    meant = f"did you mean '{near[0]}'? " if near else ""
    return UsageError(
        f"there is no explainer '{spec}'", where="--explainer", hint=f"{meant}there are {', '.join(known)}"
    )
