"""Dialogs: each has help, shows its own keys at the bottom, and lists no key that does nothing there."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

import pytest
from reference import frozen_lake_4x4
from textual.screen import ModalScreen
from tui_support import FakeServices, explorer, lake_app, text_of
from waiting import until

import tui.screens
from engine.appearance import Appearance
from engine.errors import UsageError
from engine.settings import Settings
from tui.actions.offered import bound, offered
from tui.asking.asking_services import ExplainerOffer
from tui.screens.categories import CategoriesScreen
from tui.screens.dialog import Dialog
from tui.screens.endpoint import EndpointScreen
from tui.screens.explainer import ExplainerScreen
from tui.screens.explainers import ExplainersScreen
from tui.screens.export import ExportScreen
from tui.screens.help import HelpScreen
from tui.screens.message import FailureScreen
from tui.screens.note import NoteScreen
from tui.screens.plots import PlotsScreen
from tui.screens.prompt import PromptScreen
from tui.screens.small import SmallScreen
from tui.screens.tool import UNUSED, ToolScreen
from tui.screens.tour import TourScreen
from tui.screens.welcome import WelcomeScreen
from tui.widgets.key_footer import KeyFooter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.pilot import Pilot

    from tui.app import ExplorerApp

    How = Callable[[ExplorerApp], ModalScreen[Any]]

BY_KEY = ("o", "v", "f", "colon", "apostrophe", "y", "R", "w", "P", "x", "D")
"""Keys of the explorer that open a dialog: objective, columns, filters, jump, bookmarks, copy, runs, what if, …"""
MADE: tuple[How, ...] = (
    lambda _: EndpointScreen("", Settings()),
    lambda app: ExplainerScreen(app.services.check_explainer),
    lambda app: ExplainersScreen(app.services, ("random",)),
    lambda _: PromptScreen("You know the lake.", "Which action?", None),
    lambda app: CategoriesScreen(app.services.asking.offers(frozen_lake_4x4(), (0,), ()), "best-action"),
    lambda _: ExportScreen("<svg/>", Appearance().export_folder),
    lambda _: FailureScreen(UsageError("it failed")),
    lambda _: NoteScreen("A note", "text", "copied"),
    lambda _: TourScreen("1", "text", top=False, seconds=None, last=False),
    lambda _: WelcomeScreen(),
)


def modals(kind: type[Any] = ModalScreen) -> Iterator[type[Any]]:
    """Yield every dialog of the app."""
    for module in pkgutil.iter_modules(tui.screens.__path__):
        importlib.import_module(f"tui.screens.{module.name}")
    for each in kind.__subclasses__():
        if each.__module__.startswith("tui.screens."):
            yield each
        yield from modals(each)


def test_every_dialog_is_one_of_a_kind() -> None:
    """All but help itself and the notice of a small terminal have help and a line of keys from the common base."""
    assert {each for each in modals() if not issubclass(each, Dialog)} == {HelpScreen, SmallScreen}


@pytest.mark.parametrize("kind", sorted(set(modals(ToolScreen)), key=str))
def test_tools_offer_what_they_do(kind: type[ToolScreen]) -> None:
    """Of the tools' common actions a dialog offers those that it, or what it is made of, has written."""
    screen = object.__new__(kind)
    written = {name for each in kind.__mro__ if each is not ToolScreen for name in vars(each)}
    for name in UNUSED:
        assert (ToolScreen.check_action(screen, name, ()) is not False) == (f"action_{name}" in written)


async def opened(pilot: Pilot[None], app: ExplorerApp, how: str | How) -> Any:
    """Open a dialog over the explorer."""
    if isinstance(how, str):
        await pilot.press(how)
    else:
        app.push_screen(how(app))
    await until(pilot, lambda: app.screen.is_modal and bool(app.screen.query(KeyFooter)))
    return app.screen


