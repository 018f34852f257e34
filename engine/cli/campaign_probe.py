"""``run --probe``: finding out what endpoints do before they are asked, and asking them accordingly."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from engine.cli.common import say
from engine.errors import StormscopeError
from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.explainers.base import Explainer
    from engine.explainers.probe_result import ProbeResult
    from engine.verdicts.store import Store


async def probe_all(explainers: Mapping[str, Explainer], store: Store) -> dict[str, Explainer]:
    """Probe every language model, show and store what was found, and return the explainers in the modes that fit.

    One that cannot be asked stays as it is: the campaign says what is wrong with it. An interrupt closes all of them.
    """
    probed = dict(explainers)
    try:
        for name, explainer in explainers.items():
            probed[name] = await _probed(name, explainer, store)
    except BaseException:
        await asyncio.gather(*(explainer.close() for explainer in probed.values()), return_exceptions=True)
        raise
    return probed


async def _probed(name: str, explainer: Explainer, store: Store) -> Explainer:
    from engine.explainers.endpoint import HttpExplainer  # noqa: PLC0415  # loads the network libraries
    from engine.explainers.probe import probe, tuned  # noqa: PLC0415  # as above

    if explainer.baseline:
        return explainer
    say(f"{plain(name)}: probing")
    try:
        result = await probe(explainer)
    except StormscopeError as error:
        say(f"{plain(name)}: {plain(error.what)}")
        return explainer
    store.add_probe(name, result.to_json())
    for line in (_told(result), *result.notes):
        say(f"{plain(name)}: {plain(line)}")
    if not isinstance(explainer, HttpExplainer):
        return explainer  # the embedded model's modes are known
    endpoint = tuned(explainer.endpoint, result)
    if endpoint == explainer.endpoint:
        return explainer
    say(f"{plain(name)}: asked with structured = {endpoint.structured}")
    chosen = await explainer.variant(structured=endpoint.structured, think=endpoint.think)
    await explainer.close()
    return chosen


def _told(result: ProbeResult) -> str:
    if result.error:
        return f"it cannot be asked: {result.error}"
    latency = "" if result.latency is None else f", {result.latency:.2f} s an answer"
    return (
        f"schema {result.json_schema}, JSON object {result.json_object}, thinking: {result.thinking}, long prompt "
        f"{result.context}, {result.different} different of {result.repeats} answers at temperature 0, tokens "
        f"{'reported' if result.usage else 'not reported'}{latency}"
    )
