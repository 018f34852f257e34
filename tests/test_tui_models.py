"""Changing what is open: objective, constants and words, from the explorer and before a model opens."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from reference import frozen_lake_4x4
from textual.widgets import Input, OptionList, TextArea
from tui_support import FakeOpener, FakeServices, answered, app_of, explorer, planned, text_of, until

from engine.errors import CancelledError, ModelError, UsageError
from engine.mdp.constants import Constant
from engine.mdp.user_environments import Words
from engine.verdicts.verdict import Outcome
from tui.screens.constants import ConstantField, ConstantsScreen
from tui.screens.explorer import ExplorerScreen
from tui.screens.message import FailureScreen
from tui.screens.objective import ObjectiveScreen
from tui.screens.words import WordsScreen
from tui.services.models import ModelSettings
from tui.widgets.checklist import Checklist
from tui.widgets.state_table import StateTable

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from tui.app import ExplorerApp
    from tui.services.models import Progress

GOAL, STEPS = 'Pmax=? [F "goal"]', 'R{"steps"}min=? [F "goal"]'
NAMED = {"default": GOAL, "steps": STEPS}
CONSTANTS = (
    Constant("map", "int", "side of the lake: 4 or 8", "4", ("4", "8")),
    Constant("slip", "double", "probability of slipping"),
)


def lake_with(settings: ModelSettings, *, turned: bool = False) -> Oracle:
    """Return Frozen Lake as if it was checked with these settings; turned, its states are numbered backwards."""
    lake = frozen_lake_4x4()
    objective = replace(lake.facts.objective, text=settings.objective or GOAL)
    mdp = replace(lake.mdp, valuations={"pos": lake.mdp.valuations["pos"][::-1]}) if turned else lake.mdp
    constants = {**lake.constants, **settings.constants}
    return replace(lake, facts=replace(lake.facts, objective=objective), mdp=mdp, constants=constants)


def opened(app: ExplorerApp) -> str:
    """Return the objective of the explorer that is shown."""
    screen = app.screen
    return screen.oracle.facts.objective.text if isinstance(screen, ExplorerScreen) else ""


async def test_a_named_objective_is_chosen_from_a_list() -> None:
    """The list shows name and property, the present one marked; enter checks again, and the explorer has the other."""
    opener = FakeOpener(lambda settings, *_: lake_with(settings), objectives=NAMED)
    app = app_of(opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, ObjectiveScreen))
        shown = text_of(app)
        assert "● default        Pmax" in shown
        assert STEPS in shown
        await pilot.press("down", "enter")
        await until(pilot, lambda: opened(app) == STEPS)
        assert 'R{"steps"}min' in text_of(app).splitlines()[0]
    assert [each.objective for each in opener.wanted] == [None, STEPS]


async def test_the_selected_state_is_kept_by_its_valuation() -> None:
    """In a model that numbers its states backwards, tile 14 is state 1: it is selected after the change."""
    opener = FakeOpener(lambda settings, *_: lake_with(settings, turned=settings.objective is not None))
    app = app_of(opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("end", "k", "o")
        await until(pilot, lambda: isinstance(app.screen, ObjectiveScreen))
        app.screen.query_one(Input).value = STEPS
        await pilot.press("ctrl+r")
        await until(pilot, lambda: opened(app) == STEPS)
        screen = await explorer(pilot)
        await pilot.pause(0.1)
        assert screen.trail.current == 1
        assert screen.query_one(StateTable).cursor_row == 1
        assert "s  1  pos=14" in text_of(app)


async def test_the_filter_is_kept() -> None:
    """The table of the model that was checked again has the same filter, and the cursor on the same state."""
    app = app_of(FakeOpener(lambda settings, *_: lake_with(settings)))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("end", "k", "slash", *"pos>12", "enter")
        await until(pilot, lambda: screen.query_one(StateTable).row_count == 3)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, ObjectiveScreen))
        await pilot.press("tab", *STEPS, "enter")
        await until(pilot, lambda: opened(app) == STEPS)
        table = app.screen.query_one(StateTable)
        await until(pilot, lambda: table.row_count == 3)
        assert (table.cursor_row, app.screen.query_one(Input).value) == (1, "pos>12")


async def test_a_bad_property_is_explained_and_changes_nothing() -> None:
    """The oracle's words stand below the input with place and hint; escape leaves the old objective in place."""

    def open_model(settings: ModelSettings, *_: object) -> Oracle:
        if settings.objective is not None:
            raise UsageError("syntax error", where=f"{settings.objective} (column 10)", hint="use double quotes")
        return lake_with(settings)

    app = app_of(FakeOpener(open_model))
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, ObjectiveScreen))
        app.screen.query_one(Input).value = "Pmax=? [F goal"
        app.screen.query_one(Input).focus()
        await pilot.press("enter")
        await until(pilot, lambda: "syntax error" in text_of(app))
        assert "(column 10)" in text_of(app)
        assert "→ use double quotes" in text_of(app)
        await pilot.press("escape")
        assert opened(app) == GOAL


