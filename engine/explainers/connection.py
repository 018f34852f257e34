"""The way to one endpoint: its address, its key, its client, and what its refusals mean."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from engine.errors import EndpointError, UnlistedError
from engine.explainers.advice import refusal_of
from engine.explainers.failure import NoList, RequestFailed
from engine.explainers.http import FAILURES, could_not_connect, describe, make_client, may_pass, read_body
from engine.explainers.keys import has_key, key_from_command, key_header, known_key
from engine.explainers.masking import masked

if TYPE_CHECKING:
    from collections.abc import Callable

    import aiohttp
    from yarl import URL

    from engine.endpoints import Endpoint
    from engine.explainers.advice import Advice

OK: Final = 200
_LIST_TIMEOUT: Final = 10.0
_NO_LIST: Final = frozenset({404, 405, 501})
"""Statuses of a server that knows no path to a list."""


class Connection:
    """An endpoint's connections, opened with the first request.

    Parameters
    ----------
    url
        What the API's paths hang under.
    endpoint
        Headers, timeout, concurrency, and where the key comes from.
    name
        The explainer's, for errors.
    advice
        What the error messages tell the user to check.
    key_setting
        The setting that holds the key, for errors.

    Attributes
    ----------
    reached
        Whether a server has ever answered.

    Raises
    ------
    UsageError
        If the key cannot be used at all.
    """

    def __init__(self, url: URL, endpoint: Endpoint, *, name: str, advice: Advice, key_setting: str) -> None:
        self.url = url
        self.reached = False
        self.advice = advice
        self._endpoint = endpoint
        self._name = name
        self._opening = asyncio.Lock()
        self._client: aiohttp.ClientSession | None = None
        self._key = known_key(endpoint, key_setting)

    @property
    def where(self) -> str:
        """The endpoint's URL, for people."""
        return str(self.url).rstrip("/")

    @property
    def hint(self) -> str:
        """What a user checks if the endpoint cannot be asked."""
        return f"{self.advice.url}; {self.advice.key}" if has_key(self._endpoint) else self.advice.url

    def share_key(self, other: Connection) -> None:
        """Take the key of another connection to the same endpoint: a command for the key is not run again."""
        self._key = other._key

    async def client(self) -> aiohttp.ClientSession:
        """Return the open client; raises EndpointError if the command for the key fails."""
        if self._client is not None:
            return self._client
        async with self._opening:
            if self._client is None:
                endpoint = self._endpoint
                if self._key is None and endpoint.api_key_command:
                    self._key = await key_from_command(endpoint.api_key_command, f"{self._name}: api_key_command")
                headers = {**endpoint.headers, **key_header(endpoint, self._key)}
                self._client = make_client(
                    self.url, headers=headers, timeout=endpoint.timeout, concurrency=endpoint.concurrency
                )
            return self._client

    async def close(self) -> None:
        """Close all connections; the next request opens them again."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def listed(self, url: URL, names: Callable[[bytes], list[str]]) -> list[str]:
        """Return what a list at a URL names; raises EndpointError if it fails, UnlistedError if there is none."""
        try:
            async with asyncio.timeout(_LIST_TIMEOUT):
                client = await self.client()
                try:
                    async with client.get(url, allow_redirects=False) as response:
                        body = await read_body(response)
                except FAILURES as error:
                    raise self.broken(error) from error
            if response.status in _NO_LIST:
                raise NoList(f"the server has no list of models (it answered {response.status})")
            if response.status != OK:
                raise self.refused(response, body)
            return names(body)
        except TimeoutError:
            raise EndpointError("the server stayed silent for too long", where=self.where) from None
        except RequestFailed as failure:
            kind = UnlistedError if isinstance(failure, NoList) else EndpointError
            raise kind(self.redacted(failure.message), where=self.where) from None

    def broken(self, error: BaseException) -> RequestFailed:
        """Return the failure that a transport error stands for."""
        return RequestFailed(describe(error), transient=may_pass(error), unreached=could_not_connect(error))

    def refused(self, response: aiohttp.ClientResponse, body: bytes) -> RequestFailed:
        """Return the failure that an error status stands for."""
        return refusal_of(response.status, response.headers, body, self.advice, key_sent=self._key is not None)

    def redacted(self, text: str) -> str:
        """Return text without the key, which some servers repeat in their messages, whole or in part."""
        return masked(text, self._key.get_secret_value() if self._key else "")
