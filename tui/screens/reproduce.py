"""The commands that give the selected state's values without this program."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content

from engine.errors import StormscopeError
from engine.oracle.again import commands
from tui.explorer.wrapping import wrapped
from tui.screens.tool import ToolScreen
from tui.text import clean
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

    from engine.oracle.facts import Oracle

WIDTH = 70
"""Columns inside the box, where the terminal has them."""
AROUND = 8
"""Columns that the box and its margin take."""


class ReproduceScreen(ToolScreen):
    """A command a block; enter or y copies the one under the cursor."""

    TITLE_TEXT = "Reproduce"
    HINT: ClassVar[str] = "{list.choose} or {tool.copy} copies the command   {tool.close} closes"

    def __init__(self, oracle: Oracle, state: int) -> None:
        super().__init__()
        self._oracle = oracle
        self._state = state
        self._list = PickerList()
        self._command_at: list[str] = []

    def contents(self) -> Iterable[Widget]:
        """Return the list."""
        yield self._list

    def on_mount(self) -> None:
        """Write the commands for V and for D."""
        super().on_mount()
        facts = self._oracle.facts
        properties = [("V", facts.objective.text)]
        if facts.danger_text is not None:
            properties.append(("D", facts.danger_text))
        lines: list[Content] = []
        for name, text in properties:
            try:
                found = commands(self._oracle, text, self._state)
            except StormscopeError as error:
                self.say_error(error)
                break
            for command in found:
                title = f"{name} of s{self._state} with {command.split(maxsplit=1)[0]}"
                width = min(WIDTH, self.app.size.width - AROUND)
                block = [Content.styled(title, "bold"), *map(Content, wrapped(clean(command), width)), Content("")]
                self._command_at += [command] * len(block)
                lines += block
        self._list.show_list(lines, 0)
        self._list.focus()

    @on(PickerList.Chosen)
    def _chosen(self, event: PickerList.Chosen) -> None:
        event.stop()
        self.action_copy()

    def action_copy(self) -> None:
        """Copy the command under the cursor."""
        if self._list.cursor < len(self._command_at):
            self.app.copy_to_clipboard(self._command_at[self._list.cursor])
            self.app.notify("command copied")
