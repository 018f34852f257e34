"""The explorer in a browser: who may reach it, what the page loads, and that it draws."""

from __future__ import annotations

import asyncio
import re
import socket
from typing import TYPE_CHECKING

import aiohttp
import pytest
from serve_support import CHROMIUM, browsed, served

from engine.errors import UsageError
from tui.web.serving import is_loopback, serve
from tui.web.serving_page import page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Run ``stormscope serve`` and return its address."""
    with served(tmp_path) as found:
        yield found


async def test_the_page_loads_nothing_from_elsewhere(url: str) -> None:
    """Every address in the page is the server's own, its parts are there, and a policy forbids others."""
    async with aiohttp.ClientSession() as session:
        async with session.get(url) as response:
            text, policy = await response.text(), response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert re.findall(r"https?://[^\"' )]+", text) == []
        for part in re.findall(r"static/[^\"')]+", text):
            async with session.get(url + part) as response:
                assert response.status == 200


async def test_it_draws_and_ends_with_its_page(url: str) -> None:
    """Behind the WebSocket the start screen is drawn in true colour; keys work; the child ends with the connection."""
    socket_url = url.replace("http", "ws") + "ws?width=100&height=30"
    async with aiohttp.ClientSession() as session, session.ws_connect(socket_url, origin=url.rstrip("/")) as web:
        drawn = b""
        async with asyncio.timeout(30):
            while b"frozen_lake" not in drawn or b"explored?" not in drawn:
                message = await web.receive()
                drawn += message.data if message.type is aiohttp.WSMsgType.BINARY else b""
            assert b"\x1b[38;2;" in drawn
            await web.send_json(["stdin", "\x11"])  # ^q
            while not web.closed:
                await web.receive()


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null"])
async def test_other_sites_cannot_connect(url: str, origin: str) -> None:
    """A page of another site, or of another port, is refused before any program starts."""
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await session.ws_connect(url.replace("http", "ws") + "ws", origin=origin)
    assert caught.value.status == 403


async def test_a_name_that_only_leads_here_is_refused(url: str) -> None:
    """A foreign name that was made to resolve to loopback gets no page and no connection."""
    async with aiohttp.ClientSession(headers={"Host": "evil.example"}) as session:
        async with session.get(url) as response:
            assert response.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(url.replace("http", "ws") + "ws", origin="http://evil.example")


def test_a_port_that_is_taken_is_said() -> None:
    """The message names the address and the option; nothing is served."""
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError, match="cannot listen") as caught:
        serve([], "127.0.0.1", taken.getsockname()[1], print)
    assert "--port" in caught.value.hint


def test_a_wide_address_is_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anything but loopback is said to be open before it is."""
    said: list[str] = []
    monkeypatch.setattr("tui.web.serving.web.run_app", lambda app, **_: app.close())
    serve([], "0.0.0.0", 0, said.append)  # noqa: S104 - what is warned about
    assert "open to other machines" in said[0]
    said.clear()
    serve([], "127.0.0.1", 0, said.append)
    assert len(said) == 1


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *((host, True) for host in ("127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost")),
        *((host, False) for host in ("0.0.0.0", "::", "192.168.1.2", "localhost.evil.example", "")),  # noqa: S104 - as above
    ],
)
def test_loopback(host: str, expected: bool) -> None:
    """Only addresses that no other machine reaches count."""
    assert is_loopback(host) is expected


def test_the_page_escapes_what_it_is_given() -> None:
    """A host name from a request cannot become markup."""
    assert "<b>" not in page("<b>", 'ws://x"><b>/ws', 16)


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
async def test_in_a_browser(url: str, tmp_path: Path) -> None:
    """A headless browser draws the explorer, takes keys, asks no other server, and says when it has ended."""
    async with browsed(tmp_path / "browser", url) as page, asyncio.timeout(60):
        await page.until("document.body.classList.contains('-first-byte')", b"frozen_lake")
        assert await page.value("document.querySelectorAll('canvas').length") > 0
        await page.value("document.querySelector('textarea').focus()")
        await page.until("true", b"Welcome")  # the tour is offered: it is this user's first start
        await page.press("Escape", 27)
        await asyncio.sleep(1)  # an escape alone is told from the beginning of another key by the time after it
        assert b"Endpoints" not in page.drawn
        await page.press("F3", 114)
        await page.until("true", b"Endpoints")
        assert {address.split("/")[2] for address in page.addresses if "://" in address} == {url.split("/")[2]}
        for _ in range(2):
            await page.press("Escape", 27)
            await asyncio.sleep(1)
        await page.call("Input.insertText", text="q")
        await page.until("document.body.classList.contains('-closed')")
        assert "has ended" in await page.value("document.body.innerText")
