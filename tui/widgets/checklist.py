"""A list of things to choose from, whose marks can be told apart without colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import BindingType


class Checklist(OptionList):
    """Names with ``[x]`` or ``[ ]``, each on one line; space changes one, and so does enter unless it takes them.

    Parameters
    ----------
    more
        An entry for what is not in the list.
    taking
        Whether enter takes what is chosen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "select", "Choose", id="checklist.toggle"),
        Binding("enter", "take", "Take", id="checklist.take", show=False),
    ]
    DEFAULT_CSS = "Checklist { text-wrap: nowrap; text-overflow: ellipsis; }"

    class Taken(Message):
        """What is chosen is to be taken."""

    class MoreWanted(Message):
        """The entry for what is not in the list was chosen."""

    def __init__(
        self,
        names: Iterable[str],
        chosen: Iterable[str],
        *,
        more: str = "",
        taking: bool = False,
        id: str,  # noqa: A002 - Textual's name for it
    ) -> None:
        self._taking = taking
        self._names = tuple(names)
        self._chosen = set(chosen) & set(self._names)
        self._more = more
        super().__init__(*self._all(), id=id, markup=False, compact=True)

    def _all(self) -> list[Option]:
        more = [Option(Content.styled(f"    {self._more}", "$text-muted"))] if self._more else []
        return [*(Option(self._line(name)) for name in self._names), *more]

    def add(self, name: str) -> None:
        """Add a name and choose it."""
        self._names = tuple(dict.fromkeys([*self._names, name]))
        self._chosen.add(name)
        self.clear_options()
        self.add_options(self._all())
        self.highlighted = self._names.index(name)

    def offer(self, name: str) -> None:
        """Add a name at the end without choosing it; the cursor stays."""
        if name not in self._names:
            before = self.highlighted
            self._names = (*self._names, name)
            self.clear_options()
            self.add_options(self._all())
            self.highlighted = before

    @property
    def chosen(self) -> tuple[str, ...]:
        """The chosen names, in the order of the list."""
        return tuple(name for name in self._names if name in self._chosen)

    def _line(self, name: str) -> Content:
        mark = ("[x] ", "bold $accent") if name in self._chosen else ("[ ] ", "dim")
        return Content.assemble(mark, clean(name))

    def action_take(self) -> None:
        """Take what is chosen, or change what is under the cursor where nothing takes it."""
        if self._taking:
            self.post_message(self.Taken())
        else:
            self.action_select()

    @on(OptionList.OptionSelected)
    def _toggle(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index >= len(self._names):
            self.post_message(self.MoreWanted())
            return
        name = self._names[event.option_index]
        self._chosen ^= {name}
        self.replace_option_prompt_at_index(event.option_index, self._line(name))
