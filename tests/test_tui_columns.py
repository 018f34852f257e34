"""The table moves sideways by whole columns: the state's number stays, and what is cut says so."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import enclosed, frozen_lake_4x4
from tui_support import explorer, lake_app, text_of, until

from engine.mdp.environment import bare_environment
from engine.oracle.numbers import Numbers
from tui.explorer.columns import columns_of
from tui.explorer.completion import names_in, names_of_model
from tui.explorer.findings import Findings, exact_gaps, losses_told, numbers_of
from tui.explorer.numerals import Figures
from tui.explorer.placing import PADDING, Window, place
from tui.explorer.wrapping import side_by_side
from tui.widgets.expression_input import ExpressionInput
from tui.widgets.state_panel import StatePanel
from tui.widgets.state_table import StateTable

LAKE = frozen_lake_4x4()
LONG = {
    "a_very_long_variable_name": np.arange(16),
    "another_extremely_long_variable_name": np.arange(16) % 2 == 0,
    "x": np.arange(16),
}
CROWDED = replace(LAKE, environment=bare_environment(LAKE.environment.model), mdp=replace(LAKE.mdp, valuations=LONG))


@given(st.integers(20, 150), st.integers(0, 8), st.sampled_from([LAKE, CROWDED]), st.booleans())
def test_columns_in_sight_have_room(room: int, skipped: int, oracle: object, decimal: bool) -> None:
    """They fit, the first two are always there, and more are promised if and only if some are missing."""
    columns = columns_of(oracle)  # type: ignore[arg-type]  # an Oracle
    found = place(columns, min(skipped, len(columns) - 2), room, "V", decimal=decimal)
    assert found.columns[0].key == "state"
    assert len(found.columns) >= 2
    assert sum(found.widths) + PADDING * len(found.widths) <= room
    assert found.more == (found.columns[-1] is not columns[-1])
    figures = Figures(found.number, decimal)
    for column, width in zip(found.columns, found.widths, strict=True):
        for state in range(16):
            whole, shown = column.text(state, figures), column.text_in(state, figures, width)
            assert len(shown) <= width
            # Facts in short words and "tied" are whole in another way; everything else that is cut says so.
            assert shown == whole or "…" in shown or column.key in {"best", "facts"}
        if column.key in {"V", "D"} and len(found.columns) > 2:
            assert all(column.text_in(state, figures, width) == column.text(state, figures) for state in range(16))


@given(st.integers(20, 150), st.lists(st.sampled_from([-1, 1]), max_size=12))
def test_a_window_never_leaves_its_columns(room: int, steps: list[int]) -> None:
    """However it is moved, columns lie side by side in their order, and the last can be reached but not passed."""
    columns = columns_of(CROWDED)
    window = Window(columns)
    window.fit(room, decimal=False)
    for step in steps:
        moved = window.turn(step)
        found = window.fit(room, decimal=False)
        places = [columns.index(each) for each in found.columns]
        assert places[0] == 0
        assert places[1:] == list(range(places[1], places[1] + len(places) - 1))
        assert window.beyond == (places[1] > 1, places[-1] < len(columns) - 1)
        assert moved or not window.beyond[step > 0]


async def test_moving_sideways_keeps_the_number_and_cuts_no_value() -> None:
    """At 80×24 V reads 14/17 as long as its column is in sight, and each line begins with its state's number."""
    app = lake_app(oracle=CROWDED)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        table = screen.query_one(StateTable)
        seen: list[str] = []
        for _ in range(8):
            shown = [column.key for column in table.states.shown]
            rows = [table.render_line(y).text.split() for y in (1, 2)]
            assert [row[0] for row in rows] == ["0", "1"]
            if "V" in shown:
                assert [row[shown.index("V")] for row in rows] == ["14/17", "14/17"]
            assert table.scroll_offset.x == 0
            seen += shown
            await pilot.press("right")
        assert set(seen) == {column.key for column in columns_of(CROWDED)}
        assert "(← more columns)" in text_of(app)
        await pilot.press(*["left"] * 8)
        assert "(→ more columns)" in text_of(app)


async def test_what_orders_the_states_comes_into_sight() -> None:
    """Sorting by a column beyond the right edge moves there; the arrow in its heading is to be seen."""
    app = lake_app(oracle=CROWDED)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        table = screen.query_one(StateTable)
        assert "variable x" not in [column.key for column in table.states.shown]
        await pilot.press("less_than_sign")
        await until(pilot, lambda: "x↑" in text_of(app))
        assert "variable x" in [column.key for column in table.states.shown]


@pytest.mark.parametrize("model", ["lake", "crowded"])
async def test_what_matters_most_is_in_sight_at_first(model: str) -> None:
    """At 80×24 number, V, D, the best actions and facts need no key, and best names an action."""
    app = lake_app(oracle=LAKE if model == "lake" else CROWDED)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        table = screen.query_one(StateTable)
        assert {"state", "V", "D", "best", "facts"} <= {column.key for column in table.states.shown}
        assert table.render_line(2).text.split()[-1] == "up"


