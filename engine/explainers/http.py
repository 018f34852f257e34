"""The one HTTP client of an endpoint: httpx's API over aiohttp's connections (design.md, "Dependencies")."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

import aiohttp
import httpx
from httpx_aiohttp import HttpxAiohttpClient

from engine.errors import UsageError

CONNECT_TIMEOUT: Final = 10.0
MOST_BYTES: Final = 8_000_000
"""Bytes that a reply may have; no answer comes near, and an endless one must not fill the memory."""

FAILURES: Final = (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, TimeoutError, OSError)
"""What a request can raise: httpx-aiohttp lets some of aiohttp's own errors through."""


_WORDS: Final[tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str], ...]] = (
    (aiohttp.ClientConnectorCertificateError, "the server's certificate is not trusted"),
    (aiohttp.ClientConnectorDNSError, "the host name is not known"),
    (aiohttp.ConnectionTimeoutError, "connecting took too long"),
    ((aiohttp.ServerTimeoutError, httpx.TimeoutException, TimeoutError), "the server stayed silent for too long"),
    (aiohttp.ServerDisconnectedError, "the server closed the connection without an answer"),
    ((aiohttp.ClientPayloadError, httpx.ReadError), "the connection broke in the middle of the answer"),
    (httpx.DecodingError, "the answer's compression is damaged"),
)
"""Kinds of failure in words, the more special ones first."""


class TooLargeError(httpx.HTTPError):
    """The body is larger than any answer."""


def make_client(url: httpx.URL, *, headers: dict[str, str], timeout: float, concurrency: int) -> httpx.AsyncClient:
    """Return a client for one endpoint; close it with ``aclose``.

    Parameters
    ----------
    url
        The endpoint's, as `endpoint_url` gives it.
    headers
        Sent with every request.
    timeout
        Seconds that a connection may stay silent.
    concurrency
        Connections at most.
    """
    return HttpxAiohttpClient(
        headers={"User-Agent": "stormscope", **headers},
        timeout=httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
        limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency, keepalive_expiry=15.0),
        trust_env=not is_loopback(url),  # a proxy cannot reach this machine's own servers
    )


def endpoint_url(base_url: str, *, variable: str = "OPENAI_BASE_URL") -> httpx.URL:
    """Return the URL that ``chat/completions`` hangs under; raises UsageError that names the variable.

    ``/v1`` is added where there is no path; a trailing slash or ``/chat/completions`` is dropped.
    """
    try:
        urlsplit(base_url.strip())  # stricter than httpx about brackets
        url = httpx.URL(base_url.strip())
    except (httpx.InvalidURL, ValueError) as error:
        raise UsageError(f"'{base_url}' is not a URL: {error}", where=variable) from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise UsageError(f"'{base_url}' is not a URL of a server", where=variable, hint="give http://HOST:PORT/v1")
    if url.userinfo:
        raise UsageError("the URL holds a user name or a password", where=variable, hint="use OPENAI_API_KEY")
    path = url.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return url.copy_with(path=path, query=None, fragment=None)


def is_loopback(url: httpx.URL) -> bool:
    """Whether the URL's host is this machine."""
    try:
        return ipaddress.ip_address(url.host).is_loopback
    except ValueError:
        return url.host == "localhost" or url.host.endswith(".localhost")


async def read_body(response: httpx.Response) -> bytes:
    """Return the body of a streamed response; raises TooLargeError instead of filling the memory."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MOST_BYTES:
            raise TooLargeError(f"the reply is larger than {MOST_BYTES // 1_000_000} MB")
    return bytes(body)


def describe(error: BaseException) -> str:
    """Return a transport failure in words, without the URL."""
    cause = _cause(error)
    for kinds, text in _WORDS:
        if isinstance(cause, kinds):
            return text
    if isinstance(cause, aiohttp.ClientConnectorError):
        return f"connecting failed: {cause.strerror or type(cause.os_error).__name__}"
    return str(cause) if isinstance(cause, TooLargeError) else f"the request failed ({type(cause).__name__})"


def may_pass(error: BaseException) -> bool:
    """Whether the same request may succeed later: not if the server is not trusted or sends without end."""
    return not isinstance(_cause(error), TooLargeError | aiohttp.ClientConnectorCertificateError | httpx.InvalidURL)


def could_not_connect(error: BaseException) -> bool:
    """Whether nothing was reached at all."""
    return isinstance(_cause(error), aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)


def _cause(error: BaseException) -> BaseException:
    """Return what counts: httpx-aiohttp gives a refused connection the name of a timeout."""
    return error.__cause__ if isinstance(error.__cause__, aiohttp.ClientError) else error
