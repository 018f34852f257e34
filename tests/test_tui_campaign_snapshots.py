"""What the campaign screens look like, at 80×24 and at 120×40, dark, light and in the terminal's own colours."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from reference import frozen_lake_4x4
from textual.widgets import Input
from tui_support import CATEGORIES, FakeOpener, FakeServices, answered, explorer, lake_app, planned, text_of, until
from waiting import settled

from engine.campaign.control import Control
from engine.campaign.events import ExplainerFailed, Waiting
from engine.verdicts.verdict import Outcome
from tui.app import ExplorerApp
from tui.campaigns.campaign_services import CampaignRequest
from tui.screens.campaign import CampaignScreen
from tui.services.engine_services import EngineServices
from tui.widgets.choice_list import ChoiceList

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from tui.campaigns.tally import News

    Snap = Callable[..., bool]

SMALL, LARGE = (80, 24), (120, 40)
EVERYWHERE = pytest.mark.parametrize(
    ("size", "theme"),
    [(size, theme) for size in (SMALL, LARGE) for theme in ("storm-dark", "storm-light", "sixteen")],
    ids=[f"{size}-{theme}" for size in ("small", "large") for theme in ("dark", "light", "sixteen")],
)
LAKE = frozen_lake_4x4()


async def still(pilot: Pilot[Any], text: str) -> None:
    """Wait for a text, and keep cursors from blinking: a picture is taken at any moment."""
    await until(pilot, lambda: text in text_of(pilot.app))
    for field in pilot.app.screen.query(Input):
        field.cursor_blink = False
    await until(pilot, lambda: not any(screen.query("Button.-active") for screen in pilot.app.screen_stack))
    await settled(pilot)


@EVERYWHERE
def test_grid(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """A grid with two environments and both strategies, counted."""

    async def run(pilot: Pilot[Any]) -> None:
        await explorer(pilot)
        await pilot.press("c")
        await still(pilot, "questions")
        screen = pilot.app.screen
        screen.query_one("#grid-models", ChoiceList).choose(["frozen_lake", "water_jug"])
        screen.query_one("#grid-ways", ChoiceList).choose(["prioritized cases", "random cases"])
        screen.query_one("#grid-models").focus()
        await still(pilot, "200 cases × 3 explainers = 600 questions")

    assert snap_compare(lake_app(theme=theme), terminal_size=size, run_before=run)


@EVERYWHERE
def test_running(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """A campaign under way: all five outcomes, one explainer waits and one was given up."""
    names = [choice.name for choice in CATEGORIES]
    explainers = ("local", "random", "openai:a-long-model-name")
    outcomes = [Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDED, Outcome.INVALID, Outcome.PASS, Outcome.ERROR]
    events: list[News] = [planned(explainers, names, 5)]
    for number in range(40):
        cell = (explainers[number % 3], names[number // 9])
        events.append(answered(*cell, outcomes[(number * 5 + number // 3) % 6], number + 1, 75))
    events += [
        Waiting("random", "the server takes no more"),
        ExplainerFailed(explainers[2], "the key was refused (401)"),
    ]
    services = FakeServices(events=events)
    services.hold = asyncio.Event()

    async def run(pilot: Pilot[Any]) -> None:
        await explorer(pilot)
        await pilot.press("c")
        await still(pilot, "questions")
        await pilot.press("ctrl+r")
        await still(pilot, "not asked any more")
        await still(pilot, "40 of 75 answered")

    assert snap_compare(lake_app(services, theme=theme), terminal_size=size, run_before=run)


def real(folder: Path, theme: str) -> ExplorerApp:
    """Return the explorer with the real engine, whose answers take no time in the pictures."""
    services = EngineServices("first", campaign_folder=folder)
    return ExplorerApp(FakeOpener(lambda *_: LAKE), services=services, explainer="first", theme=theme)


async def filled(folder: Path) -> Path:
    """Run the baselines that answer the same every time."""
    services = EngineServices("first", campaign_folder=folder)
    request = CampaignRequest(
        ("first", "half", "oracle"), ("best-action", "is-bottleneck", "more-promising", "satisfy"), 6
    )
    async for _ in services.campaigns.run(LAKE, request, Control()):
        pass
    return services.campaign_file(LAKE)


@EVERYWHERE
@pytest.mark.parametrize(
    ("keys", "shows"),
    [
        (("enter", "v", "v"), "fail: 5 of 6"),
        (("enter", "enter"), "case 1 of 6"),
        (("equals_sign", "2"), "only oracle 5"),
        (("r",), "the share of answers that pass"),
    ],
    ids=["cases", "card", "duel", "report"],
)
def test_looking(
    snap_compare: Snap,
    tmp_path: Path,
    size: tuple[int, int],
    theme: str,
    keys: tuple[str, ...],
    shows: str,
) -> None:
    """A campaign's file: the cases of a cell, a card, two explainers compared, and the report."""

    async def run(pilot: Pilot[Any]) -> None:
        await explorer(pilot)
        file = await filled(tmp_path)
        pilot.app.open_campaign(file.rename(tmp_path / "lake.sqlite"))
        await still(pilot, "72 of 72")
        for key in keys:
            before = text_of(pilot.app)
            await pilot.press(key)
            await until(pilot, lambda: text_of(pilot.app) != before)  # noqa: B023 - waited for in the same turn
        await still(pilot, shows)

    assert snap_compare(real(tmp_path, theme), terminal_size=size, run_before=run)


@EVERYWHERE
def test_nothing_to_ask(snap_compare: Snap, tmp_path: Path, size: tuple[int, int], theme: str) -> None:
    """An empty grid says why: Water Jug has no bottleneck."""

    async def run(pilot: Pilot[Any]) -> None:
        await explorer(pilot)
        await pilot.press("c")
        await still(pilot, "questions")
        screen = pilot.app.screen
        assert isinstance(screen, CampaignScreen)
        screen.query_one("#grid-path", Input).value = "lake.sqlite"
        screen.query_one("#grid-models", ChoiceList).choose(["water_jug"])
        screen.query_one("#grid-categories", ChoiceList).choose(["is-bottleneck"])
        await still(pilot, "There is nothing to ask.")

    assert snap_compare(real(tmp_path, theme), terminal_size=size, run_before=run)
