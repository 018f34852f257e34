"""A language model behind any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.explainers.advice import Advice
from engine.explainers.endpoint import HttpExplainer
from engine.explainers.http import endpoint_url, read_body
from engine.explainers.openai_stream import read_events
from engine.explainers.request import request_body
from engine.explainers.response import model_ids, parse_completion
from engine.explainers.streaming import Piece

if TYPE_CHECKING:
    import aiohttp
    from yarl import URL

    from engine.explainers.base import Question, Reply
    from engine.explainers.request import Form
    from engine.explainers.streaming import OnPiece


class OpenAI(HttpExplainer):
    """An explainer that asks a model behind an OpenAI-compatible endpoint."""

    kind = "openai"
    chat_path = "chat/completions"
    models_path = "models"
    advice = Advice()

    def _address(self, base_url: str) -> URL:
        return endpoint_url(base_url, setting=self._advice.setting)

    def _body(self, question: Question, form: Form, *, stream: bool) -> dict[str, Any]:
        return request_body(question, self.model, self.endpoint, form, stream=stream)

    async def _read(self, response: aiohttp.ClientResponse, on_piece: OnPiece | None) -> Reply:
        kind = response.headers.get("content-type", "")
        if "text/event-stream" in kind.lower():  # some servers stream whether they are asked to or not
            return await read_events(response, on_piece)
        reply = parse_completion(await read_body(response), kind)
        if on_piece is not None:
            on_piece(Piece(reply.text, reply.reasoning))
        return reply

    def _model_names(self, body: bytes) -> list[str]:
        return model_ids(body)
