"""The embedded language model's server: the main of a child process (design.md, "The embedded language model").

It reads one line of JSON with its orders on standard input, answers with one line of JSON on standard output, and
ends when standard input closes, so that it never outlives its parent. Nothing else is printed.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

_WATCH_INTERVAL = 1.0
"""Seconds between looks at the parent, in case another process has inherited the pipe and keeps it open."""


def main() -> int:
    """Serve until standard input closes; returns the exit status, 1 if the server could not be started."""
    parent = os.getppid()
    out = _private_output()
    line = sys.stdin.buffer.readline()
    if not line:
        return 0
    try:
        server = _serve(json.loads(line))
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "xllamacpp"
        return _report(out, {"error": "missing" if missing else "library", "detail": str(error)})
    except Exception as error:  # noqa: BLE001 - border to xllamacpp: whatever it raises, the parent must be told
        return _report(out, {"error": "load", "detail": f"{type(error).__name__}: {error}"})
    _report(out, {"url": server.listening_address})
    _wait_for_end(parent)
    return 0


def _serve(order: dict[str, Any]) -> Any:
    """Return a running server; it stops when the object is dropped."""
    import xllamacpp  # noqa: PLC0415 - its absence is one of the answers

    parameters = xllamacpp.CommonParams()
    parameters.model.path = order["model"]
    parameters.model_alias = {order["alias"]}
    parameters.n_ctx = order["context"]
    parameters.n_parallel = 1  # two slots bring nothing on two cores
    threads = order["threads"] or max(1, _cores() // 2)
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    # The defaults would listen for any web page, without a key.
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [order["key"]]
    parameters.cors_origins = ""
    parameters.cors_credentials = False
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.offline = True
    parameters.verbosity = -1
    return xllamacpp.Server(parameters)


def _cores() -> int:
    """Return the cores that this process may use.

    llama.cpp's threads wait for each other at every step: as many threads as cores become ten times slower as soon
    as anything else runs, which the oracle does.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _private_output() -> int:
    """Return a descriptor of standard output, and let everything that prints go to standard error."""
    out = os.dup(1)
    os.dup2(2, 1)
    return out


def _report(out: int, message: dict[str, str]) -> int:
    os.write(out, (json.dumps(message) + "\n").encode())
    return 1


def _wait_for_end(parent: int) -> None:
    closed = threading.Event()

    def read() -> None:
        # os.read and not sys.stdin: a buffered reader's lock would be held at exit.
        while os.read(0, 4096):
            pass
        closed.set()

    threading.Thread(target=read, daemon=True).start()
    while not closed.wait(_WATCH_INTERVAL) and os.getppid() == parent:
        pass


if __name__ == "__main__":
    sys.exit(main())
