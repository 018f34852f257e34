"""What must not happen while asking, running campaigns and walking: lost focus, hidden facts, wrong words."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace

import pytest
from textual.widgets import Input
from tui_support import FakeServices, card, explorer, lake_app, text_of, until

from engine.explainers.base import Reply
from engine.verdicts.verdict import Outcome, Verdict
from tui.screens.categories import CategoriesScreen
from tui.widgets.actions_panel import ActionsPanel
from tui.widgets.state_table import StateTable
from tui.widgets.verdict_card import VerdictCard

PASSED = Verdict(Outcome.PASS, 1.0, "left is in A*(6)", "left", ("left", "right"), {"V": "9/17"}, regret="0")
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
        ask = app.screen
        category = ask.query_one("#ask-category")
        category.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, CategoriesScreen))
        services.hold.set()
        await until(pilot, lambda: bool(ask.query(VerdictCard)))
        assert isinstance(app.screen, CategoriesScreen)
        await pilot.press("escape")
        assert app.focused is category


async def test_the_first_question_can_be_asked() -> None:
    """All actions of the initial state are tied, so another category is chosen than the usual one."""
    services = FakeServices()
    services.asking.unaskable = {"best-action": "all actions are tied"}
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "enter")
        await until(pilot, lambda: bool(services.asked))
    assert services.asked == [("satisfy", (0,), "local")]


async def test_the_card_says_a_failure_once_and_names_both_states() -> None:
    """An error's message stands once; A and B are told apart; a worst action's regret is no cost."""
    services = FakeServices(ERROR, Reply(error="connection refused"))
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await card(pilot)
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
