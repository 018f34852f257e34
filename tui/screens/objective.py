"""Choose the objective: one of the environment's, or any property."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from engine.errors import UsageError
from tui.actions.action import Wording
from tui.explorer.completion import SHOWN, candidates
from tui.messages import SettingsChosen
from tui.screens.form import FormScreen
from tui.text import clean, shorten
from tui.widgets.expression_input import ExpressionInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from textual.widget import Widget

    from tui.services.models import ModelSettings

NAME_WIDTH = 14
PRESENT = "present"
PATTERNS = ("Pmax=? [F ", "Pmin=? [F ", "Rmax=? [F ", "Rmin=? [F ")
"""Beginnings of objectives, offered as completions beside the names of the model."""


class ObjectiveScreen(FormScreen):
    """Named objectives in a list, and one line for another property.

    Parameters
    ----------
    settings
        What the model is open with.
    present
        The present objective's text; empty if there is none yet.
    known
        The environment's objectives by name, or those that the model's files bring along.
    names
        What a property may name, to complete it.
    title
        What the box is called.
    """

    HELP_GROUPS: ClassVar[tuple[str, ...]] = ("form", "filter", "list", "app")

    def __init__(
        self,
        settings: ModelSettings,
        present: str,
        known: Mapping[str, str],
        names: Sequence[str] = (),
        *,
        title: str = "Objective",
    ) -> None:
        super().__init__(title)
        self._names = (*PATTERNS, *names)
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
        sends = Wording(self.SEND, "Check the model for this objective.")
        yield ExpressionInput("", 'Pmax=? [F "goal"]', self._names, id="objective-text", leaves=True, sends=sends)
        yield Static("", id="objective-names", classes="form-label", markup=False)

    def on_mount(self) -> None:
        """Begin at the present objective."""
        super().on_mount()
        listed = self.query_one(OptionList)
        texts = list(self._known.values())
        self._offer("")
        if texts:
            listed.highlighted = texts.index(self._present) if self._present in texts else 0
            listed.focus()
        else:
            self.query_one(Input).focus()

    @on(Input.Changed)
    def _typing(self, event: Input.Changed) -> None:
        event.stop()
        self._offer(event.value)

    def _offer(self, text: str) -> None:
        """Show the names that go on from what is typed; of an empty field the model's labels."""
        labels = [name for name in self._names if name.startswith('"')]
        found = candidates(text, self._names) if text else labels
        more = " …" if len(found) > SHOWN else ""
        note = self.query_one("#objective-names", Static)
        note.update(Content(("→ " if text else "labels: ") + clean("  ".join(found[:SHOWN])) + more))
        note.display = bool(found)

    def _line(self, name: str, text: str) -> Content:
        mark = ("● ", "bold $accent") if text == self._present else ("  ", "")
        said = clean(text) if text != name else ("a property of the model file", "dim")
        return Content.assemble(mark, (f"{shorten(clean(name), NAME_WIDTH):<{NAME_WIDTH}} ", "bold"), said)

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
