"""One thing has one name: the keys of a dialog are called as its buttons, and help lists what works where one is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from reference import frozen_lake_4x4
from test_tui_campaign import grid, verdicts
from test_tui_dialogs import MADE, opened
from test_tui_start import start_app, started
from textual.widgets import Button, Input
from tui_support import FakeServices, explorer, lake_app, text_of
from waiting import until

from engine.errors import UsageError
from engine.mdp.constants import Constant
from engine.recent import remember_tour
from engine.settings import Settings, load_settings, settings_file
from engine.verdicts.verdict import Outcome
from tui.actions.offered import offered
from tui.app import ExplorerApp
from tui.screens.categories import CategoriesScreen
from tui.screens.constants import ConstantsScreen
from tui.screens.endpoint import EndpointScreen, is_web_address
from tui.screens.explainers import ExplainersScreen
from tui.screens.help import ELSEWHERE, OUTSIDE, HelpScreen
from tui.screens.note import NoteScreen
from tui.screens.policy import PolicyScreen
from tui.screens.what_if import WhatIfScreen
from tui.services.models import ModelSettings
from tui.widgets.key_footer import KeyFooter
from tui.widgets.path_input import PathInput

if TYPE_CHECKING:
    from pathlib import Path

    from test_tui_dialogs import How
    from textual.pilot import Pilot


@pytest.fixture(autouse=True)
def _own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test folders of its own, and a user who has been here before."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    remember_tour()


def words(app: ExplorerApp) -> dict[str, str]:
    """Return what the footer calls each action."""
    return {entry.action: entry.description for footer in app.screen.query(KeyFooter) for entry in footer.entries}


async def word(pilot: Pilot[None], action: str, expected: str) -> None:
    """Expect the footer to call an action so."""
    await until(pilot, lambda: words(pilot.app).get(action) == expected)  # type: ignore[arg-type] # the app of the tests


async def help_from(pilot: Pilot[None]) -> str:
    """Return the whole help of where the focus is, and close it."""
    app = pilot.app
    assert isinstance(app, ExplorerApp)
    below = app.screen
    await pilot.press("f1")
    await until(pilot, lambda: isinstance(app.screen, HelpScreen))
    await pilot.pause()
    shown = text_of(app)
    await pilot.press("escape")
    await until(pilot, lambda: app.screen is below)
    return shown


def constants(_: ExplorerApp) -> ConstantsScreen:
    """Return the form of one constant."""
    return ConstantsScreen("Constants", ModelSettings(), (Constant("n", "int"),))


async def test_the_keys_of_a_form_are_called_as_its_buttons() -> None:
    """Whatever the dialog: the key that presses a button has the button's name."""
    app = lake_app()
    seen = set()
    async with app.run_test(size=(80, 24)) as pilot:
        below = await explorer(pilot)
        ways: list[str | How] = ["o", "e", constants, *MADE]
        for how in ways:
            dialog = await opened(pilot, app, how)
            for button, action in (("#form-send", "send"), ("#form-cancel", "leave")):
                if dialog.query(button):
                    label = str(dialog.query_one(button, Button).label)
                    seen.add(label)
                    await word(pilot, action, label)
            dialog.dismiss(None)
            await until(pilot, lambda: app.screen is below)
    assert seen == {"Check", "Save", "Take", "Use it", "Cancel", "Not now"}


@pytest.mark.parametrize(
    ("key", "name"), [("R", "Sample"), ("w", "Compute"), ("D", "Load"), ("colon", "Go"), ("P", None), ("y", None)]
)
async def test_run_is_called_by_what_it_does(key: str, name: str | None) -> None:
    """Each tool names what it runs; where nothing can be run now, there is no such key."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        dialog = await opened(pilot, app, key)
        await word(pilot, "leave", "Close")
        assert words(app).get("run") == name
        assert [each.title for each in offered(dialog) if each.id == "tool.run"] == ([name] if name else [])
        if key == "P":
            await pilot.press("left_square_bracket")
            await word(pilot, "run", "Run")
        if key == "y":
            await pilot.press("w")
            await word(pilot, "run", "Write")


async def test_what_is_asked_is_chosen_and_not_run() -> None:
    """The key of the list of categories chooses, in the footer as in the help."""
    app = lake_app()
    async with app.run_test(size=(80, 100)) as pilot:
        await explorer(pilot)
        app.push_screen(CategoriesScreen(app.services.asking.offers(frozen_lake_4x4(), (0,), ()), "best-action"))
        await word(pilot, "run", "Choose")
        assert "Compute it." not in await help_from(pilot)


@pytest.mark.parametrize(
    ("fields", "said", "focused"),
    [
        ({}, "the endpoint has no name", "name"),
        ({"name": "my lab"}, "'my lab' is no name of an endpoint", "name"),
        ({"name": "-lab"}, "begin with a letter (a-z) or a digit", "name"),
        ({"name": "lab", "base_url": "notaurl"}, "'notaurl' is not the URL of a server", "base_url"),
        ({"name": "lab", "concurrency": "many"}, "questions at once: many is no whole number", "concurrency"),
    ],
)
async def test_what_is_wrong_with_an_endpoint_is_seen(fields: dict[str, str], said: str, focused: str) -> None:
    """At 80×24 the reason, the field and the buttons are all on the screen, and nothing is sent."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        form = EndpointScreen("", Settings())
        app.push_screen(form)
        await until(pilot, lambda: bool(form.query("#endpoint-name")))
        for name, text in fields.items():
            form.query_one(f"#endpoint-{name}", Input).value = text
        await pilot.press("ctrl+r")
        await until(pilot, lambda: said in text_of(app))
        field = form.query_one(f"#endpoint-{focused}", Input)
        assert form.focused is field
        await until(pilot, lambda: form.query_one(".form-fields").region.contains_region(field.region))
        assert "Save      Cancel" in text_of(app)
        assert not form.busy


