"""The state table as a person uses it: order, columns, decimals, marks, jumps, bookmarks, filters, copies."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import enclosed, frozen_lake_4x4
from test_tui_explorer import chain
from textual._compositor import Compositor
from textual.widgets import Input
from tui_support import explorer, lake_app, text_of, until

from engine.errors import CancelledError, StoreError
from tui.asking.asking_app import AskingApp
from tui.explorer.bookshelf import Shelf, place_of, read_shelf, shelf_file, state_at, write_shelf
from tui.explorer.columns import VARIABLE, columns_of, ordered
from tui.explorer.completion import candidates, completed, names_in
from tui.explorer.copying import MOST_BYTES, doubt, rows_csv, write_text
from tui.explorer.numerals import Figures
from tui.explorer.view import View, rows_of
from tui.screens.columns import ColumnsScreen
from tui.screens.copy import CopyScreen
from tui.screens.jump import JumpScreen
from tui.screens.shelves import BookmarksScreen, FiltersScreen
from tui.widgets.state_table import StateTable
from tui.widgets.states_pane import StatesPane

if TYPE_CHECKING:
    from pathlib import Path

    from textual.widget import Widget

    from tui.app import ExplorerApp

PROBABILITIES = st.fractions(min_value=0, max_value=1)


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep bookmarks and filters of one test from the next."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def rows(app: ExplorerApp) -> list[int]:
    """Return the states in the order of the table."""
    return [int(state) for state in app.screen.query_one(StateTable).states.rows]


def by_value(*, descending: bool) -> list[int]:
    """Return the lake's tiles by V as fractions, equal ones by number."""
    value = frozen_lake_4x4().facts.value
    return sorted(range(16), key=lambda s: (-value.at(s) if descending else value.at(s), s))


async def test_the_states_can_be_sorted_by_any_column_without_a_mouse() -> None:
    """After the number come pos and V; r turns round; the cursor stays on its state; the heading has an arrow."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press(*["down"] * 6, "greater_than_sign", "greater_than_sign")
        await until(pilot, lambda: rows(app) == by_value(descending=False))
        assert "V↑" in text_of(app)
        assert screen.trail.current == 6
        assert rows(app)[screen.query_one(StateTable).cursor_row] == 6
        await pilot.press("r")
        await until(pilot, lambda: rows(app) == by_value(descending=True))
        assert "V↓" in text_of(app)
        await pilot.press("less_than_sign", "less_than_sign")
        await until(pilot, lambda: rows(app) == list(range(16)))


async def test_a_click_on_a_heading_sorts() -> None:
    """As in every table: once upwards, again downwards."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        place = next(line.index(" V") + 1 for line in text_of(app).splitlines() if " state " in line)
        assert await pilot.click(StateTable, offset=(place, 0))
        await until(pilot, lambda: rows(app) == by_value(descending=False))
        assert await pilot.click(StateTable, offset=(place, 0))
        await until(pilot, lambda: rows(app) == by_value(descending=True))


async def test_filter_and_order_go_together() -> None:
    """A filter keeps the order, a new order keeps the filter, escape removes the filter only."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("greater_than_sign", "greater_than_sign", "r", "slash", *"pos>9", "enter")
        best = [state for state in by_value(descending=True) if state > 9]
        await until(pilot, lambda: rows(app) == best)
        await pilot.press("escape")
        await until(pilot, lambda: rows(app) == by_value(descending=True))


@pytest.mark.parametrize("known", [frozen_lake_4x4(), enclosed(frozen_lake_4x4(), 1e-3), chain(40)])
@given(data=st.data())
def test_every_column_orders_every_selection(known: object, data: st.DataObject) -> None:
    """A permutation of the selection, sorted by the column's key, undefined last either way, ties by number."""
    columns = columns_of(known)  # type: ignore[arg-type]  # an Oracle
    column = data.draw(st.sampled_from(columns))
    states = np.array(sorted(data.draw(st.sets(st.integers(0, 15), min_size=1))))
    descending = data.draw(st.booleans())
    found = ordered(column, states, descending=descending).tolist()
    assert sorted(found) == states.tolist()
    keys = np.asarray(column.order()).astype(float)
    defined = [state for state in found if not np.isnan(keys[state])]
    assert found[: len(defined)] == defined
    sign = -1 if descending else 1
    assert [(sign * keys[state], state) for state in defined] == sorted((sign * keys[s], s) for s in defined)


