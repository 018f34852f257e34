"""The explorer in a browser: one child process for each page, through textual-serve.

Whoever reaches the server can do with the explorer what the user can. So it listens on loopback unless told otherwise,
answers only to names that it has there, and lets no other site's page open a connection (a WebSocket is not bound to
its page's origin by the browser itself).
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import shlex
import socket
import sys
import threading
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psutil
from aiohttp import web
from textual_serve.server import Server

from engine.errors import UsageError
from tui.web.serving_page import POLICY, page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CHILDREN_END = 5.0
"""Seconds that the explorers have to end after the server."""
LARGEST_FONT = 64
DEFAULT_FONT = 16


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a host: ``localhost`` or a loopback address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() in {"localhost", "localhost."}


class ExplorerServer(Server):
    """Serves the explorer.

    Parameters
    ----------
    arguments
        Of the ``stormscope`` command that each page runs.
    host
        What it listens on.
    """

    def __init__(self, arguments: Sequence[str], host: str) -> None:
        super().__init__(shlex.join([sys.executable, "-m", "tui.main", *arguments]), host=host, title="stormscope")

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing: the command says where it is."""

    async def handle_index(self, request: web.Request) -> web.Response:
        """Return the page, with the address that the browser used for its connection."""
        self._check(request)
        wanted = request.query.get("fontsize", "")
        size = int(wanted) if wanted.isascii() and wanted.isdecimal() and 0 < len(wanted) <= len("64") else DEFAULT_FONT
        scheme = "wss" if request.secure else "ws"
        text = page("stormscope", f"{scheme}://{request.host}/ws", min(max(size, 6), LARGEST_FONT))
        headers = {
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        }
        return web.Response(text=text, content_type="text/html", headers=headers)

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run an explorer for a page of this server, and for nobody else's."""
        self._check(request)
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text="pages of other sites cannot use this server")
        return await super().handle_websocket(request)

    def _check(self, request: web.Request) -> None:
        """Refuse a name that only looks like this machine: another site's name can be made to lead here."""
        name = urlsplit(f"//{request.host}").hostname or ""
        if is_loopback(self.host) and not is_loopback(name):
            raise web.HTTPForbidden(text="this server answers to localhost only")

    async def application(self) -> web.Application:
        """Return the web application."""
        application = await self._make_app()
        application.on_cleanup.append(_children_ended)
        return application


async def _children_ended(_: web.Application) -> None:
    """Wait until asyncio knows that all explorers have ended: it complains if that comes after its loop has closed."""
    end = time.monotonic() + CHILDREN_END
    while time.monotonic() < end and (psutil.Process().children() or _reapers()):  # noqa: ASYNC110 - nothing tells it
        await asyncio.sleep(0.02)


def _reapers() -> list[threading.Thread]:
    """Return the threads in which asyncio waits for child processes, before Python 3.12."""
    return [thread for thread in threading.enumerate() if thread.name.startswith("waitpid-")]


def serve(arguments: Sequence[str], host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Parameters
    ----------
    arguments
        Of the ``stormscope`` command that each page runs.
    host, port
        Where to listen; port 0 takes a free one.
    say
        Is told the address, and the warning about a wide one.

    Raises
    ------
    UsageError
        If it cannot listen there.
    """
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s", stream=sys.stderr)
    try:
        listening = _listen(host, port)
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"cannot listen there: {getattr(error, 'strerror', None) or error}",
            where=f"{host}:{port}",
            hint="choose another port with --port, or 0 for a free one",
        ) from None
    with listening:
        name = f"[{host}]" if ":" in host else host
        if not is_loopback(host):
            say(
                f"warning: {host} is open to other machines, without a password or encryption.\n"
                "  Whoever reaches it can read and write files as you do. Use a tunnel (ssh -L) instead."
            )
        say(f"stormscope is at http://{name}:{listening.getsockname()[1]}/  (^C ends it)")
        web.run_app(ExplorerServer(arguments, host).application(), sock=listening, print=None, access_log=None)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host.strip("[]"), port), family=family)
