"""The embedded language model as an explainer (design.md, "The embedded language model")."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from engine.endpoints import Endpoint
from engine.explainers.advice import Advice
from engine.explainers.local_child import start_child
from engine.explainers.local_weights import checked_weights, packaged_weights
from engine.explainers.openai import OpenAI
from engine.explainers.telling import Telling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from engine.explainers.base import Question, Reply
    from engine.explainers.endpoint import HttpExplainer
    from engine.explainers.local_child import ServerChild
    from engine.explainers.streaming import OnPiece
    from engine.settings import Local

_ADVICE = Advice(url="the embedded model does not answer", key="this is an error of stormscope, please report it")
_ATTEMPTS = 3
_PROBABILITY_PATTERN = r"^(0(\.[0-9]{1,4})?|1)$"


class LocalModel(Telling):
    """An explainer that starts a llama.cpp server of its own and asks it like any other endpoint.

    Parameters
    ----------
    settings
        The ``local`` table of the settings.
    model_file
        A GGUF file; by default the packaged model.
    on_event
        As in `Telling`.

    Raises
    ------
    UsageError
        If the model file is none.
    """

    baseline = False

    def __init__(
        self, settings: Local, *, model_file: Path | None = None, on_event: Callable[[str], None] | None = None
    ) -> None:
        self._weights = None if model_file is None else checked_weights(model_file)
        # Answers of different models must not meet under one name in a campaign file.
        super().__init__("local" if self._weights is None else f"local:{self._weights.stem}", on_event)
        self._settings = settings
        self._starting = asyncio.Lock()
        self._child: ServerChild | None = None
        self._client: OpenAI | None = None

    @property
    def pid(self) -> int | None:
        """The server's process id, None while there is none."""
        return None if self._child is None else self._child.pid

    async def start(self) -> None:
        """Start the server, again if its process has died; raises EndpointError that says what is missing."""
        if self._child is not None and not self._child.running:
            await self.close()
        await self._started()

    @property
    def fingerprint(self) -> str:
        """What the answers depend on beside the question, as JSON text."""
        weights = self._weights or packaged_weights()
        settings = self._settings.model_dump(mode="json", include={"context", "max_tokens", "extra"})
        return json.dumps({"weights": weights.name, "bytes": weights.stat().st_size, **settings}, sort_keys=True)

    async def ask(self, question: Question) -> Reply:
        """Ask the server, starting it if need be. If its process has died, the reply says why and is fatal."""
        return await self._answer(question, None)

    async def ask_in_pieces(self, question: Question, on_piece: OnPiece) -> Reply:
        """Ask as `ask` does, with the answer streamed."""
        return await self._answer(question, on_piece)

    async def models(self) -> list[str]:
        """Return the one model that there is."""
        return [(self._weights or packaged_weights()).stem]

    async def variant(self, **settings: Any) -> HttpExplainer:
        """Return an explainer of the same server with other settings of `Endpoint`; the caller closes it."""
        return await (await self._started()).variant(**settings)

    async def _answer(self, question: Question, on_piece: OnPiece | None) -> Reply:
        client = await self._started()
        asked = replace(question, schema=with_bounded_number(question.schema))
        reply = await (client.ask(asked) if on_piece is None else client.ask_in_pieces(asked, on_piece))
        child = self._child
        if reply.error and child is not None and not child.running:
            return replace(reply, error=" → ".join(str(child.death()).split("\n  → ")), fatal=True)
        return reply

    async def close(self) -> None:
        """Close the connections and stop the server."""
        client, self._client = self._client, None
        child, self._child = self._child, None
        if client is not None:
            await client.close()
        if child is not None:
            await child.stop()

    async def _started(self) -> OpenAI:
        async with self._starting:
            if self._client is None:
                weights = self._weights or packaged_weights()
                self._child = await start_child(weights, self._settings)
                self._client = self._client_of(self._child, weights)
            return self._client

    def _client_of(self, child: ServerChild, weights: Path) -> OpenAI:
        settings = self._settings
        endpoint = Endpoint(
            base_url=child.url,
            api_key=SecretStr(child.key),
            timeout=settings.timeout,
            deadline=settings.deadline,
            attempts=_ATTEMPTS,
            concurrency=1,  # the server has one slot; waiting here does not count as silence
            max_tokens=settings.max_tokens,
            # With the prompt cache an answer can depend on the questions before it (near-ties).
            extra={"cache_prompt": False, **settings.extra},
        )
        client = OpenAI(weights.stem, name=self.name, endpoint=endpoint, on_event=self._on_event, advice=_ADVICE)
        client.on_wait = self._tell_wait
        return client


def with_bounded_number(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with a probability asked for as decimal text.

    llama.cpp's grammar leaves out a number's limits, so that a small model answers 15, or digits without end.
    """
    properties = schema.get("properties", {})
    answer = properties.get("answer", {})
    if (answer.get("type"), answer.get("minimum"), answer.get("maximum")) != ("number", 0, 1):
        return dict(schema)
    return {**schema, "properties": {**properties, "answer": {"type": "string", "pattern": _PROBABILITY_PATTERN}}}
