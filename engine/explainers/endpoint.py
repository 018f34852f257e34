"""What all language models behind HTTP share: slots, pace, retries, waits, keys, and what errors tell the user."""

from __future__ import annotations

import asyncio
import json
import time
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from engine.errors import EndpointError
from engine.explainers.advice import missing_model, said_in
from engine.explainers.base import Reply
from engine.explainers.connection import OK, Connection
from engine.explainers.costs import cost_of
from engine.explainers.failure import RequestFailed
from engine.explainers.fingerprint import endpoint_fingerprint
from engine.explainers.http import FAILURES, read_body
from engine.explainers.pace import Pace
from engine.explainers.request import first_form, simpler_form, what_changes
from engine.explainers.response import server_message
from engine.explainers.retry import RetryPolicy
from engine.explainers.streaming import Piece
from engine.explainers.telling import Telling
from engine.explainers.waiting import Wait

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import aiohttp
    from yarl import URL

    from engine.endpoints import Endpoint
    from engine.explainers.advice import Advice
    from engine.explainers.base import Question
    from engine.explainers.request import Form
    from engine.explainers.streaming import OnPiece

_BAD_REQUEST, _NOT_FOUND, _UNPROCESSABLE = 400, 404, 422


class HttpExplainer(Telling, ABC):
    """An explainer that asks a model behind an endpoint; a subclass knows the protocol.

    Parameters
    ----------
    model
        The model's name as the endpoint knows it.
    endpoint
        Where and how to ask.
    name
        How the command line calls this explainer; ``KIND:MODEL`` by default.
    on_event
        As in `Telling`.
    advice
        What the error messages tell the user to check.
    policy
        The retry policy; by default the endpoint's attempts and deadline.

    Raises
    ------
    UsageError
        If the endpoint's URL or key cannot be used at all.
    """

    baseline: bool = False
    kind: ClassVar[str]
    chat_path: ClassVar[str]
    models_path: ClassVar[str]
    advice: ClassVar[Advice]

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
        super().__init__(name or f"{self.kind}:{model}", on_event)
        self.model = model
        self.endpoint = endpoint
        self._advice = advice or self.advice
        self.url = self._address(endpoint.base_url)
        source = "OPENAI_API_KEY" if self.kind == self.name.partition(":")[0] else f"{self.name}: api_key_env"
        self.connection = Connection(self.url, endpoint, name=self.name, advice=self._advice, key_setting=source)
        self._chat_url, self._models_url = self.url.joinpath(self.chat_path), self.url.joinpath(self.models_path)
        self._policy = policy or RetryPolicy(attempts=endpoint.attempts, deadline=endpoint.deadline)
        self._form = first_form(endpoint)
        self._slots = asyncio.Semaphore(endpoint.concurrency)
        self._pace = Pace(endpoint.requests_per_minute)
        self._given_up = ""

    @abstractmethod
    def _address(self, base_url: str) -> URL:
        """Return what the paths hang under; raises UsageError if it is no URL."""

    @abstractmethod
    def _body(self, question: Question, form: Form, *, stream: bool) -> dict[str, Any]:
        """Return the request for one question."""

    @abstractmethod
    async def _read(self, response: aiohttp.ClientResponse, on_piece: OnPiece | None) -> Reply:
        """Return the reply in a successful response; raises RequestFailed if there is none."""

    @abstractmethod
    def _model_names(self, body: bytes) -> list[str]:
        """Return the models that a response lists; raises RequestFailed if it is no such list."""

    def _simpler(self, form: Form, complaint: str) -> Form | None:
        """Return the form that answers a refusal, None if it is about something else."""
        return simpler_form(form, complaint)

    def _remarks(self, reply: Reply, form: Form) -> Mapping[str, Any]:  # noqa: ARG002 - Ollama's depend on the reply
        """Return what is worth keeping with a reply."""
        left_out = {"left_out": sorted(form.left_out)} if form.left_out else {}
        return {"structured": form.structured, "extra": dict(self.endpoint.extra), **left_out}

    async def start(self) -> None:
        """Open the client, and give an endpoint that failed for good another chance.

        Nothing is sent, so that an endpoint that bills or sleeps is left alone. Raises EndpointError if the command for
        the key fails.
        """
        self._given_up = ""
        await self.connection.client()

    async def close(self) -> None:
        """Close all connections."""
        await self.connection.close()

    async def ask(self, question: Question) -> Reply:
        """Ask; a failure comes back as `Reply.error`. After a fatal failure nothing is sent any more."""
        return await self._answer(question, None)

    async def ask_in_pieces(self, question: Question, on_piece: OnPiece) -> Reply:
        """Ask as `ask` does, with the answer streamed."""
        return await self._answer(question, on_piece)

    def request_of(self, question: Question) -> dict[str, Any]:
        """Return what is sent for a question, if the server refuses no part of it: ``url`` and ``body``."""
        return {"url": str(self._chat_url), "body": self._body(question, first_form(self.endpoint), stream=False)}

    @property
    def fingerprint(self) -> str:
        """What the answers depend on beside the question, as JSON text without the key."""
        return endpoint_fingerprint(self.connection.where, self.model, self.endpoint)

    async def models(self) -> list[str]:
        """Return the names of the models that the endpoint lists; raises EndpointError if it cannot be asked."""
        return await self.connection.listed(self._models_url, self._model_names)

    async def variant(self, **settings: Any) -> HttpExplainer:
        """Return an explainer of the same model with other settings, such as ``structured``; the caller closes it."""
        endpoint = self.endpoint.model_copy(update=settings)
        other = type(self)(self.model, endpoint=endpoint, name=self.name, on_event=self._on_event, advice=self._advice)
        other.connection.share_key(self.connection)
        other._pace = self._pace  # noqa: SLF001 - of the same class; the limit is the server's, not the variant's
        return other

    def use(self, endpoint: Endpoint) -> None:
        """Ask by other settings from now on; what leads to the server (URL, key, headers, limits) stays as it is."""
        self.endpoint = endpoint
        self._form = first_form(endpoint)

    async def _answer(self, question: Question, on_piece: OnPiece | None) -> Reply:
        async with self._slots:
            begin, sent = time.monotonic(), 0

            async def attempt() -> Reply:
                nonlocal sent
                while not self._given_up:
                    if sent:
                        await self._turn(sent + 1)
                        if on_piece is not None:
                            on_piece(Piece(again=True))
                    sent += 1
                    reply = await self._attempt(question, on_piece)
                    if reply is not None:
                        return reply
                return Reply(error=self._given_up, fatal=True)

            # A limit of the settings may make a question wait longer than a server's answer may take.
            await self._turn(1)
            try:
                reply = await self._policy.run(attempt, self._waits)
            except RequestFailed as failure:
                reply = self._failed(failure)
            return replace(reply, seconds=time.monotonic() - begin, attempts=sent)

    async def _turn(self, attempt: int) -> None:
        reason = f"no more than {self.endpoint.requests_per_minute or 0:g} requests a minute, by the settings"
        await self._pace.turn(lambda seconds: self._waits(seconds, reason, attempt))

    async def _attempt(self, question: Question, on_piece: OnPiece | None) -> Reply | None:
        """Send the question once; None if it has to be sent again in a simpler form."""
        form = self._form
        client = await self.connection.client()
        data = json.dumps(self._body(question, form, stream=on_piece is not None)).encode()
        try:
            async with client.post(self._chat_url, data=data, allow_redirects=False) as response:
                self.connection.reached = True
                if response.status == OK:
                    reply = await self._read(response, on_piece)
                    cost = cost_of(self.endpoint, reply.tokens_in, reply.tokens_out)
                    priced = {} if cost is None else {"currency": self.endpoint.currency}
                    return replace(reply, cost=cost, details={**reply.details, **priced, **self._remarks(reply, form)})
                refused = await read_body(response)
        except FAILURES as error:
            raise self.connection.broken(error) from error
        if response.status in {_BAD_REQUEST, _UNPROCESSABLE}:
            simpler = self._simpler(form, refused.decode("utf-8", "replace"))
            if simpler is not None:
                if self._form is form:  # else another question has learned something already
                    self._form = simpler
                    said = self.connection.redacted(server_message(refused))
                    self._tell(f"the server refuses part of the request: {said}; {what_changes(form, simpler)}")
                return None
        if response.status == _NOT_FOUND:
            raise await self._not_found(refused)
        raise self.connection.refused(response, refused)

    async def _not_found(self, body: bytes) -> RequestFailed:
        """Return the failure that a 404 stands for: it asks the server which models it has."""
        try:
            models = await self.models()
        except EndpointError:
            return RequestFailed(self._nothing_here(said_in(body), listed=False), fatal=True)
        if not models:
            return RequestFailed(self._nothing_here(said_in(body), listed=True), fatal=True)
        return RequestFailed(missing_model(self.model, models, said_in(body)), fatal=True)

    def _nothing_here(self, said: str, *, listed: bool) -> str:  # noqa: ARG002 - Ollama can tell an empty list apart
        """Return what a 404 means where no models are listed."""
        return f"the server knows no chat/completions here{said}; {self._advice.url}, which usually ends in /v1"

    def _failed(self, failure: RequestFailed) -> Reply:
        """Return the reply of a question that failed; a server that was never reached is given up."""
        fatal, message = failure.fatal, failure.message
        if failure.unreached:
            fatal = not self.connection.reached
            message = f"{message}; {self._advice.url}"
        message = f"{self.connection.where}: {self.connection.redacted(message)}"
        if fatal:
            self._given_up = message
        return Reply(error=message, fatal=fatal, key_refused=failure.key_refused)

    def _waits(self, seconds: float, reason: str, attempt: int) -> None:
        self._tell_wait(Wait(self.name, seconds, self.connection.redacted(reason), attempt))
