"""What is remembered between two runs, and that losing it hurts nobody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.recent import (
    MOST,
    Recent,
    RecentModel,
    forget_campaign,
    forget_model,
    load_recent,
    recent_file,
    remember_campaign,
    remember_model,
    remember_tour,
)

LAKE = RecentModel("frozen_lake", (("map", "8"),), "steps", "Frozen Lake", 64)


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a state folder of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_the_latest_comes_first_and_once() -> None:
    """A model that is opened again with the same constants moves to the front with its new objective."""
    remember_model(LAKE)
    remember_model(RecentModel("dam"))
    again = RecentModel("frozen_lake", (("map", "8"),), None, "Frozen Lake", 64)
    remember_model(again)
    assert load_recent().models == (again, RecentModel("dam"))


def test_each_choice_of_constants_is_remembered() -> None:
    """Opening a model with others drops nothing; their order does not matter; each is forgotten by itself."""
    slippery = RecentModel("frozen_lake", (("map", "4"), ("slip", "1/3")))
    remember_model(slippery)
    remember_model(LAKE)
    assert load_recent().models == (LAKE, slippery)
    turned = RecentModel("frozen_lake", (("slip", "1/3"), ("map", "4")))
    remember_model(turned)
    assert load_recent().models == (turned, LAKE)
    forget_model(slippery)
    assert load_recent().models == (LAKE,)


def test_only_so_many_are_kept() -> None:
    """The oldest go."""
    for number in range(MOST + 3):
        remember_model(RecentModel(f"m{number}"))
    kept = [each.model for each in load_recent().models]
    assert kept == [f"m{number}" for number in range(MOST + 2, 2, -1)]


def test_campaigns_are_kept_by_their_full_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path means the same file from another folder; forgetting takes it off the list."""
    monkeypatch.chdir(tmp_path)
    remember_campaign(Path("run.sqlite"))
    remember_tour()
    assert load_recent() == Recent((), (str(tmp_path / "run.sqlite"),), tour_offered=True)
    forget_campaign(str(tmp_path / "run.sqlite"))
    assert load_recent().campaigns == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '{"version": 1}',
        '{"version": 2, "models": [], "campaigns": [], "tour_offered": true}',
        json.dumps({"version": 1, "models": [{"model": 3}], "campaigns": [], "tour_offered": False}),
    ],
)
def test_a_damaged_file_counts_as_empty(text: str) -> None:
    """Nothing is remembered, nothing fails, and the next thing to remember is kept."""
    recent_file().parent.mkdir(parents=True)
    recent_file().write_text(text)
    assert load_recent() == Recent()
    remember_model(LAKE)
    assert load_recent().models == (LAKE,)


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    """Where the state folder is a file, nothing is remembered, silently."""
    (tmp_path / "state").write_text("")
    remember_model(LAKE)
    assert load_recent() == Recent()


@given(name=st.text(max_size=20).filter(bool), value=st.text(max_size=20), title=st.text(max_size=20))
def test_every_text_is_kept(name: str, value: str, title: str) -> None:
    """Names come back as they were, lone surrogates of strange file names included."""
    model = RecentModel(name, (("k", value),), value, title, None)
    remember_model(model)
    assert load_recent().models[0] == model
