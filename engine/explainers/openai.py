"""A language model behind any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import difflib
import json
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import httpx

from engine.errors import EndpointError, UsageError
from engine.explainers.base import Reply
from engine.explainers.failure import RequestFailed
from engine.explainers.http import FAILURES, could_not_connect, describe, endpoint_url, make_client, may_pass, read_body
from engine.explainers.request import first_form, request_body, simpler_form
from engine.explainers.response import failure_of, model_ids, parse_completion, server_message
from engine.explainers.retry import RetryPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.explainers.base import Question
    from engine.settings import Endpoint

_OK, _BAD_REQUEST, _UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _UNPROCESSABLE = 200, 400, 401, 403, 404, 422
_MODELS_TIMEOUT = 10.0
_MODELS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Advice:
    """What a user does about a failing endpoint."""

    url: str = "start the server or check OPENAI_BASE_URL"
    key: str = "check OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class _Response:
    status: int
    headers: Mapping[str, str]
    body: bytes


class OpenAI:
    """An explainer that asks a model behind an endpoint.

    Parameters
    ----------
    model
        The model's name as the endpoint knows it.
    name
        How the command line calls this explainer; ``openai:MODEL`` by default.
    endpoint
        Where and how to ask.
    on_event
        Called with one sentence whenever a request is repeated, waits, or is sent in a simpler form.
    advice
        What the error messages tell the user to check.
    policy
        The retry policy; by default the endpoint's attempts and deadline.

    Raises
    ------
    UsageError
        If the endpoint's URL or key cannot be used at all.
    """

    baseline = False

    def __init__(
        self,
        model: str,
        *,
        endpoint: Endpoint,
        name: str = "",
        on_event: Callable[[str], None] | None = None,
        advice: Advice | None = None,
        policy: RetryPolicy | None = None,
    ) -> None:
        self.name = name or f"openai:{model}"
        self.model = model
        self.url = endpoint_url(endpoint.base_url)
        # Whole URLs, made once: joining one to a base for every request is a tenth of its cost.
        self._chat_url, self._models_url = (httpx.URL(f"{self.url}/{path}") for path in ("chat/completions", "models"))
        self._endpoint = endpoint
        if not (self._key.isascii() and self._key.isprintable()):
            raise UsageError("the key holds characters that no key has", where="OPENAI_API_KEY", hint="copy it again")
        self._on_event = on_event
        self._advice = advice or Advice()
        self._policy = policy or RetryPolicy(attempts=endpoint.attempts, deadline=endpoint.deadline)
        self._form = first_form(endpoint)
        self._slots = asyncio.Semaphore(endpoint.concurrency)
        self._client: httpx.AsyncClient | None = None
        self._reached = False
        self._given_up = ""

    @property
    def _key(self) -> str:
        """The key, unwrapped only where it is needed, so that no dump of this object shows it."""
        return self._endpoint.api_key.get_secret_value().strip() if self._endpoint.api_key else ""

    async def start(self) -> None:
        """Open the client, and give an endpoint that failed for good another chance.

        Nothing is sent, so that an endpoint that bills or sleeps is left alone.
        """
        self._given_up = ""
        self._open()

    async def close(self) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def ask(self, question: Question) -> Reply:
        """Ask; a failure comes back as `Reply.error`. After a fatal failure nothing is sent any more."""
        async with self._slots:
            if self._given_up:
                return Reply(error=self._given_up, fatal=True, attempts=0)
            begin, sent = time.monotonic(), 0

            async def attempt() -> Reply:
                nonlocal sent
                while True:
                    sent += 1
                    reply = await self._attempt(question)
                    if reply is not None:
                        return reply

            try:
                reply = await self._policy.run(attempt, self._tell)
            except RequestFailed as failure:
                reply = self._failed(failure)
            return replace(reply, seconds=time.monotonic() - begin, attempts=sent)

    async def models(self) -> list[str]:
        """Return the names of the models that the endpoint lists; raises EndpointError if it cannot be asked."""
        try:
            async with asyncio.timeout(_MODELS_TIMEOUT):
                response = await self._request("GET", self._models_url)
            if response.status != _OK:
                raise await self._refusal(response, look_for_models=False)
            return model_ids(response.body)
        except TimeoutError:
            raise EndpointError("the server stayed silent for too long", where=str(self.url)) from None
        except RequestFailed as failure:
            raise EndpointError(self._redacted(failure.message), where=str(self.url)) from None

    async def _attempt(self, question: Question) -> Reply | None:
        """Send the question once; None if it has to be sent again in a simpler form."""
        form = self._form
        response = await self._request("POST", self._chat_url, request_body(question, self.model, self._endpoint, form))
        if response.status == _OK:
            reply = parse_completion(response.body, response.headers.get("content-type", ""))
            return replace(
                reply, details={**reply.details, "structured": form.structured, "extra": dict(self._endpoint.extra)}
            )
        if response.status in {_BAD_REQUEST, _UNPROCESSABLE}:
            simpler = simpler_form(form, response.body.decode("utf-8", "replace"))
            if simpler is not None:
                if self._form is form:  # else another question has learned something already
                    self._form = simpler
                    self._tell(
                        f"the server refuses part of the request: {server_message(response.body)}; asking more simply"
                    )
                return None
        raise await self._refusal(response)

    async def _request(self, method: str, url: httpx.URL, body: dict[str, Any] | None = None) -> _Response:
        """Send one request and take in the whole response; raises RequestFailed if there is none."""
        content = None if body is None else json.dumps(body).encode()
        headers = None if body is None else {"Content-Type": "application/json"}
        try:
            async with self._open().stream(method, url, content=content, headers=headers) as response:
                self._reached = True
                return _Response(response.status_code, response.headers, await read_body(response))
        except FAILURES as error:
            raise RequestFailed(
                describe(error), transient=may_pass(error), unreached=could_not_connect(error)
            ) from error

    async def _refusal(self, response: _Response, *, look_for_models: bool = True) -> RequestFailed:
        """Return the failure that an error status stands for, with what to do about it."""
        said = server_message(response.body)
        said = f" ({said})" if said else ""
        if response.status == _UNAUTHORIZED:
            what = "the server refuses the key" if self._key else "the server wants a key"
            return RequestFailed(f"{what}{said}; {self._advice.key}", fatal=True)
        if response.status == _FORBIDDEN:
            return RequestFailed(f"the server forbids this{said}; {self._advice.key}", fatal=True)
        if response.status == _NOT_FOUND and look_for_models:
            return RequestFailed(await self._not_found(said), fatal=True)
        return failure_of(response.status, response.headers, response.body)

    async def _not_found(self, said: str) -> str:
        try:
            models = await self.models()
        except EndpointError:
            models = []
        if not models:
            return f"the server knows no chat/completions here{said}; {self._advice.url}, which usually ends in /v1"
        if self.model in models:
            return f"the server lists the model '{self.model}' but does not answer for it{said}"
        near = difflib.get_close_matches(self.model, models, n=_MODELS_SHOWN) or models
        shown = ", ".join(near[:_MODELS_SHOWN])
        more = f" and {len(models) - len(near[:_MODELS_SHOWN])} more" if len(models) > len(near[:_MODELS_SHOWN]) else ""
        return f"the server has no model '{self.model}'; it has {shown}{more}"

    def _failed(self, failure: RequestFailed) -> Reply:
        """Return the reply of a question that failed; a server that was never reached is given up."""
        fatal, message = failure.fatal, failure.message
        if failure.unreached:
            fatal = not self._reached
            message = f"{message}; {self._advice.url}"
        message = self._redacted(f"{self.url}: {message}")
        if fatal:
            self._given_up = message
        return Reply(error=message, fatal=fatal)

    def _open(self) -> httpx.AsyncClient:
        if self._client is None:
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            self._client = make_client(
                self.url, headers=headers, timeout=self._endpoint.timeout, concurrency=self._endpoint.concurrency
            )
        return self._client

    def _tell(self, event: str) -> None:
        if self._on_event is not None:
            self._on_event(f"{self.name}: {self._redacted(event)}")

    def _redacted(self, text: str) -> str:
        """Return text without the key, which some servers repeat in their messages."""
        return text.replace(self._key, "***") if self._key else text
