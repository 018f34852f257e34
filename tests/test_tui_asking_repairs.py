"""Asking and campaigns: where keys go, what is remembered, and what is said where there is little room."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from reference import frozen_lake_4x4
from textual.widgets import Input, TextArea
from tui_support import FakeOpener, FakeServices, answered, explorer, hints_of, lake_app, planned, text_of
from waiting import until

from engine.campaign.control import Control
from engine.queries.generation import case_for
from engine.queries.registry import category_named
from engine.verdicts.answer_words import accepted_words
from engine.verdicts.browse import Asked as Seen
from engine.verdicts.records import Key, OutcomeRecord, StoredCase
from engine.verdicts.verdict import Outcome
from tui.app import ExplorerApp
from tui.asking.asking_services import ExplainerOffer
from tui.asking.case_rows import right_text
from tui.campaigns.campaign_services import CampaignRequest
from tui.campaigns.tally import Tally
from tui.screens.ask import AskScreen
from tui.screens.campaign import CampaignScreen
from tui.screens.case import CaseScreen
from tui.screens.cases import CasesScreen
from tui.screens.explainers import ExplainersScreen
from tui.screens.note import NoteScreen
from tui.screens.prompt import PromptScreen
from tui.services.engine_services import EngineServices
from tui.widgets.choice_list import ChoiceList
from tui.widgets.lanes_panel import lane_order
from tui.widgets.verdict_card import VerdictCard
from tui.widgets.verdict_table import VerdictTable

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

LAKE = frozen_lake_4x4()
LONG = "ollama:" + "a-very-long-model-name-" * 5


def app_with(folder: Path) -> ExplorerApp:
    """Return the explorer with the real engine, whose campaigns are in a folder."""
    services = EngineServices("random", campaign_folder=folder)
    return ExplorerApp(FakeOpener(lambda *_: LAKE), services=services, explainer="random", theme="storm-dark")


async def ask(pilot: Pilot[None]) -> AskScreen:
    """Open the ask screen, and return it once the prompt is there."""
    await explorer(pilot)
    await pilot.press("a")
    await until(pilot, lambda: "Prompt as it will be sent" in text_of(pilot.app))  # type: ignore[arg-type]  # an app of the tests
    assert isinstance(pilot.app.screen, AskScreen)
    return pilot.app.screen


def test_ties_of_a_ranking_are_told_everywhere() -> None:
    """Where Q has two values only, the text for cards and lists has two groups: the greater one first, `=` within."""
    tied = next(
        case_for(LAKE, "action-ranking", (state,))
        for state in range(LAKE.mdp.states)
        if category_named("action-ranking").refusal(LAKE, (state,)) is None
        and len({str(LAKE.facts.q.at(choice)) for choice in LAKE.mdp.choices_of(state)}) == 2
    )
    values = {LAKE.mdp.action_name(choice): LAKE.facts.q.at(choice) for choice in LAKE.mdp.choices_of(tied.states[0])}
    text = accepted_words(tied)
    classes = [part.split(" = ") for part in text.split(" > ")]
    assert sorted(name for names in classes for name in names) == sorted(values)
    assert [len({values[name] for name in names}) for names in classes] == [1, 1]
    assert Fraction(str(values[classes[0][0]])) > Fraction(str(values[classes[1][0]]))
    record = OutcomeRecord(Key(tied.id, "plain", 0), "first", Outcome.FAIL, 0.0, None, 0.1, None, None)
    assert right_text(Seen(StoredCase("lake", tied, ("random",)), record)) == text


async def test_asking_from_a_field_goes_to_the_answer() -> None:
    """After ^r in a field the card has the focus, so that its keys are not typed; tab leads back to the fields."""
    app = lake_app(FakeServices())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ask(pilot)
        field = screen.query_one("#ask-states", Input)
        field.focus()
        typed = field.value
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(screen.focused, VerdictCard))
        await pilot.press("right_square_bracket")
        assert field.value == typed
        seen = set()
        for _ in range(12):
            await pilot.press("tab")
            seen.add(screen.focused)
        assert field in seen


async def test_the_form_keeps_the_focus_of_its_button() -> None:
    """Asked by the button, enter asks again."""
    app = lake_app(FakeServices())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ask(pilot)
        for number in (1, 2):
            await until(pilot, lambda: not screen.query("Button.-active"))  # which takes no key for a moment
            await pilot.press("enter")
            await until(pilot, lambda: len(screen.session.attempts.asked) == number)  # noqa: B023 - waited for in the same turn


async def test_who_is_asked_is_taken_with_enter() -> None:
    """Space chooses, enter takes, the box says so; a long name is cut on its one line."""
    services = FakeServices()
    services.asking.offered = (ExplainerOffer(LONG),)
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ask(pilot)
        screen.query_one("#ask-explainers").focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExplainersScreen) and "[ ] ollama" in text_of(app))
        shown = text_of(app)
        assert "space chooses   enter takes them   esc closes" in shown
        (line,) = (line for line in shown.splitlines() if "[ ] ollama:a-very" in line)
        assert "…" in line
        assert "name-\n" not in shown
        await pilot.press("down", "space", "enter")
        await until(pilot, lambda: app.screen is screen)
        assert screen.form.values.explainers == ("local", "random")


async def test_a_prompt_that_is_left_is_a_draft() -> None:
    """Escape sends nothing and loses nothing: the text stands there again, and the case's own prompt is sent."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ask(pilot)
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        app.screen.query_one("#prompt-user", TextArea).text = "Just say up."
        await pilot.press("escape")
        await until(pilot, lambda: "kept as a draft" in text_of(app))
        assert screen.form.values.edited is None
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        assert app.screen.query_one("#prompt-user", TextArea).text == "Just say up."
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: bool(services.asking.sent))
    assert services.asking.sent[0].user != "Just say up."


