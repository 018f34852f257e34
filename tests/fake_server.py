"""An OpenAI-compatible or Ollama server on loopback that behaves as scripted, well or badly, for tests."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType

    Behaviour = Callable[["Exchange"], None]

GIVE_UP = 10.0  # seconds after which a server that plays dead ends by itself


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request as it arrived, the names of its headers in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class Exchange(BaseHTTPRequestHandler):
    """One request and what a behaviour does with it."""

    protocol_version = "HTTP/1.1"
    server: _Server
    request_body: Any

    def do_GET(self) -> None:
        """List the models."""
        self._record(None)
        status, body = self.server.owner.models_answer(self.path)
        self.send(status, body)

    def do_POST(self) -> None:
        """Behave as the script says."""
        self.request_body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._record(self.request_body)
        self.server.owner.next_behaviour()(self)

    def send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send a whole response."""
        self.head(status, len(body), headers)
        self.wfile.write(body)

    def head(self, status: int, length: int, headers: Mapping[str, str] | None = None) -> None:
        """Send a response's head only."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def stream(self, pieces: Iterable[bytes], content_type: str, *, end: bool = True) -> None:
        """Send a body in chunks, one a piece; without `end` the connection breaks before the last chunk."""
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if end:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True

    def client_left(self, seconds: float) -> bool:
        """Wait until the client closes the connection; False if it does not."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def _record(self, body: Any) -> None:
        self.server.owner.requests.append(
            Recorded(self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        )
        self.server.owner.asked.set()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    owner: FakeServer

    def handle_error(self, *_: object) -> None:
        """Stay silent: a client that leaves in the middle is what some tests are about."""


class FakeServer:
    """A context manager: the behaviours answer one request each, in order; `then` answers all further ones.

    Attributes
    ----------
    url
        The base URL, ending in ``/v1``.
    root
        The base URL without a path, as Ollama's is given.
    requests
        What has arrived so far.
    models
        The model names that ``GET /v1/models`` and ``GET /api/tags`` list; None answers 404.
    asked
        Set when the first request has arrived.
    client_left
        Set when a client closes a connection on which `silent` or `trickle` keeps it waiting.
    """

    def __init__(self, *script: Behaviour, then: Behaviour | None = None, models: Sequence[str] | None = ()) -> None:
        self.requests: list[Recorded] = []
        self.models = models
        self.asked = threading.Event()
        self.client_left = threading.Event()
        self._script = list(script)
        self._then = then or (script[-1] if script else answer_first_option())
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), Exchange)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self.root = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.root}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def questions(self) -> list[Any]:
        """The bodies of the chat requests so far."""
        return [request.body for request in self.requests if request.method == "POST"]

    def next_behaviour(self) -> Behaviour:
        """Return what the next request gets."""
        with self._lock:
            return self._script.pop(0) if self._script else self._then

    def models_answer(self, path: str) -> tuple[int, bytes]:
        """Return the status and body of the list of models."""
        if self.models is None:
            return 404, b"{}"
        if path == "/api/tags":
            return 200, json.dumps({"models": [{"name": name, "model": name} for name in self.models]}).encode()
        return 200, json.dumps({"object": "list", "data": [{"id": name} for name in self.models]}).encode()


def completion(content: Any, *, finish: str | None = "stop", usage: bool = True, **message: Any) -> dict[str, Any]:
    """Return a chat completion as a server would send it."""
    result: dict[str, Any] = {
        "object": "chat.completion",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
        ],
    }
    if usage:
        result["usage"] = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return result


def answer(value: Any, explanation: str = "because") -> Behaviour:
    """Give a good reply with this answer."""
    return says(json.dumps({"explanation": explanation, "answer": value}))


def answer_first_option() -> Behaviour:
    """Give a good reply with the first option of the schema that was sent, or one half."""

    def behave(exchange: Exchange) -> None:
        schema = exchange.request_body["response_format"]["json_schema"]["schema"]
        options = schema["properties"]["answer"].get("enum", [0.5])
        answer(options[0])(exchange)

    return behave


def says(content: Any, **fields: Any) -> Behaviour:
    """Give a completion with this content; fields as in `completion`."""
    return body(json.dumps(completion(content, **fields)).encode())


