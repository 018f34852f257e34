"""``stormscope serve`` as a child process, and a browser that is driven without a window."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

ROOT = Path(__file__).resolve().parents[1]
_BINARY = 2
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def served(folder: Path, *arguments: str) -> Iterator[str]:
    """Serve on a free port, give the address, and end the server with an interrupt."""
    variables = {**os.environ, "XDG_STATE_HOME": str(folder), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    child = subprocess.Popen(
        [sys.executable, "-m", "tui.main", "serve", "--port", "0", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=variables,
        cwd=folder,
    )
    rest = ""
    try:
        assert child.stderr is not None
        line = child.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert found is not None, line + child.stderr.read()
        yield found[0]
    finally:
        child.send_signal(signal.SIGINT)
        _, rest = child.communicate(timeout=20)
    assert "Traceback" not in rest


class Page:
    """One page of the browser.

    Attributes
    ----------
    addresses
        Everything that the page has asked the network for.
    drawn
        What the explorer has sent to be drawn.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.addresses: list[str] = []
        self.drawn = b""

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the browser's protocol and return its result."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            message = json.loads((await self._socket.receive()).data)
            if message.get("method") in {"Network.requestWillBeSent", "Network.webSocketCreated"}:
                told = message["params"]
                self.addresses.append(told["url"] if "url" in told else told["request"]["url"])
            if message.get("method") == "Network.webSocketFrameReceived":
                frame = message["params"]["response"]
                self.drawn += base64.b64decode(frame["payloadData"]) if frame["opcode"] == _BINARY else b""
            if message.get("id") == number:
                result: dict[str, Any] = message["result"]
                return result

    async def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        return (await self.call("Runtime.evaluate", expression=expression))["result"].get("value")

    async def press(self, key: str, code: int) -> None:
        """Press a key by its name and its virtual code."""
        for kind in ("keyDown", "keyUp"):
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    async def until(self, expression: str, *drawn: bytes) -> None:
        """Wait until a JavaScript expression holds and texts were drawn."""
        while not (await self.value(expression) and all(text in self.drawn for text in drawn)):  # noqa: ASYNC110 - polls
            await asyncio.sleep(0.1)


@asynccontextmanager
async def browsed(folder: Path, url: str) -> AsyncIterator[Page]:
    """Open a page in a browser without a window."""
    assert CHROMIUM is not None
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--window-size=1100,700"]
    child = await asyncio.create_subprocess_exec(
        CHROMIUM, *options, f"--user-data-dir={folder}", "about:blank", stderr=asyncio.subprocess.PIPE
    )
    try:
        assert child.stderr is not None
        port = None
        while port is None:
            port = re.search(rb"DevTools listening on ws://[^:]+:(\d+)/", await child.stderr.readline())
        root = f"http://127.0.0.1:{port[1].decode()}/json/new?about:blank"
        async with aiohttp.ClientSession() as session:
            async with session.put(root) as response:
                target = await response.json()
            async with session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                page = Page(socket)
                await page.call("Network.enable")
                await page.call("Page.navigate", url=url)
                yield page
    finally:
        child.terminate()
        await child.communicate()
