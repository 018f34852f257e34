"""Campaigns from the explorer on the real engine: asked, kept, looked into, compared, reported and opened again."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING

import pytest
from fake_server import FakeServer, answer_first_option
from reference import frozen_lake_4x4
from textual.widgets import Input
from tui_support import FakeOpener, card, explorer, text_of, until

from engine.campaign.control import Control
from engine.campaign.events import Answered, Finished, Planned
from engine.endpoints import Endpoint
from engine.errors import StoreError, UsageError
from engine.recent import load_recent
from engine.reports.build import build_report
from engine.settings import Settings
from engine.verdicts.store import Store
from engine.verdicts.verdict import Outcome
from tui.app import ExplorerApp
from tui.campaigns.campaign_services import CampaignRequest
from tui.campaigns.campaigns import read_campaign
from tui.campaigns.tally import Opening, Stored, Tally
from tui.screens.campaign import CampaignScreen
from tui.screens.campaign_file import CampaignFileScreen
from tui.screens.case import CaseScreen
from tui.screens.cases import CasesScreen
from tui.screens.duel import DuelScreen
from tui.screens.explorer import ExplorerScreen
from tui.screens.message import FailureScreen
from tui.screens.report import ReportScreen
from tui.screens.save_report import SaveReportScreen
from tui.services.engine_services import EngineServices
from tui.widgets.choice_list import ChoiceList
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from tui.campaigns.tally import News

LAKE = frozen_lake_4x4()
REQUEST = CampaignRequest(("random", "oracle"), ("best-action", "satisfy"), 4)


def nothing(*_: str) -> None:
    """Ignore progress."""


async def events(services: EngineServices, request: CampaignRequest = REQUEST, stop_after: int = 1000) -> list[News]:
    """Run a campaign, or the beginning of one."""
    control = Control()
    found: list[News] = []
    async for event in services.campaigns.run(LAKE, request, control):
        found.append(event)
        if sum(isinstance(each, Answered) for each in found) >= stop_after:
            control.stop()
    return found


def tally_of(found: list[News]) -> Tally:
    """Return the tally after all events."""
    tally = Tally(running=True)
    for event in found:
        tally = tally.add(event)
    return tally


async def test_a_resumed_campaign_shows_all_stored_verdicts(tmp_path: Path) -> None:
    """After the plan come the verdicts of earlier runs, so that the table of a finished campaign is the same again."""
    services = EngineServices("random", campaign_folder=tmp_path)
    first = tally_of(await events(services, stop_after=3))
    again = await events(services)
    over = await events(services)
    assert [type(event) for event in over] == [Planned, Stored, Finished]
    stored = again[1]
    assert isinstance(stored, Stored)
    assert sum(cell.answered for cell in stored.board.cells.values()) == first.done >= 3
    third = tally_of(over)
    assert third.counts() == tally_of(again).counts()
    assert (third.done, third.total) == (16, 16)
    oracle = third.total_of("oracle")
    assert (oracle.of(Outcome.PASS), oracle.judged) == (8, 8)


async def test_a_smaller_campaign_shows_the_whole_file(tmp_path: Path) -> None:
    """Verdicts of other categories, explainers and budgets in the same file are counted too, as when it is reopened."""
    services = EngineServices("random", campaign_folder=tmp_path)
    await events(services)
    found = tally_of(await events(services, CampaignRequest(("oracle",), ("safer",), 2)))
    assert {key: cell.answered for key, cell in found.counts().items()} == {
        ("oracle", "safer"): 2,
        **dict.fromkeys([(name, kind) for name in REQUEST.explainers for kind in REQUEST.categories], 4),
    }
    reopened = read_campaign(services.campaign_file(LAKE))
    assert reopened is not None
    assert Tally.of_file(reopened).counts() == found.counts()


async def test_the_stored_table_equals_the_report(tmp_path: Path) -> None:
    """For each explainer and category, n, passes and interval are those of `stormscope report` on the same file."""
    services = EngineServices("random", campaign_folder=tmp_path)
    file = services.campaign_file(LAKE)
    assert read_campaign(file) is None
    for budget in (2, 4):
        await events(services, CampaignRequest(("random", "first"), ("best-action", "satisfy"), budget))
    stored = read_campaign(file)
    assert stored is not None
    with Store(file, write=False) as store:
        report = build_report(store)
    assert {
        key: (cell.judged, cell.of(Outcome.PASS), cell.share("verdict").upper)
        for key, cell in Tally.of_file(stored).counts().items()
    } == {(row.explainer, row.category): (row.n, row.passed, row.upper) for row in report.table}
    assert load_recent().campaigns[0] == str(file)


@pytest.mark.usefixtures("cache")  # nothing is checked yet, so that there are stages to be told
async def test_other_environments_are_checked_and_asked(tmp_path: Path) -> None:
    """The open model and a second environment in one file; the stages of checking are told; the grid is remembered."""
    services = EngineServices("random", campaign_folder=tmp_path)
    request = CampaignRequest(
        ("oracle",),
        ("best-action", "is-bottleneck"),
        3,
        models=("frozen_lake", "water_jug"),
        variants=("plain", "story"),
    )
    estimate = await asyncio.to_thread(services.campaigns.estimate, LAKE, request, nothing, threading.Event())
    found = await events(services, request)
    tally = tally_of(found)
    assert tally.models == ("frozen_lake", "water_jug")
    assert tally.total == estimate.forecast.questions == tally.done
    assert set(estimate.forecast.omitted) == {("water_jug", "is-bottleneck")}
    assert estimate.file is not None
    assert estimate.file.name.startswith("2-environments-")
    assert tally.total_of("oracle").share("verdict").value == 1
    other = CampaignRequest(("oracle",), ("best-action",), 3, models=("gambler",))
    assert any(isinstance(event, Opening) and event.model == "gambler" for event in await events(services, other))
    assert services.campaigns.offers(LAKE).before is None


async def test_the_last_grid_is_offered_again(tmp_path: Path) -> None:
    """Opening the campaign of a model offers what was asked last, not the defaults."""
    services = EngineServices("random", campaign_folder=tmp_path)
    await events(services)
    before = services.campaigns.offers(LAKE).before
    assert before is not None
    assert (before.explainers, before.categories, before.budget) == (REQUEST.explainers, REQUEST.categories, 4)


async def test_what_one_file_cannot_mix_has_a_file_of_its_own(tmp_path: Path) -> None:
    """Another seed, difficulty or order of options is another campaign; a larger budget is not."""
    campaigns = EngineServices("random", campaign_folder=tmp_path).campaigns
    changes: list[dict[str, object]] = [{}, {"seed": 1}, {"difficulty": "refined"}, {"shuffle": True}, {"budget": 9}]
    files = [
        campaigns.file(LAKE, CampaignRequest(("random",), ("satisfy",), **{"budget": 4, **each})) for each in changes
    ]  # type: ignore[arg-type] # of the right types
    assert len(set(files[:4])) == 4
    assert files[4] == files[0]


async def test_an_unusable_data_folder_is_named(tmp_path: Path) -> None:
    """A file stands where the folder should be: one error with the place and what to do."""
    place = tmp_path / "data"
    place.write_text("")
    services = EngineServices("random", campaign_folder=place / "campaigns")
    with pytest.raises(StoreError) as caught:
        await events(services, CampaignRequest(("random",), ("satisfy",), 1))
    assert caught.value.where == str(place / "campaigns")
    assert "XDG_DATA_HOME" in caught.value.hint
    assert read_campaign(services.campaign_file(LAKE)) is None


async def test_an_empty_grid_says_why_and_leaves_no_file(tmp_path: Path) -> None:
    """Water Jug has no bottleneck: the reason is in the error, and no empty campaign stays behind."""
    services = EngineServices("random", campaign_folder=tmp_path)
    request = CampaignRequest(("random",), ("is-bottleneck",), 4, models=("water_jug",))
    with pytest.raises(UsageError, match="water_jug, is-bottleneck: the model has no bottleneck"):
        await events(services, request)
    assert not services.campaigns.file(LAKE, request).is_file()


def app_with(folder: Path, explainer: str = "random", url: str = "") -> ExplorerApp:
    """Return the explorer on Frozen Lake with the real engine."""
    settings = Settings(openai=Endpoint(base_url=url, attempts=1)) if url else Settings()
    services = EngineServices(explainer, settings=settings, campaign_folder=folder)
    return ExplorerApp(FakeOpener(lambda *_: LAKE), services=services, explainer=explainer, theme="storm-dark")


async def finished(pilot: Pilot[None], *, explainers: list[str], budget: int = 4) -> CampaignScreen:
    """Run a small campaign to its end."""
    await explorer(pilot)
    await pilot.press("c")
    await until(pilot, lambda: "questions" in text_of(pilot.app))
    screen = pilot.app.screen
    assert isinstance(screen, CampaignScreen)
    screen.query_one("#grid-explainers", ChoiceList).choose(explainers)
    screen.query_one("#grid-categories", ChoiceList).choose(["best-action", "is-bottleneck", "more-promising"])
    screen.query_one("#grid-budget", Input).value = str(budget)
    await pilot.press("ctrl+r")
    await until(pilot, lambda: "Done:" in text_of(pilot.app) or "Ended:" in text_of(pilot.app))
    return screen


async def test_from_a_cell_to_its_cases_to_a_card_to_the_state(tmp_path: Path) -> None:
    """Enter lists the cases, v filters them, enter opens the card, ] the next one, and o selects the state."""
    app = app_with(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await finished(pilot, explainers=["random", "first", "oracle"])
        # Rows follow the taxonomy, the cursor begins at the first cell: random, is-bottleneck.
        await pilot.press("l", "enter")
        await until(pilot, lambda: "first, is-bottleneck   4 cases" in text_of(app))
        cases = app.screen
        assert isinstance(cases, CasesScreen)
        await pilot.press("v")
        await until(pilot, lambda: "pass: 1 of 4" in text_of(app))
        await pilot.press("v", "greater_than_sign")
        await until(pilot, lambda: "fail: 3 of 4" in text_of(app) and "▲states" in text_of(app))
        await pilot.press("enter")
        await card(pilot)
        assert isinstance(app.screen, CaseScreen)
        assert "case 1 of 3" in text_of(app)
        assert "FAIL" in text_of(app)
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "case 2 of 3" in text_of(app))
        state = app.screen.asked.stored.case.states[0]
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, ExplorerScreen))
        assert isinstance(app.screen, ExplorerScreen)
        assert app.screen.trail.current == state


async def test_the_states_of_a_pair_are_marked_in_the_explorer(tmp_path: Path) -> None:
    """A case about two states selects the first and marks both."""
    app = app_with(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await finished(pilot, explainers=["random"])
        await pilot.press("j", "j", "enter")
        await until(pilot, lambda: "random, more-promising   4 cases" in text_of(app))
        await pilot.press("enter")
        await card(pilot)
        assert isinstance(app.screen, CaseScreen)
        states = app.screen.asked.stored.case.states
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, ExplorerScreen))
        assert isinstance(app.screen, ExplorerScreen)
        assert app.screen.pane.marks == states
        assert app.screen.trail.current == states[0]


async def test_two_explainers_are_compared(tmp_path: Path) -> None:
    """The oracle passes everything, so the cases that differ are those that the first option fails."""
    app = app_with(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await finished(pilot, explainers=["first", "oracle"])
        await pilot.press("equals_sign")
        await until(pilot, lambda: "4 questions that both answered" in text_of(app))
        screen = app.screen
        assert isinstance(screen, DuelScreen)
        # The first option is "yes", and the lake has one bottleneck.
        assert "both pass 1, only first 0, only oracle 3" in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: "FAIL" in text_of(app))
        await pilot.press("x")
        await until(pilot, lambda: "PASS" in text_of(app) and "asked of oracle" in text_of(app))
        await pilot.press("escape", "1")
        await until(pilot, lambda: app.screen is screen)


async def test_the_report_is_shown_and_saved_in_every_format(tmp_path: Path) -> None:
    """R shows the tables, s the other grader's, e saves; a file that exists is not overwritten."""
    app = app_with(tmp_path / "campaigns")
    async with app.run_test(size=(100, 30)) as pilot:
        await finished(pilot, explainers=["first", "oracle"])
        await pilot.press("r")
        await until(pilot, lambda: "the share of answers that pass" in text_of(app))
        assert isinstance(app.screen, ReportScreen)
        assert "oracle (baseline)" in text_of(app)
        await pilot.press("right_square_bracket")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, SaveReportScreen))
        for place, (name, begin) in enumerate(
            [("a.txt", "frozen"), ("a.json", "{"), ("a.csv", ""), ("a.md", "#"), ("a.html", "<!"), ("a.xml", "<?xml")]
        ):
            app.screen.query_one(PickerList).move_to(place)
            app.screen.query_one(Input).value = str(tmp_path / name)
            app.screen.query_one(PickerList).focus()
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ReportScreen))
            assert (tmp_path / name).read_text().lower().startswith(begin)
            await pilot.press("e")
            await until(pilot, lambda: isinstance(app.screen, SaveReportScreen))
        app.screen.query_one(Input).value = str(tmp_path / "a.txt")
        await pilot.press("enter")
        await until(pilot, lambda: "there is such a file already" in text_of(app))
        app.screen.query_one(Input).value = str(tmp_path / "nowhere" / "a.txt")
        await pilot.press("enter")
        await until(pilot, lambda: "there is no such folder" in text_of(app))
        await pilot.press("escape", "s")
        await until(pilot, lambda: "the mean score in [0, 1]" in text_of(app))
    assert json.loads((tmp_path / "a.json").read_text())["kind"] == "campaign"


