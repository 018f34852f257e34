"""What must not happen while asking, running campaigns and walking: lost focus, hidden facts, wrong words."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from reference import frozen_lake_4x4
from test_tui_asking import PASSED, verdicts
from textual.widgets import Button, Input, Select
from tui_support import FakeServices, explorer, lake_app, text_of, until

from engine.campaign.control import Control
from engine.campaign.events import ExplainerFailed, Finished, Summary
from engine.errors import StoreError
from engine.explainers.base import Reply
from engine.verdicts.report import build_report
from engine.verdicts.store import Store
from engine.verdicts.verdict import Outcome, Verdict
from tui.engine_services import EngineServices
from tui.screens.campaign import status_text
from tui.screens.help import HelpScreen
from tui.services import CampaignRequest
from tui.tally import Stored, Tally
from tui.widgets.actions_panel import ActionsPanel
from tui.widgets.checklist import Checklist
from tui.widgets.state_table import StateTable
from tui.widgets.verdict_card import VerdictCard

if TYPE_CHECKING:
    from pathlib import Path

ERROR = Verdict(Outcome.ERROR, None, "no answer came: connection refused", None, ("left",), {})


async def test_an_arriving_answer_closes_no_list_and_takes_no_focus() -> None:
    """While an answer is awaited the next category is being chosen: the list stays open."""
    services = FakeServices()
    services.hold = asyncio.Event()
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await until(pilot, lambda: bool(services.asked))
        category = app.screen.query_one("#ask-category", Select)
        category.focus()
        await pilot.press("enter")
        await until(pilot, lambda: category.expanded)
        services.hold.set()
        await until(pilot, lambda: bool(app.screen.query(VerdictCard)))
        assert category.expanded


@pytest.mark.parametrize("begin", ["#campaign-budget", "#campaign-start", "#campaign-categories"])
async def test_starting_a_campaign_never_puts_the_focus_into_a_field(begin: str) -> None:
    """After ^r, while it runs and when it is over, keys such as ? are commands."""
    end = Finished(Summary(12, 12, 12, {}, {}, stopped=False, seconds=1.0))
    services = FakeServices(events=verdicts(Outcome.PASS))
    services.hold = asyncio.Event()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("c")
        screen = app.screen
        screen.query_one(begin).focus()
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "1 of 12 answered" in text_of(app))
        assert app.focused is screen.query_one("#campaign-stop", Button)
        services.events = [*services.events, end]
        services.hold.set()
        await until(pilot, lambda: not screen.query_one("#campaign-start", Button).disabled)
        assert app.focused is screen.query_one("#campaign-start", Button)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))


async def test_the_first_question_can_be_asked() -> None:
    """All actions of the initial state are tied, so another category is chosen than the usual one."""
    services = FakeServices()
    services.unaskable = {"best-action"}
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "enter")
        await until(pilot, lambda: bool(services.asked))
    assert services.asked == [("satisfy", (0,), "local")]


def test_the_engine_knows_what_can_be_asked() -> None:
    """State 14 has one optimal action of four; all actions of the goal are tied; a value is always known."""
    services, oracle = EngineServices("random"), frozen_lake_4x4()
    assert services.askable(oracle, "best-action", (14,))
    assert not services.askable(oracle, "best-action", (15,))
    assert services.askable(oracle, "satisfy", (0,))


async def test_an_explainer_can_be_named_for_a_question() -> None:
    """The last entry of the list asks for a name, refuses nonsense, and the named explainer is asked."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a")
        ask = app.screen
        ask.query_one("#ask-explainer", Select).value = "another …"
        await until(pilot, lambda: app.screen is not ask)
        await pilot.press(*"gpt", "enter")
        await until(pilot, lambda: "there is no explainer 'gpt'" in text_of(app))
        app.screen.query_one(Input).value = "openai:big"
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is ask)
        assert ask.query_one("#ask-explainer", Select).value == "openai:big"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: bool(services.asked))
    assert services.asked[0][2] == "openai:big"


async def test_an_explainer_can_be_named_for_a_campaign() -> None:
    """The list's last entry asks for a name, which is then in the list and chosen."""
    app = lake_app(FakeServices())
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("c")
        campaign = app.screen
        names = campaign.query_one("#campaign-explainers", Checklist)
        names.focus()
        await pilot.press("end", "space")
        await until(pilot, lambda: app.screen is not campaign)
        app.screen.query_one(Input).value = "openai:big"
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is campaign)
        assert names.chosen == ("local", "random", "first", "openai:big")


async def test_stored_verdicts_are_shown_at_once_with_their_file() -> None:
    """Opening the campaign shows what earlier runs left, without starting anything."""
    services = FakeServices()
    services.earlier = Stored({("local", "satisfy"): {Outcome.PASS: 1, Outcome.FAIL: 2}})
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "33% 1/3" in text_of(app))
        assert "All 3 answers of earlier runs" in text_of(app)
        assert "/data/campaigns/frozen_lake.sqlite" in text_of(app)


