"""A language model behind Ollama's own API: ``/api/chat``, since its OpenAI-compatible one drops some of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from engine.explainers.advice import Advice
from engine.explainers.endpoint import HttpExplainer
from engine.explainers.http import endpoint_url
from engine.explainers.ollama_chat import chat_request, model_names, read_chat
from engine.explainers.request import simpler_form

if TYPE_CHECKING:
    from collections.abc import Mapping

    import aiohttp
    from yarl import URL

    from engine.explainers.base import Question, Reply
    from engine.explainers.request import Form
    from engine.explainers.streaming import OnPiece

_ABOUT_THINKING: Final = re.compile(r"not support thinking|think value", re.IGNORECASE)
_ABOUT_FORMAT: Final = re.compile(r"\bformat\b|schema|grammar", re.IGNORECASE)


class Ollama(HttpExplainer):
    """An explainer that asks a model of an Ollama server.

    Replies are always streamed, which costs little and lets a model that thinks for minutes be told from a server that
    is silent.
    """

    kind = "ollama"
    chat_path = "api/chat"
    models_path = "api/tags"
    advice = Advice(
        url="start it with: ollama serve, or check OLLAMA_HOST", key="check the endpoint's key", setting="OLLAMA_HOST"
    )

    _told = ""

    def _address(self, base_url: str) -> URL:
        url = endpoint_url(base_url, setting=self._advice.setting, path="")
        # Its OpenAI-compatible API hangs under /v1 and its own under /api; users give one, the other or neither.
        return url.with_path(url.path.removesuffix("/v1").removesuffix("/api") or "/")

    def _body(self, question: Question, form: Form, *, stream: bool) -> dict[str, Any]:  # noqa: ARG002 - always streams
        return chat_request(question, self.model, self.endpoint, form)

    async def _read(self, response: aiohttp.ClientResponse, on_piece: OnPiece | None) -> Reply:
        return await read_chat(response, on_piece)

    def _model_names(self, body: bytes) -> list[str]:
        return model_names(body)

    def _simpler(self, form: Form, complaint: str) -> Form | None:
        if "think" not in form.left_out and self.endpoint.think is not None and _ABOUT_THINKING.search(complaint):
            return replace(form, left_out=form.left_out | {"think"})
        # Its messages call the schema by its own field's name.
        return simpler_form(form, f"response_format {complaint}" if _ABOUT_FORMAT.search(complaint) else complaint)

    def _remarks(self, reply: Reply, form: Form) -> Mapping[str, Any]:
        remarks = {**super()._remarks(reply, form)}
        remarks |= {} if self.endpoint.think is None else {"think": self.endpoint.think}
        remarks |= {} if self.endpoint.num_ctx is None else {"num_ctx": self.endpoint.num_ctx}
        note = self._note(reply, form)
        if note:
            remarks["note"] = note
            if note != self._told:
                self._told = note
                self._tell(note)
        return remarks

    def _note(self, reply: Reply, form: Form) -> str:
        """Return what a user should know about a useless reply: two traps that the server does not report."""
        if reply.finish == "length" and reply.reasoning and not reply.text.strip():
            less = "" if self.endpoint.think is False else ", or set think = false"
            unheeded = " although think = false is set" if self.endpoint.think is False else ""
            return (
                f"thinking has used up all {self.endpoint.max_tokens} tokens{unheeded} and left no answer; "
                f"raise max_tokens{less}"
            )
        ignored = form.structured != "none" and reply.text.strip() and not reply.text.lstrip().startswith("{")
        if ignored and self.endpoint.think is False and "think" not in form.left_out:
            return "the answer's form was ignored; with some models think = false does that: leave think out"
        return ""

    def _nothing_here(self, said: str, *, listed: bool) -> str:
        if listed:
            return f"the server has no models at all{said}; get one with: ollama pull {self.model}"
        return f"no Ollama answers here{said}; {self._advice.url}"