async def test_a_campaign_file_is_opened_to_look_at(tmp_path: Path) -> None:
    """Its table, cases and report without anything being asked; a missing file and no campaign are explained."""
    services = EngineServices("random", campaign_folder=tmp_path)
    await events(services)
    file = services.campaign_file(LAKE)
    before = file.read_bytes()
    app = app_with(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await explorer(pilot)
        app.open_campaign(file)
        await until(pilot, lambda: "16 of 16 questions of the file are answered" in text_of(app))
        assert isinstance(app.screen, CampaignFileScreen)
        await pilot.press("p")
        await pilot.press("enter")
        await until(pilot, lambda: "4 cases" in text_of(app))
        await pilot.press("escape", "r")
        await until(pilot, lambda: "the share of answers that pass" in text_of(app))
        await pilot.press("escape", "escape")
        app.open_campaign(tmp_path / "none.sqlite")
        await until(pilot, lambda: isinstance(app.screen, FailureScreen))
        assert "there is no such file" in text_of(app)
        await pilot.press("escape", "escape")
        (tmp_path / "text.sqlite").write_text("no campaign")
        app.open_campaign(tmp_path / "text.sqlite")
        await until(pilot, lambda: "not a campaign file" in text_of(app))
    assert file.read_bytes() == before


async def test_a_campaign_can_be_the_first_thing_that_is_shown(tmp_path: Path) -> None:
    """Without a model the file is shown above the start screen; o then opens the case's own model."""
    services = EngineServices("random", campaign_folder=tmp_path)
    await events(services, CampaignRequest(("first",), ("best-action",), 2))
    file = services.campaign_file(LAKE)
    opener_of = lambda model: FakeOpener(lambda *_: LAKE, title=model.title)  # noqa: E731 - used once
    app = ExplorerApp(None, services=services, theme="storm-dark", campaign=file, opener_of=opener_of)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "2 of 2 questions of the file are answered" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "2 cases" in text_of(app))
        await pilot.press("enter")
        await card(pilot)
        assert isinstance(app.screen, CaseScreen)
        state = app.screen.asked.stored.case.states[0]
        await pilot.press("o")
        screen = await explorer(pilot)
        await until(pilot, lambda: screen.trail.current == state)


