"""The explorer's side of the engine: opening by settings, the user's words, stored verdicts, refusals."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING

import pytest
from reference import frozen_lake_4x4

from engine.cli.opening import Opening
from engine.errors import UsageError
from engine.mdp.sources import find_model
from engine.mdp.user_environments import Words
from environments import packaged
from tui.services.engine_opener import EngineOpener
from tui.services.models import ModelSettings, missing

if TYPE_CHECKING:
    from pathlib import Path


def test_a_bare_file_asks_for_its_constants_and_opens_with_them(tmp_path: Path) -> None:
    """The opener knows which constants are missing, and another size or objective is another check of the same file."""
    file = tmp_path / "my lake.prism"
    shutil.copy(packaged()["frozen_lake"] / "model.prism", file)
    opener = EngineOpener(Opening(str(file), ["slip=1/3"]))
    assert [each.name for each in missing(opener.constants(), opener.first)] == ["map"]
    assert opener.objectives() == {}
    small = opener.open(ModelSettings({"map": "4", "slip": "1/3"}), lambda *_: None, threading.Event())
    assert small.facts.value.at(0) == frozen_lake_4x4().facts.value.at(0)
    steps = ModelSettings({"map": "4", "slip": "0"}, 'R{"steps"}min=? [F "goal"]')
    assert opener.open(steps, lambda *_: None, threading.Event()).facts.value.at(0) == 6


def test_words_make_an_environment_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A saved file is found by its name with its words, and its words can be edited again; packaged ones cannot."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file = tmp_path / "4 lake.prism"
    shutil.copy(packaged()["frozen_lake"] / "model.prism", file)
    opener = EngineOpener(Opening(str(file), ["map=4", "slip=1/3"]))
    oracle = opener.open(opener.first, lambda *_: None, threading.Event())
    name, empty = opener.words(oracle)
    assert (name, empty.description) == ("model_4_lake", "")
    words = Words("My lake", "Ice {{ 1/0 }}.", "reaching the shore", empty.summary)
    saved = opener.save(oracle, name, words, replace=False)
    assert (saved.environment.title, saved.facts) == ("My lake", oracle.facts)
    assert find_model(name).environment.constants == {"map": "4", "slip": "1/3"}
    assert opener.words(saved) == (name, words)
    with pytest.raises(UsageError, match="already"):
        opener.save(saved, name, words, replace=False)
    lake = EngineOpener(Opening("frozen_lake"))
    assert list(lake.objectives()) == ["default"]
    copy, given = lake.words(lake.open(lake.first, lambda *_: None, threading.Event()))
    assert copy == "my_frozen_lake"
    assert given.description
