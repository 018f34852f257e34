"""What a key paints: no more of the table than has changed, drawn as Textual's fast table would draw it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from test_tui_explorer import chain
from textual.geometry import Region
from textual_fastdatatable import DataTable
from tui_support import explorer, lake_app, until

from tui.widgets.state_backend import StateBackend
from tui.widgets.state_table import StateTable
from tui.widgets.steady_scrollbar import SteadyScrollBar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

LONG = 5000


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the rows that were drawn, as it grows."""
    found: list[int] = []
    line_at = StateBackend.line_at

    def noted(self: StateBackend, index: int, columns: Iterable[tuple[int, int]]) -> str:
        found.append(index)
        return line_at(self, index, columns)

    monkeypatch.setattr(StateBackend, "line_at", noted)
    return found


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the positions at which the scroll bar was drawn, as it grows."""
    found: list[float] = []
    render = SteadyScrollBar.render

    def noted(self: SteadyScrollBar) -> RenderableType:
        found.append(self.position)
        return render(self)

    monkeypatch.setattr(SteadyScrollBar, "render", noted)
    return found


async def test_a_row_looks_as_if_its_cells_were_drawn_one_by_one() -> None:
    """Text and colours of every line are those of the base class, the cursor's included."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("down", "down")
        table = screen.query_one(StateTable)
        width = table.scrollable_content_region.width
        for y in range(1, table.row_count + 1):
            ours = table._render_line(y, 0, width, table.rich_style)
            theirs = DataTable._render_line(table, y, 0, width, table.rich_style)
            assert ours.text == theirs.text
            colours = [
                {(each.style.color, each.style.bgcolor) for each in strip if each.style and each.text.strip()}
                for strip in (ours, theirs)
            ]
            assert colours[0] == colours[1]


async def test_a_cursor_key_draws_one_row(drawn: list[int]) -> None:
    """Inside the page only the row that is reached is drawn; the one that is left looks as it did before."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("down", "down")
        drawn.clear()
        await pilot.press("down")
        await until(pilot, lambda: screen.trail.current == 3 and len(drawn) >= 1)
        await pilot.pause()
        assert drawn == [3]


async def test_scrolling_by_a_row_draws_what_is_new(drawn: list[int], bars: list[float]) -> None:
    """The row that comes into sight and the one that the cursor left are drawn; a bar that looks the same is not."""
    app = lake_app(oracle=chain(LONG))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        table = screen.query_one(StateTable)
        await pilot.press("pagedown", "down")
        await pilot.pause()
        top = table.scroll_offset.y
        assert top > 0
        last = table.cursor_row
        drawn.clear()
        bars.clear()
        await pilot.press("down")
        await until(pilot, lambda: table.scroll_offset.y == top + 1 and len(drawn) >= 2)
        await pilot.pause()
        assert sorted(drawn) == [last, last + 1]
        assert bars == []


async def test_the_bar_follows_long_ways(bars: list[float]) -> None:
    """At the end of the table the bar is drawn again, with its thumb at the end, and back at the start too."""
    app = lake_app(oracle=chain(LONG))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        table = screen.query_one(StateTable)
        await pilot.press("end")
        await until(pilot, lambda: bool(bars) and bars[-1] == table.max_scroll_y > LONG // 2)
        bar = table.vertical_scrollbar
        height = bar.size.height
        assert _grabbed(bar, height - 1)
        assert not _grabbed(bar, 0)
        await pilot.press("home")
        await until(pilot, lambda: bars[-1] == 0)
        assert _grabbed(bar, 0)


def _grabbed(bar: SteadyScrollBar, y: int) -> bool:
    """Return whether the mouse would hold the thumb at a line."""
    (strip,) = bar.render_lines(Region(0, y, 1, 1))
    return any(segment.style and segment.style.meta.get("@mouse.down") == "grab" for segment in strip)


def test_the_campaign_opens_without_statistics() -> None:
    """SciPy's statistics take most of a second to load, and the first table of a campaign needs none of them."""
    code = "import sys, tui.screens.campaign; print('scipy.stats' in sys.modules)"
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "False"