async def test_a_campaign_is_shown_above_its_model(tmp_path: Path) -> None:
    """With a model the file is shown once that is open; escape goes to the explorer."""
    services = EngineServices("random", campaign_folder=tmp_path)
    await events(services, CampaignRequest(("first",), ("best-action",), 2))
    file = services.campaign_file(LAKE)
    app = ExplorerApp(FakeOpener(lambda *_: LAKE), services=services, theme="storm-dark", campaign=file)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "2 of 2 questions of the file are answered" in text_of(app))
        await pilot.press("escape")
        await explorer(pilot)


async def test_a_language_model_is_asked_and_its_tokens_are_counted(tmp_path: Path) -> None:
    """An OpenAI-compatible server answers with the first option; tokens and rate stand beside its name."""
    with FakeServer(then=answer_first_option()) as server:
        app = app_with(tmp_path, "openai:tiny", server.url)
        async with app.run_test(size=(120, 40)) as pilot:
            await explorer(pilot)
            await pilot.press("c")
            await until(pilot, lambda: "calls to openai:tiny" in text_of(app))
            assert "time unknown before the first answers" in text_of(app)
            await pilot.press("escape")
            await finished(pilot, explainers=["openai:tiny", "first"])
            shown = text_of(app)
            assert "Done: 24 of 24 answered" in shown
            assert " out" in next(row for row in shown.splitlines() if "openai:tiny" in row and "12/12" in row)
            await pilot.press("right_square_bracket")
            await until(pilot, lambda: "of them answered already" in text_of(app))
        assert len(server.questions) == 12


async def test_an_endpoint_that_cannot_be_reached_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    """Nobody listens there: the model is given up with the reason, the baseline's answers are all there."""
    with FakeServer() as server:
        url = server.url
    app = app_with(tmp_path, "openai:tiny", url)
    async with app.run_test(size=(120, 40)) as pilot:
        await finished(pilot, explainers=["openai:tiny", "first"])
        shown = text_of(app)
        assert "Ended: 12 of 24 answered" in shown
        assert "not asked any more" in shown
        await pilot.press("enter")
        await until(pilot, lambda: "openai:tiny, is-bottleneck" in text_of(app))
