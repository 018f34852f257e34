"""The campaign screen: the grid, the verdicts that arrive, and what is done while they do."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from textual.widgets import Button, Input
from tui_support import CATEGORIES, FakeServices, answered, explorer, lake_app, planned, text_of, until

from engine.campaign.events import ExplainerFailed, Finished, Summary, Waiting
from engine.errors import EndpointError, ModelError
from engine.verdicts.verdict import Outcome
from tui.campaigns.campaign_services import CampaignRequest
from tui.screens.campaign import CampaignScreen
from tui.screens.help import HelpScreen
from tui.screens.message import FailureScreen
from tui.widgets.choice_list import ChoiceList
from tui.widgets.verdict_table import VerdictTable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from textual.pilot import Pilot

    from engine.campaign.control import Control
    from engine.oracle.facts import Oracle
    from tui.campaigns.tally import News

NAMES = [choice.name for choice in CATEGORIES]


def verdicts(*outcomes: Outcome) -> list[News]:
    """Return the events of a small campaign on one category, without its end."""
    events: list[News] = [planned(("local", "random", "first"), ("satisfy",), 4)]
    events += [answered("local", "satisfy", outcome, number + 1, 12) for number, outcome in enumerate(outcomes)]
    return events


async def grid(pilot: Pilot[None]) -> CampaignScreen:
    """Open the campaign, wait until the grid is counted, and return the screen."""
    await explorer(pilot)
    await pilot.press("c")
    await until(pilot, lambda: "questions" in text_of(pilot.app))
    screen = pilot.app.screen
    assert isinstance(screen, CampaignScreen)
    return screen


def chosen(screen: CampaignScreen, name: str) -> ChoiceList:
    """Return one of the grid's lists."""
    return screen.query_one(f"#grid-{name}", ChoiceList)


async def test_a_campaign_fills_the_table_while_the_app_is_used() -> None:
    """Verdicts appear while the campaign runs; leaving the screen keeps it running; its state shows at the top."""
    services = FakeServices(events=verdicts(Outcome.PASS, Outcome.FAIL, Outcome.INVALID))
    services.hold = asyncio.Event()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await grid(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "3 of 12 answered" in text_of(app))
        # Three answers about one state are worth one: Wilson, 95 %, a third of 1 is 2.5 to 90.6 %.
        await until(pilot, lambda: "33% 3/4 1i" in text_of(app))
        await pilot.press("escape", "down")
        await until(pilot, lambda: screen.trail.current == 1)
        assert "campaign 3/12" in text_of(app)
        services.hold.set()
        await until(pilot, lambda: "campaign 3/12" not in text_of(app))
        await pilot.press("c")
        await until(pilot, lambda: "33% 3/4 1i" in text_of(app))


async def test_stopping_a_campaign_keeps_what_came() -> None:
    """Stop ends it at once; the verdicts stay in the table, and starting again is offered."""
    services = FakeServices(events=verdicts(Outcome.PASS))
    services.hold = asyncio.Event()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await grid(pilot)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "1 of 12 answered" in text_of(app))
        assert screen.query_one("#campaign-start", Button).disabled
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Stopped at 1 of 12; every answer is kept" in text_of(app))
        assert "100%" in text_of(app)
        assert not screen.query_one("#campaign-start", Button).disabled
        await pilot.press("ctrl+r")
        await until(pilot, lambda: len(services.campaigns.requests) == 2)


async def test_a_campaign_pauses_and_goes_on() -> None:
    """P holds it, which the screen and the line at the top say; p again goes on."""
    controls: list[Control] = []

    class Held(FakeServices):
        def __init__(self) -> None:
            super().__init__(events=verdicts(Outcome.PASS))
            inner = self.campaigns.run

            def run(oracle: Oracle, request: CampaignRequest, control: Control) -> AsyncGenerator[News, None]:
                controls.append(control)
                return inner(oracle, request, control)

            self.campaigns.run = run  # type: ignore[method-assign] # only this test needs the control

    services = Held()
    services.hold = asyncio.Event()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await grid(pilot)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "1 of 12 answered" in text_of(app))
        await pilot.press("p")
        await until(pilot, lambda: "paused; p goes on" in text_of(app))
        assert controls[0].paused
        assert "paused at 1/12" in text_of(app)
        await pilot.press("p")
        await until(pilot, lambda: "paused" not in text_of(app))
        assert not controls[0].paused


