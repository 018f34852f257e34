"""Campaigns that were cut off: what is still to come is shown, and they go on from where they are opened."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from fake_server import FakeServer
from reference import frozen_lake_4x4
from textual.widgets import Input
from tui_support import FakeOpener, card, explorer, text_of, until

from engine.campaign.control import Control
from engine.campaign.events import Answered
from engine.endpoints import Endpoint
from engine.settings import Settings
from engine.verdicts.overview import overview
from engine.verdicts.store import Store
from tui.app import ExplorerApp
from tui.asking.asking_services import Query
from tui.campaigns.campaign_services import CampaignRequest
from tui.screens.campaign import CampaignScreen
from tui.screens.note import NoteScreen
from tui.screens.start import StartScreen
from tui.services.engine_services import EngineServices
from tui.widgets.choice_list import ChoiceList
from tui.widgets.entry_list import EntryList

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

LAKE = frozen_lake_4x4()
REST = "DELETE FROM answers WHERE rowid NOT IN (SELECT rowid FROM answers ORDER BY rowid LIMIT ?)"
QUERY = Query("best-action", (14,), {}, "", shuffle=False)
REQUEST = CampaignRequest(("oracle", "first"), ("best-action", "satisfy"), 4, seed=3)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a data folder of this test's own: campaigns there are the explorer's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "data" / "stormscope" / "campaigns"


async def cut_off(services: EngineServices, request: CampaignRequest = REQUEST, kept: int = 5) -> Path:
    """Run a campaign, and leave its file as a killed program does: five answers, and a run without an end."""
    async for _ in services.campaigns.run(LAKE, request, Control()):
        pass
    file = services.campaigns.file(LAKE, request)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE runs SET ended = NULL, done = 0")
        connection.execute(REST, (kept,))
    return file


def app_of(services: EngineServices, campaign: Path | None = None) -> ExplorerApp:
    """Return the explorer without a model; every model that it opens is Frozen Lake."""
    return ExplorerApp(
        None,
        services=services,
        theme="storm-dark",
        campaign=campaign,
        opener_of=lambda model: FakeOpener(lambda *_: LAKE, title=model.title),
    )


async def goes_on(app: ExplorerApp, pilot: Pilot[None], file: Path) -> None:
    """Expect the cut-off campaign on the screen, and go on with it."""
    await until(pilot, lambda: isinstance(app.screen, CampaignScreen))
    await until(pilot, lambda: "5 of 16 questions of the file are answered: unfinished, ^r goes on" in text_of(app))
    assert isinstance(app.screen, CampaignScreen)
    assert app.screen.campaign_file == file
    assert app.screen.explainers == REQUEST.explainers
    await pilot.press("ctrl+r")
    await until(pilot, lambda: "Done: 16 of 16 answered." in text_of(app))
    assert overview(file).finished


async def test_a_cut_off_campaign_goes_on_from_the_start_screen(data: Path) -> None:
    """Enter opens its model and the file itself, which is not the model's usual one; ^r asks only what is missing."""
    services = EngineServices("random")
    file = await cut_off(services)
    assert file.parent == data
    assert file != services.campaign_file(LAKE)
    app = app_of(services)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, StartScreen) or app.screen.is_modal)
        if app.screen.is_modal:  # the tour is offered once
            await pilot.press("escape")
        await until(pilot, lambda: "5/16" in text_of(app))
        entries = app.screen.query_one(EntryList)
        entries.focus()
        await until(pilot, lambda: entries.entry is not None)
        while entries.entry is None or entries.entry.model.model != str(file):
            await pilot.press("down")
        await until(pilot, lambda: "unfinished: enter, then ^r goes on" in text_of(app))
        await pilot.press("enter")
        await goes_on(app, pilot, file)


async def test_a_cut_off_campaign_goes_on_from_its_file(data: Path) -> None:
    """Shown by --campaign, it says what is missing of whom; ^r opens its model and then goes on."""
    services = EngineServices("random")
    file = await cut_off(services)
    assert file.parent == data
    app = app_of(services, file)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "5 of 16 questions of the file are answered: unfinished" in text_of(app))
        assert "5 of 16 answered" in text_of(app)
        await pilot.press("ctrl+r")
        await goes_on(app, pilot, file)


async def test_a_campaign_of_another_folder_is_told_how_to_go_on(tmp_path: Path) -> None:
    """It may have been begun anywhere: the command that goes on with it is shown, and nothing is claimed about it."""
    services = EngineServices("random", campaign_folder=tmp_path)
    file = await cut_off(services)
    app = app_of(services, file)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "unfinished" in text_of(app))
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, NoteScreen))
        assert "stormscope run --out" in text_of(app)
        assert "begun on the command line" not in text_of(app)