async def test_a_draft_that_is_taken_is_no_draft_any_more() -> None:
    """After ^r in the prompt the line about the draft is gone, and the edited prompt is what will be sent."""
    app = lake_app(FakeServices())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ask(pilot)
        for key, edited in (("escape", False), ("ctrl+r", True)):
            await pilot.press("p")
            await until(pilot, lambda: isinstance(app.screen, PromptScreen))
            app.screen.query_one("#prompt-user", TextArea).text = "Just say up."
            await pilot.press(key)
            await until(pilot, lambda: app.screen is screen)
            await until(pilot, lambda edited=edited: ("kept as a draft" in text_of(app)) != edited)  # type: ignore[misc]  # the default binds it
        assert screen.form.values.edited is not None


async def test_hints_are_in_the_status_line_once() -> None:
    """What is said twice is said once, and it covers no panel; an error stays in the corner."""
    app = lake_app(FakeServices())
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await explorer(pilot)
        for _ in range(2):
            app.notify("random is asked from now on")
        assert hints_of(app) == ["random is asked from now on"]
        await until(pilot, lambda: "random is asked from now on" in text_of(app).splitlines()[0])
        for _ in range(2):
            app.notify("the disk is full", severity="error")
            await until(pilot, lambda: bool(app._notifications))
        assert [each.message for each in app._notifications] == ["the disk is full"]
        app.notify("x" * 100)
        await until(pilot, lambda: hints_of(app)[:2] == ["the disk is full", "x" * 100])


def test_who_is_still_asked_comes_first() -> None:
    """Of six explainers in four lines those that are through make room; in six lines the plan's order stays."""
    names = tuple("abcdef")
    tally = Tally(running=True).add(planned(names, ("satisfy",), 1))
    for place, name in enumerate(names[:3]):
        tally = tally.add(answered(name, "satisfy", Outcome.PASS, place + 1, 6))
    assert lane_order(tally, 4) == ["d", "e", "f", "a", "b", "c"]
    assert lane_order(tally, 6) == list(names)
    assert lane_order(tally.end(stopped=True), 4) == list(names)


