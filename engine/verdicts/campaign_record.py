"""What a campaign file says about itself: its runs, models, explainers, probes and settings."""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from engine.errors import StoreError
from engine.verdicts.database import Database
from engine.verdicts.model_changes import difference
from engine.verdicts.records import ModelRecord, ProbeRecord, RunRecord
from engine.verdicts.rows import dumps, model_row, read_model, synonyms_text
from engine.verdicts.statements import INSERT_MADE_FROM, INSERT_MODEL, SELECT_MODELS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType


class CampaignRecord:
    """A campaign file that is open.

    Parameters
    ----------
    path
        The file; made if it does not exist and `write` is true. One of an older format is brought up to date then.
    write
        Whether this program asks and stores; otherwise the file is only read, also while another program writes it.

    Raises
    ------
    StoreError
        If the file cannot be opened that way; every method raises it if the file or the disk fails.
    """

    def __init__(self, path: Path, *, write: bool) -> None:
        self.path = path
        self._database = Database(path, write=write)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; waits for a commit that is under way. A second call does nothing."""
        self._database.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads inside the block see one state of the file, whatever a writer does meanwhile."""
        with self._database.reading():
            yield

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let all that is written inside the block be on the disk when it ends, or have never been."""
        with self._database.transaction():
            yield

    def start_run(self, plan: Mapping[str, Any], version: str, *, total: int, done: int) -> int:
        """Record that a run begins, as in `RunRecord`; return its number."""
        with self._database.transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO runs (started, version, plan, total, done) VALUES (?, ?, ?, ?, ?)",
                (now(), version, dumps(dict(plan)), total, done),
            )
        return int(cursor.lastrowid or 0)

    def end_run(self, run: int, *, done: int) -> None:
        """Record that a run has ended, complete or not."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE runs SET ended = ?, done = ? WHERE id = ?", (now(), done, run))

    def runs(self) -> tuple[RunRecord, ...]:
        """Return the runs, oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT started, version, plan, total, done, ended FROM runs ORDER BY id"
            ).fetchall()
        return tuple(RunRecord(**{**dict(row), "plan": json.loads(row["plan"])}) for row in rows)

    def add_models(self, models: Sequence[ModelRecord]) -> None:
        """Record the models; one that is there already must be the same.

        Raises
        ------
        StoreError
            If a model has changed since, or is in the file under another name; then nothing is recorded.
        """
        known = {model.name: model for model in self.models()}
        for model in models:
            self._check_model(model, known)
        with self._database.transaction() as connection:
            connection.executemany(INSERT_MODEL, [model_row(model) for model in models if model.name not in known])
            # A file of an older format does not know the synonyms yet.
            connection.executemany(
                "UPDATE models SET synonyms = ? WHERE name = ? AND synonyms IS NULL",
                [(synonyms_text(model.synonyms), model.name) for model in models],
            )
            connection.executemany(
                INSERT_MADE_FROM,
                [(model.name, dumps(dict(model.made_from))) for model in models if model.made_from is not None],
            )

    def _check_model(self, model: ModelRecord, known: Mapping[str, ModelRecord]) -> None:
        before = known.get(model.name)
        if before is not None and before.identity != model.identity:
            raise StoreError(
                f"the model {model.name!r} has changed since this campaign began: {difference(before, model)}",
                where=str(self.path),
                hint="undo the change, or name another file for a campaign of its own",
            )
        twin = next((k.name for k in known.values() if k.identity == model.identity and k.name != model.name), None)
        if twin is not None:
            raise StoreError(
                f"the model {model.name!r} is in this campaign already, as {twin!r}",
                where=str(self.path),
                hint=f"call it {twin!r}, or name another file",
            )

    def models(self) -> tuple[ModelRecord, ...]:
        """Return the models, in the order in which they came."""
        with self._database.reading() as connection:
            rows = connection.execute(SELECT_MODELS).fetchall()
        return tuple(read_model(row) for row in rows)

    def add_explainers(self, baselines: Mapping[str, bool]) -> None:
        """Record the explainers by name, and whether each is a baseline."""
        with self._database.transaction() as connection:
            connection.executemany("INSERT OR IGNORE INTO explainers VALUES (?, ?)", list(baselines.items()))

    def explainers(self) -> dict[str, bool]:
        """Return the explainers, in the order in which they came, and whether each is a baseline."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT name, baseline FROM explainers ORDER BY rowid").fetchall()
        return {row["name"]: bool(row["baseline"]) for row in rows}

    def add_probe(self, explainer: str, result: Mapping[str, Any]) -> None:
        """Record what an endpoint was found to do."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO probes (explainer, probed, result) VALUES (?, ?, ?)",
                (explainer, now(), dumps(dict(result))),
            )

    def probes(self) -> tuple[ProbeRecord, ...]:
        """Return what endpoints were found to do, oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT explainer, probed, result FROM probes ORDER BY id").fetchall()
        return tuple(ProbeRecord(row["explainer"], row["probed"], json.loads(row["result"])) for row in rows)

    def setting(self, name: str) -> str | None:
        """Return a setting of the whole file; None if it was never set."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row["value"])

    def set_setting(self, name: str, value: str) -> None:
        """Set a setting of the whole file."""
        with self._database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    def select(self, statement: str) -> list[sqlite3.Row]:
        """Return all rows of a statement that only reads, for `engine.verdicts.queries`."""
        with self._database.reading() as connection:
            return connection.execute(statement).fetchall()


def now() -> str:
    """Return the time as the store writes it: UTC, ISO 8601, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
