"""One SQLite file as a campaign: opened safely, written by one program at a time, and every failure a clear message.

The file is in write-ahead mode while it is written, so that reports can read it meanwhile; a commit is on the disk
before it returns (``synchronous=FULL``). When the writer closes, the file goes back to a single portable file.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from engine.errors import StoreError
from engine.verdicts.migration import OLDEST, migrate, show_as_new
from engine.verdicts.schema import APPLICATION_ID, TABLES, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BUSY_SECONDS = 30.0
_MAGIC = b"SQLite format 3\0"
_NOT_A_CAMPAIGN = "this is not a campaign file"
_GIVE_A_CAMPAIGN = "give a file that `stormscope run --out` has written"
_CHECK_RIGHTS = "check the rights of the file and its folder"


class Database:
    """A connection that may be used from several threads, one at a time.

    Raises
    ------
    StoreError
        If the file is missing (reading), is no campaign, has another version, cannot be opened, or is being written by
        another program (writing).
    """

    def __init__(self, path: Path, *, write: bool) -> None:
        self.path = path
        self.write = write
        self._mutex = threading.RLock()
        self._closed = False
        self._writing = False
        self._claim: sqlite3.Connection | None = None
        with translated(path):
            _check_path(path, write=write)
            if write:
                self._claim = _claim(path)
            try:
                self._connection = _connect(path, write=write)
            except BaseException:
                _release(self._claim, path)
                raise

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give the connection inside a transaction that is on the disk when the block ends, or has never been.

        A transaction inside another one of the same thread is part of it.
        """
        with self._mutex, translated(self.path):
            if self._writing:
                yield self._connection
                return
            self._connection.execute("BEGIN IMMEDIATE")
            self._writing = True
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # SQLite has rolled back by itself after some errors, such as a full disk.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._writing = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give the connection inside a transaction that sees one state of the file."""
        with self._mutex, translated(self.path):
            if self._connection.in_transaction:
                yield self._connection
                return
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file and let others write; a second call does nothing."""
        with self._mutex:
            if self._closed:
                return
            self._closed = True
            if self.write:
                # A reader keeps the file in write-ahead mode; the next writer that closes tidies up then.
                with closing(self._connection), _ignored_errors():
                    self._connection.execute("PRAGMA busy_timeout = 0")
                    self._connection.execute("PRAGMA journal_mode = DELETE")
            else:
                self._connection.close()
            _release(self._claim, self.path)


def is_sqlite(path: Path) -> bool:
    """Whether a file is an SQLite file, of whatever program; False also if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn every SQLite failure inside the block into a StoreError that says what to do."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        raise _store_error(error, path) from None
    except OSError as error:
        raise StoreError(f"the campaign file cannot be used: {error.strerror}", where=str(path)) from None


_FAILURES = {
    sqlite3.SQLITE_FULL: (
        "the disk is full; every answer committed so far is kept",
        "free some space and give the same command again",
    ),
    sqlite3.SQLITE_NOTADB: (_NOT_A_CAMPAIGN, _GIVE_A_CAMPAIGN),
    sqlite3.SQLITE_CORRUPT: (
        "the campaign file is damaged",
        "restore it from a copy; `sqlite3 FILE .recover` saves what can be read",
    ),
    sqlite3.SQLITE_READONLY: ("the campaign file cannot be written", _CHECK_RIGHTS),
    sqlite3.SQLITE_PERM: ("the campaign file cannot be written", _CHECK_RIGHTS),
    sqlite3.SQLITE_CANTOPEN: ("the campaign file cannot be opened", _CHECK_RIGHTS),
    sqlite3.SQLITE_BUSY: ("another program is using the campaign file", "wait until it is done, then try again"),
    sqlite3.SQLITE_IOERR: (
        "the disk failed while the campaign file was used",
        "check the disk, then give the same command again",
    ),
}


def _store_error(error: sqlite3.Error, path: Path) -> StoreError:
    # The low byte is the kind; SQLite puts details into the others.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    what, hint = _FAILURES.get(code, (f"the campaign file cannot be used: {error}", ""))
    return StoreError(what, where=str(path), hint=hint)


def _check_path(path: Path, *, write: bool) -> None:
    if path.is_dir():
        raise StoreError("this is a folder, not a campaign file", where=str(path), hint="name a file in it")
    if not write and not path.exists():
        raise StoreError(
            "there is no such campaign file", where=str(path), hint="`stormscope run --out FILE` writes one"
        )
    if write and not path.parent.is_dir():
        raise StoreError(
            "the folder of the campaign file does not exist", where=str(path), hint=f"make {path.parent} first"
        )


def _claim(path: Path) -> sqlite3.Connection:
    """Hold an exclusive lock beside the file: the system releases it when the program dies, on every platform."""
    claim = sqlite3.connect(_claim_path(path), timeout=0, isolation_level=None, check_same_thread=False)
    try:
        claim.execute("PRAGMA journal_mode = OFF")
        claim.execute("BEGIN EXCLUSIVE")
        _touch(claim)
    except sqlite3.Error as error:
        claim.close()
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        raise StoreError(
            "another program is writing this campaign",
            where=str(path),
            hint="wait until it is done, or name another file",
        ) from None
    return claim


def _release(claim: sqlite3.Connection | None, path: Path) -> None:
    if claim is None:
        return
    # Removed while still held: whoever opens the path next makes a new file and cannot meet this one's last moment.
    with closing(claim), _ignored_errors():
        _claim_path(path).unlink(missing_ok=True)


def _claim_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-lock")


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={'rwc' if write else 'ro'}"
    connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        # Asked of SQLite and not of the file's size: a creation that was cut off is rolled back by this question.
        if write and connection.execute("PRAGMA page_count").fetchone()[0] == 0:
            _create(connection)
        version = _checked_version(connection, path)
        if version < VERSION:
            (migrate if write else show_as_new)(connection)
        if write:
            # Where write-ahead mode is impossible (some network file systems) SQLite stays with its journal: also safe.
            connection.execute("PRAGMA journal_mode = WAL")
            _touch(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _touch(connection: sqlite3.Connection) -> None:
    """Write something: SQLite opens what may not be written as if it were only to be read, and locks it for nobody."""
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _create(connection: sqlite3.Connection) -> None:
    connection.executescript(
        f"BEGIN EXCLUSIVE; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; {TABLES} COMMIT;"
    )


def _checked_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the file's format, one that can be read; raises StoreError otherwise."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise StoreError(_NOT_A_CAMPAIGN, where=str(path), hint=_GIVE_A_CAMPAIGN)
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version < 1:
        raise StoreError("the campaign file is damaged: it has no format number", where=str(path))
    if not OLDEST <= version <= VERSION:
        raise StoreError(
            f"this campaign file has format {version}; this stormscope reads formats {OLDEST} to {VERSION}",
            where=str(path),
            hint="update stormscope" if version > VERSION else "name another file for a new campaign",
        )
    return version


@contextmanager
def _ignored_errors() -> Iterator[None]:
    """Let tidying up fail: nothing that was committed depends on it."""
    try:
        yield
    except (sqlite3.Error, OSError):
        return
