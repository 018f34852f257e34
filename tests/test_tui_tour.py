"""The tour: it reaches a verdict with and without the embedded model, and can be left at any step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tui_support import explorer, lake_app, text_of, until

from engine.recent import load_recent, remember_tour
from tui.app import ExplorerApp
from tui.appearance.keymap import DEFAULT, read_keymap, with_keys
from tui.screens.explorer import ExplorerScreen
from tui.screens.start import StartScreen
from tui.screens.tour import TourScreen
from tui.screens.welcome import WelcomeScreen
from tui.services.engine_services import EngineServices
from tui.tour import tour
from tui.tour.tour import TourGuide
from tui.tour.tour_recorded import RecordedExplainer
from tui.tour.tour_script import SCRIPT

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot


@pytest.fixture(autouse=True)
def _own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a state folder of its own, and a machine without the embedded model."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setattr(tour, "embedded_model_there", lambda: False)


async def step(pilot: Pilot[None], number: int) -> TourScreen:
    """Wait for a step's caption, by its number from 1."""
    title = SCRIPT[number - 1].title

    def there() -> bool:
        screen = pilot.app.screen
        return isinstance(screen, TourScreen) and title in text_of(pilot.app)  # type: ignore[arg-type]  # any app

    await until(pilot, there)
    screen = pilot.app.screen
    assert isinstance(screen, TourScreen)
    return screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_tour_reaches_a_verdict_from_a_recorded_answer(size: tuple[int, int]) -> None:
    """Every step comes; the recorded answer "right" fails, since Q(down) = 16/17 is the best (solved by hand)."""
    app = ExplorerApp(None, services=EngineServices("random"), theme="storm-dark", tour=0)
    async with app.run_test(size=size) as pilot:
        for number in range(1, len(SCRIPT) + 1):
            await step(pilot, number)
            if "verdict" in SCRIPT[number - 1].title:
                shown = text_of(app)
                assert "recorded" in shown
                assert "16/17" in shown
                assert "FAIL" in shown
            await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExplorerScreen))
        assert not TourGuide.under_way(app)
        assert app.explainer == "local"  # as it was before
    assert load_recent().tour_offered


async def test_the_tour_can_be_left_and_taken_again() -> None:
    """Escape at the second step leaves the user in the explorer; f4 begins anew."""
    remember_tour()
    app = ExplorerApp(None, services=EngineServices("random"), theme="storm-dark", tour=0)
    async with app.run_test(size=(80, 24)) as pilot:
        await step(pilot, 1)
        await pilot.press("enter")
        await step(pilot, 2)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ExplorerScreen))
        await until(pilot, lambda: not TourGuide.under_way(app))
        await pilot.press("f4")
        await step(pilot, 1)
        assert isinstance(app.screen_stack[-2], StartScreen)


@pytest.mark.parametrize("steps", [1, 2, 4])
async def test_a_tour_from_the_explorer_comes_back_to_its_model(steps: int) -> None:
    """Escape at the start screen, in the tour's own model and over a form: the model, state and marks are as before."""
    app = lake_app(EngineServices("random"))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("down", "down", "space", "down")
        before = screen.oracle
        await pilot.press("f4")
        for number in range(1, steps):
            await step(pilot, number)
            await pilot.press("enter")
        await step(pilot, steps)
        await pilot.press("escape")
        await until(pilot, lambda: not TourGuide.under_way(app) and isinstance(app.screen, ExplorerScreen))
        shown = app.screen
        assert isinstance(shown, ExplorerScreen)
        assert shown.oracle is before is app.model.oracle
        assert (shown.trail.current, shown.pane.marks) == (3, (2,))
        assert len([each for each in app.screen_stack if isinstance(each, ExplorerScreen)]) == 1
        assert not app.model.pending
        await pilot.press("down")
        await until(pilot, lambda: shown.trail.current == 4)


async def test_the_first_start_begins_it_if_wanted() -> None:
    """The welcome's first button leads to the first step."""
    app = ExplorerApp(None, services=EngineServices("random"), theme="storm-dark")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await pilot.press("enter")
        await step(pilot, 1)


async def test_it_plays_by_itself() -> None:
    """With seconds for each step no key is needed."""
    app = ExplorerApp(None, services=EngineServices("random"), theme="storm-dark", tour=0.2)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: len(app.screen_stack) > 1 and SCRIPT[2].title in text_of(app))


def test_captions_fit_a_small_terminal() -> None:
    """No caption needs more than five lines at 80 columns, so that what it is about can be seen."""
    assert max(len(with_keys(step.text, DEFAULT)) for step in SCRIPT) <= 5 * 66


async def test_the_recorded_answer_fits_the_question() -> None:
    """It is an answer that the question offers, with an explanation no longer than the schema allows."""
    from engine.explainers.base import Question  # noqa: PLC0415 - only here
    from engine.queries.case import Case  # noqa: PLC0415 - as above
    from engine.queries.spaces import OneOf  # noqa: PLC0415 - as above

    offered = ("left", "down", "right", "up")
    case = Case("c0ffee", "best-action", (13,), OneOf(offered), ("down",), {}, None, {}, "manual")
    reply = await RecordedExplainer().ask(Question(case, "", "", {}, "plain", shown=offered))
    assert '"answer": "right"' in reply.text
    assert len(reply.text) < 300
    other = await RecordedExplainer().ask(Question(case, "", "", {}, "plain", shown=("yes", "no")))
    assert '"answer": "yes"' in other.text


def test_captions_name_the_keys_that_work() -> None:
    """After a change of keys the tour tells of the new ones, as the footer does."""
    (text,) = (step.text for step in SCRIPT if "comes back. Best" in step.text)
    assert "b comes back" in with_keys(text, DEFAULT)
    assert "Z comes back" in with_keys(text, read_keymap({"explorer.back": "Z"}))