async def test_the_stored_table_equals_the_report(tmp_path: Path) -> None:
    """For each explainer and category, n and passes are those of `stormscope report` on the same file."""
    services, oracle = EngineServices("random", campaign_folder=tmp_path), frozen_lake_4x4()
    assert services.stored(oracle) is None
    for budget in (2, 4):
        request = CampaignRequest(("random", "first"), ("best-action", "satisfy"), budget)
        async for _ in services.campaign(oracle, request, Control()):
            pass
    stored = services.stored(oracle)
    assert stored is not None
    tally = Tally.of_file(stored)
    with Store(services.campaign_file(oracle), write=False) as store:
        report = build_report(store)
    assert report.table
    assert {key: (count.judged, count.of(Outcome.PASS)) for key, count in tally.counts.items()} == {
        (row.explainer, row.category): (row.n, row.passed) for row in report.table
    }


async def test_an_unusable_data_folder_is_named(tmp_path: Path) -> None:
    """A file stands where the folder should be: one error with the place and what to do."""
    place = tmp_path / "data"
    place.write_text("")
    services = EngineServices("random", campaign_folder=place / "campaigns")
    with pytest.raises(StoreError) as caught:
        async for _ in services.campaign(frozen_lake_4x4(), CampaignRequest(("random",), ("satisfy",), 1), Control()):
            pass
    assert caught.value.where == str(place / "campaigns")
    assert "XDG_DATA_HOME" in caught.value.hint
    assert services.stored(frozen_lake_4x4()) is None


def test_an_incomplete_campaign_is_not_called_done() -> None:
    """It says how many answers are missing, whose, and why; every notice is there, the latest first."""
    tally = Tally(running=True)
    for event in verdicts(Outcome.PASS, Outcome.ERROR):
        tally = tally.add(event)  # type: ignore[arg-type]  # a list of all kinds of events
    tally = tally.add(ExplainerFailed("local", "the server died")).add(ExplainerFailed("first", "odd"))
    text = status_text(tally.add(Finished(Summary(12, 1, 2, {}, {}, stopped=False, seconds=1.0))))
    assert text.startswith("Ended: 1 of 12 answered. 11 failed or were not asked (local 3, random 4, first 4).")
    assert "first is not asked any more: odd; local is not asked any more: the server died" in text


async def test_the_card_says_a_failure_once_and_names_both_states() -> None:
    """An error's message stands once; A and B are told apart; a worst action's regret is no cost."""
    services = FakeServices(ERROR, Reply(error="connection refused"))
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await until(pilot, lambda: bool(app.screen.query(VerdictCard)))
        shown = text_of(app)
        assert (shown.count("connection refused"), shown.count("ERROR")) == (1, 1)
        services.verdict, services.reply = replace(PASSED, regret="1/17"), Reply(text="{}")
        app.screen.query_one("#ask-states", Input).value = "pos=14"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "PASS" in text_of(app))
        assert "what this answer costs" in text_of(app)
        assert services.asked[-1] == ("best-action", (14,), "local")


async def test_one_line_for_each_action_and_the_successors_of_the_open_one() -> None:
    """At 80×24 all four actions of state 14 are listed; moving to another action opens it."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("end", "k", "enter")
        panel = screen.query_one(ActionsPanel)
        await until(pilot, lambda: panel.has_focus and panel._listed == 14)
        headings = [line.plain.split()[0] for line in panel._lines if "→" not in line.plain]
        assert headings == ["left", "down", "right", "up"]
        assert len(panel._lines) == 4 + 3
        await pilot.press("g")
        assert panel.cursor == 0
        assert {panel._targets[line] for line in (1, 2, 3)} == {10, 13, 14}
        await pilot.press("down", "down", "down", "down")
        assert panel._lines[panel.cursor].plain.startswith("down")
        assert {panel._targets[line] for line in (2, 3, 4)} == {13, 14, 15}


async def test_walking_out_of_a_filter_highlights_no_other_state() -> None:
    """The table says that the selected state is not in it; its cursor row looks like the others."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("slash", *"pos=14", "enter")
        table = screen.query_one(StateTable)
        await until(pilot, lambda: table.row_count == 1)
        await pilot.press("enter")
        panel = screen.query_one(ActionsPanel)
        await until(pilot, lambda: panel.has_focus and panel._listed == 14)
        panel.move_to_successor(15)
        await pilot.press("enter")
        await until(pilot, lambda: screen.trail.current == 15)
        assert "s15 is not among them" in text_of(app)
        assert table.has_class("-away")


async def test_an_empty_filter_says_which_rows_are_shown() -> None:
    """The rows under the new text are named as those of the filter before."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("slash", *"pos>12", "enter")
        await until(pilot, lambda: screen.query_one(StateTable).row_count == 3)
        screen.query_one("#filter-input", Input).value = "pos>99"
        await pilot.press("slash", "enter")
        await until(pilot, lambda: "still shown: pos>12" in text_of(app))


async def test_control_c_says_how_to_leave() -> None:
    """The notice names this app's keys."""
    app = lake_app()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await explorer(pilot)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "q leaves stormscope" in text_of(app))


async def test_a_terminal_that_is_too_small_is_told() -> None:
    """Below 50×14 one sentence stands for the panels; they are back when it has grown."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.resize_terminal(30, 8)
        await until(pilot, lambda: "too small" in text_of(app))
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: app.screen is screen)


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has these signals")
async def test_sigterm_ends_the_app_and_what_it_started() -> None:
    """The app leaves as when the user does, with the exit code that names the signal."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        os.kill(os.getpid(), signal.SIGTERM)
        await until(pilot, lambda: app.return_code is not None)
    assert app.return_code == 128 + signal.SIGTERM
    assert services.closed
