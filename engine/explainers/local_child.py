"""The embedded language model's server as a child process: start, address, end, and why it died."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import engine
from engine.errors import EndpointError

if TYPE_CHECKING:
    from engine.settings import Local

_STOP_TIMEOUT = 3.0
_WHERE = "local"
_ELSEWHERE = "use a model elsewhere: openai:MODEL with OPENAI_BASE_URL"
_HINTS = {
    "missing": ("llama.cpp is not installed", "pip install 'stormscope[local]'"),
    "libgomp": ("the system library libgomp.so.1 is missing", "install it: apt install libgomp1"),
    "library": ("llama.cpp cannot be loaded", _ELSEWHERE),
    "load": (
        "llama.cpp cannot load the model",
        "the file may be incomplete, or of a kind this llama.cpp does not know",
    ),
}


@dataclass(slots=True)
class ServerChild:
    """A running server.

    Attributes
    ----------
    url
        Where it listens, on this machine only; empty until it does.
    key
        What a client has to send.
    """

    key: str
    _process: subprocess.Popen[bytes]
    _errors: IO[bytes]
    url: str = ""

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the child is alive."""
        return self._process.poll() is None

    def death(self) -> EndpointError:
        """Return why the child ended, as an error with what to do; call it only when it has."""
        code = self._process.wait()
        if code == -getattr(signal, "SIGILL", 0):
            what = "this processor lacks instructions that the prebuilt llama.cpp needs (AVX2)"
        elif code == -getattr(signal, "SIGKILL", 0):
            what = "the embedded model was killed, most likely for lack of memory"
        else:
            name = signal.Signals(-code).name if code < 0 else f"status {code}"
            what = f"the embedded model's process ended unexpectedly ({name}){self._last_words()}"
        return EndpointError(what, where=_WHERE, hint=_ELSEWHERE)

    async def stop(self) -> None:
        """End the child by closing its standard input, by force if it does not end; never raises."""
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # the child has closed its end already
                    pipe.close()
        try:
            self._process.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""


async def start_child(weights: Path, settings: Local) -> ServerChild:
    """Start the server and wait until it answers; raises EndpointError that says what to do.

    Parameters
    ----------
    weights
        A GGUF file, checked.
    settings
        Context, threads and how long loading may take.
    """
    child = _spawn()
    order: dict[str, str | int] = {
        "model": str(weights),
        "alias": weights.stem,
        "key": child.key,
        "context": settings.context,
        "threads": settings.threads,
    }
    try:
        async with asyncio.timeout(settings.start_timeout):
            answer = await asyncio.to_thread(child_answer, child, order)
    except TimeoutError:
        await _kill(child)
        what = f"loading {weights.name} took longer than {settings.start_timeout:g} s"
        raise EndpointError(what, where=_WHERE, hint="raise local.start_timeout in the settings file") from None
    except BaseException:
        # Cancelled: the thread that waits for the answer ends with the child.
        await asyncio.shield(_kill(child))
        raise
    if "url" in answer:
        child.url = answer["url"]
        return child
    error = child.death() if not answer else _error(answer, weights)
    await child.stop()
    raise error


def child_answer(child: ServerChild, order: dict[str, str | int]) -> dict[str, str]:
    """Send the orders and return the child's one line; empty if it ended without one."""
    process = child._process  # noqa: SLF001 - this function is the other half of the class
    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - both are pipes
    try:
        process.stdin.write((json.dumps(order) + "\n").encode())
        process.stdin.flush()
        line = process.stdout.readline()
    except (OSError, ValueError):
        return {}
    answer: dict[str, str] = json.loads(line) if line.endswith(b"\n") else {}
    return answer


def _spawn() -> ServerChild:
    root = str(Path(engine.__file__).parents[1])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the child
    process = subprocess.Popen(
        # -P: a file of the user's in the current folder must not shadow a module.
        [sys.executable, "-P", "-m", "engine.explainers.local_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,  # an interrupt in the terminal is the parent's business
    )
    return ServerChild(secrets.token_urlsafe(32), process, errors)


async def _kill(child: ServerChild) -> None:
    child._process.kill()  # noqa: SLF001 - as above
    await child.stop()


def _error(answer: dict[str, str], weights: Path) -> EndpointError:
    detail = answer.get("detail", "")
    kind = "libgomp" if "libgomp" in detail else answer.get("error", "load")
    what, hint = _HINTS.get(kind, _HINTS["load"])
    shown = {"load": f" {weights.name}: {detail}", "library": f": {detail}"}.get(kind, "")
    return EndpointError(f"{what}{shown}", where=_WHERE, hint=hint)
