"""Themes: every packaged one is readable, a broken one is skipped, and the terminal chooses the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from tui_support import explorer, lake_app, text_of, until

import themes
from engine.appearance import Appearance, Preferences
from tui.app import ExplorerApp
from tui.appearance.themes import first_theme, load_themes
from tui.explorer.colours import contrast
from tui.explorer.uncoloured import Uncoloured

if TYPE_CHECKING:
    from pathlib import Path

NAMED = ["storm-dark", "storm-light", "high-contrast", "colour-blind", "presentation", "sixteen"]
LEAST = {"high-contrast": 7.0, "presentation": 7.0}
BODY_TEXT = 4.5
"""WCAG 2.2, success criteria 1.4.3 and, for the themes of large contrast, 1.4.6."""


def test_all_themes_are_there() -> None:
    """The packaged themes load, and none is skipped."""
    loaded, skipped = load_themes()
    assert (set(loaded), skipped) == (set(NAMED), [])
    assert set(themes.packaged()) == set(NAMED)


@pytest.mark.parametrize("name", [name for name in NAMED if name != "sixteen"])
def test_texts_are_readable(name: str) -> None:
    """Text, headings and verdicts stand out from every layer that they are drawn on."""
    theme = load_themes()[0][name]
    least = LEAST.get(name, BODY_TEXT)
    for layer in (theme.background, theme.surface):
        for colour in (theme.foreground, theme.primary, theme.accent, theme.success, theme.warning, theme.error):
            assert contrast(Color.parse(colour or ""), Color.parse(layer or "")) >= least
    for cursor in ("block-cursor", "block-cursor-blurred"):
        pair = (theme.variables[f"{cursor}-foreground"], theme.variables[f"{cursor}-background"])
        assert contrast(*map(Color.parse, pair)) >= BODY_TEXT


def test_verdicts_differ_for_every_colour_vision() -> None:
    """In the theme for it, pass and fail differ in blue against yellow, which red-green blindness leaves alone."""
    theme = load_themes()[0]["colour-blind"]
    passed, failed = Color.parse(theme.success or ""), Color.parse(theme.error or "")
    assert passed.b - passed.r > 100
    assert failed.r - failed.b > 100


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"TERM": "xterm-256color"}, "storm-dark"),
        ({"TERM": "screen-256color"}, "storm-dark"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "storm-dark"),
        ({"TERM": "xterm-kitty"}, "storm-dark"),
        ({}, "storm-dark"),
        ({"TERM": "dumb", "TERM_PROGRAM": "textual"}, "storm-dark"),
        ({"TERM": "xterm"}, "sixteen"),
        ({"TERM": "linux"}, "sixteen"),
        ({"TERM": "screen"}, "sixteen"),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, "sixteen"),
    ],
)
def test_the_terminal_chooses_the_first_theme(variables: dict[str, str], name: str) -> None:
    """Few colours, or none, take the terminal's own; a browser has all colours whatever the server's terminal is."""
    assert first_theme(variables) == name


async def test_a_broken_theme_is_said_and_skipped(tmp_path: Path) -> None:
    """The user's good theme is used, each bad one is named with what is wrong, and the app runs."""
    (tmp_path / "mine.toml").write_text('dark = true\nprimary = "#ff0000"\n')
    (tmp_path / "colour.toml").write_text('dark = true\nprimary = "reddish"\n')
    (tmp_path / "field.toml").write_text('dark = true\nprimary = "red"\nprimray = "red"\n')
    (tmp_path / "toml.toml").write_text("dark =\n")
    app = ExplorerApp(None, theme_folders=(tmp_path,), preferences=Preferences(Appearance(theme="mine")))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.pause(0.2)
        assert app.theme == "mine"
        assert any("settings and themes" in notification.message for notification in app._notifications)
        said = " ".join(app.left_out)
        for part in ("colour.toml: primary: 'reddish' is no colour", "field.toml: primray", "toml.toml: "):
            assert part in said


async def test_an_unknown_theme_is_said() -> None:
    """A theme of the settings that is gone leaves one that the terminal can show."""
    app = ExplorerApp(None, preferences=Preferences(Appearance(theme="gone")))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.pause(0.2)
        assert app.theme in NAMED
        assert any("no theme named gone" in problem for problem in app.left_out)
        assert any("settings and themes" in notification.message for notification in app._notifications)


async def test_sixteen_draws_no_other_colours() -> None:
    """In the theme of the terminal's own colours no cell of the forms and lists around the picture has another one."""
    app = ExplorerApp(None, theme="sixteen")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f3")
        await until(pilot, lambda: "Endpoints" in text_of(app))
        strips = app.screen._compositor.render_strips()
        styles = [segment.style for strip in strips for segment in strip if segment.style is not None]
        colours = [colour for style in styles for colour in (style.color, style.bgcolor) if colour is not None]
        assert colours
        assert [colour for colour in colours if colour.triplet is not None] == []


async def test_the_palette_has_themes_environments_and_explainers() -> None:
    """Every theme, environment and explainer can be found by typing, and the search field bears no emoji."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        titles = {command.title for command in app.get_system_commands(app.screen)}
        assert {"Theme: sixteen", "Open: dam", "Explainer: random", "Everywhere: Settings"} <= titles
        await pilot.press("ctrl+p")
        await pilot.press(*"wolf")
        await until(pilot, lambda: "Open: wolf_goat_cabbage" in text_of(app))
        assert all(ord(sign) < 0x1F000 for sign in text_of(app))


def test_without_colours_a_coloured_background_is_reversed() -> None:
    """Colours go, attributes stay, and what had a background is in reverse video."""
    line = [
        Segment("a", Style.parse("bold red")),
        Segment("b", Style.parse("white on blue")),
        Segment("c", Style.parse("dim default on default")),
        Segment("d"),
    ]
    styles = [segment.style for segment in Uncoloured().apply(line, Color(0, 0, 0))]
    assert styles == [Style(bold=True), Style(reverse=True), Style(dim=True), None]
