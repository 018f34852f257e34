"""Campaign files of an older format: brought up to date in place when they are written, seen as new when only read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.verdicts.schema import TABLES, VERSION

if TYPE_CHECKING:
    import sqlite3

OLDEST = 2
"""The oldest format that is still read."""

_ADDED = {
    "models": {"synonyms": "TEXT"},
    "cases": {"parameters": "TEXT NOT NULL DEFAULT '{}'"},
    "answers": {"tokens_reasoning": "INTEGER", "cost": "TEXT", "shown": "TEXT"},
}
"""Table → column → its definition: what format 3 has and format 2 lacks."""
_NEW_TABLES = ("probes", "settings")


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file of format 2 up to date, all of it or nothing; the caller has made sure that nobody else writes."""
    connection.execute("BEGIN EXCLUSIVE")
    try:
        for table, columns in _ADDED.items():
            for name, definition in columns.items():
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {definition}")
        for table in _NEW_TABLES:
            connection.execute(_definition(table))
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def show_as_new(connection: sqlite3.Connection) -> None:
    """Lay temporary views over the tables of a file of format 2, so that every reader sees those of the present one.

    They live in this connection and not in the file, which may be read-only.
    """
    for table, columns in _ADDED.items():
        added = ", ".join(f"{_default(definition)} AS {name}" for name, definition in columns.items())
        # The rowid is a column of the view: SQLite's views have none of their own, and readers order by it.
        connection.execute(f"CREATE TEMP VIEW {table} AS SELECT rowid AS rowid, *, {added} FROM main.{table}")  # noqa: S608 - the names are this module's own
    for table in _NEW_TABLES:
        connection.execute(_definition(table).replace("CREATE TABLE", "CREATE TEMP TABLE"))


def _default(definition: str) -> str:
    return definition.partition("DEFAULT ")[2] or "NULL"


def _definition(table: str) -> str:
    """Return the statement of `TABLES` that makes a table."""
    begin = TABLES.index(f"CREATE TABLE {table} (")
    return TABLES[begin : TABLES.index("STRICT", begin) + len("STRICT")]
