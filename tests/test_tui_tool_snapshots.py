"""What the explorer's tools look like, at 80×24 and 120×40, dark, light and in the terminal's own sixteen colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from test_tui_snapshots import after
from textual.widgets import Input
from tui_support import lake_app, until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    Snap = Callable[..., bool]

SMALL, LARGE = (80, 24), (120, 40)
EVERYWHERE = pytest.mark.parametrize(
    ("size", "theme"),
    [(size, theme) for size in (SMALL, LARGE) for theme in ("storm-dark", "storm-light", "sixteen")],
    ids=[f"{size}-{theme}" for size in ("small", "large") for theme in ("dark", "light", "sixteen")],
)


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without bookmarks and saved filters."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@EVERYWHERE
def test_a_sorted_table_with_marks_and_a_path(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """Sorted by V from above, two states marked, three optimal steps taken, the optimal actions drawn."""
    keys = ["down", "space", "down", "space", "i", "greater_than_sign", "r", "p", "p", "n", "n", "n"]
    run = after(*keys, shows="3 steps")
    assert snap_compare(lake_app(theme=theme), terminal_size=size, run_before=run)


@EVERYWHERE
def test_columns(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """The list of columns, one of them hidden."""
    run = after("v", "down", "down", "down", "space", shows="[ ]   D")
    assert snap_compare(lake_app(theme=theme), terminal_size=size, run_before=run)


@EVERYWHERE
def test_comparison(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """The bottleneck beside the tile before it."""
    run = after("end", "k", "space", "k", "space", "equals_sign", shows="more promising")
    assert snap_compare(lake_app(theme=theme), terminal_size=size, run_before=run)


@EVERYWHERE
def test_what_if(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """Two changes chosen, not computed yet."""
    run = after("end", "k", "w", "down", "space", "down", "space", shows="[x] forbid")
    assert snap_compare(lake_app(theme=theme), terminal_size=size, run_before=run)


@EVERYWHERE
def test_values_plotted(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """How V is spread over the lake."""
    run = after("P", shows="0.75")
    assert snap_compare(lake_app(theme=theme), terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
def test_copy(snap_compare: Snap, size: tuple[int, int]) -> None:
    """What can be copied of a marked state's row."""
    run = after("end", "k", "space", "y", shows="this row as CSV")
    assert snap_compare(lake_app(), terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
def test_definitions(snap_compare: Snap, size: tuple[int, int]) -> None:
    """The facts of the selected state with what they mean."""
    run = after("end", "k", "h", shows="the largest probability")
    assert snap_compare(lake_app(), terminal_size=size, run_before=run)


def test_names_below_the_filter(snap_compare: Snap) -> None:
    """A word that two names continue, in a filter that is being typed."""

    async def run(pilot: Pilot[Any]) -> None:
        await after("slash", "p", shows="→ pos")(pilot)
        field = pilot.app.screen.query_one("#filter-input", Input)
        field.cursor_blink = False
        await until(pilot, lambda: field._suggestion == "pos")

    assert snap_compare(lake_app(), terminal_size=SMALL, run_before=run)
