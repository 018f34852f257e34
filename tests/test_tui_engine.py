"""The explorer's side of the engine: opening by settings, the user's words, stored verdicts, refusals."""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from reference import frozen_lake_4x4

from engine.campaign.control import Control
from engine.campaign.events import Answered, Finished, Planned
from engine.cli.opening import Opening
from engine.errors import UsageError
from engine.mdp.sources import find_model
from engine.mdp.user_environments import Words
from engine.verdicts.verdict import Outcome
from environments import packaged
from tui.engine_opener import EngineOpener
from tui.engine_services import EngineServices
from tui.models import ModelSettings, missing
from tui.services import CampaignRequest
from tui.tally import Stored, Tally

if TYPE_CHECKING:
    from pathlib import Path

    from tui.tally import News

REQUEST = CampaignRequest(("random", "oracle"), ("best-action", "satisfy"), 4)


async def events(services: EngineServices, request: CampaignRequest = REQUEST, stop_after: int = 1000) -> list[News]:
    """Run a campaign, or the beginning of one."""
    control = Control()
    found: list[News] = []
    async for event in services.campaign(frozen_lake_4x4(), request, control):
        found.append(event)
        if sum(isinstance(each, Answered) for each in found) >= stop_after:
            control.stop()
    return found


async def test_a_resumed_campaign_shows_all_stored_verdicts(tmp_path: Path) -> None:
    """After the plan come the verdicts of earlier runs, so that the table of a finished campaign is the same again."""
    services = EngineServices("random", campaign_folder=tmp_path)
    first, second = Tally(running=True), Tally(running=True)
    for event in await events(services, stop_after=3):
        first = first.add(event)
    again = await events(services)
    for event in again:
        second = second.add(event)
    third = Tally(running=True)
    over = await events(services)
    for event in over:
        third = third.add(event)
    assert [type(event) for event in over] == [Planned, Stored, Finished]
    stored = again[1]
    assert isinstance(stored, Stored)
    assert sum(sum(each.values()) for each in stored.outcomes.values()) == first.done >= 3
    assert third.counts == second.counts
    assert (third.done, third.total) == (16, 16)
    oracle = third.total_of("oracle")
    assert (oracle.of(Outcome.PASS), oracle.judged) == (8, 8)


async def test_a_smaller_campaign_shows_only_its_own_verdicts(tmp_path: Path) -> None:
    """Verdicts of other categories, explainers and budgets in the same file are not counted."""
    services = EngineServices("random", campaign_folder=tmp_path)
    await events(services)
    found = await events(services, CampaignRequest(("oracle",), ("satisfy",), 4))
    assert found[1] == Stored({("oracle", "satisfy"): Counter({Outcome.PASS: 4})})


async def test_a_refused_question_says_what_can_be_done_on_the_screen() -> None:
    """The goal has no best action; the hint names no command."""
    with pytest.raises(UsageError) as caught:
        await EngineServices("random").ask(frozen_lake_4x4(), "best-action", (15,), "random")
    assert caught.value.hint == "choose other states or another category"


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
    with pytest.raises(UsageError, match="none of your own"):
        lake.words(lake.open(lake.first, lambda *_: None, threading.Event()))