async def test_a_wait_is_counted_down_where_the_explainer_stands() -> None:
    """Who waits, how long still, and why; afterwards its figures are back."""
    services = FakeServices(events=[*verdicts(Outcome.PASS), Waiting("random", "429 too many requests", 90.0)])
    services.hold = asyncio.Event()
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await grid(pilot)
        await pilot.press("ctrl+r")
        found: set[int] = set()

        def counted_down() -> bool:
            found.update(map(int, re.findall(r"waits (\d+) s: 429 too many requests", text_of(app))))
            return len(found) > 1

        await until(pilot, counted_down)
        assert max(found) <= 90


async def test_an_explainer_that_is_given_up_says_why() -> None:
    """Its line has the reason; the campaign's end says how many answers are missing, and whose."""
    end = Finished(Summary(12, 1, 2, {}, {"local": "no route"}, stopped=False, seconds=1.0))
    services = FakeServices(events=[*verdicts(Outcome.PASS), ExplainerFailed("local", "no route to the server"), end])
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await grid(pilot)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "Ended: 1 of 12 answered" in text_of(app))
        assert "not asked any more: no route to the server" in text_of(app)
        assert "(local 3, random 4, first 4)" in text_of(app)


async def test_a_finished_campaign_says_so() -> None:
    """The last event ends the run, with its count."""
    end = Finished(Summary(12, 12, 12, {}, {}, stopped=False, seconds=1.0))
    app = lake_app(FakeServices(events=[*verdicts(Outcome.PASS), end]))
    async with app.run_test(size=(80, 24)) as pilot:
        await grid(pilot)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "Done: 12 of 12 answered." in text_of(app))


@pytest.mark.parametrize("begin", ["#grid-budget", "#campaign-start", "#grid-categories"])
async def test_starting_a_campaign_never_puts_the_focus_into_a_field(begin: str) -> None:
    """After ^r, while it runs and when it is over, keys such as ? are commands."""
    services = FakeServices(events=verdicts(Outcome.PASS))
    services.hold = asyncio.Event()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await grid(pilot)
        screen.query_one(begin).focus()
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "1 of 12 answered" in text_of(app))
        assert isinstance(app.focused, VerdictTable)
        services.hold.set()
        await until(pilot, lambda: not screen.query_one("#campaign-start", Button).disabled)
        assert isinstance(app.focused, VerdictTable)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert "Compare two explainers" in text_of(app)


async def test_the_grid_is_what_is_asked() -> None:
    """Every list and field of the form reaches the request; the count follows each change."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await grid(pilot)
        # Five categories of 20 cases, three explainers; 100 calls of 3 s, four at once.
        assert "100 cases × 3 explainers = 300 questions" in text_of(app)
        assert "100 calls to local; about 1:15" in text_of(app)
        chosen(screen, "models").choose(["frozen_lake", "water_jug"])
        chosen(screen, "explainers").choose(["local"])
        chosen(screen, "categories").choose(["satisfy", "best-action"])
        chosen(screen, "variants").choose(["plain", "story"])
        chosen(screen, "ways").choose(["random cases", "refined difficulty", "shuffled options", "graded by score"])
        for name, value in (("budget", "7"), ("samples", "2"), ("seed", "3"), ("flight", "8")):
            screen.query_one(f"#grid-{name}", Input).value = value
        await until(pilot, lambda: "14 cases × 2 × 1 explainer = 28 questions" in text_of(app))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: bool(services.campaigns.requests))
        assert screen.query_one(VerdictTable).grader == "score"
    assert services.campaigns.requests == [
        CampaignRequest(
            explainers=("local",),
            categories=("satisfy", "best-action"),
            budget=7,
            models=("frozen_lake", "water_jug"),
            strategies=("random",),
            variants=("plain", "story"),
            samples=2,
            seed=3,
            concurrency=8,
            difficulty="refined",
            shuffle=True,
        )
    ]


async def test_a_list_is_changed_by_keys() -> None:
    """Space chooses, * chooses all, and * again none; a letter of a name that is being typed changes nothing."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await grid(pilot)
        categories = chosen(screen, "categories")
        categories.focus()
        await pilot.press("space", "down", "space")
        assert categories.chosen == tuple(NAMES[2:])
        await until(pilot, lambda: f"[ ] {NAMES[0]}" in text_of(app))
        await pilot.press("a")
        assert categories.chosen == tuple(NAMES[2:])
        await pilot.press("asterisk")
        assert categories.chosen == tuple(NAMES)
        await pilot.press("asterisk")
        assert categories.chosen == ()


