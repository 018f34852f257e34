"""Campaign files of an older format: read as they are, brought up to date when written, and nothing is lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from campaign_support import fake_oracle

from engine.errors import StoreError
from engine.verdicts import migration
from engine.verdicts.records import Key, ModelRecord
from engine.verdicts.schema import APPLICATION_ID, VERSION
from engine.verdicts.store import Store
from engine.verdicts.verdict import Outcome

DUMP = Path(__file__).with_name("data") / "campaign_format_2.sql"
"""Frozen Lake, two categories with two cases each, answered by ``first`` (three fail) and ``oracle`` (all pass)."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a campaign file as an earlier version has written it."""
    file = tmp_path / "c.db"
    connection = sqlite3.connect(file)
    connection.executescript(DUMP.read_text(encoding="utf-8"))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    return file


def version_of(file: Path) -> int:
    """Return the format that a file says it has."""
    connection = sqlite3.connect(file)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(version)


def content(file: Path, *, write: bool) -> tuple[object, ...]:
    """Return all that a file holds."""
    with Store(file, write=write) as store:
        return (
            store.models(),
            store.explainers(),
            store.cases(),
            list(store.answers()),
            store.outcomes(),
            store.runs(),
            store.probes(),
        )


def test_an_old_campaign_is_read_without_a_change(old: Path) -> None:
    """Reading shows everything that was written, and not a byte of the file changes."""
    before = old.read_bytes()
    with Store(old, write=False) as store:
        assert [answer.verdict.outcome for answer in store.answers(explainer="oracle")] == [Outcome.PASS] * 4
        assert {record.explainer for record in store.outcomes()} == {"first", "oracle"}
        assert [model.synonyms for model in store.models()] == [None]
        assert all(stored.case.parameters == {} for stored in store.cases().values())
        assert store.setting("tolerance") is None
        assert store.select("SELECT cost, tokens_reasoning, shown FROM answers LIMIT 1")[0]["cost"] is None
    assert old.read_bytes() == before
    assert [path.name for path in old.parent.iterdir()] == ["c.db"]


def test_writing_brings_it_up_to_date_and_loses_nothing(old: Path) -> None:
    """What is read after the change is what was read before it, and new columns can be filled."""
    before = content(old, write=False)
    assert content(old, write=True) == before
    assert version_of(old) == VERSION
    assert content(old, write=False) == before
    with Store(old, write=True) as store:
        store.add_probe("model", {"usage": True})
        store.set_setting("tolerance", "1/20")
    with Store(old, write=False) as store:
        assert [probe.result for probe in store.probes()] == [{"usage": True}]
        assert store.setting("tolerance") == "1/20"


def test_the_tables_are_those_of_a_new_file(old: Path, tmp_path: Path) -> None:
    """Every table has the columns, in the order, that a new campaign has."""
    new = tmp_path / "new.db"
    Store(new, write=True).close()
    Store(old, write=True).close()

    def columns(file: Path) -> dict[str, list[str]]:
        connection = sqlite3.connect(file)
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")] for table in tables}
        connection.close()
        return found

    assert columns(old) == columns(new)


def test_a_change_that_fails_leaves_the_old_file(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it cannot be done to the end, it has never begun: the file is as before, and readable."""
    before = content(old, write=False)
    monkeypatch.setattr(migration, "_NEW_TABLES", ("probes", "settings", "runs"))
    with pytest.raises(StoreError):
        Store(old, write=True)
    monkeypatch.undo()
    assert version_of(old) == 2
    assert content(old, write=False) == before


def test_the_synonyms_of_an_old_campaign_come_with_its_model(old: Path) -> None:
    """When the same model is opened again, what the old format did not keep is filled in."""
    with Store(old, write=True) as store:
        (model,) = store.models()
        words = {"up": ("north",)}
        same = ModelRecord(**{**{n: getattr(model, n) for n in ModelRecord.__slots__}, "synonyms": words})
        store.add_models([same])
        assert store.models() == (same,)
        with pytest.raises(StoreError, match="has changed"):
            store.add_models([ModelRecord.of("frozen_lake", fake_oracle("other"))])


def test_the_last_failure_of_a_question_says_whose_fault_it_was(old: Path) -> None:
    """A question whose last attempt was refused is told apart from one that failed; an answered one is neither."""
    with Store(old, write=True) as store:
        case, other, answered = (*list(store.cases())[:3],)
        with store.together(), store._database.transaction() as connection:
            connection.execute("INSERT INTO explainers VALUES ('model', 0)")
            rows = [(case, 0), (case, 1), (other, 1), (other, 0), (answered, 0)]
            connection.executemany(
                'INSERT INTO errors ("case", explainer, variant, sample, failed, error, fatal, seconds, attempts, '
                "text, details) VALUES (?, 'model', 'plain', 0, '', 'e', ?, 0, 1, '', '{}')",
                rows,
            )
            connection.execute(
                "INSERT INTO answers SELECT \"case\", 'model', variant, sample, answered, system, user, text, "
                "reasoning, finish, seconds, attempts, tokens_in, tokens_out, details, outcome, score, reason, "
                "answer, accepted, numbers, regret, invalid_kind, explanation, NULL, NULL, NULL FROM answers "
                'WHERE "case" = ? AND explainer = ?',
                (answered, "first"),
            )
        assert store.failed("model") == {Key(case, "plain", 0): False, Key(other, "plain", 0): True}
