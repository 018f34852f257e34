"""Where room is scarce: names that can be told apart, whole words, digits that stay, panels that make room."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import enclosed, frozen_lake_4x4
from test_tui_explorer import chain
from textual.app import App
from tui_support import explorer, lake_app, text_of

from engine.figures import counted
from engine.mdp.environment import bare_environment
from engine.oracle.numbers import Numbers
from engine.oracle.tri import Tri
from engine.reports.words import number
from tui.explorer.columns import VARIABLE, columns_of
from tui.explorer.findings import Findings
from tui.explorer.flags import fitting, flags_of
from tui.explorer.layers import layers_of
from tui.explorer.numerals import LEAST_WIDTH, Figures
from tui.explorer.tile_text import text_room, tile_text, within_tile
from tui.explorer.tiles import Tiles
from tui.screens.help import SIGNS
from tui.services.preview import Square
from tui.text import distinct, shorten_list
from tui.widgets.actions_panel import ActionsPanel
from tui.widgets.picture import Picture
from tui.widgets.preview_panel import tile_of
from tui.widgets.state_table import StateTable

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from engine.oracle.facts import Oracle
    from tui.explorer.columns import TableColumn

LAKE = frozen_lake_4x4()
LONG = ("release_all_water_now", "release_all_water_later", "hold", "start_pumping_to_the_upper_reservoir_at_night")


def with_actions(names: tuple[str, ...]) -> Oracle:
    """Return the lake with other names for left, down, right, up."""
    return replace(LAKE, mdp=replace(LAKE.mdp, action_names=(*names, "stay")))


def column(oracle: Oracle, key: str) -> TableColumn:
    """Return a column by its key."""
    return next(each for each in columns_of(oracle) if each.key == key)


@given(st.lists(st.text("ab_é", min_size=1, max_size=12), min_size=1, max_size=6, unique=True), st.integers(1, 12))
def test_cut_names_fit_and_are_cut_only_where_they_must(names: list[str], width: int) -> None:
    """No text is wider than its room, and a name that fits is whole."""
    cuts = distinct(names, width)
    assert len(cuts) == len(names)
    for name, cut in zip(names, cuts, strict=True):
        assert len(cut) <= width
        assert len(name) > width or cut == name


@pytest.mark.parametrize(
    ("names", "width", "cuts"),
    [
        (("release", "start"), 8, ["release", "start"]),
        (("release_all", "hold"), 8, ["release…", "hold"]),
        (("release_a", "release_b"), 8, ["releas…a", "releas…b"]),
        (("release_one", "release_two"), 8, ["releas…e", "releas…o"]),
        (("start_aa_x", "start_ab_x"), 8, ["star…a_x", "star…b_x"]),
    ],
)
def test_names_with_the_same_beginning_are_cut_in_the_middle(
    names: tuple[str, ...], width: int, cuts: list[str]
) -> None:
    """The end goes first; where that leaves two names alike, so much of the middle goes that they differ."""
    assert distinct(names, width) == cuts


@given(st.lists(st.text("abc", min_size=1, max_size=8), max_size=5), st.integers(1, 20))
def test_lists_lose_whole_words(words: list[str], width: int) -> None:
    """A list that is cut ends in an ellipsis after a whole word, unless not even the first word fits."""
    text = shorten_list(words, width)
    assert len(text) <= width
    if text != " ".join(words) and text.endswith(" …"):
        shown = text.removesuffix(" …").split(" ")
        assert shown == words[: len(shown)]


@pytest.mark.parametrize("wide", [False, True])
async def test_actions_can_be_told_apart(*, wide: bool) -> None:
    """At 80×24 bars go before names; what is cut differs; the full name of the open action stands below it."""
    app = lake_app(oracle=with_actions(LONG))
    async with app.run_test(size=(120, 40) if wide else (80, 24)) as pilot:
        screen = await explorer(pilot)
        panel = screen.query_one(ActionsPanel)
        lines = [line.plain for line in panel._lines]
        heads = [lines[at].split()[0] for at in sorted(panel._headings)]
        assert len(set(heads)) == len(heads) == 4
        assert sum("14/17" in lines[at] for at in panel._headings) == 4
        assert any("tied" in lines[at] for at in panel._headings)
        for choice in LAKE.mdp.choices_of(0):
            panel.move_to(next(at for at, each in panel._headings.items() if each == choice))
            await pilot.pause()
            shown = "".join(panel.render_line(y).text.rstrip(" ┃│").strip() for y in range(panel.size.height))
            assert LONG[LAKE.mdp.action[choice]] in shown


def test_undecided_best_actions_are_named() -> None:
    """What bounds leave open is marked ≈ in the table as on the command line; never a dash, never left out."""
    sound = enclosed(LAKE, 1e-3)
    best = column(sound, "best")
    open_states = [
        state
        for state in range(16)
        if any(sound.facts.best[choice] == Tri.UNDECIDED for choice in sound.mdp.choices_of(state))
    ]
    assert open_states
    for state in open_states:
        choices = sound.mdp.choices_of(state)
        text = best.text(state, Figures(8))
        if all(sound.facts.best[choice] == Tri.UNDECIDED for choice in choices):
            assert text == "undecided"
        else:
            assert "≈" in text


def test_variables_come_first_and_danger_only_where_it_is_defined() -> None:
    """Few variables stand right after the number, many behind the facts; without danger there is no column for it."""
    assert [each.key for each in columns_of(LAKE)][:4] == ["state", VARIABLE + "pos", "V", "D"]
    many = {f"a_long_variable_{place}": np.arange(16) for place in range(9)}
    crowded = replace(LAKE, mdp=replace(LAKE.mdp, valuations=many))
    keys = [each.key for each in columns_of(crowded)]
    assert keys[:5] == ["state", "V", "D", "best", "facts"]
    assert keys[5:] == [VARIABLE + name for name in many]
    assert "D" not in [each.key for each in columns_of(chain(40))]


def test_columns_are_as_wide_as_their_numbers() -> None:
    """Ones and halves take three columns; of many numbers a sample decides, and one that is wider is cut, not lost."""
    halves = Numbers.from_exact([LAKE.facts.value.at(15)] * 15 + [LAKE.facts.value.at(15) / 2])
    narrow = column(replace(LAKE, facts=replace(LAKE.facts, value=halves)), "V")
    assert narrow.width(Figures(14)) == len("1/2")
    assert narrow.text_in(15, Figures(14), 3) == "1/2"
    assert column(LAKE, "V").text_in(0, Figures(14), 2) == "…"
    assert column(LAKE, "D").text_in(13, Figures(14), LEAST_WIDTH) in {"1/14", "0.071…"}


@given(state=st.integers(0, 15), width=st.integers(1, 30))
def test_flags_are_never_cut_within_a_word_that_fits(state: int, width: int) -> None:
    """Words, else short words, else as many as fit: what is shown are words of the state."""
    flags = flags_of(LAKE)
    text = fitting(flags, state, width)
    assert len(text) <= width
    known = {word for flag in flags for word in (*flag.word.split(), flag.short)}
    if width >= max((len(flag.short) for flag in flags), default=0) + 2:
        assert set(text.split()) <= known | {"…"}


def test_every_short_word_is_explained_in_help() -> None:
    """What stands for longer words where room is scarce has a line in the help."""
    signs = {word.strip() for sign, _ in SIGNS for word in sign.split(",")}
    assert {flag.short for flag in flags_of(LAKE) if flag.short not in flag.word} - {"init"} <= signs
    assert {"dead", "neck", "tied", "only"} <= signs


async def test_a_column_at_the_edge_ends_in_an_ellipsis() -> None:
    """State 14 is a bottleneck, at every width in a whole word or not at all; what is cut ends in an ellipsis."""
    app = lake_app()
    for width in range(80, 100, 3):
        async with app.run_test(size=(width, 24)) as pilot:
            screen = await explorer(pilot)
            table = screen.query_one(StateTable)
            line = table.render_line(15).text.rstrip()
            assert line.split()[:4] == ["14", "14", "16/17", "1/28"]
            rest = line.split()[4:]
            assert set(rest) <= {"bottleneck", "neck", "down", "…", "d…", "do…"}, (width, line)
        app = lake_app()


async def test_the_table_begins_at_the_selected_start() -> None:
    """A start that is not among the first rows is in sight when the model opens."""
    line = chain(200)
    app = lake_app(oracle=replace(line, mdp=replace(line.mdp, initial=np.array([150]))))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        table = screen.query_one(StateTable)
        await pilot.pause(0.1)
        assert table.scroll_offset.y <= 150 < table.scroll_offset.y + table.size.height
        assert any(row.split()[:1] == ["150"] for row in text_of(app).splitlines())


@given(st.floats(0, 2000), st.integers(3, 9))
def test_tiles_round_within_their_room(value: float, width: int) -> None:
    """A tile's text fits; a number is as near as its last digit says; two digits always fit into three columns."""
    text = tile_text(value, width)
    assert len(text) <= max(width, 3)
    if text not in {"…", ">0", "<1"}:
        digits = len(text.partition(".")[2])
        assert abs(float(text) - value) <= 0.51 * 10**-digits or "e" in text or len(text) <= 4
    if 1 < value < 99.4:
        assert text != "…" or round(value) == 1


