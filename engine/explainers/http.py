"""The one HTTP client of an endpoint: aiohttp's, with the limits that every endpoint gets.

A client library on top of it (httpx over aiohttp) cost a tenth of the rate at 64 questions in flight.
"""

from __future__ import annotations

import ipaddress
import os
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from engine.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

CONNECT_TIMEOUT: Final = 10.0
KEEP_ALIVE: Final = 15.0
MOST_BYTES: Final = 8_000_000
"""Bytes that a reply may have; no answer comes near, and an endless one must not fill the memory."""


class TooLargeError(Exception):
    """The body is larger than any answer."""


FAILURES: Final = (aiohttp.ClientError, TooLargeError, TimeoutError, OSError)
"""What a request can raise."""


_WORDS: Final[tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str], ...]] = (
    (aiohttp.ClientConnectorCertificateError, "the server's certificate is not trusted"),
    (aiohttp.ClientConnectorDNSError, "the host name is not known"),
    (aiohttp.ConnectionTimeoutError, "connecting took too long"),
    ((aiohttp.ServerTimeoutError, TimeoutError), "the server stayed silent for too long"),
    (aiohttp.ServerDisconnectedError, "the server closed the connection without an answer"),
    (aiohttp.ClientPayloadError, "the connection broke in the middle of the answer"),
)
"""Kinds of failure in words, the more special ones first."""


def make_client(url: URL, *, headers: Mapping[str, str], timeout: float, concurrency: int) -> aiohttp.ClientSession:
    """Return a client for one endpoint; close it. A running event loop is needed.

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
    sent = CIMultiDict({"User-Agent": "stormscope", "Content-Type": "application/json"})
    sent.update(headers)
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=concurrency, keepalive_timeout=KEEP_ALIVE),
        headers=sent,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=min(timeout, CONNECT_TIMEOUT), sock_read=timeout),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=not is_loopback(url),  # a proxy cannot reach this machine's own servers
    )


def endpoint_url(base_url: str, *, setting: str = "OPENAI_BASE_URL", path: str = "/v1") -> URL:
    """Return the URL that the API's paths hang under; raises UsageError that names the setting.

    Parameters
    ----------
    base_url
        A trailing slash or ``/chat/completions`` is dropped.
    setting
        Where the URL comes from, for the error.
    path
        Added where the URL has none.
    """
    text = base_url.strip()
    try:
        urlsplit(text)  # stricter than yarl about brackets
        url = URL(text)
        host = url.host
    except ValueError as error:
        raise UsageError(f"'{base_url}' is not a URL: {error}", where=setting) from None
    if url.scheme not in {"http", "https"} or not host:
        raise UsageError(f"'{base_url}' is not a URL of a server", where=setting, hint=f"give http://HOST:PORT{path}")
    if url.user is not None or url.password is not None:
        hint = "give the key by a variable, api_key_env or api_key_command"
        raise UsageError("the URL holds a user name or a password", where=setting, hint=hint)
    kept = url.path.rstrip("/").removesuffix("/chat/completions")
    return url.origin().with_path(kept or path or "/")


def is_loopback(url: URL) -> bool:
    """Whether the URL's host is this machine."""
    host = url.host or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


async def read_body(response: aiohttp.ClientResponse) -> bytes:
    """Return a response's body; raises TooLargeError instead of filling the memory."""
    chunks = [chunk async for chunk in _limited(response)]
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def read_lines(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    r"""Yield a response's lines without their ends as they arrive; one may end in ``\n``, ``\r\n`` or with the body."""
    rest = b""
    async for chunk in _limited(response):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r")
    if rest:
        yield rest


async def _limited(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    size = 0
    async for chunk in response.content.iter_any():
        size += len(chunk)
        if size > MOST_BYTES:
            raise TooLargeError(f"the reply is larger than {MOST_BYTES // 1_000_000} MB")
        yield chunk


def describe(error: BaseException) -> str:
    """Return a transport failure in words, without the URL."""
    if isinstance(error, TooLargeError):
        return str(error)
    for kinds, text in _WORDS:
        if isinstance(error, kinds):
            return text
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"connecting failed: {_system_words(error.os_error)}"
    if isinstance(error, aiohttp.ClientOSError):
        return f"the connection broke: {_system_words(error)}"
    return f"the request failed ({type(error).__name__})"


def _system_words(error: OSError) -> str:
    """Return the system's words for an error; asyncio's own text repeats the address."""
    return os.strerror(error.errno) if error.errno else error.strerror or type(error).__name__


def may_pass(error: BaseException) -> bool:
    """Whether the same request may succeed later: not if the server is not trusted or sends without end."""
    return not isinstance(error, TooLargeError | aiohttp.ClientConnectorCertificateError | aiohttp.InvalidURL)


def could_not_connect(error: BaseException) -> bool:
    """Whether nothing was reached at all."""
    return isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
