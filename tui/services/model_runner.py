"""The one model that is open, and the one attempt to open it that may run."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import StormscopeError
from tui.messages import ConstantsNeeded, OracleProgress, OracleReady
from tui.services.models import ModelSettings, missing
from tui.workers import start_thread

if TYPE_CHECKING:
    from textual.app import App

    from engine.mdp.constants import Constant
    from engine.mdp.user_environments import Words
    from engine.oracle.facts import Oracle
    from tui.services.models import Opener

GROUP = "oracle"


class Opened(NamedTuple):
    """A model that was open, for coming back to it without checking it again."""

    opener: Opener | None
    settings: ModelSettings
    oracle: Oracle


class ModelRunner:
    """Opens the model in a thread, again whenever its settings change. A later attempt replaces an earlier one.

    Attributes
    ----------
    opener
        What opens the model; None while none was chosen.
    opened
        What opened the model that is open.
    settings
        What the open model was opened with, or shall be opened with first.
    oracle
        The open model; None before there is one.
    """

    def __init__(self, app: App[None], opener: Opener | None) -> None:
        self._app = app
        self.opener = opener
        self.opened: Opener | None = None
        self.settings = opener.first if opener is not None else ModelSettings()
        self.oracle: Oracle | None = None
        self._taken = self.settings
        self._cancel = threading.Event()
        self._number = 0

    def begin(self, opener: Opener) -> None:
        """Open another model; the one that is open stays until that has worked."""
        self.opener = opener
        self.open(opener.first)

    def give_up(self) -> None:
        """Go back to the model that is open: another one could not be opened."""
        self.opener, self.settings = self.opened, self._taken

    def leave(self) -> Opened | None:
        """Return what is open, to come back to it later; None if nothing is."""
        return None if self.oracle is None else Opened(self.opened, self._taken, self.oracle)

    def come_back(self, to: Opened) -> None:
        """Have a model open again; an attempt to open another one ends."""
        self._begin()
        self.opener = self.opened = to.opener
        self.settings = self._taken = to.settings
        self.oracle = to.oracle

    @property
    def pending(self) -> bool:
        """Whether the model that was chosen last is not open."""
        return self.opened is None or self.opener is not self.opened

    def open(self, settings: ModelSettings) -> None:
        """Start opening; `OracleReady` or `ConstantsNeeded` follows, or the worker fails."""
        if self.opener is None:
            return
        if self.pending:
            self.settings = settings
        cancel = self._begin()
        work = partial(self._open, self.opener, settings, cancel, self._number)
        start_thread(self._app, work, group=GROUP, name="opening the model")

    def save(self, oracle: Oracle, name: str, words: Words, *, replace: bool) -> None:
        """Save the open model with the user's words; `OracleReady` follows, or the worker fails."""
        if self.opener is None:
            return
        self._begin()
        work = partial(self._save, self.opener, oracle, name, words, self._number, replace=replace)
        start_thread(self._app, work, group=GROUP, name="saving the environment")

    def cancel(self) -> None:
        """Stop what runs; its worker fails with CancelledError."""
        self._cancel.set()

    def take(self, ready: OracleReady) -> bool:
        """Take an opened model; False if a later attempt has replaced this one."""
        if ready.number != self._number:
            return False
        self.opened = self.opener
        self.oracle = ready.oracle
        self.settings = self._taken = ready.settings
        return True

    def _begin(self) -> threading.Event:
        self._cancel.set()
        self._cancel = threading.Event()
        self._number += 1
        return self._cancel

    def _open(self, opener: Opener, settings: ModelSettings, cancel: threading.Event, number: int) -> None:
        def progress(stage: str, detail: str) -> None:
            if number == self._number:
                self._app.post_message(OracleProgress(stage, detail))

        constants: tuple[Constant, ...] = ()
        with suppress(StormscopeError):  # the oracle explains a broken file better
            constants = opener.constants()
        if missing(constants, settings):
            self._app.post_message(ConstantsNeeded(constants))
            return
        oracle = opener.open(settings, progress, cancel)
        self._app.post_message(OracleReady(oracle, settings, number))

    def _save(self, opener: Opener, oracle: Oracle, name: str, words: Words, number: int, *, replace: bool) -> None:
        saved = opener.save(oracle, name, words, replace=replace)
        self._app.post_message(OracleReady(saved, self.settings, number))