async def test_checking_again_shows_progress_and_can_be_cancelled() -> None:
    """The stage is shown in the form; escape ends the oracle, says so, and the old objective stays; nothing freezes."""
    ended = threading.Event()

    def open_model(settings: ModelSettings, progress: Progress, cancel: threading.Event) -> Oracle:
        if settings.objective is None:
            return lake_with(settings)
        progress("checking", "steps")
        if cancel.wait(10):
            ended.set()
        raise CancelledError("cancelled")

    app = app_of(FakeOpener(open_model, objectives=NAMED))
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("o", "down", "enter")
        await until(pilot, lambda: "checking steps" in text_of(app))
        await pilot.press("enter")
        await pilot.press("escape")
        await until(pilot, lambda: "Cancelled; nothing was changed." in text_of(app))
        assert ended.is_set()
        await pilot.press("escape")
        assert opened(app) == GOAL


async def test_a_model_with_open_constants_asks_for_them() -> None:
    """Before the first frame of the explorer each missing constant has a field with type, meaning and example."""
    opener = FakeOpener(lambda settings, *_: lake_with(settings), constants=CONSTANTS, title="lake.prism")
    app = app_of(opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ConstantsScreen))
        shown = text_of(app)
        assert "lake.prism needs values for its constants" in shown
        assert "slip double" in shown
        assert "probability of slipping" in shown
        assert app.focused is app.screen.query(ConstantField)[1].query_one(Input)
        await pilot.press(*"1/3", "enter")
        screen = await explorer(pilot)
        assert screen.oracle.constants == {"map": "4", "slip": "1/3"}


async def test_wrong_constants_are_explained_below_their_fields() -> None:
    """Each field has its own sentence, typing hides it, and the model is not opened with wrong values."""
    opener = FakeOpener(lambda settings, *_: lake_with(settings), constants=CONSTANTS)
    app = app_of(opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ConstantsScreen))
        first, second = (field.query_one(Input) for field in app.screen.query(ConstantField))
        first.value, second.value = "5", "often"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "map is one of 4, 8" in text_of(app))
        assert "slip is a number, as in 0.1 or 1/3" in text_of(app)
        assert app.focused is first
        await pilot.press("x")
        await until(pilot, lambda: "side of the lake" in text_of(app))
        assert not opener.wanted


async def test_what_the_oracle_says_about_constants_is_shown_and_they_can_be_mended() -> None:
    """A value that only the oracle can refuse comes back into the form with its message; another value opens."""

    def open_model(settings: ModelSettings, *_: object) -> Oracle:
        if settings.constants["slip"] == "0.7":
            raise ModelError("negative probabilities", where="lake.prism, line 25", hint="choose a smaller slip")
        return lake_with(settings)

    app = app_of(FakeOpener(open_model, constants=CONSTANTS))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ConstantsScreen))
        await pilot.press(*"0.7", "enter")
        await until(pilot, lambda: "negative probabilities" in text_of(app))
        assert "line 25" in text_of(app)
        await pilot.press("backspace", "1", "enter")
        assert (await explorer(pilot)).oracle.constants["slip"] == "0.1"


