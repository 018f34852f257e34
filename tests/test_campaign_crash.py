"""A campaign that is killed at any moment: nothing committed is lost, nothing committed is asked twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.reports.build import build_report
from engine.verdicts.records import Key
from engine.verdicts.store import Store

CHILD = Path(__file__).with_name("campaign_child.py")
TOTAL = 2 * 16 * 20


def run_child(file: Path, *, kill_after: int | None) -> tuple[set[Key], list[Key]]:
    """Run the campaign in a process of its own; return what it told as committed, and what it asked.

    Parameters
    ----------
    kill_after
        Kill the process, without any warning to it, when it has told this many commits; None lets it end.
    """
    committed: set[Key] = set()
    asked: list[Key] = []
    with subprocess.Popen([sys.executable, CHILD, file], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            what, case, variant, sample = line.split()
            key = Key(case, variant, int(sample))
            if what == "asked":
                asked.append(key)
            else:
                committed.add(key)
            if kill_after is not None and len(committed) >= kill_after:
                child.kill()
                break
    return committed, asked


def test_killed_again_and_again_nothing_is_lost_and_nothing_asked_twice(tmp_path: Path) -> None:
    """Three kills without warning, then a run to the end: every told answer is there, and none was asked again."""
    file = tmp_path / "c.db"
    told: set[Key] = set()
    for kill_after in (1, 60, 150):
        committed, asked = run_child(file, kill_after=kill_after)
        assert told.isdisjoint(asked)
        told |= committed
        with Store(file, write=False) as store:
            told_or_more = store.answered("model")
            assert told <= told_or_more
            told = told_or_more
            run = build_report(store).run
            assert run is not None
            assert run.ended is None
    assert len(told) >= 211
    _, asked = run_child(file, kill_after=None)
    assert told.isdisjoint(asked)
    assert len(asked) == TOTAL - len(told)
    with Store(file, write=False) as store:
        assert len(store.answered("model")) == TOTAL
    assert [path.name for path in tmp_path.iterdir()] == ["c.db"]


def test_a_report_is_made_while_another_process_writes(tmp_path: Path) -> None:
    """Reports read what is committed so far, one consistent state each, and never stop the writer."""
    file = tmp_path / "c.db"
    counts: list[int] = []
    with subprocess.Popen([sys.executable, CHILD, file], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("committed") and len(counts) < 20:
                with Store(file, write=False) as store:
                    counts.append(sum(row.n for row in build_report(store).explainers))
    assert child.returncode == 0
    assert counts[0] >= 1
    assert counts == sorted(counts)


@pytest.mark.skipif(sys.platform == "win32", reason="a console's interrupt cannot be sent to one process there")
def test_interrupted_from_the_keyboard_it_keeps_everything(tmp_path: Path) -> None:
    """Ctrl-C commits what has arrived, tidies the file, and the next run asks only the rest."""
    import signal  # noqa: PLC0415 - what it sends does not exist everywhere

    file = tmp_path / "c.db"
    told = set()
    with subprocess.Popen(
        [sys.executable, CHILD, file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        for line in child.stdout:
            what, case, variant, sample = line.split()
            if what == "committed":
                told.add(Key(case, variant, int(sample)))
            if len(told) == 20:
                child.send_signal(signal.SIGINT)
        child.wait(timeout=30)
    with Store(file, write=False) as store:
        kept = store.answered("model")
        assert told <= kept
        assert store.runs()[-1].done == len(kept)
        assert store.runs()[-1].ended is not None
    _, asked = run_child(file, kill_after=None)
    assert kept.isdisjoint(asked)
    assert len(asked) == TOTAL - len(kept)
