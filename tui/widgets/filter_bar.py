"""The filter: a PRISM expression, with what is wrong with it below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from tui.appearance.keymap import keymap_of, with_keys
from tui.explorer.completion import SHOWN, candidates
from tui.messages import FilterRequested
from tui.text import clean
from tui.told import told
from tui.widgets.expression_input import ExpressionInput

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from engine.errors import StormscopeError


class FilterBar(Vertical):
    """One line to type in, and one for an error or an empty result, hidden when there is neither.

    Parameters
    ----------
    text
        What the input begins with.
    example
        An expression about this model, to show what can be written.
    names
        What an expression may name, to complete it.
    """

    def __init__(self, text: str, example: str, names: tuple[str, ...], *, id: str) -> None:  # noqa: A002 - Textual's
        super().__init__(id=id)
        self._first = text
        self._example = example
        self._names = names

    def compose(self) -> ComposeResult:
        """Create the input and the line below."""
        yield ExpressionInput(self._first, self._hint(), self._names, id="filter-input")
        note = Static("", id="filter-note", markup=False)
        note.display = False
        yield note

    def _hint(self) -> str:
        key = with_keys("{explorer.filter}", keymap_of(self.app))
        return f"{key} filter: {clean(self._example)}"

    def show_key(self) -> None:
        """Name the key that leads here, which may have changed."""
        for field in self.query(Input):  # there is none yet when the screen is shown for the first time
            field.placeholder = self._hint()

    def complete_with(self, names: tuple[str, ...]) -> None:
        """Complete these names from now on."""
        self._names = names
        for field in self.query(ExpressionInput):
            field.complete_with(names)

    @property
    def text(self) -> str:
        """The expression as typed."""
        return self.query_one(Input).value.strip()

    def show(self, text: str) -> None:
        """Show another expression, which is not evaluated yet."""
        with self.query_one(Input).prevent(Input.Changed):
            self.query_one(Input).value = text
        self.say_nothing()

    def clear(self) -> None:
        """Forget the expression."""
        self.show("")

    def say_nothing(self) -> None:
        """Hide the line below."""
        self.query_one("#filter-note", Static).display = False

    def say(self, text: str, *, error: bool = False) -> None:
        """Show something below the input."""
        note = self.query_one("#filter-note", Static)
        note.update(Content(clean(text, lines=True)))
        note.set_class(error, "-error")
        note.display = True

    def say_error(self, error: StormscopeError) -> None:
        """Show what is wrong with the expression, and where."""
        said = told(error)
        where = said.where.removeprefix(self.text).strip()
        parts = [f"{said.what} {where}".strip(), *([f"→ {said.hint}"] if said.hint else [])]
        self.say("\n".join(parts), error=True)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        found = candidates(event.value, self._names)
        if found:
            more = " …" if len(found) > SHOWN else ""
            self.say("→ " + "  ".join(found[:SHOWN]) + more)
        else:
            self.say_nothing()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(FilterRequested(event.value.strip()))
