"""Who can be asked now: what each explainer still lacks, and the models that each endpoint offers."""

from __future__ import annotations

import asyncio
import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.errors import EndpointError, StormscopeError, UnlistedError
from engine.explainers import local_weights
from engine.explainers.registry import known_explainers, make_explainer

if TYPE_CHECKING:
    from engine.explainers.endpoint import HttpExplainer
    from engine.explainers.registry import ExplainerInfo
    from engine.settings import Settings

PATIENCE: Final = 3.0
"""Seconds that an endpoint has to list its models, all being asked at once."""
_UNLISTED: Final = "no list of models; asked anyway"


@dataclass(frozen=True, slots=True)
class EndpointStatus:
    """A server: where it is, whether a key is set (never the key), and its models, None if it could not be asked."""

    url: str
    key_set: bool
    models: list[str] | None


@dataclass(frozen=True, slots=True)
class Status:
    """Whether an explainer can be asked now.

    Attributes
    ----------
    ready
        True also where a server answers but has no list of models: it may be asked all the same.
    status
        What there is or lacks, as a sentence.
    hint
        What to do if it is not ready, or if it does not answer.
    weights
        The model file of the embedded model.
    """

    ready: bool
    status: str
    hint: str = ""
    endpoint: EndpointStatus | None = None
    weights: str | None = None


async def all_statuses(settings: Settings, *, patience: float = PATIENCE) -> list[tuple[ExplainerInfo, Status]]:
    """Return every explainer with its status; endpoints are asked at the same time, and what fails is a status."""
    known = known_explainers(settings)
    found = await asyncio.gather(*(status_of(each, settings, patience=patience) for each in known))
    return list(zip(known, found, strict=True))


async def status_of(info: ExplainerInfo, settings: Settings, *, patience: float = PATIENCE) -> Status:
    """Return whether an explainer can be asked; never raises for what it lacks."""
    if info.baseline:
        return Status(ready=True, status="always there")
    return _local() if info.spec == "local" else await _endpoint(info.spec, settings, patience)


def _local() -> Status:
    try:
        weights = local_weights.packaged_weights()
    except StormscopeError as error:
        return Status(ready=False, status=error.what, hint=_one_line(error.hint))
    if importlib.util.find_spec("xllamacpp") is None:
        install = "pip install 'stormscope[local]'"
        return Status(ready=False, status="llama.cpp is not installed", hint=install, weights=str(weights))
    return Status(ready=True, status=f"llama.cpp and {weights.name} are installed", weights=str(weights))


async def _endpoint(spec: str, settings: Settings, patience: float) -> Status:
    from engine.explainers.endpoint import HttpExplainer  # noqa: PLC0415 - loads the network libraries
    from engine.explainers.keys import has_key  # noqa: PLC0415 - as above

    try:
        who = make_explainer(spec, settings)
    except StormscopeError as error:
        return Status(ready=False, status=error.what, hint=_one_line(error.hint))
    if not isinstance(who, HttpExplainer):
        raise TypeError(f"{spec} is no endpoint")
    url, key_set = who.connection.where, has_key(who.endpoint)
    try:
        models = await _models(who, patience)
    except UnlistedError as error:
        return _unlisted(who, error, EndpointStatus(url, key_set, None))
    except StormscopeError as error:
        hint = _one_line(error.hint) or who.connection.hint
        return Status(ready=False, status=error.what, hint=hint, endpoint=EndpointStatus(url, key_set, None))
    wanted = settings.endpoints[spec].model if spec in settings.endpoints else ""
    return _listed(who, wanted, EndpointStatus(url, key_set, models), models)


def _unlisted(who: HttpExplainer, error: UnlistedError, endpoint: EndpointStatus) -> Status:
    """Return the status of a server without a list; Ollama's is part of its API, so that one is another server."""
    if who.kind == "ollama":
        return Status(ready=False, status=error.what, hint=who.connection.hint, endpoint=endpoint)
    hint = f"if it does not answer either: {who.connection.hint}"
    return Status(ready=True, status=_UNLISTED, hint=hint, endpoint=endpoint)


def _listed(who: HttpExplainer, wanted: str, endpoint: EndpointStatus, models: list[str]) -> Status:
    if not models and who.kind == "openai":
        return Status(ready=True, status="the list of models is empty; asked anyway", endpoint=endpoint)
    if wanted and wanted not in models and f"{wanted}:latest" not in models:
        name = who.name.partition(":")[0]
        return Status(
            ready=False,
            status=f"does not offer {wanted}, but {_counted(models)}",
            hint=f"change endpoints.{name}.model in the settings file",
            endpoint=endpoint,
        )
    return Status(ready=True, status=f"offers {_counted(models)}", endpoint=endpoint)


async def _models(who: HttpExplainer, patience: float) -> list[str]:
    """Return the models; raises EndpointError, after the patience at the latest."""
    try:
        async with asyncio.timeout(patience):
            return await who.models()
    except TimeoutError:
        raise EndpointError(f"the server did not list its models within {patience:g} s") from None
    finally:
        await who.close()


def _counted(models: list[str]) -> str:
    return f"{len(models)} model" + ("" if len(models) == 1 else "s")


def _one_line(hint: str) -> str:
    return " ".join(hint.split())
