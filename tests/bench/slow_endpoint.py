"""A language model's server on loopback that lets every question wait."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

LATENCY = 0.7


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer with the first option of the schema, after the latency."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(LATENCY)
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        answer = schema.get("properties", {}).get("answer", {}).get("enum", ["1/2"])[0]
        content = json.dumps({"explanation": "because", "answer": answer})
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reply = {"id": "x", "object": "chat.completion", "created": 0, "model": "slow", "choices": [choice]}
        data = json.dumps({**reply, "usage": usage}).encode()
        with contextlib.suppress(ConnectionError):  # whoever asked may have been ended meanwhile
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class SlowEndpoint:
    """The server, as a context."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
