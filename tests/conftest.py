"""What all tests share: folders of their own, no terminal settings from outside, one checked Frozen Lake."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.facts import Oracle

_OUTSIDE = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")

# `make test` draws the same examples everywhere; HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("search", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_xdist_auto_num_workers() -> int:
    """Return one process more than there are processors: a third of the time tests wait for screens and children."""
    ours = getattr(os, "sched_getaffinity", None)  # not on every system
    return (len(ours(0)) if ours is not None else os.cpu_count() or 1) + 1


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the tests, and every process that they start, away from the user's folders and settings."""
    root = tmp_path_factory.mktemp("home")
    for name in ("CACHE", "CONFIG", "DATA", "STATE"):
        os.environ[f"XDG_{name}_HOME"] = str(root / name.lower())
    for name in [name for name in os.environ if name in _OUTSIDE or name.startswith("STORMSCOPE_")]:
        del os.environ[name]
    from engine.recent import remember_tour  # noqa: PLC0415  # after the folders are set

    remember_tour()  # the offer of a tour covers the first start's screen; tests of it have a folder of their own


@pytest.fixture(scope="session")
def lake(_own_folders: None) -> Oracle:
    """Return Frozen Lake 4×4, checked exactly by Storm."""
    from engine.mdp.sources import find_model  # noqa: PLC0415  # after the folders are set
    from engine.oracle.client import open_oracle  # noqa: PLC0415

    source = find_model("frozen_lake")
    return open_oracle(source.request(), source.environment)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache folder of this test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "stormscope" / "oracle"
