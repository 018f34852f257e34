"""Pictures of states: text from an environment's template, and tiles that several states share."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import frozen_lake_4x4
from tui_support import explorer, lake_app, text_of, until

from engine.mdp.environment import GridLayout, TextLayout
from engine.mdp.sources import find_model
from engine.oracle.client import open_oracle
from tui.explorer.drawing import MAX_LINE, MAX_LINES, Drawing
from tui.explorer.nearest import Nearest
from tui.widgets.picture import SHARED, Picture
from tui.widgets.text_picture import TextPicture

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.facts import Oracle


def drawn_by(template: str, folder: Path) -> Oracle:
    """Return Frozen Lake with a picture template."""
    (folder / "picture.j2").write_text(template)
    lake = frozen_lake_4x4()
    changes = {"folder": folder, "layout": TextLayout(kind="text")}
    return replace(lake, environment=lake.environment.model_copy(update=changes))


async def test_the_text_picture_follows_the_state(tmp_path: Path) -> None:
    """The template sees the state and the constants; every cursor key shows the new state's picture."""
    oracle = drawn_by("tile {{ state.pos }} of {{ constants.map * constants.map }}\nsecond line", tmp_path)
    app = lake_app(oracle=oracle)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        shown = text_of(app)
        assert "tile 0 of 16" in shown
        assert "second line" in shown
        for tile in (1, 2):
            await pilot.press("down")
            await until(pilot, lambda tile=tile: f"tile {tile} of 16" in text_of(app))


async def test_a_packaged_text_picture_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wolf, goat and cabbage start on the left bank, as the first line of their picture names it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    source = find_model("wolf_goat_cabbage")
    app = lake_app(oracle=open_oracle(source.request(), source.environment))
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        shown = text_of(app)
        assert "left bank │  river  │ right bank" in shown
        assert "cabbage   │~~~~~~~~~│" in shown


async def test_a_template_that_fails_is_explained_in_the_panel(tmp_path: Path) -> None:
    """A failure for one state names file and line there; the next state is drawn again."""
    oracle = drawn_by("first line\n{{ 1 // (state.pos - 1) }} at {{ state.pos }}", tmp_path)
    app = lake_app(oracle=oracle)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("down")
        await until(pilot, lambda: "This picture cannot be drawn." in text_of(app))
        assert "ZeroDivisionError" in text_of(app)
        assert ":2" in text_of(app)
        await pilot.press("down")
        await until(pilot, lambda: "1 at 2" in text_of(app))


@pytest.mark.parametrize("template", ["{{ unclosed", "{{ missing.name }}", "{% for %}"])
async def test_a_template_that_does_not_parse_leaves_the_rest_alone(template: str, tmp_path: Path) -> None:
    """The panel says so; table and actions work."""
    app = lake_app(oracle=drawn_by(template, tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        assert "This picture cannot be drawn." in text_of(app)
        await pilot.press("down")
        await until(pilot, lambda: screen.trail.current == 1)


async def test_hostile_pictures_stay_text(tmp_path: Path) -> None:
    """Control sequences, markup and endless lines of a template are drawn as visible text, within bounds."""
    oracle = drawn_by("\x1b[2J[bold]x[/]\u202e{{ 'y' * 90000 }}\n{{ '\n' * 90000 }}", tmp_path)
    lines = Drawing(oracle).lines(0)
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= MAX_LINE
    app = lake_app(oracle=oracle)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        assert "\ufffd[2J[bold]x[/]\ufffdyyy" in text_of(app)


async def test_slow_pictures_never_hold_up_the_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a picture takes long, the cursor moves on; the states that it passes are not drawn, the last one is."""
    drawn: list[int] = []

    def slow(_: Drawing, state: int) -> tuple[str, ...]:
        time.sleep(0.2)
        drawn.append(state)
        return (f"picture {state}",)

    monkeypatch.setattr(Drawing, "lines", slow)
    app = lake_app(oracle=drawn_by("never used", tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        for _ in range(10):
            app.simulate_key("down")
        await until(pilot, lambda: screen.trail.current == 10)
        await until(pilot, lambda: "picture 10" in text_of(app))
        assert screen.query_one(TextPicture).ready
    assert drawn[0] == 0
    assert drawn[-1] == 10
    assert len(drawn) < 8


async def test_a_shared_tile_shows_the_state_nearest_to_the_selected_one() -> None:
    """With all even tiles on one and all odd ones on another, the selected state stands for its own tile."""
    lake = frozen_lake_4x4()
    layout = GridLayout(kind="grid", rows="1", columns="2", row="0", column="mod(pos,2)")
    app = lake_app(oracle=replace(lake, environment=lake.environment.model_copy(update={"layout": layout})))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        picture = screen.query_one(Picture)
        assert picture.border_title == "V" + SHARED
        assert ".82" in text_of(app)
        await pilot.press(*["down"] * 6)
        await until(pilot, lambda: screen.trail.current == 6)
        await until(pilot, lambda: ".53" in text_of(app))
        assert ".82" in text_of(app)


@given(st.data(), st.integers(1, 12), st.integers(1, 4))
def test_nearest_states_by_definition(data: st.DataObject, states: int, tiles: int) -> None:
    """Each tile has a state with the least sum of scaled differences; the selected state stands for its own."""
    draw = data.draw
    tile = np.array(draw(st.lists(st.integers(-1, tiles - 1), min_size=states, max_size=states)))
    numbers = np.array(draw(st.lists(st.integers(0, 3), min_size=states, max_size=states)))
    truths = np.array(draw(st.lists(st.booleans(), min_size=states, max_size=states)))
    selected = draw(st.integers(0, states - 1))
    found = Nearest(tile, tiles, [numbers, truths]).states(selected)
    span = [int(numbers.max() - numbers.min()) or 1, int(truths.max()) - int(truths.min()) or 1]

    def distance(state: int) -> float:
        here = abs(int(numbers[state]) - int(numbers[selected])) / span[0]
        return here + abs(int(truths[state]) - int(truths[selected])) / span[1]

    for index in range(tiles):
        on_it = [state for state in range(states) if tile[state] == index]
        if index == tile[selected]:
            assert found[index] == selected
        elif on_it:
            assert distance(found[index]) == pytest.approx(min(map(distance, on_it)), abs=1e-5)
            assert found[index] in on_it
        else:
            assert found[index] == -1
