"""The forms that change what is open, and where a failed attempt to open it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import CancelledError, StormscopeError, UsageError
from tui.screens.form import FormScreen
from tui.screens.message import FailureScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.app import App

    from engine.mdp.constants import Constant
    from tui.services.model_runner import ModelRunner


class ModelForms:
    """Opens the forms over the screen.

    Parameters
    ----------
    leave
        Goes back to where the model was chosen; ends the app with the failure where that was the command line.
    """

    def __init__(self, app: App[None], model: ModelRunner, leave: Callable[[StormscopeError], None]) -> None:
        self._app = app
        self._model = model
        self._leave = leave
        self.button = "Quit"

    @property
    def _title(self) -> str:
        return self._model.opener.title if self._model.opener is not None else "The model"

    @property
    def _objectives(self) -> Mapping[str, str]:
        return self._model.opener.objectives() if self._model.opener is not None else {}

    def need_constants(self, constants: tuple[Constant, ...]) -> None:
        """Ask for the constants that a model cannot be opened without."""
        from tui.screens.constants import ConstantsScreen  # noqa: PLC0415 - forms load when they are opened

        title = f"{self._title} needs values for its constants"
        self._app.push_screen(ConstantsScreen(title, self._model.settings, constants), self._closed)

    def change_constants(self) -> None:
        """Let the user change the constants of the open model."""
        from tui.screens.constants import ConstantsScreen  # noqa: PLC0415 - as above

        try:
            constants = self._model.opener.constants() if self._model.opener is not None else ()
        except StormscopeError as error:
            self._app.push_screen(FailureScreen(error))
            return
        if constants:
            self._app.push_screen(ConstantsScreen("Constants", self._model.settings, constants))
        else:
            self._app.notify("This model leaves no constants open.")

    def change_objective(self) -> None:
        """Let the user choose another objective for the open model."""
        from tui.explorer.completion import names_of_model  # noqa: PLC0415 - as above
        from tui.screens.objective import ObjectiveScreen  # noqa: PLC0415 - as above

        if self._model.oracle is not None:
            present = self._model.oracle.facts.objective.text
            names = names_of_model(self._model.oracle.mdp, self._model.oracle.constants)
            self._app.push_screen(ObjectiveScreen(self._model.settings, present, self._objectives, names))

    def edit_words(self) -> None:
        """Let the user say what the open model is about."""
        from tui.screens.words import WordsScreen  # noqa: PLC0415 - as above

        oracle = self._model.oracle
        if oracle is None or self._model.opener is None:
            return
        try:
            name, words = self._model.opener.words(oracle)
        except StormscopeError as error:
            self._app.push_screen(FailureScreen(error, title="These words cannot be edited here"))
            return
        taken = oracle.environment.name if oracle.environment.folder is not None else None
        copied = "" if taken in {None, name} else oracle.environment.title
        self._app.push_screen(WordsScreen(name, words, own=name == taken, copied=copied))

    def show_failure(self, report: StormscopeError) -> None:
        """Show why a model was not opened: in the form that asked, else in one that can mend it, else at the end."""
        cancelled = isinstance(report, CancelledError)
        form = next((screen for screen in reversed(self._app.screen_stack) if isinstance(screen, FormScreen)), None)
        if form is not None and cancelled:
            form.show_cancelled()
        elif self._model.pending and _lacks_objective(report) and not _asks_for_objective(form):
            self._need_objective(form)
        elif form is not None:
            form.show_error(report)
        elif cancelled:
            self._leave(report)
        elif not self._model.pending:
            self._app.push_screen(FailureScreen(report))
        else:
            failure = FailureScreen(report, title="The model could not be opened", button=self.button)
            self._app.push_screen(failure, lambda _: self._leave(report))

    def _need_objective(self, below: FormScreen | None) -> None:
        """Ask for the objective that a model cannot be opened without; a form below is gone back to."""
        from tui.screens.objective import ObjectiveScreen  # noqa: PLC0415 - as above

        names = self._model.opener.names() if self._model.opener is not None else ()
        title = f"{self._title} needs an objective"
        screen = ObjectiveScreen(self._model.settings, "", self._objectives, names, title=title)
        if below is None:
            self._app.push_screen(screen, self._closed)
        else:
            below.rest()
            self._app.push_screen(screen)

    def _closed(self, _: None) -> None:
        if self._model.pending:
            self._leave(CancelledError("cancelled"))


def _lacks_objective(report: StormscopeError) -> bool:
    return isinstance(report, UsageError) and "no objective" in report.what


def _asks_for_objective(form: FormScreen | None) -> bool:
    from tui.screens.objective import ObjectiveScreen  # noqa: PLC0415 - as above

    return isinstance(form, ObjectiveScreen)