def test_a_million_states_are_ordered_by_what_is_exact() -> None:
    """Values that differ only beyond a double's digits are ordered by their fractions."""
    known = frozen_lake_4x4()
    value = known.facts.value
    near = Fraction(1, 3) + Fraction(1, 10**40)
    numbers = type(value).from_exact([near, Fraction(1, 3), *[Fraction(0)] * 14])
    assert numbers.floats[0] == numbers.floats[1]
    from dataclasses import replace  # noqa: PLC0415 - only here

    column = columns_of(replace(known, facts=replace(known.facts, value=numbers)))[2]
    assert ordered(column, np.array([0, 1]), descending=False).tolist() == [1, 0]


async def test_columns_are_sorted_hidden_and_shown_in_a_list() -> None:
    """The key v lists them with their meaning: space hides D, enter sorts by it all the same."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ColumnsScreen))
        assert "[x]   D" in text_of(app)
        await pilot.press("down", "down", "down", "space", "enter", "escape")
        await until(pilot, lambda: app.screen is screen)
        heading = next(line for line in text_of(app).splitlines() if " state " in line)
        assert " D" not in heading.split("V")[1].split("│")[0][:20]
        danger = frozen_lake_4x4().facts.danger
        assert danger is not None
        await until(pilot, lambda: rows(app) == sorted(range(16), key=lambda s: (danger.at(s), s)))
        await pilot.press("v", "home", "space", "escape")
        assert any(column.key == "state" for column in screen.query_one(StateTable).states.shown)


async def test_numbers_are_fractions_or_decimals_at_a_key() -> None:
    """The key d writes decimals in the table, the state and the actions, and fractions again."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        assert "14/17" in text_of(app)
        await pilot.press("d")
        await until(pilot, lambda: "14/17" not in text_of(app))
        assert text_of(app).count("0.8235") > 8
        await pilot.press("d")
        await until(pilot, lambda: "14/17" in text_of(app))


@given(PROBABILITIES, st.integers(min_value=6, max_value=20))
def test_decimals_fit_and_are_never_rounded_up(number: Fraction, width: int) -> None:
    """A decimal fits its width, is at most the number, and looks whole only where it is."""
    text = Figures(width, decimal=True).text(number)
    assert len(text) <= width
    shown = Fraction(text.removesuffix("…"))
    assert shown <= number
    assert text.endswith("…") == (shown != number)


async def test_marks_are_shown_counted_and_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """Space marks and unmarks; marked rows carry a star; a asks about the marked states; u forgets them."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        asked: list[tuple[int, ...]] = []
        monkeypatch.setattr(AskingApp, "on_explorer_screen_ask_requested", lambda _, event: asked.append(event.states))
        await pilot.press("space", "down", "down", "space", "down", "space", "space")
        pane = screen.query_one(StatesPane)
        assert pane.marks == (0, 2)
        shown = text_of(app)
        assert "*0" in shown
        assert "*2" in shown
        assert "*3" not in shown
        assert "2 marked" in shown
        await pilot.press("a", "u", "a")
        assert asked == [(0, 2), (3,)]
        assert "marked" not in text_of(app)


async def test_going_to_a_state_by_number_and_by_expression() -> None:
    """A colon asks; a number or s and a number goes there, an expression to the next match after the selected state."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("colon", *"s14", "enter")
        await until(pilot, lambda: screen.trail.current == 14)
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("colon", *'"unsafe"', "enter")
        await until(pilot, lambda: screen.trail.current == 5)
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("colon", "enter")
        await until(pilot, lambda: screen.trail.current == 7)


