"""What the screens look like, at 80×24 and at 120×40, dark and light."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from reference import enclosed, frozen_lake_4x4
from textual.widgets import Input, TextArea
from tui_support import (
    FakeOpener,
    app_of,
    explorer,
    lake_app,
    text_of,
    until,
)

from engine.errors import UsageError
from engine.mdp.constants import Constant
from engine.mdp.environment import TextLayout, bare_environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from engine.oracle.facts import Oracle
    from tui.services.models import ModelSettings

    Snap = Callable[..., bool]

SMALL, LARGE = (80, 24), (120, 40)
EVERYWHERE = pytest.mark.parametrize(
    ("size", "theme"),
    [(size, theme) for size in (SMALL, LARGE) for theme in ("storm-dark", "storm-light", "sixteen")],
    ids=[f"{size}-{theme}" for size in ("small", "large") for theme in ("dark", "light", "sixteen")],
)


def after(*keys: str, shows: str) -> Callable[[Pilot[Any]], Any]:
    """Return what to do before the picture is taken: open, press the keys, wait for a text."""

    async def run(pilot: Pilot[Any]) -> None:
        await explorer(pilot)
        await pilot.press(*keys)
        await until(pilot, lambda: shows in text_of(pilot.app))
        await until(pilot, lambda: not any(screen.query("Button.-active") for screen in pilot.app.screen_stack))

    return run


@EVERYWHERE
def test_explorer(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """The explorer with state 14 selected: a bottleneck whose best action is neither first nor last."""
    run = after("end", "k", shows="16/17 = 0.941176…")
    assert snap_compare(lake_app(theme=theme), terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
def test_help(snap_compare: Snap, size: tuple[int, int]) -> None:
    """Help over the explorer."""
    run = after("question_mark", shows="Select the next state.")
    assert snap_compare(lake_app(), terminal_size=size, run_before=run)


BOTH = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
CONSTANTS = (
    Constant("map", "int", "side of the lake: 4 or 8", "4", ("4", "8")),
    Constant("slip", "double", "probability of slipping, to each of the two sides; 0 makes the ice grippy", "1/3"),
    Constant("safe", "bool"),
)
OBJECTIVES = {"default": 'Pmax=? [F "goal"]', "steps": 'R{"steps"}min=? [F "goal"]', "soon": 'Pmax=? [F<=20 "goal"]'}


def no_blinking(pilot: Pilot[Any]) -> None:
    """Keep cursors still: a picture is taken at any moment."""
    for field in pilot.app.screen.query("Input, TextArea"):
        field.cursor_blink = False  # type: ignore[attr-defined]  # both have it


@EVERYWHERE
def test_text_picture(snap_compare: Snap, tmp_path: Path, size: tuple[int, int], theme: str) -> None:
    """A state drawn as text beside the others of its model."""
    (tmp_path / "picture.j2").write_text(
        "a pond of {{ constants.map }} tiles\n┌────┐\n│ {{ '%2d' | format(state.pos) }} │\n└────┘"
    )
    lake = frozen_lake_4x4()
    changes = {"folder": tmp_path, "layout": TextLayout(kind="text")}
    drawn = replace(lake, environment=lake.environment.model_copy(update=changes))
    run = after("end", "k", shows="│ 14 │")
    assert snap_compare(lake_app(oracle=drawn, theme=theme), terminal_size=size, run_before=run)


@BOTH
def test_objective_form(snap_compare: Snap, size: tuple[int, int]) -> None:
    """The environment's objectives, another property, and what the oracle says about it."""

    def refuse(settings: ModelSettings, *_: object) -> Oracle:
        if settings.objective is not None:
            raise UsageError("syntax error", where="Pmax=? [F nope (column 10)", hint="write labels in double quotes")
        return frozen_lake_4x4()

    async def run(pilot: Pilot[Any]) -> None:
        await explorer(pilot)
        await pilot.press("o")
        await until(pilot, lambda: bool(pilot.app.screen.query("#objective-text")))
        no_blinking(pilot)
        pilot.app.screen.query_one("#objective-text", Input).value = "Pmax=? [F nope"
        await pilot.press("tab", "enter")
        await until(pilot, lambda: "syntax error" in text_of(pilot.app))
        pilot.app.screen.query_one("#objective-list").focus()
        await pilot.pause()

    assert snap_compare(app_of(FakeOpener(refuse, objectives=OBJECTIVES)), terminal_size=size, run_before=run)


@BOTH
def test_constants_form(snap_compare: Snap, size: tuple[int, int]) -> None:
    """Constants of a model that is not open yet: one is wrong, one is missing."""

    async def run(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: bool(pilot.app.screen.query("ConstantField")))
        no_blinking(pilot)
        pilot.app.screen.query("ConstantField Input").first(Input).value = "5"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "safe needs a value" in text_of(pilot.app))
        pilot.app.screen.query_one("#form-send").focus()
        await pilot.pause()

    opener = FakeOpener(lambda *_: frozen_lake_4x4(), constants=CONSTANTS, title="lake.prism")
    assert snap_compare(app_of(opener), terminal_size=size, run_before=run)


@BOTH
def test_words_form(snap_compare: Snap, size: tuple[int, int]) -> None:
    """A model in the user's words."""

    async def run(pilot: Pilot[Any]) -> None:
        await explorer(pilot)
        await pilot.press("e")
        await until(pilot, lambda: bool(pilot.app.screen.query("#words-description")))
        no_blinking(pilot)
        pilot.app.screen.query_one("#words-description", TextArea).text = "A frozen lake with holes.\nIt is slippery."
        pilot.app.screen.query_one("#words-goal", Input).value = "reaching the other shore"
        pilot.app.screen.query_one("#form-send").focus()
        await pilot.pause()

    assert snap_compare(lake_app(), terminal_size=size, run_before=run)


def test_filter_error(snap_compare: Snap) -> None:
    """An expression that does not parse, explained below the input."""

    async def run(pilot: Pilot[Any]) -> None:
        screen = await explorer(pilot)
        typed = screen.query_one(Input)
        typed.cursor_blink = False
        typed.value = "pos >"
        await pilot.press("slash", "enter")
        await until(pilot, lambda: "the expression is incomplete" in text_of(pilot.app))

    assert snap_compare(lake_app(), terminal_size=SMALL, run_before=run)


def test_sound_mode_without_layout(snap_compare: Snap) -> None:
    """Enclosed numbers, undecided actions, and no picture: the other panels have its room."""
    lake = enclosed(frozen_lake_4x4(), 1e-3)
    bare = replace(lake, environment=bare_environment(lake.environment.model))

    async def run(pilot: Pilot[Any]) -> None:
        await explorer(pilot)

    assert snap_compare(lake_app(oracle=bare), terminal_size=SMALL, run_before=run)
