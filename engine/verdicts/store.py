"""A campaign's store: cases, answers and verdicts in one SQLite file, each answer committed when it arrives.

One program writes at a time; any number may read meanwhile. An answer is never overwritten and never asked for twice:
its question is the primary key. Failures are kept beside the answers and count as unanswered.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from engine.text import storable
from engine.verdicts.campaign_record import CampaignRecord, now
from engine.verdicts.records import Answer, Key, OutcomeRecord, Selection, StoredCase
from engine.verdicts.rows import (
    answer_row,
    case_row,
    dumps,
    error_row,
    read_answer,
    read_case,
    read_outcome,
    verdict_row,
)
from engine.verdicts.statements import (
    INSERT_ANSWER,
    INSERT_ERROR,
    SELECT_ANSWERS,
    SELECT_FAILED,
    SELECT_OUTCOMES,
    SELECT_SELECTED,
    SELECT_STRATEGIES,
    UPDATE_VERDICT,
)
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

    from engine.queries.case import Case
    from engine.verdicts.verdict import Verdict

__all__ = ["Store", "now"]


class Store(CampaignRecord):
    """A campaign file that is open; see `CampaignRecord` for what can be asked of the file as a whole."""

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
                    "INSERT OR IGNORE INTO cases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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

    def replace_numbers(self, cases: Sequence[Case]) -> None:
        """Record other numbers and accepted answers of cases that are there: another tolerance changes both."""
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE cases SET accepted = ?, numbers = ? WHERE id = ?",
                [(dumps(list(case.accepted)), dumps(dict(case.numbers)), case.id) for case in cases],
            )

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

    def failed(self, explainer: str) -> dict[Key, bool]:
        """Return the questions without an answer whose last attempt failed, and whether that was the question's own.

        It was not where the endpoint could not be asked at all: a refused key, an unknown model.
        """
        with self._database.reading() as connection:
            rows = connection.execute(SELECT_FAILED, (explainer,))
            failed = {Key(row["case"], row["variant"], row["sample"]): not row["fatal"] for row in rows}
            answered = self.answered(explainer)
        return {key: own for key, own in failed.items() if key not in answered}

    def replace_verdicts(self, verdicts: Sequence[tuple[str, Key, Verdict]]) -> None:
        """Record other verdicts on answers that are there, by explainer and question; replies stay as they came."""
        with self._database.transaction() as connection:
            connection.executemany(
                UPDATE_VERDICT, [(*verdict_row(verdict), key.case, name, *key[1:]) for name, key, verdict in verdicts]
            )

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


_PORTION = 500


def _text_row(connection: sqlite3.Connection, text: str) -> int:
    stored = storable(text)
    digest = hashlib.sha256(stored.encode()).digest()
    row = connection.execute("SELECT id FROM texts WHERE hash = ?", (digest,)).fetchone()
    if row is not None:
        return int(row["id"])
    cursor = connection.execute("INSERT INTO texts (hash, text) VALUES (?, ?)", (digest, stored))
    return int(cursor.lastrowid or 0)
