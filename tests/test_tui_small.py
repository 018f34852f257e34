"""A terminal that is too small: the notice stays above whatever is opened, and nothing is opened by a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_support import explorer, lake_app, text_of, until

from engine.errors import UsageError
from tui.screens.explorer import ExplorerScreen
from tui.screens.message import FailureScreen
from tui.screens.small import SmallScreen

if TYPE_CHECKING:
    from tui.app import ExplorerApp


def covers(app: ExplorerApp) -> bool:
    """Return whether the notice is all that is seen, and there is one of it."""
    covered = [screen for screen in app.screen_stack if isinstance(screen, SmallScreen)]
    return covered == [app.screen] and "too small" in text_of(app) and "Frozen" not in text_of(app)


async def test_what_opens_meanwhile_opens_below_the_notice() -> None:
    """A model that arrives, a failure and a notification stay below; growing shows the failure, then the model."""
    app = lake_app()
    async with app.run_test(size=(40, 12), notifications=True) as pilot:
        await until(pilot, lambda: any(isinstance(screen, ExplorerScreen) for screen in app.screen_stack))
        await until(pilot, lambda: covers(app))
        app.show_failure(UsageError("nothing came of it"), "other", "a job")
        app.notify("a word in between")
        await until(pilot, lambda: covers(app) and isinstance(app.screen_stack[-2], FailureScreen))
        await pilot.pause(0.2)
        assert "a word" not in text_of(app)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: isinstance(app.screen, FailureScreen))
        assert "nothing came of it" in text_of(app)
        await pilot.press("escape")
        await explorer(pilot)
        assert not any(isinstance(screen, SmallScreen) for screen in app.screen_stack)


async def test_only_leaving_works_below_the_notice() -> None:
    """Help, palette, settings and pictures open nothing that cannot be seen; q leaves."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.resize_terminal(40, 12)
        await until(pilot, lambda: covers(app))
        before = len(app.screen_stack)
        await pilot.press("question_mark", "ctrl+p", "f3", "f9", "f2", "f4", "f1")
        await pilot.pause(0.2)
        assert covers(app)
        assert len(app.screen_stack) == before
        await pilot.press("q")
        await until(pilot, lambda: app._exit)
