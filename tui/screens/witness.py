"""Choose which of several paths is walked in the explorer."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content
from textual.widgets import Static

from tui.actions.action import Wording
from tui.asking.card import path_text
from tui.screens.tool import ToolScreen
from tui.text import clean
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.widget import Widget

    from engine.mdp.model import Mdp
    from engine.witnesses.runs import Witness


class WitnessScreen(ToolScreen):
    """A list of paths; it closes with the place of the chosen one."""

    TITLE_TEXT = "Walk along"
    HINT: ClassVar[str] = "{list.choose} walks   {tool.close} closes"
    RUN: ClassVar[Wording] = Wording("Walk", "Walk along the path under the cursor.")

    def __init__(self, witnesses: Sequence[Witness], mdp: Mdp) -> None:
        super().__init__()
        self._witnesses = witnesses
        self._mdp = mdp
        self._list = PickerList()
        self._lines: list[Content] = []

    def contents(self) -> Iterable[Widget]:
        """Return the list, and the whole of what the line under the cursor says."""
        yield self._list
        yield Static("", markup=False, id="witness-text")

    def on_mount(self) -> None:
        """Show the paths."""
        super().on_mount()
        self._lines = [
            Content.assemble(clean(each.caption), (f"  {path_text(self._mdp, each.path)}", "dim"))
            for each in self._witnesses
            if each.path is not None
        ]
        self._list.show_list(self._lines, 0)
        self._list.focus()

    @on(PickerList.Moved)
    def _looked(self, event: PickerList.Moved) -> None:
        event.stop()
        if event.index < len(self._lines):
            line = self._lines[event.index]
            cut = line.cell_length > self._list.size.width
            text = self.query_one("#witness-text", Static)
            text.update(line)
            text.display = cut

    def on_resize(self) -> None:
        """See whether the line has room now."""
        self._list.move_to(self._list.cursor)

    @on(PickerList.Chosen)
    def _take(self, event: PickerList.Chosen) -> None:
        event.stop()
        self.dismiss(event.index)

    def action_run(self) -> None:
        """Walk along the path under the cursor."""
        self._list.action_select()

    def finished(self, result: object) -> None:
        """Nothing is computed here."""
