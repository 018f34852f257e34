"""The settings screen: what is changed there is written at once, works at once, and mistakes are said."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
from fake_server import FakeServer
from textual.widgets import Input
from tui_support import FakeServices, text_of, until

from engine.appearance import Preferences, load_preferences
from engine.recent import remember_tour
from engine.settings import settings_file
from tui.app import ExplorerApp
from tui.screens.endpoint import EndpointScreen
from tui.screens.export import ExportScreen
from tui.screens.help import HelpScreen
from tui.screens.settings import SettingsScreen
from tui.screens.start import StartScreen
from tui.widgets.settings_list import SettingsList

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

WRITTEN = "# mine\nexplanation_length = 300  # longer\n"


@pytest.fixture(autouse=True)
def _own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test folders of its own, with a settings file in them."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    remember_tour()
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text(WRITTEN)


def app_with(services: FakeServices | None = None) -> ExplorerApp:
    """Return the app at its start screen."""
    return ExplorerApp(None, services=services or FakeServices(), theme="storm-dark")


async def settings(pilot: Pilot[None], page: str) -> SettingsScreen:
    """Open the settings at a page, with the focus in it."""
    await until(pilot, lambda: isinstance(pilot.app.screen, StartScreen))
    await pilot.press("f3")
    await until(pilot, lambda: isinstance(pilot.app.screen, SettingsScreen))
    screen = pilot.app.screen
    assert isinstance(screen, SettingsScreen)
    nav = screen.query_one("#settings-nav", SettingsList)
    await until(
        pilot, lambda: nav.option_count > 0 and screen.query_one("#endpoints-list", SettingsList).option_count > 0
    )
    nav.highlighted = nav.get_option_index(f"page-{page}")
    await pilot.pause()
    await pilot.press("enter")
    await pilot.pause()
    return screen


def written() -> dict[str, object]:
    """Return what the settings file says."""
    return tomllib.loads(settings_file().read_text())


async def test_a_theme_is_tried_kept_and_written() -> None:
    """The cursor shows a theme at once, escape takes it back, enter keeps it in the file beside the comments.

    Then one escape leaves the settings: nothing is only tried any more.
    """
    app = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await settings(pilot, "theme")
        assert app.theme == "storm-dark"
        await pilot.press("j")
        await until(pilot, lambda: app.theme == "storm-light")
        await pilot.press("escape")
        assert app.theme == "storm-dark"
        await pilot.press("k", "enter")
        await until(pilot, lambda: "tui" in written())
        assert written()["tui"] == {"theme": "sixteen"}
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, StartScreen))
        assert app.theme == "sixteen"
    assert settings_file().read_text().startswith(WRITTEN)


async def test_a_key_is_changed_and_works_at_once() -> None:
    """Help moves to another key; one that is taken is refused with whose it is; delete gives the old one back."""
    app = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await settings(pilot, "keys")
        field = screen.query_one("#keys-input", Input)
        await pilot.press("enter")
        field.value = "q"
        await pilot.press("enter")
        await until(pilot, lambda: "q is the key of app.quit already" in text_of(app))
        field.value = "K"
        await pilot.press("enter")
        await until(pilot, lambda: written().get("keys") == {"app.help": "K"})
        await until(pilot, lambda: app.keymap.changed == {"app.help": "K"})
        await pilot.press("K")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("delete")
        await until(pilot, lambda: written().get("keys") == {})
        await until(pilot, lambda: app.keymap.changed == {})


async def test_an_endpoint_is_made_tested_and_removed() -> None:
    """A new endpoint is written, its server lists its models, one of them is taken, and delete removes it all."""
    services = FakeServices()
    app = app_with(services)
    with FakeServer(models=("tiny", "small")) as server:
        async with app.run_test(size=(100, 40)) as pilot:
            screen = await settings(pilot, "endpoints")
            await pilot.press("n")
            await until(pilot, lambda: isinstance(app.screen, EndpointScreen))
            form = app.screen
            form.query_one("#endpoint-name", Input).value = "lab"
            form.query_one("#endpoint-base_url", Input).value = server.url
            await pilot.press("ctrl+r")
            await until(pilot, lambda: app.screen is screen and "endpoints" in written())
            assert written()["endpoints"] == {"lab": {"kind": "openai", "base_url": server.url}}
            listed = screen.query_one("#endpoints-list", SettingsList)
            await until(pilot, lambda: any(option.id == "lab" for option in listed.options))
            assert services.reloads == 1
            listed.highlighted = listed.get_option_index("lab")
            await pilot.press("T")
            await until(pilot, lambda: "offers 2 models" in text_of(app))
            await pilot.press("tab", "enter")  # the first of them by name
            await until(pilot, lambda: "model" in written()["endpoints"]["lab"])  # type: ignore[index]  # a table
            assert written()["endpoints"]["lab"]["model"] == "small"  # type: ignore[index]  # as above
            listed.focus()
            await pilot.press("delete")
            await until(pilot, lambda: not written().get("endpoints"))
    assert settings_file().read_text().startswith(WRITTEN)


async def test_an_endpoint_that_does_not_answer_says_why() -> None:
    """A test of a server that is not there ends in its reason and what to do, within a few seconds."""
    with FakeServer() as server:
        url = server.url
    settings_file().write_text(f'[endpoints.gone]\nbase_url = "{url}"\nmodel = "m"\n')
    app = app_with()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await settings(pilot, "endpoints")
        listed = screen.query_one("#endpoints-list", SettingsList)
        listed.highlighted = listed.get_option_index("gone")
        await pilot.press("T")
        await until(pilot, lambda: "✗ gone" in text_of(app))
        assert "start the server or check endpoints.gone.base_url" in text_of(app)


async def test_what_the_settings_refuse_is_said_in_the_form() -> None:
    """A value that is not allowed stays in the form with the reason; the file is as it was."""
    app = app_with()
    async with app.run_test(size=(100, 40)) as pilot:
        await settings(pilot, "endpoints")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, EndpointScreen))
        app.screen.query_one("#endpoint-name", Input).value = "random"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "name of an explainer already" in text_of(app))
        app.screen.query_one("#endpoint-name", Input).value = "lab"
        app.screen.query_one("#endpoint-concurrency", Input).value = "0"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "endpoints.lab.concurrency" in text_of(app))
        assert isinstance(app.screen, EndpointScreen)
    assert settings_file().read_text() == WRITTEN


async def test_a_broken_settings_file_is_said_and_left_alone() -> None:
    """The screen opens, says that the file is broken, and writes nothing over it."""
    settings_file().write_text("theme = \n")
    app = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, StartScreen))
        await pilot.press("f3")
        await until(pilot, lambda: "not a valid TOML file" in text_of(app))
        await pilot.press("down", "enter", "j", "enter")
        await until(pilot, lambda: "nothing was written" in text_of(app) or "not a valid" in text_of(app))
    assert settings_file().read_text() == "theme = \n"


async def test_the_folder_of_pictures(tmp_path: Path) -> None:
    """The folder that is set is where a picture of the screen is offered to be saved."""
    app = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await settings(pilot, "folders")
        (tmp_path / "pictures").mkdir()
        screen.query_one("#folders-export", Input).value = str(tmp_path / "pictures")
        await pilot.press("enter")
        await until(pilot, lambda: app.appearance.export_folder == str(tmp_path / "pictures"))
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, ExportScreen))
        assert "pictures/stormscope-" in app.screen.query_one(Input).value
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.screen is screen)
    picture = only_text_in(tmp_path / "pictures")
    assert picture.startswith("<svg")
    assert "Folders" in picture
    assert "Save this screen" not in picture


async def test_a_folder_that_is_not_there_is_made_or_refused(tmp_path: Path) -> None:
    """It is said at once, a second enter makes it; a file is no folder, and nothing is written before."""
    app = app_with()
    (tmp_path / "file").write_text("")
    new = tmp_path / "a" / "b"
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await settings(pilot, "folders")
        field = screen.query_one("#folders-export", Input)
        field.value = str(tmp_path / "file")
        await pilot.press("enter")
        await until(pilot, lambda: "not a folder" in text_of(app))
        field.value = str(new)
        await pilot.press("enter")
        await until(pilot, lambda: "enter again makes it" in unfolded(app))
        assert not new.exists()
        assert settings_file().read_text() == WRITTEN
        await pilot.press("enter")
        await until(pilot, lambda: written().get("tui") == {"export_folder": str(new)})
    assert new.is_dir()


async def test_what_was_left_out_is_listed_whole() -> None:
    """Each reason stands on a page of the settings, to its end at 80 columns; without any there is no such page."""
    wrong = "".join(f'"explorer.nothing_{number}" = "f6"\n' for number in range(3))
    settings_file().write_text(f"{WRITTEN}[keys]\n{wrong}")
    app = ExplorerApp(None, services=FakeServices(), theme="storm-dark", preferences=load_preferences())
    async with app.run_test(size=(80, 24)) as pilot:
        await settings(pilot, "left-out")
        shown = text_of(app)
        assert all(f"keys.explorer.nothing_{number}: there is no such action" in shown for number in range(3))
        app.take_preferences(Preferences())
        await pilot.press("escape", "f3")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen) and "Folders" in text_of(app))
        assert "Left out" not in text_of(app)


async def test_enter_on_an_endpoint_never_chooses_who_is_asked() -> None:
    """On local it says where its settings are; its model in the list below takes it."""
    app = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await settings(pilot, "endpoints")
        app.explainer = "random"
        await pilot.press("enter")
        await until(pilot, lambda: "[local]" in text_of(app))
        assert app.explainer == "random"
        await pilot.press("tab", "enter")
        await until(pilot, lambda: app.explainer == "local")
        assert app.screen is screen


async def test_the_whole_line_under_the_cursor_stands_below_its_list() -> None:
    """At 80 columns: what an action does and is called in the file, what a conflict is, and where an endpoint is."""
    app = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await settings(pilot, "keys")
        listed = screen.query_one("#keys-list", SettingsList)
        listed.highlighted = listed.get_option_index("report.down")
        await until(pilot, lambda: '"report.down"' in text_of(app))
        listed.highlighted = listed.get_option_index("verdicts.report")
        await until(pilot, lambda: "any format." in unfolded(app))
        await pilot.press("enter")
        screen.query_one("#keys-input", Input).value = "f5"
        await pilot.press("enter")
        await until(pilot, lambda: "so it is left out" in unfolded(app))
        await pilot.press("escape", "left_square_bracket", "left_square_bracket")
        await until(pilot, lambda: screen.page.id == "page-endpoints")
        assert "MODEL is named when asked" not in text_of(app)
        await pilot.press("down")
        await until(pilot, lambda: "MODEL is named when asked" in unfolded(app))


def unfolded(app: ExplorerApp) -> str:
    """Return what the screen shows as one line, without the border beside the pages."""
    return " ".join(text_of(app).replace("│", " ").split())


def only_text_in(folder: Path) -> str:
    """Return the text of a folder's only file."""
    (file,) = folder.iterdir()
    return file.read_text()


