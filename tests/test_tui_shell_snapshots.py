"""What start, settings, welcome and tour look like, at 80×24 and at 120×40, dark, light and in sixteen colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tui_support import FakeServices, text_of, until

from engine.recent import RecentModel, remember_model, remember_tour
from tui.app import ExplorerApp
from tui.screens.tour import TourScreen
from tui.tour.tour_script import SCRIPT
from tui.widgets.entry_list import EntryList
from tui.widgets.settings_list import SettingsList

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    Snap = Callable[..., bool]

SIZES = {"small": (80, 24), "large": (120, 40)}
THEMES = {"dark": "storm-dark", "light": "storm-light", "sixteen": "sixteen"}
EVERYWHERE = pytest.mark.parametrize(
    ("size", "theme"),
    [(size, theme) for size in SIZES.values() for theme in THEMES.values()],
    ids=[f"{size}-{theme}" for size in SIZES for theme in THEMES],
)


@pytest.fixture(autouse=True)
def _own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each picture folders of its own, with one recent file."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    remember_tour()
    remember_model(RecentModel("/models/consensus.prism", (("N", "6"), ("K", "2")), None, "consensus", 1_258_240))


def app_in(theme: str) -> ExplorerApp:
    """Return the app at its start screen."""
    return ExplorerApp(None, services=FakeServices(), theme=theme)


async def look(pilot: Pilot[Any]) -> None:
    """Put the cursor on Frozen Lake and wait for its picture."""
    await until(pilot, lambda: bool(pilot.app.screen.query(EntryList)))
    listed = pilot.app.screen.query_one(EntryList)
    await until(pilot, lambda: bool(listed.option_count))
    ids = [option.id or "" for option in listed.options]
    listed.highlighted = next(at for at, name in enumerate(ids) if name.startswith("ENVIRONMENT:frozen_lake"))
    await until(pilot, lambda: "14/17" in text_of(pilot.app))


def settings_at(page: str, shows: str) -> Callable[[Pilot[Any]], Any]:
    """Return what to do before the picture: open the settings at a page."""

    async def run(pilot: Pilot[Any]) -> None:
        await look(pilot)
        await pilot.press("f3")
        await until(pilot, lambda: bool(pilot.app.screen.query("#settings-nav")))
        listed = pilot.app.screen.query_one("#endpoints-list", SettingsList)
        await until(pilot, lambda: listed.option_count > 0)
        nav = pilot.app.screen.query_one("#settings-nav", SettingsList)
        nav.highlighted = nav.get_option_index(f"page-{page}")
        await until(pilot, lambda: shows in text_of(pilot.app))

    return run


@EVERYWHERE
def test_start(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """The list, and a look at Frozen Lake."""
    assert snap_compare(app_in(theme), terminal_size=size, run_before=look)


@EVERYWHERE
def test_settings_endpoints(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """The endpoints that come with stormscope."""
    run = settings_at("endpoints", "the packaged model")
    assert snap_compare(app_in(theme), terminal_size=size, run_before=run)


@EVERYWHERE
def test_settings_keys(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """The keys, by place."""
    assert snap_compare(app_in(theme), terminal_size=size, run_before=settings_at("keys", "Show all keys."))


@EVERYWHERE
def test_tour(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """A caption of the tour over the start screen."""

    async def run(pilot: Pilot[Any]) -> None:
        await look(pilot)
        step = SCRIPT[0]
        await pilot.app.push_screen(TourScreen(step.title, step.text, top=step.top, seconds=None, last=False))
        await pilot.pause()

    assert snap_compare(app_in(theme), terminal_size=size, run_before=run)


@pytest.mark.parametrize("theme", ["high-contrast", "colour-blind", "presentation"])
def test_settings_theme(snap_compare: Snap, theme: str) -> None:
    """The themes that no other picture has, with their own sample."""

    async def run(pilot: Pilot[Any]) -> None:
        await settings_at("theme", "selected line")(pilot)
        # The hint names the folder of this run.
        pilot.app.screen.query_one("#page-theme .page-hint").display = False
        await pilot.pause()

    assert snap_compare(app_in(theme), terminal_size=(80, 24), run_before=run)


def test_welcome(snap_compare: Snap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The offer of a first start."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "fresh"))

    async def run(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "Take the tour" in text_of(pilot.app))
        await until(pilot, lambda: "V(start)" in text_of(pilot.app))

    assert snap_compare(app_in("storm-dark"), terminal_size=(80, 24), run_before=run)
