"""The filter: a PRISM expression, with what is wrong with it below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from tui.messages import FilterRequested
from tui.text import clean

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
    """

    def __init__(self, text: str, example: str, *, id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._first = text
        self._example = example

    def compose(self) -> ComposeResult:
        """Create the input and the line below."""
        hint = f"/ filter: {clean(self._example)}"
        yield Input(self._first, placeholder=hint, compact=True, id="filter-input", select_on_focus=False)
        note = Static("", id="filter-note", markup=False)
        note.display = False
        yield note

    @property
    def text(self) -> str:
        """The expression as typed."""
        return self.query_one(Input).value.strip()

    def clear(self) -> None:
        """Forget the expression."""
        self.query_one(Input).value = ""
        self.say_nothing()

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
        where = error.where.removeprefix(self.text).strip()
        parts = [f"{error.what} {where}".strip(), *([f"→ {error.hint}"] if error.hint else [])]
        self.say("\n".join(parts), error=True)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(FilterRequested(event.value.strip()))