async def test_panels_share_the_room_that_no_picture_takes() -> None:
    """At 80×24 without a picture no line stays empty, and V, D and the facts are seen before a long valuation."""
    app = lake_app(oracle=CROWDED)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        panel = screen.query_one(StatePanel)
        lines = [panel.render_line(y).text.rstrip(" ┃│").strip() for y in range(panel.size.height)]
        assert lines[:4] == ["s  0", "V  14/17 = 0.823529…", "D  0", "dead end no   bottleneck no"]
        assert "another_extremely_long_variable_" in lines
        assert [line.plain for line in panel._lines][-1] == "  name=true  x=0"
        assert screen.query_one("#actions").region.bottom == screen.query_one("#right").region.bottom
        assert screen.query_one("#right").size.height == 22
        assert panel.size.height >= 7


@given(st.lists(st.from_regex(r"[a-z_]{1,30}=[0-9]{1,3}", fullmatch=True), max_size=6), st.integers(6, 40))
def test_valuations_are_broken_at_their_joints(items: list[str], width: int) -> None:
    """Lines fit; nothing is lost; an item that has room in a line of its own is never broken."""
    lines = side_by_side(items, width)
    assert all(len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(items)
    for item in items:
        if len(item) <= width:
            assert any(item in line for line in lines)


async def test_a_narrow_terminal_has_the_panels_below_the_table() -> None:
    """At 50×14 the picture says that it has no room, and the table is as wide as the terminal."""
    app = lake_app()
    async with app.run_test(size=(50, 14)) as pilot:
        await pilot.pause(0.3)
        screen = app.screen
        await until(pilot, lambda: bool(app.screen.query(StateTable)))
        screen = app.screen
        assert screen.query_one(StateTable).size.width == 50
        assert not screen.query_one("#picture").display
        assert screen.query_one(StatePanel).size.height >= 3
        await pilot.press("p")
        await until(pilot, lambda: any("no room for the picture" in each.message for each in app._notifications))


async def test_tab_in_the_filter_keeps_what_is_typed_next() -> None:
    """Without a completion tab changes nothing, and the next letter is typed; an empty filter is left."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("slash", *"xyz", "tab", "a")
        field = screen.query_one("#filter-input", ExpressionInput)
        assert app.screen is screen
        assert field.has_focus
        assert field.value == "xyza"
        await pilot.press("ctrl+u", "tab")
        assert not field.has_focus


async def test_the_filter_knows_values() -> None:
    """V and D are completed and compared; of bounds the title says how many states are undecided."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("slash", *"V < 14/17 & D > 0 & pos != 4", "enter")
        await until(pilot, lambda: "states of 16" in text_of(app))
        danger = LAKE.facts.danger
        assert danger is not None
        wanted = [s for s in range(16) if LAKE.facts.value.at(s) < Fraction(14, 17) and danger.at(s) > 0 and s != 4]
        assert screen.query_one(StateTable).states.rows.tolist() == wanted
    sound = enclosed(LAKE, 1e-3)
    near = sum(LAKE.facts.value.at(state) == Fraction(14, 17) for state in range(16))
    app = lake_app(oracle=sound)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("slash", *"V > 14/17", "enter")
        await until(pilot, lambda: f", {near} undecided" in text_of(app))
        await pilot.press("slash", *" & V <= 14/17 & pos >= 0", "enter")
        await until(pilot, lambda: f"certainly, {near} undecided" in text_of(app))


def test_what_was_computed_can_be_named() -> None:
    """Losses and a policy's numbers have names once they are there; its gaps are exact."""
    assert numbers_of(LAKE, Findings()) == {}
    assert set(numbers_of(LAKE, Findings(loss=LAKE.facts.value))) == {"loss"}
    from engine.oracle.policy.evaluation import Evaluation  # noqa: PLC0415 - only here
    from engine.oracle.policy.policies import Policy  # noqa: PLC0415 - only here

    under = LAKE.facts.value.from_exact([Fraction(1, 3)] * 16)
    evaluation = Evaluation(Policy("p", {}), under, LAKE.facts.q, LAKE.facts.best)
    gap = exact_gaps(LAKE, evaluation)
    assert [gap.at(state) for state in range(16)] == [
        abs(LAKE.facts.value.at(state) - Fraction(1, 3)) for state in range(16)
    ]
    assert set(numbers_of(LAKE, Findings(policy=evaluation))) == {"Vpi", "gap"}


def test_a_property_may_name_labels_but_no_formulas() -> None:
    """Labels that are formulas, as Storm makes them of a JANI model's properties, cannot be written in a property."""
    mask = np.zeros(16, dtype=bool)
    mdp = replace(LAKE.mdp, labels={"goal": mask, "deadlock": mask, "(var9 = 0)": mask})
    assert names_of_model(mdp, ["slip"]) == ('"goal"', "pos", "slip")
    assert {'"dead_end"', '"target"', "V", "D", "loss"} <= set(names_in(LAKE, ["loss"]))


def test_losses_that_bounds_do_not_decide_are_told_apart() -> None:
    """Of the bounds [0, 0], [0, 1e-6], [1/4, 1/2] and none, one is above 0 and one may be; exact numbers leave none."""
    missing = float("nan")
    enclosed = Numbers(np.array([0, 0, 0.25, missing]), np.array([0, 1e-6, 0.5, missing]))
    assert losses_told(enclosed) == "1 state has a loss above 0, 1 undecided"
    exact = Numbers.from_exact([Fraction(0), Fraction(1, 10**30), Fraction(1), None])
    assert losses_told(exact) == "2 states have a loss above 0"
