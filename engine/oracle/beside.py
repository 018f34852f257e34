"""Work beside the main thread."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def beside(work: Callable[[], T]) -> Future[T]:
    """Start work in a thread that nothing waits for at the end of the program, and return its outcome to come.

    An executor's threads are waited for: an error found in the main thread would be told only after the work is done.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001  # whoever asks for the outcome gets whatever was raised
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome
