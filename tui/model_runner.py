"""The one model that is open, and the one attempt to open it that may run."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from engine.errors import StormscopeError
from tui.messages import ConstantsNeeded, OracleProgress, OracleReady
from tui.models import missing
from tui.workers import start_thread

if TYPE_CHECKING:
    from textual.app import App

    from engine.mdp.constants import Constant
    from engine.mdp.user_environments import Words
    from engine.oracle.facts import Oracle
    from tui.models import ModelSettings, Opener

GROUP = "oracle"


class ModelRunner:
    """Opens the model in a thread, again whenever its settings change. A later attempt replaces an earlier one.

    Attributes
    ----------
    opener
        What opens the model.
    settings
        What the open model was opened with, or shall be opened with first.
    oracle
        The open model; None before there is one.
    """

    def __init__(self, app: App[None], opener: Opener) -> None:
        self._app = app
        self.opener = opener
        self.settings = opener.first
        self.oracle: Oracle | None = None
        self._cancel = threading.Event()
        self._number = 0

    def open(self, settings: ModelSettings) -> None:
        """Start opening; `OracleReady` or `ConstantsNeeded` follows, or the worker fails."""
        cancel = self._begin()
        work = partial(self._open, settings, cancel, self._number)
        start_thread(self._app, work, group=GROUP, name="opening the model")

    def save(self, oracle: Oracle, name: str, words: Words, *, replace: bool) -> None:
        """Save the open model with the user's words; `OracleReady` follows, or the worker fails."""
        self._begin()
        work = partial(self._save, oracle, name, words, replace, self._number)
        start_thread(self._app, work, group=GROUP, name="saving the environment")

    def cancel(self) -> None:
        """Stop what runs; its worker fails with CancelledError."""
        self._cancel.set()

    def take(self, ready: OracleReady) -> bool:
        """Take an opened model; False if a later attempt has replaced this one."""
        if ready.number != self._number:
            return False
        self.oracle, self.settings = ready.oracle, ready.settings
        return True

    def _begin(self) -> threading.Event:
        self._cancel.set()
        self._cancel = threading.Event()
        self._number += 1
        return self._cancel

    def _open(self, settings: ModelSettings, cancel: threading.Event, number: int) -> None:
        def progress(stage: str, detail: str) -> None:
            if number == self._number:
                self._app.post_message(OracleProgress(stage, detail))

        constants: tuple[Constant, ...] = ()
        with suppress(StormscopeError):  # the oracle explains a broken file better
            constants = self.opener.constants()
        if missing(constants, settings):
            self._app.post_message(ConstantsNeeded(constants))
            return
        oracle = self.opener.open(settings, progress, cancel)
        self._app.post_message(OracleReady(oracle, settings, number))

    def _save(self, oracle: Oracle, name: str, words: Words, replace: bool, number: int) -> None:  # noqa: FBT001 - by partial
        saved = self.opener.save(oracle, name, words, replace=replace)
        self._app.post_message(OracleReady(saved, self.settings, number))
