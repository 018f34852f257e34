"""Words for a packaged environment: a copy of it is offered, which becomes an environment of the user's own."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from tui_support import until

from engine.cli.opening import Opening
from engine.mdp.sources import find_model
from tui.app import ExplorerApp
from tui.screens.explorer import ExplorerScreen
from tui.screens.words import WordsScreen
from tui.services.engine_opener import EngineOpener
from tui.services.engine_services import EngineServices
from tui.services.models import ModelSettings

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot


@pytest.fixture(autouse=True)
def _own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test folders of its own."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


async def opened(pilot: Pilot[None]) -> ExplorerScreen:
    """Wait for the oracle's child."""
    for _ in range(10):
        try:
            await until(pilot, lambda: isinstance(pilot.app.screen, ExplorerScreen))
        except AssertionError:
            continue
        screen = pilot.app.screen
        assert isinstance(screen, ExplorerScreen)
        return screen
    raise AssertionError("the explorer did not open")


async def test_a_packaged_environment_is_copied_into_ones_own() -> None:
    """The form begins with the packaged words under another name; saved, it is a full environment with the layout."""
    app = ExplorerApp(
        EngineOpener(Opening("frozen_lake", (), None)), services=EngineServices("random"), theme="storm-dark"
    )
    async with app.run_test(size=(100, 36)) as pilot:
        await opened(pilot)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, WordsScreen))
        form = app.screen
        assert "copy of Frozen Lake" in str(form.query_one(".form").border_title)
        await pilot.press("ctrl+r")
        screen = await opened(pilot)
        assert screen.oracle.environment.name == "my_frozen_lake"
        assert screen.oracle.environment.layout is not None
    copy = find_model("my_frozen_lake").environment
    assert copy.title == "Frozen Lake"
    assert copy.objective == find_model("frozen_lake").environment.objective


def test_the_copy_begins_with_the_packaged_words() -> None:
    """World and goal are those of the first wording, with the constants at hand."""
    opener = EngineOpener(Opening("frozen_lake", (), None))
    oracle = opener.open(ModelSettings(), lambda *_: None, threading.Event())
    name, words = opener.words(oracle)
    assert name == "my_frozen_lake"
    assert "4 × 4 tiles" in words.description
    assert words.goal == "reaching the goal tile"
