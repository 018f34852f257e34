"""The campaign file: what is committed stays, what is wrong is said, and one program writes at a time."""

from __future__ import annotations

import itertools
import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from campaign_support import fake_case, fake_oracle, judge, right
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import StoreError
from engine.explainers.base import Question, Reply
from engine.queries.spaces import OneOf, Probability
from engine.verdicts.records import Answer, Key, ModelRecord, Selection
from engine.verdicts.rows import case_row, read_space
from engine.verdicts.store import Store, now
from engine.verdicts.verdict import InvalidKind, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.queries.case import Case, FactValue

ORACLE = fake_oracle()
CASES = tuple(fake_case(ORACLE, "best-action", state) for state in range(4))


def answer(case: Case, reply: Reply | None = None, *, sample: int = 0, explainer: str = "model") -> Answer:
    """Return the record of a reply, a right one by default."""
    question = Question(case, "system", "user", {}, "plain", sample)
    reply = reply or right(question)
    return Answer(Key(case.id, "plain", sample), explainer, "system", "user", reply, judge(ORACLE, case, reply), now())


def prepare(store: Store) -> None:
    """Put a model, an explainer and the cases into a store."""
    store.add_models([ModelRecord.of("lake", ORACLE)])
    store.add_explainers({"model": False, "random": True})
    store.add_selections("lake", "prioritized", 4, {"best-action": Selection(CASES)})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give a store with a model, two explainers and four cases."""
    with Store(tmp_path / "c.db", write=True) as opened:
        prepare(opened)
        yield opened


def test_an_answer_is_read_back_as_it_was_written(store: Store) -> None:
    """Reply, verdict and prompt survive the file, with every field that an answer can have."""
    numbers: dict[str, FactValue] = {"V": "14/17", "actions": ["up", "left"], "tied": True, "D": None}
    verdict = Verdict(
        outcome=Outcome.INVALID,
        score=0.0,
        reason="two different actions",
        answer=None,
        accepted=("up", "left"),
        numbers=numbers,
        regret="1/3",
        invalid_kind=InvalidKind.AMBIGUOUS,
        explanation="because\n\x1b[31mred",
    )
    reply = Reply(
        text='{"answer": "up or left"}\x00',
        reasoning="hm",
        finish="stop",
        seconds=1.25,
        attempts=3,
        tokens_in=7,
        tokens_out=None,
        details={"model": "m", "nested": [1, {"a": None}]},
    )
    written = replace(answer(CASES[0]), reply=reply, verdict=verdict, system="sys 💧", user="usr")
    store.add_answers([written])
    assert list(store.answers()) == [written]


def test_cases_are_read_back_in_order_with_all_strategies(store: Store) -> None:
    """A selection keeps its order; a case that two strategies chose is there once and names both."""
    store.add_selections("lake", "random", 2, {"best-action": Selection((CASES[3], CASES[1]))})
    chosen = store.selection("lake", "best-action", "random", 2)
    assert chosen is not None
    assert [case.id for case in chosen.cases] == [CASES[3].id, CASES[1].id]
    assert chosen.cases[0] == replace(CASES[3], strategy="random")
    assert store.cases()[CASES[3].id].strategies == ("prioritized", "random")
    assert store.cases()[CASES[0].id].strategies == ("prioritized",)
    assert store.selection("lake", "best-action", "random", 3) is None


@pytest.mark.parametrize("space", [OneOf(("up", "left")), Probability()])
def test_answer_spaces_are_read_back(space: OneOf | Probability) -> None:
    """A stored case knows its valid answers."""
    row = case_row("lake", replace(CASES[0], space=space))
    assert read_space(str(row[4])) == space


def test_a_question_keeps_its_first_answer(store: Store) -> None:
    """An answered question cannot be answered again, so that nothing counts twice."""
    store.add_answers([answer(CASES[0])])
    store.add_answers([answer(CASES[0], Reply("down")), answer(CASES[0], sample=1)])
    assert [(a.key.sample, a.reply.text) for a in store.answers()] == [(0, "left"), (1, "left")]


def test_an_error_is_kept_but_is_no_answer(store: Store) -> None:
    """A failed question is not among the answered ones, and counts as an error until an answer comes."""
    store.add_answers([answer(CASES[0], Reply(error="down")), answer(CASES[0], Reply(error="down again"))])
    assert store.answered("model") == set()
    assert [(r.outcome, r.score) for r in store.outcomes()] == [(Outcome.ERROR, None)]
    store.add_answers([answer(CASES[0])])
    assert store.answered("model") == {Key(CASES[0].id, "plain", 0)}
    assert [r.outcome for r in store.outcomes()] == [Outcome.PASS]


def test_answers_can_be_read_by_explainer_and_by_case(store: Store) -> None:
    """The views of one explainer and of one case hold what they say and nothing else."""
    store.add_answers([answer(case, explainer=name) for case in CASES for name in ("model", "random")])
    assert [a.key.case for a in store.answers(explainer="random")] == [case.id for case in CASES]
    assert [a.explainer for a in store.answers(case=CASES[2].id)] == ["model", "random"]


def test_answers_are_complete_beyond_one_portion(store: Store) -> None:
    """Reading in portions neither drops nor repeats an answer, also while more are written."""
    store.add_answers([answer(CASES[0], sample=sample) for sample in range(1001)])
    reader = store.answers()
    first = next(reader)
    store.add_answers([answer(CASES[1])])
    assert [a.key.sample for a in [first, *reader]] == [*range(1001), 0]


SAMPLES = itertools.count()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(text=st.text(st.characters(), max_size=20))
def test_any_text_can_be_stored(store: Store, text: str) -> None:
    """Whatever a model says is stored as it came; only lone surrogates, which are no text, are replaced."""
    sample = next(SAMPLES)
    store.add_answers([answer(CASES[0], Reply(text, reasoning=text), sample=sample)])
    found = {a.key.sample: a.reply.text for a in store.answers()}[sample]
    expected = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
    assert found == expected or any("\ud800" <= character <= "\udbff" for character in text)
    assert found.encode().decode() == found


# Opening


def test_a_campaign_that_does_not_exist_is_said_so(tmp_path: Path) -> None:
    """Reading needs a file; writing needs its folder."""
    with pytest.raises(StoreError, match="no such campaign file"):
        Store(tmp_path / "none.db", write=False)
    with pytest.raises(StoreError, match="folder of the campaign file does not exist"):
        Store(tmp_path / "nowhere" / "c.db", write=True)
    with pytest.raises(StoreError, match="this is a folder"):
        Store(tmp_path, write=True)
    assert list(tmp_path.iterdir()) == []


def other_database(file: Path) -> None:
    """Write an SQLite file of another program."""
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE t (a)")
    connection.close()


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("kind", ["text", "database"])
def test_another_file_is_no_campaign_and_stays_as_it_is(tmp_path: Path, kind: str, write: bool) -> None:
    """A file of something else is refused in either mode, and not a byte of it changes."""
    file = tmp_path / "other"
    if kind == "text":
        file.write_text("environment,explainer\n" * 300)
    else:
        other_database(file)
    before = file.read_bytes()
    with pytest.raises(StoreError, match="not a campaign file") as caught:
        Store(file, write=write)
    assert str(file) in str(caught.value)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


@pytest.mark.parametrize("write", [False, True])
def test_a_newer_campaign_says_to_update(store: Store, write: bool) -> None:
    """A file from a later version is not read as if it were understood."""
    store.close()
    connection = sqlite3.connect(store.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="format 99") as caught:
        Store(store.path, write=write)
    assert "update stormscope" in str(caught.value)


def test_an_empty_file_becomes_a_campaign(tmp_path: Path) -> None:
    """A file that was only touched, or whose creation was cut off, is begun."""
    file = tmp_path / "c.db"
    file.touch()
    with Store(file, write=True) as store:
        prepare(store)
    with Store(file, write=False) as store:
        assert [model.name for model in store.models()] == ["lake"]


def test_a_damaged_campaign_is_said_so(store: Store) -> None:
    """A file whose inside was overwritten ends in one clear message."""
    store.add_answers([answer(case, Reply("x" * 5000)) for case in CASES])
    store.close()
    content = bytearray(store.path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    store.path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"), Store(store.path, write=False) as opened:
        opened.outcomes()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write, not even root")
def test_a_folder_that_cannot_be_written_is_said_so() -> None:
    """A campaign in a read-only place ends in a message about rights."""
    with pytest.raises(StoreError, match="cannot be") as caught:
        Store(Path("/proc/self/c.db"), write=True)
    assert "rights" in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_campaign_in_a_read_only_folder_can_be_read(store: Store) -> None:
    """A closed campaign is one file that needs nothing beside it, so that it can be read from anywhere."""
    store.close()
    store.path.parent.chmod(0o500)
    try:
        with Store(store.path, write=False) as opened:
            assert len(opened.cases()) == len(CASES)
    finally:
        store.path.parent.chmod(0o700)


def test_a_closed_campaign_is_one_portable_file(store: Store) -> None:
    """After closing nothing lies beside the file, and it is not in write-ahead mode any more."""
    store.add_answers([answer(CASES[0])])
    store.close()
    store.close()
    assert [path.name for path in store.path.parent.iterdir()] == ["c.db"]
    uri = f"{store.path.as_uri()}?immutable=1"
    connection = sqlite3.connect(uri, uri=True)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert connection.execute("SELECT count(*) FROM answers").fetchone() == (1,)
    connection.close()


def test_a_second_writer_is_refused_and_a_reader_is_not(store: Store) -> None:
    """Two campaigns cannot write one file; a report reads what is committed while it is written."""
    store.add_answers([answer(CASES[0])])
    with pytest.raises(StoreError, match="another program is writing"):
        Store(store.path, write=True)
    with Store(store.path, write=False) as reader, reader.snapshot():
        assert len(reader.outcomes()) == 1
        store.add_answers([answer(CASES[1])])
        assert len(reader.outcomes()) == 1
    with Store(store.path, write=False) as reader:
        assert len(reader.outcomes()) == 2


def test_a_writer_in_another_process_is_noticed(store: Store) -> None:
    """The lock holds between processes, and is free after the writer has closed."""
    code = (
        "import sys; from pathlib import Path; from engine.verdicts.store import Store\n"
        "from engine.errors import StoreError\n"
        "try: Store(Path(sys.argv[1]), write=True).close()\n"
        "except StoreError as error: print(error.what)"
    )
    command = [sys.executable, "-c", code, str(store.path)]
    first = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert first.stdout.strip() == "another program is writing this campaign"
    store.close()
    second = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert second.stdout == ""


def test_a_reader_cannot_write(store: Store) -> None:
    """A store that was opened for reading refuses to store."""
    store.close()
    with Store(store.path, write=False) as reader, pytest.raises(StoreError, match="cannot be written"):
        reader.add_answers([answer(CASES[0])])


def test_a_full_disk_keeps_what_was_committed(store: Store) -> None:
    """When no page can be added, one message says so, and the answers before are all there."""
    store.add_answers([answer(CASES[0])])
    connection = store._database._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="disk is full") as caught:
        store.add_answers([answer(CASES[1], Reply("x" * 100_000)), answer(CASES[2])])
    assert "same command" in str(caught.value)
    assert [a.key.case for a in store.answers()] == [CASES[0].id]
    connection.execute(f"PRAGMA max_page_count = {pages + 100}")
    store.add_answers([answer(CASES[2])])
    assert len(store.outcomes()) == 2


# Models


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"slip": "1/2"}, "the constant slip was 1/3, is 1/2"),
        ({"states": 64}, "it had 16 states, has 64"),
        ({"slip": "0", "states": 64}, "the constant slip was 1/3, is 0; it had 16 states, has 64"),
        ({}, "its text, the mode it is checked in, or Storm's version is not the same"),
    ],
)
def test_a_changed_model_is_refused_by_name(store: Store, change: dict[str, Any], told: str) -> None:
    """Answers about another model are never mixed in; the message says which one, and what is different."""
    changed = ModelRecord.of("lake", fake_oracle("oracle-2", **change))
    with pytest.raises(StoreError, match="'lake' has changed") as caught:
        store.add_models([ModelRecord.of("pond", fake_oracle("oracle-3")), changed])
    assert told in str(caught.value)
    assert [model.name for model in store.models()] == ["lake"]


def test_the_same_model_under_another_name_is_refused(store: Store) -> None:
    """One model has one name in a file, for its cases carry its identity."""
    with pytest.raises(StoreError, match="already, as 'lake'"):
        store.add_models([ModelRecord.of("pond", ORACLE)])
    store.add_models([ModelRecord.of("lake", ORACLE)])
    assert store.models() == (ModelRecord.of("lake", ORACLE),)