async def test_leaving_the_constants_of_a_model_that_is_not_open_ends_the_app() -> None:
    """Escape in the first form ends with the exit code of a cancelled check."""
    app = app_of(FakeOpener(lambda settings, *_: lake_with(settings), constants=CONSTANTS))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ConstantsScreen))
        await pilot.press("escape")
        await pilot.pause()
    assert (app.return_code, type(app.failure)) == (3, CancelledError)


async def test_constants_of_an_open_model_can_be_changed() -> None:
    """The form has the present values; a change keeps the objective that was chosen before."""
    first = ModelSettings({"slip": "1/3"})
    opener = FakeOpener(lambda settings, *_: lake_with(settings), constants=CONSTANTS, objectives=NAMED, first=first)
    app = app_of(opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("o", "down", "enter")
        await until(pilot, lambda: opened(app) == STEPS)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, ConstantsScreen))
        size, slip = (field.query_one(Input) for field in app.screen.query(ConstantField))
        assert (size.value, slip.value) == ("4", "1/3")
        size.value = "8"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: opened(app) == STEPS)
    assert opener.wanted[-1] == ModelSettings({"map": "8", "slip": "1/3"}, STEPS)


async def test_a_model_without_open_constants_says_so() -> None:
    """The key explains instead of opening an empty form."""
    app = app_of(FakeOpener(lambda settings, *_: lake_with(settings)))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await explorer(pilot)
        await pilot.press("m")
        await until(pilot, lambda: "leaves no constants open" in text_of(app))
        assert app.screen is screen


async def test_a_model_without_an_objective_asks_for_one() -> None:
    """A file without a goal label opens in the form for the objective, which says what is needed and no error."""

    def open_model(settings: ModelSettings, *_: object) -> Oracle:
        if settings.objective is None:
            raise UsageError("the model has no objective", where="coin.prism", hint="give one with --objective")
        return lake_with(settings)

    app = app_of(FakeOpener(open_model, title="coin.prism"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ObjectiveScreen))
        assert "coin.prism needs an objective" in text_of(app)
        assert not app.screen.query_one("#form-note").display
        assert not app.screen.query_one(OptionList).display
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "no property is given" in text_of(app))
        await pilot.press(*STEPS, "enter")
        await explorer(pilot)
        assert opened(app) == STEPS


async def test_words_are_saved_and_shown() -> None:
    """Title, description and goal go to the opener as typed, and the explorer then has the new title."""
    opener = FakeOpener(lambda settings, *_: lake_with(settings))
    app = app_of(opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("down", "e")
        await until(pilot, lambda: isinstance(app.screen, WordsScreen))
        app.screen.query_one("#words-title", Input).value = "My [bold]lake"
        app.screen.query_one("#words-description", TextArea).text = "Ice.\n{{ 1/0 }}"
        app.screen.query_one("#words-goal", Input).value = "reaching the shore"
        await pilot.press("ctrl+r")
        screen = await explorer(pilot)
        assert screen.trail.current == 1
        assert "My [bold]lake" in text_of(app).splitlines()[0]
    words = Words("My [bold]lake", "Ice.\n{{ 1/0 }}", "reaching the shore")
    assert [(name, said) for name, said, _ in opener.saved] == [("lake", words)]


async def test_a_name_that_is_taken_is_explained_and_can_be_replaced() -> None:
    """The refusal stays in the form with all that was typed; the checkbox replaces."""
    opener = FakeOpener(lambda settings, *_: lake_with(settings))
    app = app_of(opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, WordsScreen))
        box = app.screen.query_one(Checklist)
        app.screen.query_one("#words-name", Input).value = "taken"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "an environment named taken already" in text_of(app))
        box.focus()
        await pilot.press("space", "ctrl+r")
        await explorer(pilot)
    assert [replaces for *_, replaces in opener.saved] == [False, True]