async def test_help_over_every_dialog_lists_keys_that_work_there() -> None:
    """Each listed action is bound, with a method, on the dialog, a widget of it, or with priority in the app."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        below = await explorer(pilot)
        ways: list[str | How] = [*BY_KEY, *MADE]
        for how in ways:
            dialog = await opened(pilot, app, how)
            nodes = [dialog, *dialog.walk_children()]
            keys = {key for node in nodes for binding in bound(node) for key in binding.key.split(",")}
            footer = dialog.query_one(KeyFooter)
            await until(pilot, lambda footer=footer: bool(footer.entries))  # type: ignore[misc]  # the default binds it
            assert footer.region.y == 23
            assert sum(entry.width for entry in footer.entries) <= 80
            assert "Help" in [entry.description for entry in footer.entries], dialog
            await pilot.press("f1")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            helped = app.screen
            assert isinstance(helped, HelpScreen)
            assert helped.listed
            for action in helped.listed:
                assert action.priority or set(action.keys.split(",")) <= keys, (dialog, action.id)
                assert any(hasattr(node, f"action_{action.action}") for node in (*nodes, app)), (dialog, action.id)
            await pilot.press("escape")
            await until(pilot, lambda dialog=dialog: app.screen is dialog)  # type: ignore[misc]  # the default binds it
            dialog.dismiss(None)
            await until(pilot, lambda: app.screen is below)


async def test_plots_list_no_keys_of_other_tools() -> None:
    """Plots has brackets to turn, and the sweep to run; it removes, writes, copies and switches nothing."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        dialog = await opened(pilot, app, "P")
        assert isinstance(dialog, PlotsScreen)
        tools = {action.id for action in offered(dialog) if action.group == "tool"}
        assert tools == {"tool.close", "tool.next", "tool.before"}
        await pilot.press("left_square_bracket")  # the sweep is the last of the plots
        tools = {action.id for action in offered(dialog) if action.group == "tool"}
        assert tools == {"tool.close", "tool.run", "tool.next", "tool.before"}
        foot = text_of(app).splitlines()[-1]
        assert "esc Close" in foot
        assert "a Ask" not in foot


async def test_the_palette_shows_no_keys_of_the_screen_below() -> None:
    """Its own line stands where that of the explorer was."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: bool(app.screen.is_modal and app.screen.query_one(KeyFooter).entries))
        await pilot.pause()
        line = text_of(app).splitlines()[-1]
        assert line.strip()
        assert "a Ask" not in line


@pytest.mark.parametrize("width", [50, 60, 70, 80])
async def test_the_footer_has_whole_entries_only(width: int) -> None:
    """Whatever the width, nothing is cut, and help is always there."""
    app = lake_app()
    async with app.run_test(size=(width, 24)) as pilot:
        screen = await explorer(pilot)
        footer = screen.query_one(KeyFooter)
        await until(pilot, lambda: bool(footer.entries))
        line = text_of(app).splitlines()[-1]
        assert line.split() == " ".join(f"{entry.shown} {entry.description}" for entry in footer.entries).split()
        assert line.rstrip().endswith("Help") or "? Help " in line


async def test_a_key_in_the_footer_is_pressed_by_the_mouse() -> None:
    """A click on an entry does what its key does: here help opens."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await until(pilot, lambda: "? Help" in text_of(app).splitlines()[-1])
        await pilot.click(offset=(text_of(app).splitlines()[-1].index("Help"), 23))
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))


async def test_the_palette_has_every_model_that_endpoints_list() -> None:
    """One that an endpoint lists only while the palette is open is found by the text that stands there already."""
    services = FakeServices()
    services.asking.offered = (ExplainerOffer("mine:hostile"), ExplainerOffer("gone:MODEL", "no server", ready=False))
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("ctrl+p")
        await pilot.press(*"hostile")
        await until(pilot, lambda: "Explainer: mine:hostile" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.explainer == "mine:hostile")
        await pilot.press("ctrl+p")
        await pilot.press(*"gone")
        await until(pilot, lambda: "No matches found" in text_of(app))