@pytest.mark.parametrize("value", [10.0, 13.0, 14.0, 99.0])
def test_two_digits_fit_into_the_narrowest_tile(value: float) -> None:
    """The costs of Cliff Walking's upper row, 10 to 14, are written out in tiles of three columns."""
    assert tile_text(value, text_room(3)) == f"{value:g}"


@pytest.mark.parametrize("width", [3, 4, 5, 7, 9])
@pytest.mark.parametrize("value", [14 / 17, 0.999, 13.0, 0.0])
def test_the_start_screen_says_what_the_explorer_says(width: int, value: float) -> None:
    """A tile of the preview reads as the same tile of the picture."""
    layer = layers_of(LAKE, Findings())[0]
    shown = replace(layer, values=np.array([value]))
    assert shown.key == "V"
    assert tile_of(Square("", value, 0.5), width) == within_tile(partial(tile_text, value), width)
    assert tile_of(Square("S", value, 0.5), width) == "S"


class PictureApp(App[None]):
    """A picture of twelve tiles in 36 columns: three each."""

    def compose(self) -> ComposeResult:
        """Create it."""
        yield Picture(id="picture")


@pytest.mark.parametrize("colours", [True, False])
async def test_the_selected_tile_keeps_its_point(*, colours: bool) -> None:
    """In tiles of three columns 0.82 reads .8 with a gap to the next tile, also under the cursor, in reverse video."""
    states = np.arange(12)
    tiles = Tiles(1, 12, states, np.ones(12, dtype=np.int64), {11: "G"}, (), None, states)
    layer = replace(
        layers_of(LAKE, Findings())[0], values=np.full(12, 14 / 17), text=lambda _, room: tile_text(14 / 17, room)
    )
    app = PictureApp()
    app.no_color = not colours
    async with app.run_test(size=(36, 4)):
        picture = app.query_one(Picture)
        picture.show_tiles(tiles)
        picture.show_layer(layer)
        picture.state = 3
        strip, gap = picture.render_line(0), " " if colours else "█"
        assert strip.text.startswith(f"{gap}.8" * 11)
        assert strip.text[33:].strip() == "G"
        reverse = [segment.text for segment in strip if segment.style is not None and segment.style.reverse]
        assert reverse == [f"{gap}.8"]
        picture.state = 11
        assert picture.render_line(0).text.endswith("▸G◂")


def test_thousands_have_commas_everywhere() -> None:
    """Counts are written in one way in the app, on the command line and in reports."""
    assert counted(1_258_240, "state") == "1,258,240 states"
    assert number(1_258_240) == "1,258,240"


async def test_a_picture_without_a_layout_takes_no_room() -> None:
    """The state panel begins where the picture would have been."""
    app = lake_app(oracle=replace(LAKE, environment=bare_environment(LAKE.environment.model)))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        assert not screen.query_one(Picture).display
        assert screen.query_one(ActionsPanel).size.height > 20