async def test_notes_that_are_cut_are_shown_by_a_key() -> None:
    """Three lines say that there is more and by which key; the key shows all of it."""
    event = replace(
        planned(("local",), ("satisfy",), 2),
        omitted={("lake", f"category-{number}"): f"there is no reason {number}" for number in range(12)},
    )
    services = FakeServices(events=[event])
    services.hold = asyncio.Event()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "questions" in text_of(app))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "i shows all" in text_of(app))
        assert "there is no reason 0" not in text_of(app)
        app.screen.query_one(VerdictTable).focus()
        await pilot.press("i")
        await until(pilot, lambda: isinstance(app.screen, NoteScreen))
        await until(pilot, lambda: "there is no reason 0" in " ".join(text_of(app).split()))


async def test_two_environments_are_told_apart_where_explainers_differ(tmp_path: Path) -> None:
    """The same state of two models is two lines, each with its model."""
    services = EngineServices("random", campaign_folder=tmp_path)
    request = CampaignRequest(("first", "oracle"), ("best-action",), 4, models=("frozen_lake", "water_jug"))
    async for _ in services.campaigns.run(LAKE, request, Control()):
        pass
    file = services.campaigns.file(LAKE, request)
    app = ExplorerApp(FakeOpener(lambda *_: LAKE), services=services, explainer="random", theme="storm-dark")
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        app.open_campaign(file)
        await until(pilot, lambda: "questions of the file are answered." in text_of(app))
        await pilot.press("equals_sign")
        await until(pilot, lambda: "questions that both answered" in text_of(app) and " model" in text_of(app))
        lines = [line for line in text_of(app).splitlines() if " frozen_lake " in line or " water_jug " in line]
        assert any("frozen_lake" in line for line in lines)
        assert any("water_jug" in line for line in lines)


async def test_kept_answers_have_a_row_of_their_own(tmp_path: Path) -> None:
    """Kept on the ask screen, an answer is in the row below the table, in no rate; enter lists it as kept."""
    app = app_with(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ask(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: len(screen.session.attempts.asked) == 1)
        await pilot.press("k")
        await until(pilot, lambda: "1 answer kept in" in text_of(app))
        await pilot.press("escape", "c")
        await until(pilot, lambda: isinstance(app.screen, CampaignScreen))
        await until(pilot, lambda: "Nothing was asked yet. 1 answer kept by hand, in no rate." in text_of(app))
        assert "kept by hand" in "\n".join(text_of(app).splitlines()[3:])
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, CasesScreen) and "1 case" in text_of(app))
        assert "random, kept by hand" in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, CaseScreen) and "kept by hand (1)" in text_of(app))


async def test_the_grid_is_the_one_that_ran(tmp_path: Path) -> None:
    """A grid that has a file of its own is offered again after the explorer was visited, not the model's usual one."""
    app = app_with(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "questions" in text_of(app))
        for name, value in (("budget", "3"), ("seed", "7")):
            app.screen.query_one(f"#grid-{name}", Input).value = value
        app.screen.query_one("#grid-explainers", ChoiceList).choose(["first"])
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "Done:" in text_of(app))
        await pilot.press("escape", "c")
        await until(pilot, lambda: isinstance(app.screen, CampaignScreen) and app.screen.offered)
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: app.screen.query_one("#grid-seed", Input).value == "7")
        assert app.screen.query_one("#grid-budget", Input).value == "3"
        assert app.screen.query_one("#grid-explainers", ChoiceList).chosen == ("first",)
        path = app.screen.query_one("#grid-path", Input)
        path.value = ""
        path.focus()
        await pilot.press("space")
        await until(pilot, lambda: path.value == "")


async def test_a_grid_that_is_being_read_says_so() -> None:
    """Before its choices are there nothing is called missing."""
    services = FakeServices()
    begun, hold = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    inner = services.campaigns.offers

    def slow(*args: object) -> object:
        loop.call_soon_threadsafe(begun.set)
        asyncio.run_coroutine_threadsafe(hold.wait(), loop).result()
        return inner(*args)  # type: ignore[arg-type]  # as they came

    services.campaigns.offers = slow  # type: ignore[method-assign,assignment]  # only this test needs it to be slow
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("c")
        await begun.wait()
        app.screen.query_one("#grid-budget", Input).value = "5"
        await until(pilot, lambda: "Reading what can be asked" in text_of(app))
        assert "nothing is chosen" not in text_of(app)
        hold.set()
        await until(pilot, lambda: "questions" in text_of(app))