async def test_words_that_cannot_be_edited_say_why() -> None:
    """A packaged environment has its own words."""
    opener = FakeOpener(lambda settings, *_: lake_with(settings))
    opener.words_known = False
    app = app_of(opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, FailureScreen))
        assert "none of your own environments" in text_of(app)


async def test_a_running_campaign_outlives_a_change_of_the_objective() -> None:
    """It goes on with the model that it began with, and its table says what it is about; nothing counts twice."""
    services = FakeServices(
        events=[planned(("local",), ("satisfy",), 3), answered("local", "satisfy", Outcome.PASS, 1, 3)]
    )
    services.hold = asyncio.Event()
    app = app_of(FakeOpener(lambda settings, *_: lake_with(settings), objectives=NAMED), services)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "questions" in text_of(app))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "local, satisfy: 1 of 3 answered; 100% pass" in text_of(app))
        await pilot.press("escape", "o", "down", "enter")
        await until(pilot, lambda: opened(app) == STEPS)
        await pilot.press("c")
        await until(pilot, lambda: f"Verdicts (passes): Frozen Lake, {GOAL}" in text_of(app))
        assert STEPS in text_of(app).splitlines()[0]
        services.hold.set()
        await until(pilot, lambda: not app.screen.query_one("#campaign-start").disabled)
        assert "local, satisfy: 1 of 3 answered; 100% pass" in text_of(app)
        await pilot.press("escape", "o", "enter")
        await until(pilot, lambda: isinstance(app.screen, ExplorerScreen))
        await pilot.press("c")
        await until(pilot, lambda: "[x] satisfy" in text_of(app))


@pytest.mark.parametrize("key", ["o", "m", "e"])
async def test_forms_close_with_escape(key: str) -> None:
    """Escape in an idle form returns to the explorer, and nothing was opened again."""
    opener = FakeOpener(
        lambda settings, *_: lake_with(settings), constants=CONSTANTS, first=ModelSettings({"slip": "0"})
    )
    app = app_of(opener, FakeServices())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press(key)
        await until(pilot, lambda: app.screen is not screen)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
    assert len(opener.wanted) == 1


async def test_constants_first_then_the_objective() -> None:
    """A file with an open constant and no objective asks for both; what brings objectives along is offered."""

    def open_model(settings: ModelSettings, *_: object) -> Oracle:
        if settings.objective is None:
            raise UsageError("the model has no objective", where="coin.prism", hint="give one with --objective")
        return lake_with(settings)

    opener = FakeOpener(open_model, title="coin.prism", constants=CONSTANTS, objectives={"steps": STEPS})
    app = app_of(opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ConstantsScreen))
        asking = app.screen
        for field in asking.query(Input):
            field.value = field.value or "0"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, ObjectiveScreen))
        text = text_of(app)
        assert "coin.prism needs an objective" in text
        assert STEPS in text
        assert '"goal"  "unsafe"' in text
        assert "--" not in text
        assert not app.screen.query_one("#form-note").display
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is asking)
        assert not asking.query_one("#form-note").display
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, ObjectiveScreen))
        await pilot.press("enter")
        await explorer(pilot)
        assert opened(app) == STEPS
    assert set(opener.wanted[-1].constants) == {each.name for each in CONSTANTS}


async def test_a_property_is_completed() -> None:
    """Beginnings of objectives and labels are completed by tab, which goes on to the buttons where nothing is."""
    opener = FakeOpener(lambda settings, *_: lake_with(settings), objectives=NAMED)
    app = app_of(opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, ObjectiveScreen))
        field = app.screen.query_one("#objective-text", Input)
        field.focus()
        await pilot.press(*"Pmi", "tab", *'"uns', "tab", "]")
        assert field.value == 'Pmin=? [F "unsafe"]'
        await pilot.press("tab")
        assert not field.has_focus
