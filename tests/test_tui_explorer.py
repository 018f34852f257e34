"""The explorer's journeys on Frozen Lake, with keys as a user presses them."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from reference import enclosed, frozen_lake_4x4
from textual.widgets import Input, Static
from tui_support import FakeOpener, FakeServices, app_of, explorer, hints_of, lake_app, text_of, until

from engine.errors import CancelledError, ModelError
from engine.mdp.environment import bare_environment
from engine.mdp.model import Mdp
from engine.oracle.facts import Facts, Kind, Objective, Oracle
from engine.oracle.numbers import Numbers
from tui.explorer.tiles import tiles_of
from tui.screens.help import HelpScreen
from tui.screens.message import FailureScreen
from tui.screens.opening import OpeningScreen
from tui.widgets.actions_panel import ActionsPanel
from tui.widgets.filter_bar import FilterBar
from tui.widgets.picture import NO_PICTURE, Picture
from tui.widgets.state_backend import StateBackend
from tui.widgets.state_panel import StatePanel
from tui.widgets.state_table import StateTable

if TYPE_CHECKING:
    from engine.mdp.decided import Truth
    from tui.services.models import Progress


def cells(backend: StateBackend, row: int) -> list[str]:
    """Return a row's texts."""
    return [str(cell) for cell in backend.get_row_at(row)]


async def test_the_initial_state_is_selected_and_shown_everywhere() -> None:
    """The first screen has the table, V(start) = 14/17, the picture and the actions of the initial state."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        shown = text_of(app)
        assert screen.trail.current == 0
        assert "V  14/17 = 0.823529…" in shown
        assert "S start  G goal  O unsafe" in shown
        assert "tied" in shown


async def test_every_panel_follows_the_cursor() -> None:
    """Moving to state 14, the one bottleneck, updates state, actions and picture."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("G", "k")
        await until(pilot, lambda: screen.trail.current == 14)
        assert screen.query_one(StatePanel).state == screen.query_one(Picture).state == 14
        shown = text_of(app)
        assert "s  14  pos=14" in shown
        assert "16/17 = 0.941176…" in shown
        assert "bottleneck yes" in shown
        best = next(line for line in shown.splitlines() if "best progress" in line)
        assert " down " in best
        assert "16/17" in best


async def test_enter_walks_into_a_successor_and_back() -> None:
    """From state 14 into the goal through the actions panel, back with backspace, forward with a bracket."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("end", "k", "enter")
        panel = screen.query_one(ActionsPanel)
        await until(pilot, lambda: panel.has_focus and panel._listed == 14)
        panel.move_to_successor(15)
        await pilot.press("enter")
        await until(pilot, lambda: screen.trail.current == 15)
        assert screen.query_one(StateTable).cursor_row == 15
        await pilot.press("backspace")
        assert screen.trail.current == 14
        await pilot.press("right_square_bracket")
        assert screen.trail.current == 15


async def test_keys_that_come_at_once_ask_about_the_right_state() -> None:
    """Three keys in one burst act on the state that the second one reached."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        for key in ("end", "k", "a"):
            app.simulate_key(key)
        await until(pilot, lambda: re.search(r"states +14\b", text_of(app)) is not None)


async def test_a_filter_keeps_the_selected_state() -> None:
    """The table shows the states that satisfy the expression; the cursor stays on its state; escape shows all again."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        table = screen.query_one(StateTable)
        await pilot.press("end", "k", "slash", *"pos>12", "enter")
        await until(pilot, lambda: table.row_count == 3)
        assert list(table.states.rows) == [13, 14, 15]
        assert (table.cursor_row, screen.trail.current) == (1, 14)
        assert "3 states of 16" in text_of(app)
        await pilot.press("escape")
        assert (table.row_count, table.cursor_row, screen.trail.current) == (16, 14, 14)


async def test_a_filter_that_hides_the_state_selects_the_next_one() -> None:
    """With the selected state filtered out, the cursor and all panels move to the next state that is shown."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("slash", *'"unsafe"', "enter")
        await until(pilot, lambda: screen.trail.current == 5)
        assert list(screen.query_one(StateTable).states.rows) == [5, 7, 11, 12]