async def test_a_card_without_its_model_offers_no_path(data: Path) -> None:
    """From --campaign the key for the witness is not offered; the way to the model is."""
    services = EngineServices("random")
    file = await cut_off(services)
    assert file.parent == data
    app = app_of(services, file)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "unfinished" in text_of(app))
        await pilot.press("j", "enter")
        await until(pilot, lambda: "oracle, best-action" in text_of(app))
        await pilot.press("enter")
        await card(pilot)
        footer = text_of(app).splitlines()[-1]
        assert "Explorer" in footer
        assert "Witness" not in footer


async def test_the_card_of_a_failure_shows_its_question(tmp_path: Path) -> None:
    """No prompt is kept of what has failed; with the model open the question stands there all the same."""
    settings = Settings(openai=Endpoint(base_url="http://127.0.0.1:9/v1", attempts=1))
    services = EngineServices("openai:tiny", settings=settings, campaign_folder=tmp_path)
    request = CampaignRequest(("openai:tiny",), ("best-action",), 1)
    async for _ in services.campaigns.run(LAKE, request, Control()):
        pass
    app = ExplorerApp(FakeOpener(lambda *_: LAKE), services=services, theme="storm-dark")
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "unfinished" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "1 case" in text_of(app))
        await pilot.press("enter")
        await card(pilot)
        shown = text_of(app)
        assert "Which action is optimal" in shown or "Compare the actions" in shown
        assert "enter on Ask" not in shown
        assert "Prompt as it was sent" not in shown


async def test_an_answer_is_kept_while_the_campaign_runs(tmp_path: Path) -> None:
    """The file is open in this program: the answer goes through it, and both are there afterwards."""
    services = EngineServices("random", campaign_folder=tmp_path)
    case = services.asking.case(LAKE, QUERY)
    (question,) = services.asking.questions(LAKE, case, QUERY, [7])
    asked = await services.asking.ask(LAKE, question, "oracle", lambda _: None, lambda _: None)
    kept = None
    async for event in services.campaigns.run(LAKE, CampaignRequest(("first",), ("best-action",), 3), Control()):
        if isinstance(event, Answered) and kept is None:
            kept = services.asking.keep(LAKE, [asked])
    assert kept is not None
    assert (kept.kept, kept.already) == (1, 0)
    with Store(kept.file, write=False) as store:
        assert {each.explainer for each in store.answers()} == {"first", "oracle"}
        assert len(store.answered("first")) == 3
        assert store.runs()[-1].ended is not None
    await services.close()


async def test_an_explainer_that_was_named_is_chosen_beside_the_last_grid(tmp_path: Path) -> None:
    """--explainer half adds it to what was asked before; a campaign that goes on is left as it was."""
    before = EngineServices("random", campaign_folder=tmp_path)
    request = CampaignRequest(("first",), ("best-action",), 2)
    async for _ in before.campaigns.run(LAKE, request, Control()):
        pass
    services = EngineServices("half", campaign_folder=tmp_path)
    own = services.campaigns.offers(LAKE).before
    given = services.campaigns.offers(LAKE, services.campaign_file(LAKE)).before
    usual = EngineServices("local", campaign_folder=tmp_path).campaigns.offers(LAKE).before
    assert own is not None
    assert given is not None
    assert usual is not None
    assert (own.explainers, given.explainers, usual.explainers) == (("first", "half"), ("first",), ("first",))


async def test_the_file_field_shows_the_end_of_a_long_name(tmp_path: Path) -> None:
    """The end tells files apart; what is cut off is marked."""
    folder = tmp_path / ("a" * 60) / ("b" * 60)
    services = EngineServices("random", campaign_folder=folder)
    app = ExplorerApp(FakeOpener(lambda *_: LAKE), services=services, theme="storm-dark")
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "questions" in text_of(app))
        name = services.campaign_file(LAKE).name
        await until(pilot, lambda: name in text_of(app))
        assert app.screen.query_one("#grid-path", Input).placeholder.startswith("…")


async def test_models_of_endpoints_are_offered_in_the_grid(tmp_path: Path) -> None:
    """What an endpoint lists is in the list of explainers as it is when asking one question, and is not chosen."""
    with FakeServer(models=("tiny", "large")) as server:
        settings = Settings(openai=Endpoint(base_url=server.url))
        services = EngineServices("random", settings=settings, campaign_folder=tmp_path)
        app = ExplorerApp(FakeOpener(lambda *_: LAKE), services=services, theme="storm-dark")
        async with app.run_test(size=(100, 30)) as pilot:
            await explorer(pilot)
            await pilot.press("c")
            await until(pilot, lambda: "openai:large" in text_of(app))
            names = app.screen.query_one("#grid-explainers", ChoiceList)
            assert "openai:tiny" in {offer.name for offer in names.offers}
            assert not [name for name in names.chosen if name.startswith("openai:")]
