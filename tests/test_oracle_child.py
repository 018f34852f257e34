"""The oracle child's faults: cancelled, killed, over its limits, unwritable folders; nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import psutil
import pytest
from storm_support import HALF, LONG

from engine.errors import CancelledError, LimitError, ModelError
from engine.oracle.client import check_model
from engine.oracle.request import Limits, Mode, Request

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def endless(tmp_path: Path) -> Request:
    """Return a request that no test waits for."""
    path = tmp_path / "long.prism"
    path.write_text(LONG)
    return Request(path=path, mode=Mode.SOUND)


def _children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children(recursive=True) if "worker" in " ".join(child.cmdline())]


def test_cancel_ends_the_child_and_leaves_nothing(cache: Path, endless: Request) -> None:
    """Cancelling during a build returns soon, with no process and no folder left."""
    cancel = threading.Event()

    def progress(stage: str, detail: str) -> None:
        del detail
        if stage == "building":
            threading.Timer(0.2, cancel.set).start()

    with pytest.raises(CancelledError):
        check_model(endless, progress=progress, cancel=cancel)
    assert not _children()
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        (Limits(seconds=1.0), "--timeout"),
        (Limits(megabytes=150), "--memory"),
    ],
)
def test_limits_end_the_child_with_the_option_that_raises_them(
    cache: Path, endless: Request, limits: Limits, says: str
) -> None:
    """A limit on time or memory ends the build with one message that names the option."""
    with pytest.raises(LimitError) as caught:
        check_model(endless, limits)
    assert says in str(caught.value)
    assert not _children()
    assert list(cache.iterdir()) == []


def test_a_memory_limit_says_how_many_states_were_reached(cache: Path, endless: Request) -> None:
    """A build that ends at its memory limit names the number of states that it is known to have passed."""
    with pytest.raises(LimitError, match=r"more than the limit of 400 MB while exploring more than (\d+0,000) states"):
        check_model(endless, Limits(megabytes=400))
    assert list(cache.iterdir()) == []


def test_a_state_limit_stops_the_build(cache: Path, endless: Request) -> None:
    """A model of 64 million states is not built to its end: exploring stops behind the limit, and says where."""
    with pytest.raises(LimitError, match="stopped at 20,001 states: there are more than the limit of 20,000") as caught:
        check_model(endless, Limits(states=20_000))
    assert "--max-states" in str(caught.value)
    assert list(cache.iterdir()) == []


def test_a_state_limit_says_how_many_there_are(cache: Path, tmp_path: Path) -> None:
    """A model over the state limit is refused with its number of states, built or kept."""
    path = tmp_path / "half.prism"
    path.write_text(HALF)
    for _ in range(2):
        with pytest.raises(LimitError, match=r"4 states.*more than the limit of 3") as caught:
            check_model(Request(path=path), Limits(states=3))
        assert "--max-states" in str(caught.value)
        check_model(Request(path=path))
    assert len(list(cache.iterdir())) == 1


def test_auto_mode_falls_back_to_bounds(cache: Path, tmp_path: Path) -> None:
    """Where exactness takes too long or the model is too large, auto mode encloses instead, and says so."""
    del cache
    path = tmp_path / "half.prism"
    path.write_text(HALF)
    large = check_model(Request(path=path), Limits(exact_states=3))
    assert large.meta["mode"] == "sound"
    path.write_text(HALF + "// another file\n")
    stages: list[str] = []
    late = check_model(Request(path=path), Limits(exact_seconds=0.01), progress=lambda _, detail: stages.append(detail))
    assert late.meta["mode"] == "sound"
    assert any("not exact within 0.01 s" in detail for detail in stages)


def test_a_killed_child_is_one_clear_error(cache: Path, endless: Request) -> None:
    """If the child is killed from outside, the error says so, and nothing hangs or stays."""

    def progress(stage: str, detail: str) -> None:
        del detail
        if stage == "building":
            for child in _children():
                child.kill()

    with pytest.raises(ModelError, match="ended unexpectedly"):
        check_model(endless, progress=progress)
    assert list(cache.iterdir()) == []


def test_the_child_ends_with_its_parent(cache: Path, endless: Request) -> None:
    """When the parent is killed without a chance to clean up, the child does not outlive it."""
    del cache
    code = (
        "import sys\nfrom pathlib import Path\nfrom engine.oracle.client import check_model\n"
        "from engine.oracle.request import Mode, Request\n"
        "check_model(Request(path=Path(sys.argv[1]), mode=Mode.SOUND), progress=lambda s, d: print(s, flush=True))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(endless.path)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    while "building" not in parent.stdout.readline():
        pass
    (child,) = psutil.Process(parent.pid).children()
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while child.is_running() and child.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the child is still there"
        time.sleep(0.05)


def test_an_unwritable_cache_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache folder that cannot be made is named, with the variable that moves it."""
    path = tmp_path / "half.prism"
    path.write_text(HALF)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(ModelError, match="cannot be written") as caught:
        check_model(Request(path=path))
    assert "XDG_CACHE_HOME" in str(caught.value)


def test_two_programs_at_once_share_one_folder(cache: Path, tmp_path: Path) -> None:
    """Several openings of the same model at the same time all succeed and leave one folder."""
    path = tmp_path / "half.prism"
    path.write_text(HALF)
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(check_model(Request(path=path)).identity)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert [folder.name for folder in cache.iterdir()] == [found[0]]


def test_nothing_that_storm_prints_reaches_the_terminal(cache: Path, tmp_path: Path) -> None:
    """Storm prints its errors on descriptor 1; they end in the child's log and in our one message."""
    del cache
    path = tmp_path / "bad.prism"
    path.write_text(HALF.replace("endmodule", "endmodul"))
    done = subprocess.run(
        [sys.executable, "-m", "engine", "check", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith(f"error: {path}:")
    assert "ERROR (" not in done.stderr


def test_files_beside_a_model_are_never_run(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a model from elsewhere may hold a json.py or an engine package: the child does not load them."""
    del cache
    (tmp_path / "half.prism").write_text(HALF)
    trap = f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
    (tmp_path / "json.py").write_text(trap)
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__init__.py").write_text(trap)
    monkeypatch.chdir(tmp_path)
    assert check_model(Request(path=tmp_path / "half.prism")).mdp.states == 4
    assert not (tmp_path / "ran").exists()


def test_a_defect_in_the_child_is_said_with_its_reason(cache: Path, tmp_path: Path) -> None:
    """Whatever the child fails with is one error that names it, never a bare exit code."""
    path = tmp_path / "half.prism"
    path.write_text(HALF)

    def spoil(stage: str, detail: str) -> None:
        del detail
        if stage == "exporting":
            (scratch,) = cache.glob("*.tmp-*")
            (scratch / "model.umb").mkdir()
            (scratch / "labels").mkdir()

    with pytest.raises(ModelError) as caught:
        check_model(Request(path=path), progress=spoil)
    assert "exit code" not in str(caught.value)


@pytest.mark.parametrize("blocks", [1, 4, 16])
def test_a_full_disk_is_one_message_and_leaves_nothing(cache: Path, tmp_path: Path, blocks: int) -> None:
    """Where files cannot grow, as on a full disk, the folder is named with what to do, and nothing stays."""
    path = tmp_path / "half.prism"
    path.write_text(HALF)
    line = f"ulimit -f {blocks}; exec {sys.executable} -m engine check {path} --limit 0"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "XDG_CACHE_HOME" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(cache.iterdir()) == []