async def test_the_form_of_an_endpoint_opens_at_its_top() -> None:
    """The first line is there, and the focus is in the first field."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        app.push_screen(EndpointScreen("", Settings()))
        await until(pilot, lambda: "name, by which it is chosen" in text_of(app))
        assert app.screen.focused is app.screen.query_one("#endpoint-name")
        assert "The settings file takes more" in text_of(app)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("http://localhost:8000/v1", True),
        ("https://api.example.org", True),
        ("http://[::1]:8000/v1", True),
        ("HTTP://HOST", True),
        ("notaurl", False),
        ("localhost:8000/v1", False),
        ("ftp://host", False),
        ("http://", False),
        ("http:///v1", False),
        ("http://:8000", False),
        ("http://[::1", False),
        ("http://a host", False),
    ],
)
def test_addresses_of_servers(text: str, good: bool) -> None:
    """A server is reached by http or https, and has a host (RFC 3986, 3)."""
    assert is_web_address(text) == good


def test_a_bad_name_in_the_settings_file_is_said_in_words() -> None:
    """Which names are allowed is said, and no regular expression is shown."""
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text('[endpoints."my lab"]\nmodel = "m"\n')
    with pytest.raises(UsageError, match=r": endpoints\.my lab: no name of an endpoint") as raised:
        load_settings()
    assert "letters, digits, dots, - and _" in (raised.value.hint or "")


async def test_a_long_note_keeps_its_button() -> None:
    """At 80×24 the button of a note stands below as much of the text as there is room for."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        app.push_screen(NoteScreen("A note", "\n".join(f"line {number}" for number in range(60))))
        await until(pilot, lambda: "line 1" in text_of(app) and "Close" in text_of(app))
        note, button = app.screen.query_one(".form-fields"), app.screen.query_one(Button)
        assert note.region.bottom <= button.region.y < app.screen.size.height
        note.scroll_end(animate=False)
        await until(pilot, lambda: "line 59" in text_of(app))


async def test_help_over_a_field_lists_letters_elsewhere() -> None:
    """In the path of the start screen letters are typed: their actions are other places', tab and escape are here."""
    app = start_app()
    async with app.run_test(size=(100, 250)) as pilot:
        screen = await started(pilot)
        in_list = await help_from(pilot)
        assert OUTSIDE not in in_list
        assert "/, o" in in_list
        screen.query_one(PathInput).focus()
        await word(pilot, "complete", "Complete")
        assert "file" not in words(app)
        here, _, other = (await help_from(pilot)).partition(ELSEWHERE)
        assert "Complete the path." in here
        assert "Type the path of a model file." in other.partition("Explorer")[0]
        assert "Type the path of a model file." not in here
        assert "Switch between the light and the dark theme." not in here
        assert "f3 " in here  # of two keys the one that is no sign
        assert "f3, ," not in here


@pytest.mark.parametrize(
    ("key", "field", "name", "said"),
    [
        ("o", "#objective-text", "Check", "Check the model for this objective."),
        ("colon", "#jump-input", "Go", "Go to the state."),
        ("slash", "#filter-input", "Filter", "Show the states that satisfy the expression."),
    ],
)
async def test_enter_in_an_expression_is_called_by_what_it_does(key: str, field: str, name: str, said: str) -> None:
    """One kind of field filters, checks or goes to a state: footer and help say which."""
    app = lake_app()
    async with app.run_test(size=(120, 150)) as pilot:
        await explorer(pilot)
        await pilot.press(key)
        await until(pilot, lambda: bool(app.screen.query(field)))
        app.screen.query_one(field).focus()
        await word(pilot, "submit", name)
        assert said in (await help_from(pilot)).partition(ELSEWHERE)[0]


async def test_hints_have_no_word_left_over() -> None:
    """A key in a dialog's frame says what it does; the words are whole at 80 columns."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        for key, hint in (
            ("D", "enter loads, or goes to a state   tab to the list   esc closes"),
            ("w", "space changes   enter computes   tab to the states   esc closes"),
        ):
            dialog = await opened(pilot, app, key)
            assert isinstance(dialog, PolicyScreen | WhatIfScreen)
            await until(pilot, lambda hint=hint: hint in text_of(app))  # type: ignore[misc]  # the default binds it
            dialog.dismiss(None)
        app.push_screen(ExplainersScreen(app.services, ("random",)))
        await until(pilot, lambda: "space chooses   enter takes them   esc closes" in text_of(app))


async def test_a_campaign_goes_on_under_one_name() -> None:
    """Paused and stopped, the keys are called as the text says: it goes on."""
    services = FakeServices(events=verdicts(Outcome.PASS))
    services.hold = asyncio.Event()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await grid(pilot)
        await word(pilot, "start", "Start")
        await pilot.press("ctrl+r")
        await word(pilot, "pause", "Pause")
        await pilot.press("p")
        await word(pilot, "pause", "Go on")
        assert "paused; p goes on" in text_of(app)
        await pilot.press("p")
        await word(pilot, "pause", "Pause")
        await pilot.press("ctrl+s")
        await word(pilot, "start", "Go on")
        assert "Stopped at 1 of 12; every answer is kept, ^r goes on." in text_of(app)
        await pilot.press("right_square_bracket")  # the grid's button starts
        await word(pilot, "start", "Start")
