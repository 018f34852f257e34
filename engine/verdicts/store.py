"""A campaign's store: cases, answers and verdicts in one SQLite file, each answer committed when it arrives.

One program writes at a time; any number may read meanwhile. An answer is never overwritten and never asked for twice:
its question is the primary key. Failures are kept beside the answers and count as unanswered.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from engine.errors import StoreError
from engine.text import storable
from engine.verdicts.database import Database
from engine.verdicts.records import (
    Answer,
    Key,
    ModelRecord,
    OutcomeRecord,
    RunRecord,
    Selection,
    StoredCase,
)
from engine.verdicts.rows import answer_row, case_row, dumps, error_row, read_answer, read_case, read_outcome
from engine.verdicts.statements import (
    INSERT_ANSWER,
    INSERT_ERROR,
    INSERT_MODEL,
    SELECT_ANSWERS,
    SELECT_OUTCOMES,
    SELECT_SELECTED,
    SELECT_STRATEGIES,
)
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType


class Store:
    """A campaign file that is open.

    Parameters
    ----------
    path
        The file; made if it does not exist and `write` is true.
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

    # Runs, models, explainers

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
        rows = [
            {**asdict(model), "constants": dumps(dict(model.constants)), "exact": int(model.exact)}
            for model in models
            if model.name not in known
        ]
        with self._database.transaction() as connection:
            connection.executemany(INSERT_MODEL, rows)

    def _check_model(self, model: ModelRecord, known: Mapping[str, ModelRecord]) -> None:
        before = known.get(model.name)
        if before is not None and before.identity != model.identity:
            raise StoreError(
                f"the model {model.name!r} has changed since this campaign began: {_difference(before, model)}",
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
            rows = connection.execute("SELECT * FROM models ORDER BY rowid").fetchall()
        return tuple(
            ModelRecord(**{**dict(row), "constants": json.loads(row["constants"]), "exact": bool(row["exact"])})
            for row in rows
        )

    def add_explainers(self, baselines: Mapping[str, bool]) -> None:
        """Record the explainers by name, and whether each is a baseline."""
        with self._database.transaction() as connection:
            connection.executemany("INSERT OR IGNORE INTO explainers VALUES (?, ?)", list(baselines.items()))

    def explainers(self) -> dict[str, bool]:
        """Return the explainers, in the order in which they came, and whether each is a baseline."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT name, baseline FROM explainers ORDER BY rowid").fetchall()
        return {row["name"]: bool(row["baseline"]) for row in rows}

    # Cases

    def add_selections(self, model: str, strategy: str, budget: int, selections: Mapping[str, Selection]) -> None:
        """Record, by category, the cases chosen for a model; a case that is there already is kept as it is."""
        with self._database.transaction() as connection:
            for category, selection in selections.items():
                cursor = connection.execute(
                    "INSERT INTO selections (model, category, strategy, budget, omitted) VALUES (?, ?, ?, ?, ?)",
                    (model, category, strategy, budget, selection.omitted),
                )
                connection.executemany(
                    "INSERT OR IGNORE INTO cases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [case_row(model, case) for case in selection.cases],
                )
                connection.executemany(
                    "INSERT INTO selected VALUES (?, ?, ?)",
                    [(cursor.lastrowid, position, case.id) for position, case in enumerate(selection.cases)],
                )

    def selection(self, model: str, category: str, strategy: str, budget: int) -> Selection | None:
        """Return what was recorded for a model, category, strategy and budget; None if nothing was."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT id, omitted FROM selections WHERE (model, category, strategy, budget) = (?, ?, ?, ?)",
                (model, category, strategy, budget),
            ).fetchone()
            if row is None:
                return None
            cases = connection.execute(SELECT_SELECTED, (row["id"],)).fetchall()
        return Selection(tuple(read_case(case, strategy) for case in cases), row["omitted"])

    def omitted(self) -> dict[tuple[str, str], str]:
        """Return ``(model, category)`` → why it has no case."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT model, category, omitted FROM selections WHERE omitted IS NOT NULL ORDER BY id"
            ).fetchall()
        return {(row["model"], row["category"]): row["omitted"] for row in rows}

    def cases(self) -> dict[str, StoredCase]:
        """Return every case by its id, with the strategies that chose it, in the order in which they came."""
        with self._database.reading() as connection:
            chosen: dict[str, list[str]] = {}
            for name, strategy in connection.execute(SELECT_STRATEGIES):
                chosen.setdefault(name, []).append(strategy)
            rows = connection.execute("SELECT * FROM cases ORDER BY rowid")
            return {row["id"]: StoredCase(row["model"], read_case(row), tuple(chosen[row["id"]])) for row in rows}

    # Answers

    def add_answers(self, answers: Sequence[Answer]) -> None:
        """Commit answers and failures together; all of them are on the disk when this returns.

        A question that has an answer already keeps its first one.
        """
        if not answers:
            return
        with self._database.transaction() as connection:
            for answer in answers:
                if answer.verdict.outcome is Outcome.ERROR:
                    connection.execute(INSERT_ERROR, error_row(answer))
                else:
                    prompt = _text_row(connection, answer.system), _text_row(connection, answer.user)
                    connection.execute(INSERT_ANSWER, answer_row(answer, *prompt))

    def answered(self, explainer: str) -> set[Key]:
        """Return the questions that the explainer has answered; failures are not among them."""
        with self._database.reading() as connection:
            rows = connection.execute('SELECT "case", variant, sample FROM answers WHERE explainer = ?', (explainer,))
            return {Key(*row) for row in rows}

    def answers(self, *, explainer: str | None = None, case: str | None = None) -> Iterator[Answer]:
        """Yield the answers in the order of their arrival, all or those of an explainer or to a case."""
        last = 0
        while True:
            # In portions, so that nothing is held between them: a long reader never stops a writer.
            with self._database.reading() as connection:
                rows = connection.execute(
                    SELECT_ANSWERS, {"explainer": explainer, "case": case, "last": last, "portion": _PORTION}
                ).fetchall()
            yield from (read_answer(row) for row in rows)
            if len(rows) < _PORTION:
                return
            last = rows[-1]["row"]

    def outcomes(self) -> list[OutcomeRecord]:
        """Return what tables need of every answer, and of every question that has only failed so far."""
        with self._database.reading() as connection:
            rows = connection.execute(SELECT_OUTCOMES).fetchall()
        return [read_outcome(row) for row in rows]

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads inside the block see one state of the file, whatever a writer does meanwhile."""
        with self._database.reading():
            yield


_PORTION = 500


def now() -> str:
    """Return the time as the store writes it: UTC, ISO 8601, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _text_row(connection: sqlite3.Connection, text: str) -> int:
    stored = storable(text)
    digest = hashlib.sha256(stored.encode()).digest()
    row = connection.execute("SELECT id FROM texts WHERE hash = ?", (digest,)).fetchone()
    if row is not None:
        return int(row["id"])
    cursor = connection.execute("INSERT INTO texts (hash, text) VALUES (?, ?)", (digest, stored))
    return int(cursor.lastrowid or 0)


def _difference(before: ModelRecord, after: ModelRecord) -> str:
    for name in ("objective", "danger", "constants", "exact", "states"):
        was, now_ = getattr(before, name), getattr(after, name)
        if was != now_:
            return f"{name} was {was}, is {now_}"
    return "its text or the versions of the tools are not the same"
