"""A list in the settings, with the keys that every list has."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.actions.registry import bindings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import BindingType
    from textual.content import Content


class SettingsList(OptionList):
    """Lines with ids."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list")]

    def __init__(self, *, id: str, classes: str = "") -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id, classes=classes, markup=False, compact=True)

    @property
    def chosen(self) -> str | None:
        """The id of the line under the cursor."""
        option = self.highlighted_option
        return option.id if option is not None else None

    def show_lines(self, lines: Iterable[tuple[str, Content]]) -> None:
        """Show lines by their ids; an empty id is a heading. The cursor stays on its line if that is still there."""
        before = self.chosen
        options = [Option(line, id=key or None, disabled=not key) for key, line in lines]
        self.clear_options()
        self.add_options(options)
        keys = [option.id for option in options]
        if any(keys):
            wanted = before if before and before in keys else next(key for key in keys if key)
            self.highlighted = keys.index(wanted)