def body(raw: bytes, content_type: str = "application/json") -> Behaviour:
    """Answer 200 with these bytes."""
    return lambda exchange: exchange.send(200, raw, {"Content-Type": content_type})


def error(status: int, message: str = "scripted", headers: Mapping[str, str] | None = None) -> Behaviour:
    """Answer with an error in OpenAI's form."""
    raw = json.dumps({"error": {"message": message, "type": "scripted"}}).encode()
    return lambda exchange: exchange.send(status, raw, headers)


def refuse_fields(*words: str) -> Behaviour:
    """Answer 400 while the request holds one of the words, naming it; then give a good reply."""

    def behave(exchange: Exchange) -> None:
        text = json.dumps(exchange.request_body)
        for word in words:
            if f'"{word}"' in text:
                error(400, f"Unsupported value: '{word}' is not supported")(exchange)
                return
        answer("left")(exchange)

    return behave


def events(*chunks: Any, done: bool = True, end: bool = True) -> Behaviour:
    """Stream server-sent events: dictionaries as JSON, bytes as they are, then ``[DONE]``."""
    pieces = [chunk if isinstance(chunk, bytes) else b"data: %s\n\n" % json.dumps(chunk).encode() for chunk in chunks]
    pieces += [b"data: [DONE]\n\n"] if done else []
    return lambda exchange: exchange.stream(pieces, "text/event-stream; charset=utf-8", end=end)


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """Return a chunk of a streamed completion."""
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": fields, "finish_reason": finish}],
    }


def ollama(*parts: dict[str, Any], done: bool = True, end: bool = True, **last: Any) -> Behaviour:
    """Stream Ollama's objects: messages, then the one that says ``done``, with further fields or others than usual."""
    objects = [
        part
        if "error" in part
        else {"model": "m", "message": {"role": "assistant", "content": "", **part}, "done": False}
        for part in parts
    ]
    if done:
        figures = {"done_reason": "stop", "prompt_eval_count": 11, "eval_count": 7, **last}
        objects.append({"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, **figures})
    pieces = [json.dumps(item).encode() + b"\n" for item in objects]
    return lambda exchange: exchange.stream(pieces, "application/x-ndjson", end=end)


def ollama_answer(value: Any, explanation: str = "because", **last: Any) -> Behaviour:
    """Give a good reply of Ollama's with this answer, in two pieces."""
    text = json.dumps({"explanation": explanation, "answer": value})
    return ollama({"content": text[:9]}, {"content": text[9:]}, **last)


def cut() -> Behaviour:
    """Break the connection in the middle of the body."""

    def behave(exchange: Exchange) -> None:
        exchange.head(200, 1000)
        exchange.wfile.write(b'{"choices": [')
        exchange.wfile.flush()
        exchange.connection.shutdown(socket.SHUT_RDWR)
        exchange.close_connection = True

    return behave


def hang_up() -> Behaviour:
    """Close the connection without a byte."""

    def behave(exchange: Exchange) -> None:
        exchange.connection.shutdown(socket.SHUT_RDWR)
        exchange.close_connection = True

    return behave


def silent() -> Behaviour:
    """Take the request and say nothing."""

    def behave(exchange: Exchange) -> None:
        if exchange.client_left(GIVE_UP):
            exchange.server.owner.client_left.set()
        exchange.close_connection = True

    return behave


def trickle(interval: float = 0.02) -> Behaviour:
    """Send the body a byte at a time and never come to its end."""

    def behave(exchange: Exchange) -> None:
        exchange.close_connection = True
        end = time.monotonic() + GIVE_UP
        try:
            exchange.head(200, 1_000_000)
            while time.monotonic() < end and not exchange.client_left(interval):
                exchange.wfile.write(b" ")
                exchange.wfile.flush()
        except OSError:
            pass  # the client has left
        exchange.server.owner.client_left.set()

    return behave


def endless() -> Behaviour:
    """Send a body that never ends, as fast as it is taken."""

    def behave(exchange: Exchange) -> None:
        exchange.head(200, 10**12)
        while True:
            exchange.wfile.write(b" " * 65536)

    return behave