@pytest.mark.parametrize(
    ("typed", "said"),
    [("pos >", "incomplete"), ("nope = 1", "nope"), ("pos", "not a condition"), ("pos > 99", "No state")],
)
async def test_a_bad_filter_is_explained_below_the_input(typed: str, said: str) -> None:
    """What is wrong stands below the input, the table stays as it was, and typing on hides the message."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("slash")
        screen.query_one(Input).value = typed
        await pilot.press("enter")
        note = screen.query_one("#filter-note", Static)
        await until(pilot, lambda: note.has_class("-error"))
        assert said in str(note.render())
        assert screen.query_one(StateTable).row_count == 16
        await pilot.press("x")
        assert not note.display


async def test_the_initial_key_returns_to_the_start() -> None:
    """From anywhere, i selects the initial state, and back returns."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("end", "i")
        await until(pilot, lambda: screen.trail.current == 0)
        await pilot.press("b")
        assert screen.trail.current == 15


async def test_help_comes_from_the_registry_and_closes() -> None:
    """The question mark lists the explorer's keys first; escape closes it."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        assert "b, backspace, [" in text_of(app)
        await pilot.press("escape")
        assert not isinstance(app.screen, HelpScreen)


async def test_the_palette_offers_the_actions_of_the_screen() -> None:
    """The command palette's entries are the registry's, and one of them does what its key does."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        commands = {command.title: command.callback for command in app.get_system_commands(screen)}
        assert "Explorer: Ask" in commands
        assert "Theme: storm-light" in commands
        assert "Campaign: Start" not in commands
        await pilot.press("ctrl+p", *"light/dark", "enter")
        await until(pilot, lambda: app.theme == "storm-light")


async def test_t_switches_between_light_and_dark() -> None:
    """The key toggles the theme both ways."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("t")
        assert app.theme == "storm-light"
        await pilot.press("t")
        assert app.theme == "storm-dark"


async def test_a_model_that_cannot_be_opened_ends_in_a_modal() -> None:
    """What, where and hint are shown; closing it ends the app with the error's exit code."""

    def refuse(*_arguments: object) -> Oracle:
        raise ModelError("probabilities sum to 9/10", where="bad.prism, line 3", hint="check the command")

    app = app_of(FakeOpener(refuse, title="bad.prism"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, FailureScreen))
        shown = text_of(app)
        assert "probabilities sum to 9/10" in shown
        assert "bad.prism, line 3" in shown
        assert "check the command" in shown
        await pilot.press("escape")
        await pilot.pause()
    assert app.return_code == 3
    assert app.failure is not None


async def test_opening_shows_stages_and_can_be_cancelled() -> None:
    """The oracle's stages are shown while it works; escape sets its cancel event, and the app ends."""

    def wait(_settings: object, progress: Progress, cancel: threading.Event) -> Oracle:
        progress("checking", "P[F goal]")
        assert cancel.wait(10)
        raise CancelledError("cancelled")

    app = app_of(FakeOpener(wait, title="big"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "checking P[F goal]" in text_of(app))
        assert isinstance(app.screen, OpeningScreen)
        await pilot.press("escape")
        await until(pilot, lambda: app.failure is not None)
    assert isinstance(app.failure, CancelledError)


async def test_quitting_while_a_model_opens_ends_the_oracle() -> None:
    """Leaving the app in any way sets the cancel event, so that no thread keeps the process alive."""
    ended = threading.Event()

    def wait(_settings: object, _progress: object, cancel: threading.Event) -> Oracle:
        if cancel.wait(10):
            ended.set()
        raise CancelledError("cancelled")

    services = FakeServices()
    app = app_of(FakeOpener(wait, title="big"), services)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.1)
        app.exit()
    assert ended.wait(5)
    assert services.closed


async def test_a_defect_in_a_worker_is_shown_not_lost() -> None:
    """An exception that nobody expected becomes a modal with its place; the app goes on."""

    class Broken(FakeServices):
        def decide(self, oracle: Oracle, text: str, numbers: object) -> Truth:
            raise ZeroDivisionError(f"{oracle.identity[:0]}{text} broke with {numbers}")

    app = lake_app(Broken())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("slash", *"pos=1", "enter")
        await until(pilot, lambda: isinstance(app.screen, FailureScreen))
        assert "ZeroDivisionError: pos=1 broke with {}" in text_of(app)
        await pilot.press("escape")
        assert app.screen is screen


async def test_a_model_without_layout_gives_the_pictures_room_to_the_other_panels() -> None:
    """A bare file has no grid: state and actions begin at the top, and the picture's key says how to get one."""
    lake = frozen_lake_4x4()
    app = lake_app(oracle=replace(lake, environment=bare_environment(lake.environment.model)))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await explorer(pilot)
        assert screen.query_one(StatePanel).region.y == screen.query_one("#left").region.y
        await pilot.press("down")
        await until(pilot, lambda: "s  1  pos=1" in text_of(app))
        await pilot.press("p")
        await until(pilot, lambda: NO_PICTURE in hints_of(app))