@pytest.mark.parametrize(("typed", "said"), [("99", "no state 99"), ("pos>99", "no state"), ("nope=1", "nope")])
async def test_a_state_that_is_not_there_is_explained(typed: str, said: str) -> None:
    """The dialog stays with what is wrong, and nothing is selected."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(app.screen, JumpScreen))
        app.screen.query_one(Input).value = typed
        await pilot.press("enter")
        await until(pilot, lambda: said in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert screen.trail.current == 0


async def test_bookmarks_lead_back_and_stay_for_the_next_session() -> None:
    """B sets one, the list goes there, x removes it; another app on the same model finds it."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("end", "k", "B", "home", "apostrophe")
        await until(pilot, lambda: isinstance(app.screen, BookmarksScreen))
        assert "pos=14" in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: screen.trail.current == 14)
    assert read_shelf("frozen_lake").bookmarks == ((("pos", 14),),)
    later = lake_app()
    async with later.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("apostrophe")
        await until(pilot, lambda: "pos=14" in text_of(later))
        await pilot.press("x")
        await until(pilot, lambda: "None yet" in text_of(later))
    assert read_shelf("frozen_lake") == Shelf()


async def test_a_filter_is_saved_and_used_again() -> None:
    """The key f saves the present filter; later it is one enter away; x removes it."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("slash", *"pos>12", "enter")
        await until(pilot, lambda: rows(app) == [13, 14, 15])
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FiltersScreen))
        assert "+ save  pos>12" in text_of(app)
        await pilot.press("enter", "escape", "escape")
        await until(pilot, lambda: len(rows(app)) == 16)
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FiltersScreen))
        await pilot.press("enter")
        await until(pilot, lambda: rows(app) == [13, 14, 15])
        assert app.screen.query_one("#filter-input", Input).value == "pos>12"
        await pilot.press("f", "x", "escape")
    assert read_shelf("frozen_lake").filters == ()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"m": 3}', '{"m": {"filters": [1], "bookmarks": [true, -1, {}]}}'])
def test_a_broken_shelf_is_an_empty_one(content: str) -> None:
    """A file that is no shelf keeps nobody from working, and the next bookmark mends it."""
    shelf_file().parent.mkdir(parents=True)
    shelf_file().write_text(content)
    assert read_shelf("m") == Shelf()
    write_shelf("m", Shelf(("pos=1",), (3,)))
    assert read_shelf("m") == Shelf(("pos=1",), (3,))
    assert json.loads(shelf_file().read_text())["m"]["bookmarks"] == [3]


def test_a_shelf_that_cannot_be_written_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the file; nothing half-written stays."""
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "taken"))
    with pytest.raises(StoreError, match="cannot be kept"):
        write_shelf("m", Shelf())


def test_bookmarks_find_their_state_by_valuation() -> None:
    """Every state of the lake is found again, a place of another model is not; numbers are for models without any."""
    mdp = frozen_lake_4x4().mdp
    assert [state_at(mdp, place_of(mdp, state)) for state in range(16)] == list(range(16))
    assert state_at(mdp, (("pos", 99),)) is None
    assert state_at(mdp, (("other", 1),)) is None
    assert state_at(mdp, 3) is None


async def test_a_row_is_copied_in_full_through_osc_52() -> None:
    """The first offer is the selected row: a heading and its numbers uncut, on the app's clipboard."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("end", "k", "y")
        await until(pilot, lambda: isinstance(app.screen, CopyScreen))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen)
        heading, row = csv.reader(io.StringIO(app.clipboard))
        assert heading == ["state", "pos", "V", "D", "best", "facts"]
        assert row == ["14", "14", "16/17", "1/28", "down", "bottleneck"]


async def test_marked_rows_and_cells_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Marked states come as CSV in the order of marking; a cell alone too; w writes a file, and never over one."""
    monkeypatch.chdir(tmp_path)
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("end", "space", "home", "space", "y", "down", "enter")
        await until(pilot, lambda: app.screen is screen)
        assert [row[0] for row in csv.reader(io.StringIO(app.clipboard))] == ["state", "15", "0"]
        await pilot.press("y", *["down"] * 5, "enter")
        await until(pilot, lambda: app.clipboard == "14/17")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("y", "down", "down", "w", "enter")
        await until(pilot, (tmp_path / "frozen_lake.csv").is_file)
        await until(pilot, lambda: app.screen is screen)
        assert len((tmp_path / "frozen_lake.csv").read_text().splitlines()) == 17
        await pilot.press("y", "w", "enter")
        await until(pilot, lambda: "there is such a file already" in text_of(app))


