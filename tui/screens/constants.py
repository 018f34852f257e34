"""Values for the constants that a model leaves open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from tui.messages import SettingsChosen
from tui.screens.form import FormScreen
from tui.text import clean, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

    from engine.errors import StormscopeError
    from engine.mdp.constants import Constant
    from tui.services.models import ModelSettings

NAME_WIDTH = 18


class ConstantField(Vertical):
    """One constant: name, type and value; below it what it means, or what is wrong with the value."""

    def __init__(self, constant: Constant, value: str) -> None:
        super().__init__(classes="constant")
        self.constant = constant
        self._value = value

    def compose(self) -> Iterable[Widget]:
        """Create the two lines."""
        name = shorten(clean(self.constant.name), NAME_WIDTH)
        label = Content.assemble((name, "bold"), f" {self.constant.type}")
        yield Horizontal(
            Static(label, classes="constant-name"),
            Input(self._value, placeholder=_example(self.constant), compact=True, select_on_focus=False),
            classes="constant-row",
        )
        note = Static("", classes="constant-note", markup=False)
        yield note

    def on_mount(self) -> None:
        """Show the meaning."""
        self.show(None)

    @property
    def value(self) -> str:
        """The text as typed."""
        return self.query_one(Input).value.strip()

    def complaint(self) -> str | None:
        """Return what is wrong with the value, if anything."""
        if not self.value:
            return f"{self.constant.name} needs a value"
        return self.constant.complaint(self.value)

    def show(self, complaint: str | None) -> None:
        """Show a complaint, or the meaning if there is none."""
        note = self.query_one(".constant-note", Static)
        text = complaint or self.constant.meaning
        note.update(Content(clean(text)))
        note.set_class(complaint is not None, "-error")
        note.display = bool(text)
        if complaint is not None:
            self.call_after_refresh(note.scroll_visible, animate=False)

    @on(Input.Changed)
    def _typing(self) -> None:
        self.show(None)


class ConstantsScreen(FormScreen):
    """One field for each constant."""

    def __init__(
        self,
        title: str,
        settings: ModelSettings,
        constants: tuple[Constant, ...],
        error: StormscopeError | None = None,
    ) -> None:
        super().__init__(title, error)
        self._settings = settings
        self._constants = constants

    def fields(self) -> Iterable[Widget]:
        """Return the fields."""
        for constant in self._constants:
            yield ConstantField(constant, self._settings.constants.get(constant.name, constant.default or ""))

    def on_mount(self) -> None:
        """Begin at the first constant that has no value."""
        super().on_mount()
        inputs = list(self.query(Input))
        (next((each for each in inputs if not each.value), None) or inputs[0]).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_send()

    def submit(self) -> None:
        """Ask for the model with these values; wrong ones are explained below their fields."""
        fields = list(self.query(ConstantField))
        complaints = [(each, each.complaint()) for each in fields]
        for each, complaint in complaints:
            each.show(complaint)
        wrong = next((each for each, complaint in complaints if complaint is not None), None)
        if wrong is not None:
            wrong.query_one(Input).focus()
            return
        values = {each.constant.name: each.value for each in fields}
        self.start()
        self.post_message(SettingsChosen(replace(self._settings, constants={**self._settings.constants, **values})))


def _example(constant: Constant) -> str:
    if constant.values:
        return " or ".join(constant.values)
    return {"int": "3", "double": "0.1 or 1/3", "bool": "true or false"}[constant.type]
