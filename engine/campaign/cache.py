"""The answer cache: what a language model has answered to a request once, kept for all campaigns.

One SQLite file in the cache folder, for several programs at once and bounded in size. The key holds the endpoint, the
model, the whole request and the sample's number, so that samples stay independent. Failures are never kept. Nothing
here can end a campaign: a cache that fails is switched off, with one sentence.

The file is SQLite rather than one of the cache libraries on PyPI: diskcache is no longer maintained and unpickles what
it finds, and what is left to do on SQLite is one table.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from engine.explainers.base import Reply
from engine.folders import cache_dir
from engine.text import storable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from engine.explainers.base import Question

LARGEST: Final = 256 * 1024 * 1024
"""Bytes of replies that are kept; those that were used longest ago go first."""
_VERSION: Final = 1
_BUSY_SECONDS: Final = 5.0
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS replies (
    key   BLOB PRIMARY KEY,
    reply TEXT NOT NULL,
    size  INTEGER NOT NULL,
    used  REAL NOT NULL
) STRICT, WITHOUT ROWID
"""
_INDEX: Final = "CREATE INDEX IF NOT EXISTS replies_used ON replies (used, size)"
"""Holds all that making room needs, so that the replies themselves are not read for it."""
_KEPT: Final = ("text", "reasoning", "finish", "seconds", "tokens_in", "tokens_out", "tokens_reasoning", "cost")


def cache_file() -> Path:
    """Return where the cache is, or would be."""
    return cache_dir() / f"answers-{_VERSION}.sqlite"


class AnswerCache:
    """The cache, open. `get` is called from one thread and `put` from another; neither ever raises.

    Parameters
    ----------
    path
        The file; made with its folder if it does not exist.
    tell
        Called with one sentence if the cache cannot be used; then nothing is found and nothing kept.
    fresh
        Find nothing, so that everything is asked anew; what comes replaces what was kept.
    largest
        Bytes of replies that are kept.
    """

    def __init__(
        self, path: Path, *, tell: Callable[[str], None] | None = None, fresh: bool = False, largest: int = LARGEST
    ) -> None:
        self.path = path
        self._tell = tell
        self._fresh = fresh
        self._largest = largest
        self._off = threading.Event()
        self._added = 0
        # Two connections: a look-up must not wait for a commit of the thread that writes.
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = _connect(path)
            self._writer.execute("PRAGMA journal_mode = WAL")
            self._writer.execute(_TABLE)
            self._writer.execute(_INDEX)
            self._reader = _connect(path)
        except (sqlite3.Error, OSError) as error:
            self._switch_off(error)

    @staticmethod
    def key(fingerprint: str, question: Question) -> bytes:
        """Return what an answer is known by."""
        request: Sequence[Any] = (
            fingerprint,
            question.system,
            question.user,
            dict(question.schema),
            question.seed,
            question.sample,
        )
        return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).digest()

    def get(self, key: bytes) -> Reply | None:
        """Return what was answered, marked as ``cached`` in its details; None if nothing is kept."""
        if self._fresh or self._reader is None or self._off.is_set():
            return None
        try:
            row = self._reader.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            return None if row is None else _read(row[0])
        except (sqlite3.Error, ValueError, TypeError) as error:
            self._switch_off(error)
            return None

    def put(self, replies: Mapping[bytes, Reply], used: Sequence[bytes] = ()) -> None:
        """Keep some replies, and note which kept ones were used again; now and then lets go of the oldest ones."""
        if self._writer is None or self._off.is_set() or not (replies or used):
            return
        moment = time.time()
        rows = [(key, text := _text(reply), len(text), moment) for key, reply in replies.items()]
        try:
            with self._writer:
                self._writer.execute("BEGIN IMMEDIATE")
                self._writer.executemany("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", rows)
                self._writer.executemany("UPDATE replies SET used = ? WHERE key = ?", [(moment, key) for key in used])
            self._added += sum(size for _, _, size, _ in rows)
            if self._added > self._largest // 8:
                self._shrink(self._writer)
        except sqlite3.Error as error:
            self._switch_off(error)

    def close(self) -> None:
        """Close the file, within its bounds."""
        if self._writer is not None and not self._off.is_set():
            try:
                self._shrink(self._writer)
            except sqlite3.Error as error:
                self._switch_off(error)
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._reader = self._writer = None

    def _shrink(self, connection: sqlite3.Connection) -> None:
        self._added = 0
        (total,) = connection.execute("SELECT coalesce(sum(size), 0) FROM replies").fetchone()
        if total <= self._largest:
            return
        gone: list[tuple[bytes]] = []
        for key, size in connection.execute("SELECT key, size FROM replies ORDER BY used"):
            gone.append((key,))
            total -= size
            if total <= self._largest:
                break
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("DELETE FROM replies WHERE key = ?", gone)

    def _switch_off(self, error: Exception) -> None:
        first = not self._off.is_set()
        self._off.set()
        if first and self._tell is not None:
            self._tell(f"the answer cache {self.path} is not used: {error}; remove the file if it is damaged")


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = NORMAL")  # a lost last moment is asked again, no more
    return connection


def _text(reply: Reply) -> str:
    kept = {name: getattr(reply, name) for name in _KEPT}
    return storable(json.dumps({**kept, "details": dict(reply.details)}, default=str))


def _read(text: str) -> Reply:
    data = json.loads(text)
    details = {**data.pop("details"), "cached": True}
    return replace(Reply(), **data, attempts=0, details=details)