async def test_an_explainer_can_be_named_for_a_campaign() -> None:
    """The list's last entry asks for a name, which is then in the list and chosen."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await grid(pilot)
        names = chosen(screen, "explainers")
        names.focus()
        await pilot.press("end", "space")
        await until(pilot, lambda: app.screen is not screen)
        app.screen.query_one(Input).value = "openai:big"
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen)
        assert names.chosen == ("local", "random", "first", "openai:big")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("budget", "0"), "cases each: a whole number from 1 on"),
        (("samples", ""), "samples: a whole number from 1 on"),
        (("seed", "-1"), "seed: a whole number from 0 on"),
        (("categories", ""), "nothing is chosen of the categories"),
        (("ways", ""), "nothing is chosen of the ways to choose cases"),
    ],
)
async def test_a_grid_that_makes_no_sense_is_explained(change: tuple[str, str], said: str) -> None:
    """What is missing or wrong is said below the form at once, and nothing starts."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await grid(pilot)
        name, value = change
        if name in {"categories", "ways"}:
            chosen(screen, name).choose([])
        else:
            screen.query_one(f"#grid-{name}", Input).value = value
        await until(pilot, lambda: said in text_of(app))
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert said in text_of(app)
    assert not services.campaigns.requests


async def test_a_model_that_cannot_be_checked_is_named_in_the_form() -> None:
    """Counting fails with what, where and what to do; the form stays."""
    services = FakeServices()
    services.campaigns.failure = ModelError("the model has 3 open constants", where="dam", hint="give them values")
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "the model has 3 open constants (dam)" in text_of(app))
        assert "give them values" in text_of(app)


async def test_keys_work_while_a_grid_is_counted_slowly() -> None:
    """Counting blocks in a thread: the form takes keys meanwhile, and only the last grid's count is shown."""
    release = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow(FakeServices):
        def __init__(self) -> None:
            super().__init__()
            inner = self.campaigns.estimate

            def estimate(*arguments):  # type: ignore[no-untyped-def] # passed on as they came  # noqa: ANN002, ANN202
                asyncio.run_coroutine_threadsafe(release.wait(), loop).result()
                return inner(*arguments)

            self.campaigns.estimate = estimate  # type: ignore[method-assign] # only this test is slow

    services = Slow()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "at most 100 cases; counting" in text_of(app))
        screen = app.screen
        assert isinstance(screen, CampaignScreen)
        screen.query_one("#grid-budget", Input).value = "2"
        await until(pilot, lambda: "at most 10 cases; counting" in text_of(app))
        release.set()
        await until(pilot, lambda: "10 cases × 3 explainers = 30 questions" in text_of(app))


async def test_a_campaign_that_fails_shows_why() -> None:
    """A failure of the whole campaign is a modal, and the table keeps what came before."""

    class Failing(FakeServices):
        def __init__(self) -> None:
            super().__init__()

            async def run(*_arguments: object):  # type: ignore[no-untyped-def] # as the method  # noqa: ANN202
                for event in verdicts(Outcome.PASS):
                    yield event
                await asyncio.sleep(0.05)
                raise EndpointError("the disk is full", hint="free some space")

            self.campaigns.run = run  # type: ignore[method-assign] # only this test fails

    app = lake_app(Failing())
    async with app.run_test(size=(80, 24)) as pilot:
        await grid(pilot)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, FailureScreen))
        assert "the disk is full" in text_of(app)
        await pilot.press("escape")
        await until(pilot, lambda: "100%" in text_of(app))


async def test_the_pages_are_a_key_apart() -> None:
    """] changes between grid and verdicts; the cell under the cursor is told in words."""
    services = FakeServices(events=verdicts(Outcome.PASS, Outcome.PASS))
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await grid(pilot)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "local, satisfy: 2 of 4 answered; 100% pass" in text_of(app))
        await pilot.press("l")
        await until(pilot, lambda: "random, satisfy: 0 of 4 answered" in text_of(app))
        await pilot.press("j", "h")
        await until(pilot, lambda: "local, all categories: 2 of 4 answered" in text_of(app))
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "[x] satisfy" in text_of(app))
        await pilot.press("left_square_bracket", "s")
        await until(pilot, lambda: "Verdicts (scores)" in text_of(app))


async def test_hostile_names_stay_text() -> None:
    """An explainer's name that holds escape sequences or markup is drawn as text, wherever it appears."""
    evil = "\x1b]0;owned\x07[bold]x[/]"
    event = answered("local", "satisfy", Outcome.PASS, 1, 4)
    cell = replace(event.cell, explainer=evil)
    events: list[News] = [planned((evil,), ("satisfy",), 4), replace(event, cells=(cell,)), Waiting(evil, evil, 60.0)]
    app = lake_app(FakeServices(events=events))
    async with app.run_test(size=(120, 40)) as pilot:
        await grid(pilot)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "[bold]x[/]" in text_of(app))
        assert not {"\x1b", "\x07"} & set(text_of(app))