async def test_where_copies_may_not_arrive_a_file_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a terminal that is known to drop copies the dialog stays and says what to do."""
    monkeypatch.setenv("TERM_PROGRAM", "Apple_Terminal")
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("y", "enter")
        await until(pilot, lambda: "w writes a file instead" in text_of(app))
        assert app.clipboard


def test_doubts_about_the_clipboard() -> None:
    """Known terminals and long texts raise doubts; an ordinary one does not."""
    assert not doubt("x", {"TERM": "xterm-256color"})
    assert "console" in doubt("x", {"TERM": "linux"})
    assert "screen" in doubt("x", {"TERM": "screen", "STY": "123.pts-0"})
    assert "more than terminals take" in doubt("x" * (MOST_BYTES + 1), {"TERM": "xterm-256color"})


def test_copies_keep_hostile_text_harmless_and_stop_when_told(tmp_path: Path) -> None:
    """Control characters become visible; a stopped copy raises; a file in no folder is refused."""
    columns = columns_of(frozen_lake_4x4())
    evil = [column for column in columns if column.key == VARIABLE + "pos"]
    assert rows_csv(evil, [3]) == "pos\n3\n"
    with pytest.raises(CancelledError):
        rows_csv(columns, range(16), lambda: True)
    with pytest.raises(StoreError, match="no such folder"):
        write_text(tmp_path / "nowhere" / "x.csv", "")


def test_names_complete_what_is_typed() -> None:
    """Variables, labels in quotes, constants and functions; inside a closed label or a number nothing is offered."""
    names = names_in(frozen_lake_4x4())
    assert completed("po", names) == "pos"
    assert completed('pos=3 & !"un', names) == 'pos=3 & !"unsafe"'
    assert candidates("un", names) == ['"unsafe"']
    assert completed("un", names) is None
    assert candidates("pos", names) == []
    assert candidates('"unsafe" & ', names) == []
    assert candidates("12", names) == []


async def test_the_filter_completes_with_the_right_arrow_and_lists_candidates() -> None:
    """Typing p offers pos as a shadow and below; the arrow takes it."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("slash", "p")
        await until(pilot, lambda: "→ pos  pow(" in text_of(app))
        field = screen.query_one("#filter-input", Input)
        await until(pilot, lambda: field._suggestion == "pos")
        await pilot.press("right")
        assert field.value == "pos"


@given(st.sets(st.sampled_from(["state", "V", "D", "facts"])), st.sampled_from(["V", "D", "state"]), st.integers(-3, 3))
def test_a_neighbouring_order_is_always_a_shown_column(hidden: set[str], sort: str, step: int) -> None:
    """Whatever is hidden, the next order is by a column that is shown."""
    columns = columns_of(frozen_lake_4x4())
    view = View(sort=sort, hidden=frozenset(hidden)).neighbour(columns, step)
    assert view.sort in {column.key for column in view.columns(columns)}


def test_a_view_without_wishes_is_all_states_in_order() -> None:
    """No filter, no order: the numbers; reversed: from the last."""
    columns = columns_of(frozen_lake_4x4())

    def nothing(text: str) -> np.ndarray:
        raise AssertionError(text)

    assert rows_of(View(), columns, 16, nothing).tolist() == list(range(16))
    assert rows_of(View(descending=True), columns, 16, nothing).tolist() == list(range(15, -1, -1))
    assert View().plain
    assert not View(sort="V").plain
    assert View().sorted_by("V").sorted_by("V") == View(sort="V", descending=True)


async def test_a_key_paints_only_what_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither moving the cursor nor marking a state paints the whole table: that costs 12 KB a key over SSH."""
    dirty: set[tuple[int, int]] = set()
    update = Compositor.update_widgets

    def watched(compositor: Compositor, widgets: set[Widget]) -> None:
        update(compositor, widgets)
        dirty.update(
            (x, y) for region in compositor._dirty_regions for y in region.line_range for x in region.column_range
        )

    monkeypatch.setattr(Compositor, "update_widgets", watched)
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("down")
        pane = screen.query_one(StatesPane)
        left = pane.size.width * pane.size.height
        for key, rows_painted in (("down", 2), ("space", 2)):
            await pilot.pause(0.2)
            dirty.clear()
            await pilot.press(key)
            await pilot.pause(0.2)
            painted = sum(1 for x, _ in dirty if x < pane.size.width)
            assert 0 < painted <= (rows_painted + 1) * pane.size.width < left / 4, key
        assert pane.marks == (2,)
