"""Choose the objective: one of the environment's, or any property."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from engine.errors import UsageError
from tui.messages import SettingsChosen
from tui.screens.form import FormScreen
from tui.text import clean, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textual.widget import Widget

    from engine.errors import StormscopeError
    from tui.services.models import ModelSettings

NAME_WIDTH = 14
PRESENT = "present"


class ObjectiveScreen(FormScreen):
    """Named objectives in a list, and one line for another property.

    Parameters
    ----------
    settings
        What the model is open with.
    present
        The present objective's text; empty if there is none yet.
    known
        The environment's objectives by name.
    """

    def __init__(
        self, settings: ModelSettings, present: str, known: Mapping[str, str], error: StormscopeError | None = None
    ) -> None:
        super().__init__("Objective", error)
        self._settings = settings
        self._present = present
        self._known = dict(known)
        if present and present not in self._known.values():
            self._known = {PRESENT: present, **self._known}

    def fields(self) -> Iterable[Widget]:
        """Return the list and the input."""
        listed = OptionList(
            *(Option(self._line(name, text)) for name, text in self._known.items()),
            id="objective-list",
            markup=False,
            compact=True,
        )
        listed.display = bool(self._known)
        yield listed
        yield Label("or any property:" if self._known else "a property:", classes="form-label")
        yield Input(placeholder='Pmax=? [F "goal"]', compact=True, id="objective-text", select_on_focus=False)

    def on_mount(self) -> None:
        """Begin at the present objective."""
        super().on_mount()
        listed = self.query_one(OptionList)
        texts = list(self._known.values())
        if texts:
            listed.highlighted = texts.index(self._present) if self._present in texts else 0
            listed.focus()
        else:
            self.query_one(Input).focus()

    def _line(self, name: str, text: str) -> Content:
        mark = ("● ", "bold $accent") if text == self._present else ("  ", "")
        return Content.assemble(mark, (f"{shorten(clean(name), NAME_WIDTH):<{NAME_WIDTH}} ", "bold"), clean(text))

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if not self.busy:
            self._want(list(self._known.values())[event.option_index])

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        if not self.busy:
            self.submit()

    def submit(self) -> None:
        """Ask for the property that is typed, else for the one that is highlighted."""
        typed = self.query_one(Input).value.strip()
        highlighted = self.query_one(OptionList).highlighted
        if typed:
            self._want(typed)
        elif highlighted is not None:
            self._want(list(self._known.values())[highlighted])
        else:
            self.show_error(UsageError("no property is given", hint='write for example Pmax=? [F "goal"]'))

    def _want(self, text: str) -> None:
        self.start()
        self.post_message(SettingsChosen(replace(self._settings, objective=text)))