async def test_undecided_facts_are_marked() -> None:
    """In sound mode an interval shows as ≈ and an undecided action is marked ≈, neither best nor worst."""
    app = lake_app(oracle=enclosed(frozen_lake_4x4(), 1e-3))
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        shown = text_of(app)
        assert "≈ sound bounds" in shown
        assert "≈ undecided" in shown
        assert "≈0.82" in shown


async def test_hostile_names_stay_text() -> None:
    """Labels, variables and actions with escape sequences, markup and direction overrides are drawn as visible text."""
    lake = frozen_lake_4x4()
    evil = "\x1b[2J[bold red]x[/]\u202e"
    mdp = replace(
        lake.mdp,
        labels={**lake.mdp.labels, evil: np.ones(16, dtype=bool)},
        valuations={evil: np.arange(16), **lake.mdp.valuations},
        action_names=(evil, *lake.mdp.action_names[1:]),
    )
    app = lake_app(oracle=replace(lake, mdp=mdp, constants={**lake.constants, evil: evil}))
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        shown = text_of(app)
        assert "\ufffd[2J[bold red]x[/]\ufffd" in shown
        assert not {"\x1b", "\u202e"} & set(shown)


def test_tiles_of_frozen_lake() -> None:
    """Sixteen tiles, one state each, with the marks of the layout."""
    tiles = tiles_of(frozen_lake_4x4())
    assert tiles is not None
    assert (tiles.rows, tiles.columns) == (4, 4)
    assert list(tiles.tile) == list(range(16))
    assert (tiles.count == 1).all()
    assert tiles.marks == {0: "S", 15: "G", 5: "O", 7: "O", 11: "O", 12: "O"}
    assert list(tiles.shown(15)) == list(range(16))


def chain(states: int) -> Oracle:
    """Return a line of states that all reach its end; V is 1 everywhere, known without a checker."""
    last = states - 1
    target = np.append(np.arange(1, states), last)
    mask = np.zeros(states, dtype=bool)
    mask[last] = True
    mdp = Mdp(
        choice_start=np.arange(states + 1),
        transition_start=np.arange(states + 1),
        target=target,
        probability=np.ones(states),
        initial=np.array([0]),
        action_names=("go",),
        action=np.zeros(states, dtype=np.int64),
        labels={"goal": mask},
        valuations={"n": np.arange(states)},
    )
    one = Numbers.from_ranks(np.zeros(states, dtype=np.int64), (Fraction(1),))
    yes, no = np.ones(states, dtype=np.int8), np.zeros(states, dtype=np.int8)
    facts = Facts(
        Objective('Pmax=? [F "goal"]', Kind.PMAX), one, one, yes, yes, yes, no, no, None, None, np.ones_like(mask), mask
    )
    environment = bare_environment(frozen_lake_4x4().environment.model)
    return Oracle("chain", environment, {}, mdp, facts, exact=True)


def test_a_million_rows_are_read_lazily() -> None:
    """Cells come from the arrays when asked for; an index shows any subset in any order."""
    backend = StateBackend(chain(1_000_000))
    assert backend.row_count == 1_000_000
    assert cells(backend, 999_999) == ["999999", "999999", "1", "go", "goal"]
    backend.rows = np.array([5, 999_999, 7])
    assert [cells(backend, row)[0] for row in range(3)] == ["5", "999999", "7"]
    assert backend.row_of(999_999) == 1
    assert backend.row_of(6) is None
    with pytest.raises(IndexError):
        backend.get_cell_at(3, 0)


async def test_a_million_rows_can_be_walked_and_filtered() -> None:
    """The last of a million states is one key away; a filter and its removal keep the cursor on its state."""
    app = lake_app(oracle=chain(1_000_000))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("end")
        await until(pilot, lambda: "s  999999" in text_of(app))
        await pilot.press("slash", *"mod(n,2)=1", "enter")
        table = screen.query_one(StateTable)
        await until(pilot, lambda: table.row_count == 500_000)
        assert table.cursor_row == 499_999
        assert screen.query_one(FilterBar).text == "mod(n,2)=1"
        await pilot.press("escape")
        assert (table.row_count, table.cursor_row) == (1_000_000, 999_999)
