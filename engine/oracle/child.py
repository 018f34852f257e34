"""One oracle child under watch: its messages, its limits, its end."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any, TypeAlias

import psutil

from engine.errors import CancelledError, LimitError, ModelError, StormscopeError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.oracle.request import Job, Limits

Progress: TypeAlias = "Callable[[str, str], None]"
"""Called with a stage (``building``, ``checking``, …) and its detail, from the calling thread."""

_POLL = 0.05


def run_child(
    job: Job, progress: Progress | None, cancel: threading.Event | None, started: float, exact_seconds: float | None
) -> bool:
    """Watch one child until it is done; it never outlives this call.

    It does not look for modules in the current folder (``-P``), where a model from elsewhere may lie beside any file.
    """
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "engine.oracle.worker", str(job.folder / "job.json")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    messages: Queue[dict[str, Any]] = Queue()
    reader = threading.Thread(target=_read_messages, args=(child, messages), daemon=True)
    reader.start()
    begun = time.monotonic()
    reached = "starting"
    try:
        while True:
            _enforce(child, job.limits, cancel, started, reached)
            if exact_seconds is not None and time.monotonic() - begun > exact_seconds:
                return False
            try:
                message = messages.get(timeout=_POLL)
            except Empty:
                if child.poll() is not None and not reader.is_alive() and messages.empty():
                    raise _death(child.returncode, job) from None
                continue
            match message["event"]:
                case "progress":
                    reached = f"{message['stage']} {message['detail']}".strip()
                    if progress is not None:
                        progress(message["stage"], message["detail"])
                case "error":
                    raise _reported(message)
                case _:
                    return True
    finally:
        child.kill()
        child.wait()
        reader.join()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()


def _read_messages(child: subprocess.Popen[bytes], messages: Queue[dict[str, Any]]) -> None:
    for line in child.stdout or ():
        messages.put(json.loads(line))


def _enforce(
    child: subprocess.Popen[bytes], limits: Limits, cancel: threading.Event | None, started: float, reached: str
) -> None:
    if cancel is not None and cancel.is_set():
        raise CancelledError("cancelled")
    if limits.seconds is not None and time.monotonic() - started > limits.seconds:
        raise LimitError(
            f"not done within {limits.seconds:g} s (while {reached})",
            hint="raise --timeout, or choose smaller constants",
        )
    if limits.megabytes is None:
        return
    try:
        used = psutil.Process(child.pid).memory_info().rss / 1e6
    except psutil.Error:
        return
    if used > limits.megabytes:
        raise LimitError(
            f"the oracle used more than the limit of {limits.megabytes:g} MB while {reached}",
            hint="raise --memory, or choose smaller constants",
        )


def _reported(message: dict[str, Any]) -> StormscopeError:
    family = {"usage": UsageError, "limit": LimitError}.get(message["kind"], ModelError)
    return family(message["what"], where=message["where"], hint=message["hint"])


def _death(code: int | None, job: Job) -> ModelError:
    """Explain a child that ended without a word; the end of its log says more than an exit code."""
    try:
        log = (job.folder / "storm.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        log = []
    last = f": {log[-1]}" if log else ""
    return ModelError(
        f"the oracle ended unexpectedly (exit code {code}){last}",
        where=str(job.request.path),
        hint="if this model is valid, please report it",
    )