async def test_a_picture_never_replaces_a_file(tmp_path: Path) -> None:
    """A name that is taken and a folder that is not there are explained in the form; another name works."""
    (tmp_path / "taken.svg").write_text("precious")
    app = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, StartScreen))
        await pilot.press("ctrl+g")
        await until(pilot, lambda: isinstance(app.screen, ExportScreen))
        field = app.screen.query_one(Input)
        for name, said in (("taken.svg", "such a file already"), ("none/x.svg", "there is no such folder")):
            field.value = str(tmp_path / name)
            await pilot.press("enter")
            await until(pilot, lambda said=said: said in text_of(app))  # type: ignore[misc]  # the default binds it
        field.value = str(tmp_path / "new.svg")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, StartScreen))
    assert (tmp_path / "taken.svg").read_text() == "precious"
    assert (tmp_path / "new.svg").is_file()
    assert not (tmp_path / "none").exists()
    assert not leftovers(tmp_path)


def leftovers(folder: Path) -> list[Path]:
    """Return half-written files."""
    return list(folder.glob(".stormscope*"))


@pytest.mark.parametrize(
    ("keys", "focused"),
    [
        (("down", "enter"), "theme-list"),
        (("right_square_bracket",), "theme-list"),
        (("right_square_bracket", "right_square_bracket"), "keys-list"),
        (("left_square_bracket",), "folders-export"),
    ],
)
async def test_a_page_that_was_chosen_has_the_focus(keys: tuple[str, ...], focused: str) -> None:
    """Whether by its name or by the keys of the next and the page before."""
    app = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await settings(pilot, "endpoints")
        screen.query_one("#settings-nav").focus()
        await pilot.press(*keys)
        await until(pilot, lambda: app.focused is not None and app.focused.id == focused)
        assert screen.page.id == {"theme-list": "page-theme", "keys-list": "page-keys"}.get(focused, "page-folders")
