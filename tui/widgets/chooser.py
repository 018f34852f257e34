"""A field that shows what is chosen; enter opens what it is chosen from."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tui.text import clean, shorten

if TYPE_CHECKING:
    from textual.binding import BindingType


class Chooser(Widget, can_focus=True):
    """One line: the value, and a sign that there is more."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space,down", "open", "Choose", id="chooser.open", show=False)
    ]

    value: reactive[str] = reactive("", init=False)

    class Opened(Message):
        """The user wants to choose something else."""

        def __init__(self, chooser: Chooser) -> None:
            super().__init__()
            self.chooser = chooser

        @property
        def control(self) -> Chooser:
            """The field, so that handlers can name it."""
            return self.chooser

    def __init__(self, value: str, *, id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.set_reactive(Chooser.value, value)

    def render(self) -> Content:
        """Return the line."""
        room = max(self.size.width - 3, 1)
        return Content.assemble(f" {shorten(clean(self.value), room - 1):<{room - 1}} ", ("▼", "$text-muted"))

    def action_open(self) -> None:
        """Ask for the list."""
        self.post_message(self.Opened(self))

    def on_click(self) -> None:
        """Ask for the list."""
        self.action_open()
