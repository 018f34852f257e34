"""The part of the app that opens models: those of the command line, of the start screen and of the palette."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.messages import OpenerReady
from tui.screens.form import FormScreen
from tui.screens.opening import OpeningScreen
from tui.screens.start import StartScreen
from tui.services.model_forms import ModelForms
from tui.services.model_runner import GROUP, ModelRunner
from tui.shell import ShellApp
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from engine.appearance import Preferences
    from engine.errors import StormscopeError
    from engine.recent import RecentModel
    from tui.messages import ConstantsNeeded, OracleProgress, SettingsChosen, WordsChosen
    from tui.services.models import Opener

CHOOSING = "choosing"
"""The group of the worker that finds what was chosen."""


class ModelApp(ShellApp):
    """An app with one open model at most.

    Parameters
    ----------
    opener
        Opens the model, in a thread after the first frame, and again when its settings change; None if none is chosen.
    theme, theme_folders, preferences
        As in `ShellApp`.
    opener_of
        Makes the opener of a model that is chosen in the app; blocks, and raises StormscopeError.

    Attributes
    ----------
    failure
        Why the model of the command line could not be opened; None if it could.
    """

    def __init__(
        self,
        opener: Opener | None,
        *,
        theme: str | None = None,
        theme_folders: Sequence[Path] = (),
        preferences: Preferences | None = None,
        opener_of: Callable[[RecentModel], Opener] | None = None,
    ) -> None:
        super().__init__(theme=theme, theme_folders=theme_folders, preferences=preferences)
        self.model = ModelRunner(self, opener)
        self._forms = ModelForms(self, self.model, self._go_back)
        self._opener_of = opener_of or _engine_opener
        self._then: Callable[[], None] | None = None
        self.failure: StormscopeError | None = None

    async def open_first(self, opener: Opener) -> None:
        """Open the model of the command line."""
        await self.push_screen(OpeningScreen(opener.title))
        self.call_after_refresh(self.model.open, self.model.settings)

    def open_model(self, model: RecentModel, then: Callable[[], None] | None = None) -> None:
        """Open a model over whatever is shown; `then` is called when that has worked."""
        if isinstance(self.screen, OpeningScreen):
            return
        self._then = then
        start_thread(self, partial(self._find, model), group=CHOOSING, name="opening a model")

    def _find(self, model: RecentModel) -> None:
        self.post_message(OpenerReady(self._opener_of(model)))

    async def on_opener_ready(self, event: OpenerReady) -> None:
        """Open what was chosen."""
        self._forms.button = "Back"
        await self.push_screen(OpeningScreen(event.opener.title))
        self.model.begin(event.opener)

    def on_start_screen_model_chosen(self, event: StartScreen.ModelChosen) -> None:
        """Open the model."""
        self.open_model(event.model)

    def on_oracle_progress(self, event: OracleProgress) -> None:
        """Show the stage while the model is opening."""
        if isinstance(self.screen, OpeningScreen | FormScreen):
            self.screen.show_stage(f"{event.stage} {event.detail}".strip())

    def on_opening_screen_cancelled(self) -> None:
        """Stop the oracle; its error goes back to where the model was chosen."""
        self.model.cancel()

    def on_form_screen_cancel_requested(self) -> None:
        """Stop the oracle; its error is shown in the form."""
        self.model.cancel()

    def on_constants_needed(self, event: ConstantsNeeded) -> None:
        """Ask for the values of the model's constants."""
        self._forms.need_constants(event.constants)

    def on_settings_chosen(self, event: SettingsChosen) -> None:
        """Check the model with other settings; the open one stays until that has worked."""
        self.model.open(event.settings)

    def on_words_chosen(self, event: WordsChosen) -> None:
        """Save the open model in the user's words."""
        if self.model.oracle is not None:
            self.model.save(self.model.oracle, event.name, event.words, replace=event.replace)

    def _go_back(self, failure: StormscopeError) -> None:
        """Go back to where the model was chosen; that was the command line if there is no start screen."""
        self._then = None
        stack = self.screen_stack
        opening = next((at for at, screen in enumerate(stack) if isinstance(screen, OpeningScreen)), len(stack))
        if opening > 1:  # something is below it beside Textual's own empty screen
            while self.screen is not stack[opening - 1]:
                self.pop_screen()
            self.model.give_up()
            self._settle_start()
        else:
            self.failure = failure
            self.exit(return_code=failure.exit_code)

    def _settle_start(self) -> None:
        if isinstance(self.screen, StartScreen):
            self.screen.say_nothing()

    def on_explorer_screen_objective_requested(self) -> None:
        """Let the user choose another objective."""
        self._forms.change_objective()

    def on_explorer_screen_constants_requested(self) -> None:
        """Let the user change the model's constants."""
        self._forms.change_constants()

    def on_explorer_screen_words_requested(self) -> None:
        """Let the user say what the model is about."""
        self._forms.edit_words()

    def take_then(self) -> None:
        """Do what was to be done once the model is open."""
        then, self._then = self._then, None
        if then is not None:
            self.call_after_refresh(then)

    def show_failure(self, report: StormscopeError, group: str, name: str) -> None:
        """Show why a model was not opened where it was asked for."""
        if group == GROUP:
            self._forms.show_failure(report)
        elif group == CHOOSING and isinstance(self.screen, StartScreen):
            self.screen.show_error(report)
        else:
            super().show_failure(report, group, name)


def _engine_opener(model: RecentModel) -> Opener:
    from engine.cli.opening import Opening  # noqa: PLC0415 - loads after the first frame
    from tui.services.engine_opener import EngineOpener  # noqa: PLC0415 - as above

    constants = tuple(f"{name}={value}" for name, value in model.constants)
    return EngineOpener(Opening(model.model, constants, model.objective))
